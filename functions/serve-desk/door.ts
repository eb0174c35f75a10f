/** The door of the desk: what answers whoever is not known yet. */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import QuickLRU from 'quick-lru';
import {
  invitationDays,
  isSessionSecret,
  openInvitation,
  type PeopleDependencies,
} from '../operations/desk-people.ts';
import { type Assets, assetsPath, embedPath } from './assets.ts';
import { base, openPath } from './base.ts';
import { secretIn, setCookieOf } from './cookie.ts';
import { onlyOwnForms, safeHeaders } from './desk-app.ts';
import { formOf, textOf } from './parts/forms.ts';
import type { Html } from './parts/html.ts';
import { document } from './parts/layout.ts';

// A long review: fifty steps with tags whose letters a form writes as nine bytes each, and hundreds that were skipped.
const largestForm = 512 * 1024;

/** Refuses what no form of a desk is. */
export const smallForms = bodyLimit({
  maxSize: largestForm,
  onError: (c) => c.text('This form is too large\n', 413),
});

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

export interface DoorDependencies extends PeopleDependencies {
  assets: Assets;
}

/** Where the gateway says from which address a request comes, and with which cookies. */
interface DoorEnv {
  Bindings: { event?: { cookies?: string[]; requestContext?: { http?: { sourceIp?: string } } } };
}

/** What is answered without a session. */
export function doorApp(deps: DoorDependencies): Hono<DoorEnv> {
  const { assets, now } = deps;
  const asset = assets.addressOf;
  const isAllowed = fewTries(() => now().getTime());
  const page = (c: Context<DoorEnv>, problem?: string) => {
    const secret = secretIn(c.env.event?.cookies ?? [], c.req.header('host') ?? '') ?? '';
    return openPage({ asset }, { problem, isKnown: isSessionSecret(secret) });
  };
  const app = new Hono<DoorEnv>();
  app.route('/', assets.routes);
  app.use(safeHeaders, onlyOwnForms, smallForms);
  app.post(openPath, async (c) => {
    const typed = textOf(await formOf(c), 'invitation').trim();
    if (!isAllowed(c.env.event?.requestContext?.http?.sourceIp ?? '')) {
      return c.html(page(c, 'Too many tries from here. Wait a minute.'), 429);
    }
    // The whole link may have been pasted.
    const opened = await openInvitation(deps, typed.slice(typed.indexOf('#') + 1));
    if (!opened) return c.html(page(c, overText), 403);
    c.header('set-cookie', setCookieOf(c.req.header('host') ?? '', opened));
    return c.redirect(`${base}/queue`, 303);
  });
  app.on('GET', [base, `${base}/`, openPath], (c) => c.html(page(c)));
  app.onError((error) => {
    // The log has its reason.
    throw error;
  });
  // A page that somebody has kept since a session that is over.
  app.all('*', (c) => {
    c.header('hx-redirect', openPath);
    return c.html(openPage({ asset }, { problem: 'You are not signed in here, or no longer.' }), 401);
  });
  return app;
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
function openPage(
  about: Parameters<typeof document>[0],
  { problem, isKnown = false }: { problem?: string | undefined; isKnown?: boolean },
): Html {
  return document(
    about,
    'Open',
    html`<main id="main" class="door"><h1>Open your desk</h1>
    ${problem === undefined ? '' : html`<p class="notice wrong" role="alert">${problem}</p>`}
    ${isKnown ? html`<p class="notice">You are signed in here. What you open takes its place.</p>` : ''}
    <form method="post" action="${openPath}" class="card" data-open="${isKnown ? 'asks' : ''}">
      <div class="field"><label for="invitation">Your invitation: the whole link</label>
        <input id="invitation" name="invitation" autocomplete="off" required></div>
      <div class="buttons"><button>Open</button></div>
    </form></main>`,
  );
}
