/** Signing in to the desk: the page that opens an invitation, and the session cookie. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import type { Brand } from '../domain/brand.ts';
import type { Person, Visit } from '../domain/person.ts';
import { hashSecret, idOfToken, withoutSecrets } from '../domain/token.ts';
import { type ApiEvent, isLocal } from '../http/api-event.ts';
import { logoOf } from '../serve-pages/branding.ts';
import { type Assets, assetsPath } from './parts/assets.ts';
import type { Desk } from './parts/desk.ts';
import { browserOf } from './parts/device.ts';
import { describedBy } from './parts/field.ts';
import { fieldText, formOf } from './parts/forms.ts';
import { document, type Html } from './parts/layout.ts';
import { publicOrigin } from './parts/own-origin.ts';
import { deskPath } from './parts/paths.ts';
import { minute } from './parts/testimonial.ts';
import { openByPasskey, passkeyId, refusalText, signInOptions } from './passkeys.ts';
import {
  findInvitation,
  invitationDays,
  invitationIn,
  isSessionSecret,
  openInvitation,
  openPath,
  type PeopleDependencies,
  sessionDays,
  signedOutPerson,
} from './people.ts';
import { PasskeyRejected } from './web-authn.ts';

/** The event, with a desk if the request has a session. */
interface SignInEnv {
  Bindings: {
    event: Pick<ApiEvent<unknown>, 'cookies' | 'logged' | 'rawPath' | 'rawQueryString' | 'requestContext'> & {
      desk?: Desk;
    };
  };
}

export interface SignInDependencies extends PeopleDependencies {
  /** Returns the brand of an organization. It is empty if the deployment serves no pages. */
  findBrand: (organization: string) => Promise<Brand>;
}

/** Returns the routes of the sign-in page. People who are signed in can also open an invitation here. */
export function signInPages(people: SignInDependencies, assets: Assets): Hono<SignInEnv> {
  const look = async (secret: string): Promise<Invited> => {
    const found = await findInvitation(people, secret);
    return found && { ...found, brand: await people.findBrand(found.person.organization) };
  };
  const show = (c: Context<SignInEnv>, { status = 200, ...content }: SignInContent = {}) =>
    c.html(signInPage(assets.pathOf, { ...content, visit: c.env.event.desk?.visit }), status);
  return new Hono<SignInEnv>()
    .use(async (c, next) => {
      const { rawPath, rawQueryString } = c.env.event;
      const url = `${rawPath}?${rawQueryString}`;
      const isLink = rawPath.startsWith(openPath) && withoutSecrets(url) !== url;
      if (c.req.method !== 'GET' || !isLink) return next();
      const invitation = invitationIn(url);
      if (!invitation) return show(c, { problem: brokenLinkText });
      return show(c, {
        invitation,
        invited: await look(invitation),
        problem: changedLinkText,
      });
    })
    .get(openPath, (c) => show(c, c.req.query('signed-out') === undefined ? {} : { notice: goodbyeText }))
    .post(`${openPath}/look`, async (c) => {
      const invitation = invitationIn(fieldText(await formOf(c), 'invitation'));
      const invited = invitation === undefined ? undefined : await look(invitation);
      if (invitation === undefined) return c.body(null, 204);
      return show(c, invited ? { invitation, invited } : { problem: usedText });
    })
    .route('/', passkeySignIn(people, show))
    .post(openPath, async (c) => {
      const body = await formOf(c);
      // The invitation's 178 random bits make a limit on tries unnecessary. A malformed invitation costs no
      // read.
      const invitation = invitationIn(fieldText(body, 'invitation'));
      if (invitation === undefined) {
        const typed = fieldText(body, 'invitation');
        return show(c, { typed, problem: typed.includes('tsi') ? brokenLinkText : noLinkText, status: 403 });
      }
      const { event } = c.env;
      const visit = event.desk?.visit;
      // The form may be older than a sign-in in another tab.
      const isAsked = !visit || fieldText(body, 'replaces') === idOfToken(visit.session);
      if (!isAsked) {
        return show(c, { invitation, invited: await look(invitation), status: 409 });
      }
      const opened = await openInvitation(people, invitation, browserOf(c.req.header('user-agent') ?? ''));
      if (!opened) return show(c, { problem: usedText, status: 403 });
      return signedIn(c, people, opened);
    })
    .on('GET', [deskPath, `${deskPath}/`], async (c, next) => (c.env.event.desk ? next() : show(c)));
}

/** Creates challenges, and signs people in with their passkeys. */
function passkeySignIn(
  people: PeopleDependencies,
  show: (c: Context<SignInEnv>, content: SignInContent) => Response | Promise<Response>,
): Hono<SignInEnv> {
  return new Hono<SignInEnv>()
    .post(`${openPath}/challenge`, async (c) => {
      const origin = publicOrigin({ origin: c.req.header('origin'), host: c.req.header('host') });
      return c.json(await signInOptions(people, origin));
    })
    .post(`${openPath}/passkey`, async (c) => {
      const response = fieldText(await formOf(c), 'response');
      try {
        const opened = await openByPasskey(people, response, browserOf(c.req.header('user-agent') ?? ''));
        return await signedIn(c, people, opened, { passkey: passkeyId(opened.passkey) });
      } catch (error) {
        if (!(error instanceof PasskeyRejected)) throw error;
        const { event } = c.env;
        event.logged = { ...event.logged, passkeyRefused: error.refusal };
        return show(c, { problem: refusalText(error), status: 403 });
      }
    });
}

/** Sets the cookie of a new session, and ends the browser's previous session. */
async function signedIn(
  c: Context<SignInEnv>,
  people: PeopleDependencies,
  opened: { secret: string; person: Person },
  logged: object = {},
): Promise<Response> {
  const { event } = c.env;
  const { desk } = event;
  const former = desk?.visit.session;
  if (former) {
    await people.desks.removePass(former);
    desk.evictVisits(({ session }) => session.hash === former.hash);
  }
  const { organization, id: personId, name: person } = opened.person;
  event.logged = { ...event.logged, organization, person, personId, signedIn: true, ...logged };
  c.header('set-cookie', sessionCookie(c.req.header('host') ?? '', opened.secret));
  return c.redirect(`${deskPath}/queue`, 303);
}

/** Shows the sign-in page instead of a page that needs a session. If an owner ended the session, says so. */
export async function signedOutPage(
  c: Context,
  people: PeopleDependencies,
  { pathOf }: Assets,
): Promise<Response> {
  const secret = secretIn(c.env.event.cookies ?? [], c.req.header('host') ?? '') ?? '';
  const person = isSessionSecret(secret) ? await signedOutPerson(people, hashSecret(secret)) : undefined;
  const problem = person && endedText(person);
  return c.html(signInPage(pathOf, { ...(problem && { problem }), notice: signedOutText }), 401);
}

function endedText({ endedAt = '', endedBy }: Person): Html | '' {
  if (!endedBy) return '';
  const { name, hasLink } = endedBy;
  const ended = html`<bdi>${name}</bdi> signed you out everywhere (${minute(endedAt)})`;
  if (!hasLink) return html`${ended}. `;
  return html`${ended} and created a new link to sign in as you. If you did not ask for it, tell another owner. `;
}

/** The path after signing out. */
export const signedOutPath = `${openPath}?signed-out`;

/** True for the paths of files, which need no session. */
export function needsNoSession(path: string): boolean {
  return path.startsWith(`${assetsPath}/`);
}

const changedLinkText =
  'This link was changed on its way to you, perhaps by your mail program. It still opens your desk.';
const brokenLinkText =
  'This link was changed on its way to you, perhaps by your mail program, and a part is missing. Copy the whole link from your invitation.';
const noLinkText = 'This is not a sign-in link. Copy the whole link from your invitation.';
const signedOutText =
  'You are not signed in here. Use a passkey, or the link from your invitation, which works once.';
const goodbyeText =
  'You are signed out. To come back, sign in with a passkey, or ask an owner of your desk for a link.';
const usedText = `This link was already used, or it has expired: a link works once, within ${invitationDays} days. Ask the person who sent it for a new one.`;

interface SignInContent {
  problem?: string | Html;
  notice?: string;
  /** The typed text, if it is not a link; the problem is then that of the field. */
  typed?: string;
  /** The invitation, if the URL contained it. */
  invitation?: string | undefined;
  /** The person whom the invitation is for, and its maker, if it can be opened. */
  invited?: Invited | undefined;
  /** The session that the invitation would replace. */
  visit?: Visit | undefined;
  status?: 200 | 403 | 409;
}

/** The facts about an invitation: whom it is for, who made it, and the brand of the organization. */
type Invited = (NonNullable<Awaited<ReturnType<typeof findInvitation>>> & { brand: Brand }) | undefined;

/**
 * The page that an invitation leads to. The secret is in the URL's fragment, which browsers do not send. A
 * script copies it into the field, and asks whom it is for. Mail scanners that follow links also run scripts,
 * but do not press the button.
 */
function signInPage(asset: Assets['pathOf'], content: SignInContent): Html {
  const { problem, notice, typed, invitation = typed ?? '', invited, visit } = content;
  const isOfField = typed !== undefined && typeof problem === 'string';
  const ofField = describedBy('invitation', '', isOfField ? problem : '');
  const name = html`<bdi>${visit?.person.name}</bdi>`;
  const buttonText = visit
    ? 'Sign in with this link instead'
    : invited
      ? 'Sign in'
      : 'Continue with the link';
  const title = invited ? html`Sign in to the desk of ${nameOf(invited)}` : 'Sign in to your desk';
  return document(
    { asset },
    'Sign in',
    html`<main id="main" class="sign-in">
    ${invited?.brand.logo && logoOf(invited.brand.logo)}
    <h1>${visit ? html`You are signed in as ${name} at ${visit.person.organization}` : title}</h1>
    ${problem && !isOfField && html`<p class="notice wrong" role="alert" ${problem === usedText && 'data-used'}>${problem}</p>`}
    ${notice && !visit && html`<p class="notice" role="status">${notice}</p>`}
    ${invited && visit && invitedText(invited, visit)}
    ${visit && html`<p>If you sign in with another link, ${name} is signed out in this browser.</p>`}
    <div class="card">${!(visit || invited) && passkeyForm}
    <div data-link><form method="post" action="${openPath}" class="settings" data-open>
      ${invited && !visit && invitedText(invited, visit)}
      ${visit && html`<input type="hidden" name="replaces" value="${idOfToken(visit.session)}">`}
      <div class="field" data-invitation ${invited && 'hidden'}><label for="invitation">The link from your invitation</label>
        <input id="invitation" name="invitation" value="${invitation}" autocomplete="off" ${ofField.attributes} required>${ofField.texts}</div>
      <div class="buttons"><button class="${visit || invited ? 'solid' : ''}">${buttonText}</button>
        ${visit && html`<a class="button quiet" href="${deskPath}/queue"><span>Stay signed in as ${name}</span></a>`}</div>
    </form></div>
    <button type="button" class="quiet" data-show-link hidden>Sign in with a link instead</button></div>
    ${!(visit || invited || problem === usedText) && html`<p class="muted">No link, or it doesn’t work? Ask the person who invited you for a new one.</p>`}</main>`,
    ['passkeys.js'],
  );
}

/** Returns the name of the organization that visitors see. */
function nameOf({ person, brand }: NonNullable<Invited>): Html {
  return html`<bdi>${brand.name ?? person.organization}</bdi>`;
}

function invitedText(invited: NonNullable<Invited>, visit: Visit | undefined): Html {
  const { person, madeBy } = invited;
  const name = html`<bdi>${person.name}</bdi>`;
  if (visit) {
    const maker = madeBy === undefined ? 'your administrator' : html`<bdi>${madeBy}</bdi>`;
    return html`<p>This link signs you in to ${nameOf(invited)} as ${name}. It was created by ${maker}.</p>`;
  }
  // People make links for their own other devices.
  const isByOthers = madeBy !== undefined && madeBy !== person.name;
  if (!isByOthers) return html`<p>Hello ${name}, this link signs you in once.</p>`;
  return html`<p>Hello ${name}, <bdi>${madeBy}</bdi> created this link for you. It works once.</p>`;
}

const passkeyForm = html`<form method="post" action="${openPath}/passkey" class="passkey-part" data-passkey="${openPath}/challenge" hidden>
      <input type="hidden" name="response">
      <button class="solid">Sign in with a passkey</button>
      <p class="problem" role="alert" data-passkey-problem></p>
      <p class="or">or</p>
    </form>
    <p class="muted" data-without-script>Signing in with a passkey needs JavaScript. Without it, use a link.</p>`;

/**
 * Without TLS, browsers reject cookies that are `Secure` or begin with `__Host-` (RFC 6265bis, section
 * 4.1.3).
 */
function cookieOf(host: string): { name: string; flags: string } {
  const flags = 'Path=/; HttpOnly; SameSite=Lax';
  return isLocal(host) ? { name: 'desk', flags } : { name: '__Host-desk', flags: `${flags}; Secure` };
}

/** Returns the session's secret from the cookies of a request. */
export function secretIn(cookies: readonly string[], host: string): string | undefined {
  const { name } = cookieOf(host);
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}

/**
 * Returns the Set-Cookie header that stores a session's secret, or deletes the cookie if the secret is
 * absent.
 */
export function sessionCookie(host: string, secret = ''): string {
  const { name, flags } = cookieOf(host);
  const maxAge = secret === '' ? 0 : sessionDays * 24 * 60 * 60;
  return `${name}=${secret}; Max-Age=${maxAge}; ${flags}`;
}
