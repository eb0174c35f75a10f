/** Signing in and out of the desk: the page that opens an invitation, the session cookie, and the page “You”. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import QuickLRU from 'quick-lru';
import type { Person, Visit } from '../domain/person.ts';
import { idOfToken, withoutSecrets } from '../domain/token.ts';
import { type ApiEvent, isLocal } from '../http/api-event.ts';
import { type Assets, assetsPath, deskPath, embedPath } from './parts/assets.ts';
import { type Desk, type DeskEnv, type DeskPages, showPage } from './parts/desk.ts';
import { BadForm, formOf, outOfDateText, textOf } from './parts/forms.ts';
import { document, type Html } from './parts/layout.ts';
import { redirectWithNote, takeNote } from './parts/note.ts';
import { minute } from './parts/testimonial.ts';
import {
  endSessions,
  invitationDays,
  invitationIn,
  openInvitation,
  openPath,
  type PeopleDependencies,
  sessionDays,
} from './people.ts';

// This only limits reads: secrets of 178 bits need no protection against guessing.
const triesPerMinute = 20;

/** Limits the tries of an IP address, in the memory of one execution environment. */
function tryLimit(clock: () => number): (ip: string) => boolean {
  const tries = new QuickLRU<string, number[]>({ maxSize: 1000 });
  return (ip) => {
    const recent = (tries.get(ip) ?? []).filter((time) => time > clock() - 60_000);
    tries.set(ip, [...recent, clock()].slice(-triesPerMinute - 1));
    return recent.length < triesPerMinute;
  };
}

/** The event, with a desk if the request has a session. */
interface SignInEnv {
  Bindings: {
    event: Pick<ApiEvent<unknown>, 'cookies' | 'logged' | 'rawPath' | 'rawQueryString' | 'requestContext'> & {
      desk?: Desk;
    };
  };
}

/** Responds to every request without a session, and passes the others on. */
export function signInPages(people: PeopleDependencies, { pathOf }: Assets): Hono<SignInEnv> {
  const isAllowed = tryLimit(() => people.now().getTime());
  const show = (c: Context<SignInEnv>, { status = 200, ...content }: SignInContent = {}) =>
    c.html(signInPage(pathOf, { ...content, visit: c.env.event.desk?.visit }), status);
  return new Hono<SignInEnv>()
    .use(async (c, next) => {
      const { rawPath, rawQueryString } = c.env.event;
      const url = `${rawPath}?${rawQueryString}`;
      const isLink = rawPath.startsWith(openPath) && withoutSecrets(url) !== url;
      if (c.req.method !== 'GET' || !isLink) return next();
      const invitation = invitationIn(url);
      return show(c, { invitation, problem: invitation ? changedLinkText : brokenLinkText });
    })
    .get(openPath, (c) => show(c, { notice: takeNote(c) }))
    .post(openPath, async (c) => {
      const body = await formOf(c);
      const invitation = invitationIn(textOf(body, 'invitation'));
      if (invitation === undefined) return show(c, { problem: brokenLinkText, status: 403 });
      const { event } = c.env;
      const visit = event.desk?.visit;
      // The form may be older than a sign-in in another tab.
      const isAsked = !visit || textOf(body, 'replaces') === idOfToken(visit.session);
      if (!isAsked) return show(c, { invitation, status: 409 });
      if (!isAllowed(event.requestContext.http.sourceIp)) {
        return show(c, { invitation, problem: 'Too many attempts. Try again in a minute.', status: 429 });
      }
      const opened = await openInvitation(people, invitation);
      if (!opened) return show(c, { problem: usedText, status: 403 });
      if (visit) await people.desks.removePass(visit.session.hash);
      const { organization, id: personId, name: person } = opened.person;
      event.logged = { ...event.logged, organization, person, personId, signedIn: true };
      c.header('set-cookie', sessionCookie(c.req.header('host') ?? '', opened.secret));
      return c.redirect(`${deskPath}/queue`, 303);
    })
    .on('GET', [deskPath, `${deskPath}/`], async (c, next) => (c.env.event.desk ? next() : show(c)))
    .use(async (c, next) => (c.env.event.desk ? next() : show(c, { problem: signedOutText, status: 401 })));
}

/** True for the paths of files, which need no session. */
export function needsNoSession(path: string): boolean {
  return path === embedPath || path.startsWith(`${assetsPath}/`);
}

const changedLinkText =
  'This link was changed on its way to you, perhaps by your mail program. It still opens your desk.';
const brokenLinkText =
  'This link was changed on its way to you, perhaps by your mail program, and a part is missing. Copy the whole link from your invitation.';
const signedOutText =
  'You are not signed in. Open the link from your invitation, or ask the person who invited you for a new one.';
const usedText = `This link was already used, or it has expired: a link works once, within ${invitationDays} days. Ask the person who sent it for a new one.`;

interface SignInContent {
  problem?: string;
  notice?: string;
  /** The invitation, if the URL contained it. */
  invitation?: string | undefined;
  /** The session that the invitation would replace. */
  visit?: Visit | undefined;
  status?: 200 | 401 | 403 | 409 | 429;
}

/**
 * The page an invitation leads to. Its secret is in the URL fragment, which browsers do not send; a script copies it into the
 * field. Link scanners of mail programs run scripts too, but do not press the button.
 */
function signInPage(asset: Assets['pathOf'], { problem, notice, invitation, visit }: SignInContent): Html {
  const name = html`<bdi>${visit?.person.name}</bdi>`;
  return document(
    { asset },
    'Sign in',
    html`<main id="main" class="sign-in">
    <h1>${visit ? html`You are signed in as ${name} at ${visit.person.organization}` : 'Open your desk'}</h1>
    ${problem && html`<p class="notice wrong" role="alert">${problem}</p>`}
    ${notice && html`<p class="notice" role="status">${notice}</p>`}
    ${visit && html`<p>If you sign in with another link, ${name} is signed out in this browser.</p>`}
    <form method="post" action="${openPath}" class="settings card" data-open>
      ${visit && html`<input type="hidden" name="replaces" value="${idOfToken(visit.session)}">`}
      <div class="field" data-invitation><label for="invitation">The link from your invitation</label>
        <input id="invitation" name="invitation" value="${invitation ?? ''}" autocomplete="off" required></div>
      <div class="buttons"><button class="solid">${visit ? 'Sign in with this link instead' : 'Open'}</button>
        ${visit && html`<a class="button quiet" href="${deskPath}/queue"><span>Stay signed in as ${name}</span></a>`}</div>
    </form>
    ${!(visit || notice || problem) && html`<p class="muted">No link, or does yours not work? Ask the person who invited you for a new one.</p>`}</main>`,
  );
}

/** Returns the names of other owners, who can invite a person; three at most, which fit into the cookie of a note. */
async function inviters({ desks }: PeopleDependencies, { organization, id }: Person): Promise<string> {
  const others = (await desks.listPeople(organization)).filter((each) => each.id !== id);
  const names = others.flatMap(({ role, name }) => (role === 'owner' ? [name] : [])).slice(0, 3);
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names) || 'the person who invited you';
}

/** The page “You”: the person at this desk, and how to sign out. */
export function mePages(people: PeopleDependencies): DeskPages {
  return new Hono<DeskEnv>()
    .get('/', (c) => showPage(c, 'me', c.var.desk.visit ? mePage(people, c.var.desk.visit) : html``))
    .post('/', async (c) => {
      const { visit } = c.var.desk;
      const sessions = textOf(await formOf(c), 'end');
      if (!visit || !['this', 'all'].includes(sessions)) throw new BadForm(outOfDateText);
      if (sessions === 'all') await endSessions(people, visit.person);
      await people.desks.removePass(visit.session.hash);
      c.header('set-cookie', sessionCookie(c.req.header('host') ?? ''));
      const whom = await inviters(people, visit.person);
      return redirectWithNote(c, openPath, `You are signed out. To come back, ask ${whom} for a link.`);
    });
}

async function mePage(people: PeopleDependencies, { person, session }: Visit): Promise<Html> {
  const isOwner = person.role === 'owner';
  return html`<h1>You</h1>
  <dl class="card">
    <dt>Name</dt><dd><bdi>${person.name}</bdi></dd>
    <dt>Organization</dt><dd>${person.organization}</dd>
    <dt>Invited</dt><dd>${minute(person.invitedAt)}</dd>
    <dt>Signed in</dt><dd>${minute(session.createdAt)}, until ${sessionDays} days after your last visit</dd>
    <dt>You may</dt><dd>approve, reject${person.mayErase ? ', tag and erase testimonials' : ' and tag testimonials, but not erase them'}${isOwner && ', invite people, and manage forms and walls'}</dd>
  </dl>
  <form method="post" action="${deskPath}/me" class="buttons" hx-boost="false">
    <button name="end" value="this">Sign out</button>
    <button name="end" value="all" class="quiet">Sign out everywhere</button>
  </form>
  <p data-keys-choice hidden><label class="check"><input type="checkbox" data-keys> Keyboard shortcuts in the queue, in this browser</label></p>
  <p class="muted">To sign in on another device, ${isOwner ? 'press “Another link” beside your name under People' : `ask ${await inviters(people, person)} for another link`}.</p>`;
}

/** Without TLS, browsers reject cookies that are `Secure` or begin with `__Host-` (RFC 6265bis, section 4.1.3). */
function cookieOf(host: string): { name: string; flags: string } {
  const flags = 'Path=/; HttpOnly; SameSite=Lax';
  return isLocal(host) ? { name: 'desk', flags } : { name: '__Host-desk', flags: `${flags}; Secure` };
}

/** Returns the session's secret from the cookies of a request. */
export function secretIn(cookies: readonly string[], host: string): string | undefined {
  const { name } = cookieOf(host);
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Returns the Set-Cookie header that stores a session's secret, or deletes the cookie if the secret is absent. */
export function sessionCookie(host: string, secret = ''): string {
  const { name, flags } = cookieOf(host);
  const maxAge = secret === '' ? 0 : sessionDays * 24 * 60 * 60;
  return `${name}=${secret}; Max-Age=${maxAge}; ${flags}`;
}
