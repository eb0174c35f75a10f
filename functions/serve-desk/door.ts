/** The door of the desk: what answers whoever is not known yet. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import QuickLRU from 'quick-lru';
import { withoutSecrets } from '../domain/token.ts';
import type { ApiEvent } from '../http/api-event.ts';
import { secretIn, setCookieOf } from './cookie.ts';
import { type Assets, assetsPath, embedPath } from './parts/assets.ts';
import { base, openPath } from './parts/base.ts';
import type { Desk } from './parts/desk.ts';
import { formOf, textOf } from './parts/forms.ts';
import type { Html } from './parts/html.ts';
import { document } from './parts/layout.ts';
import {
  invitationDays,
  invitationIn,
  isSessionSecret,
  openInvitation,
  type PeopleDependencies,
} from './people.ts';

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
  Bindings: {
    event: Pick<ApiEvent<unknown>, 'cookies' | 'logged' | 'rawPath' | 'rawQueryString' | 'requestContext'> & {
      desk?: Desk;
    };
  };
}

/** What is answered without a session, in front of what needs one. */
export function doorPages(people: PeopleDependencies, { addressOf }: Assets): Hono<DoorEnv> {
  const isAllowed = fewTries(() => people.now().getTime());
  const show = (c: Context<DoorEnv>, { status = 200, ...said }: Shown = {}) => {
    const secret = secretIn(c.env.event.cookies ?? [], c.req.header('host') ?? '') ?? '';
    return c.html(openPage(addressOf, { ...said, isKnown: isSessionSecret(secret) }), status);
  };
  return new Hono<DoorEnv>()
    .use(async (c, next) => {
      const { rawPath, rawQueryString } = c.env.event;
      const address = `${rawPath}?${rawQueryString}`;
      const isLink = rawPath.startsWith(openPath) && withoutSecrets(address) !== address;
      if (c.req.method !== 'GET' || !isLink) return next();
      const invitation = invitationIn(address);
      return show(c, { invitation, problem: `${changedText} ${invitation ? stillOpensText : pasteText}` });
    })
    .get(openPath, (c) => show(c))
    .post(openPath, async (c) => {
      const invitation = invitationIn(textOf(await formOf(c), 'invitation'));
      if (invitation === undefined) return show(c, { problem: overText, status: 403 });
      const { event } = c.env;
      if (!isAllowed(event.requestContext.http.sourceIp)) {
        return show(c, { problem: 'Too many tries from here. Wait a minute.', status: 429 });
      }
      const opened = await openInvitation(people, invitation);
      if (!opened) return show(c, { problem: overText, status: 403 });
      const { organization, id: personId, name: person } = opened.person;
      event.logged = { ...event.logged, organization, person, personId, signedIn: true };
      c.header('set-cookie', setCookieOf(c.req.header('host') ?? '', opened.secret));
      return c.redirect(`${base}/queue`, 303);
    })
    .on('GET', [base, `${base}/`], async (c, next) => (c.env.event.desk ? next() : show(c)))
    .use(async (c, next) => {
      if (c.env.event.desk) return next();
      // A page that somebody has kept since a session that is over.
      c.header('hx-redirect', openPath);
      return c.html(openPage(addressOf, { problem: 'You are not signed in here, or no longer.' }), 401);
    });
}

/** Whether the door answers, whoever asks: somebody may open another invitation. */
export function isAnswered(path: string): boolean {
  return path === openPath || path === embedPath || path.startsWith(`${assetsPath}/`);
}

const changedText = 'This link was changed on the way to you, by a mail program for example.';
const stillOpensText = 'It opens your desk all the same.';
const pasteText = 'A part of it is missing. Paste the whole link as it was sent to you.';
const overText = `This invitation was opened before, or is over: each opens once, within ${invitationDays} days. Ask whoever invited you for another.`;

/** The texts of the page that an invitation leads to. */
interface Said {
  problem?: string;
  /** The invitation, where the address had it. */
  invitation?: string | undefined;
  /** Whether somebody is signed in. */
  isKnown?: boolean;
}

/** The same, and the status of the answer. */
type Shown = Said & { status?: 200 | 403 | 429 };

/**
 * The page to which an invitation leads: its secret stands behind `#`, which browsers do not send. A script only writes it into the
 * field: programs that look into the links of mails run scripts, and press no button.
 */
function openPage(asset: Assets['addressOf'], { problem, invitation = '', isKnown = false }: Said): Html {
  return document(
    { asset },
    'Open',
    html`<main id="main" class="door"><h1>Open your desk</h1>
    ${problem && html`<p class="notice wrong" role="alert">${problem}</p>`}
    ${isKnown && html`<p class="notice">You are signed in here. What you open takes its place.</p>`}
    <form method="post" action="${openPath}" class="card" data-open>
      <div class="field"><label for="invitation">Your invitation: the whole link</label>
        <input id="invitation" name="invitation" value="${invitation}" autocomplete="off" required></div>
      <div class="buttons"><button>Open</button></div>
    </form></main>`,
  );
}
