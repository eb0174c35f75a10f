/** The door of the desk: what answers whoever is not known yet. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import QuickLRU from 'quick-lru';
import type { ApiEvent } from '../http/api-event.ts';
import {
  invitationDays,
  isSessionSecret,
  openInvitation,
  type PeopleDependencies,
} from '../operations/desk-people.ts';
import { type Assets, assetsPath, embedPath } from './assets.ts';
import { base, openPath } from './base.ts';
import { secretIn, setCookieOf } from './cookie.ts';
import type { Desk } from './desk.ts';
import { formOf, textOf } from './parts/forms.ts';
import type { Html } from './parts/html.ts';
import { document } from './parts/layout.ts';

// Nobody guesses a secret of 178 bits: the limit only saves reads.
const triesAMinute = 20;

/** Tries of one address, in the memory of a running function. */
function fewTries(clock: () => number): (address: string) => boolean {
  const tries = new QuickLRU<string, number[]>({ maxSize: 1000 });
  return (address) => {
    const recent = (tries.get(address) ?? []).filter((time) => time > clock() - 60_000);
    tries.set(address, [...recent, clock()].slice(-triesAMinute - 1));
    return recent.length < triesAMinute;
  };
}

/** What the door reads of an event; the desk is absent where no session is known. */
export interface DoorEnv {
  Bindings: { event: Pick<ApiEvent<unknown>, 'cookies' | 'requestContext'> & { desk?: Desk } };
}

/** What is answered without a session, in front of what needs one. */
export function doorPages(people: PeopleDependencies, { addressOf }: Assets): Hono<DoorEnv> {
  const isAllowed = fewTries(() => people.now().getTime());
  const show = (c: Context<DoorEnv>, problem?: string, status: 200 | 403 | 429 = 200) => {
    const secret = secretIn(c.env.event.cookies ?? [], c.req.header('host') ?? '') ?? '';
    return c.html(openPage(addressOf, isSessionSecret(secret), problem), status);
  };
  return new Hono<DoorEnv>()
    .get(openPath, (c) => show(c))
    .post(openPath, async (c) => {
      const typed = textOf(await formOf(c), 'invitation').trim();
      if (!isAllowed(c.env.event.requestContext.http.sourceIp)) {
        return show(c, 'Too many tries from here. Wait a minute.', 429);
      }
      // The whole link may have been pasted.
      const opened = await openInvitation(people, typed.slice(typed.indexOf('#') + 1));
      if (!opened) return show(c, overText, 403);
      c.header('set-cookie', setCookieOf(c.req.header('host') ?? '', opened));
      return c.redirect(`${base}/queue`, 303);
    })
    .on('GET', [base, `${base}/`], async (c, next) => (c.env.event.desk ? next() : show(c)))
    .use(async (c, next) => {
      if (c.env.event.desk) return next();
      // A page that somebody has kept since a session that is over.
      c.header('hx-redirect', openPath);
      return c.html(openPage(addressOf, false, 'You are not signed in here, or no longer.'), 401);
    });
}

/** Whether the door answers, whoever asks: somebody may open another invitation. */
export function isAnswered(path: string): boolean {
  return path === openPath || path === embedPath || path.startsWith(`${assetsPath}/`);
}

const overText = `This invitation was opened before, or is over: each opens once, within ${invitationDays} days. Ask whoever invited you for another.`;

/**
 * The page to which an invitation leads: its secret stands behind `#`, which browsers do not send. It is opened at once but where
 * somebody is known: a link that others send would have them sit at another desk unseen.
 */
function openPage(asset: Assets['addressOf'], isKnown: boolean, problem?: string): Html {
  return document(
    { asset },
    'Open',
    html`<main id="main" class="door"><h1>Open your desk</h1>
    ${problem && html`<p class="notice wrong" role="alert">${problem}</p>`}
    ${isKnown && html`<p class="notice">You are signed in here. What you open takes its place.</p>`}
    <form method="post" action="${openPath}" class="card" data-open="${isKnown && 'asks'}">
      <div class="field"><label for="invitation">Your invitation: the whole link</label>
        <input id="invitation" name="invitation" autocomplete="off" required></div>
      <div class="buttons"><button>Open</button></div>
    </form></main>`,
  );
}
