/**
 * The desk's page “You”: the person at this desk, their passkeys, sessions and open links, and signing out.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import type { Pass, Person, Visit } from '../../domain/person.ts';
import { counted } from '../../domain/wording.ts';
import { feedUrl } from '../feed.ts';
import { replacesMain } from '../parts/cards.ts';
import { type DeskEnv, type DeskPages, isOwner } from '../parts/desk.ts';
import { BadForm, fieldText, formOf, NotAllowed, outOfDateText } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { consumeNote, redirectWithNote } from '../parts/note.ts';
import { deskPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';
import { minute } from '../parts/testimonial.ts';
import { passkeyId, passkeysOf } from '../passkeys.ts';
import {
  endSessions,
  invitationLink,
  inviteAgain,
  isLastOwner,
  lastUseOf,
  makeFeed,
  type PeopleDependencies,
  sessionDays,
  validPasses,
} from '../people.ts';
import { sessionCookie, signedOutPath } from '../sign-in.ts';
import { feedPart, newFeedPart } from './feed-part.ts';
import { endedTexts, newLinkPart, passId, passRow } from './invitation.ts';
import { passkeysPart } from './passkey-pages.ts';

const path = `${deskPath}/me`;

// For a link, the session that it opened continues.
const goneText = 'This link or session is no longer valid. Look at the sessions below.';

export function mePages(people: PeopleDependencies): DeskPages {
  return new Hono<DeskEnv>()
    .get('/', async (c) => {
      const { visit } = c.var.desk;
      const [link, name = ''] = (await consumeNote(c, 'link')).split('\n');
      const feed = await consumeNote(c, 'feed');
      const shown = link ? newLinkPart(link, name) : feed && newFeedPart(feed);
      const userAgent = c.req.header('user-agent') ?? '';
      return showPage(c, 'me', mePage(people, visit, shown, userAgent));
    })
    .get('/sign-out', async (c) => {
      const end = c.req.query('end') === 'all' ? 'all' : 'this';
      const isLast = await locksOut(people, c.var.desk.visit, end);
      return showPage(c, 'me', confirmSignOut(end, isLast));
    })
    .post('/', async (c) => {
      const { desk } = c.var;
      const { visit } = desk;
      const body = await formOf(c);
      const [action, ended, removed] = [
        fieldText(body, 'action'),
        fieldText(body, 'end'),
        fieldText(body, 'remove'),
      ];
      if (action === 'link') {
        const secret = await inviteAgain(people, visit.person, visit);
        desk.onPerson('invited', visit.person.id);
        return redirectWithNote(c, path, `${invitationLink(desk.serviceUrl, secret)}\nyourself`, 'link');
      }
      if (action === 'feed') {
        if (!isOwner(desk)) throw new NotAllowed('Only owners can create a feed. Ask an owner.');
        const secret = await makeFeed(people, visit);
        desk.evictVisits(({ person, session }) => session.kind === 'feed' && person.id === visit.person.id);
        desk.onPerson('feedMade', visit.person.id);
        return redirectWithNote(c, path, feedUrl(desk.serviceUrl, secret), 'feed');
      }
      if (removed !== '') return removePasskey(c, people, visit, removed);
      if (ended === 'this' || ended === 'all') {
        const isEverywhere = ended === 'all';
        const needsAsking = isEverywhere || (await locksOut(people, visit, ended));
        return fieldText(body, 'confirmed') !== '' || !needsAsking
          ? signOut(c, people, isEverywhere)
          : c.redirect(`${path}/sign-out?end=${ended}`, 303);
      }
      const pass = (await ownPasses(people, visit)).find((each) => passId(each) === ended);
      if (!pass && !/^[0-9a-f]{12}$/.test(ended)) throw new BadForm(outOfDateText);
      if (!pass) return redirectWithNote(c, path, goneText);
      await people.desks.removePass(pass);
      desk.evictVisits(({ session }) => session.hash === pass.hash);
      if (pass.kind === 'feed') desk.onPerson('feedEnded', visit.person.id);
      return redirectWithNote(c, path, endedTexts[pass.kind]);
    });
}

async function removePasskey(
  c: Context<DeskEnv>,
  people: PeopleDependencies,
  visit: Visit,
  id: string,
): Promise<Response> {
  const { organization, id: person } = visit.person;
  const passkey = (await people.desks.listPasskeys(organization, person)).find(
    (each) => passkeyId(each) === id,
  );
  if (!passkey && !/^[0-9a-f]{12}$/.test(id)) throw new BadForm(outOfDateText);
  if (passkey) {
    await people.desks.removePasskey(passkey);
    c.var.desk.log({ passkeyRemoved: id });
  }
  return redirectWithNote(
    c,
    path,
    passkey ? `The passkey “${passkey.name}” is removed.` : 'This passkey was already removed.',
  );
}

/**
 * True if only the operator could let the person in again: the last owner, without a passkey. Signing out
 * everywhere also ends passkeys.
 */
async function locksOut(people: PeopleDependencies, visit: Visit, ended: 'this' | 'all'): Promise<boolean> {
  if (!(await isLastOwner(people, visit.person))) return false;
  return ended === 'all' || (await passkeysOf(people, visit.person)).length === 0;
}

/** @param isLast true if only the operator could let the person in again */
function confirmSignOut(end: 'this' | 'all', isLast: boolean): Html {
  const isEverywhere = end === 'all';
  return html`<h1 tabindex="-1" data-focus>Sign out${isEverywhere && ' everywhere'}?</h1>
  ${
    isLast &&
    html`<p class="notice warning">You would be locked out: no other owner has signed in, ${isEverywhere ? 'and your passkeys end, too' : 'and you have no passkey'}. Only your
    administrator could let you in again. <a href="${deskPath}/people#invite">Invite another owner</a> first${isEverywhere ? html`, or <a href="${path}#sessions">end single sessions</a>` : html`, or <a href="${path}#passkeys">add a passkey</a>`}.</p>`
  }
  ${isEverywhere && html`<p>This ends all your sessions, passkeys and unused links, and your feed.</p>`}
  <form method="post" action="${path}" hx-boost="false"><input type="hidden" name="confirmed" value="yes">
    <div class="buttons ask"><button name="end" value="${end}" class="danger solid">Sign out${isEverywhere ? ' everywhere' : ' anyway'}</button>
      <a class="button" href="${path}#sessions">Stay signed in</a></div></form>`;
}

async function signOut(
  c: Context<DeskEnv>,
  people: PeopleDependencies,
  isEverywhere: boolean,
): Promise<Response> {
  const { visit, evictVisits } = c.var.desk;
  const { person, session } = visit;
  if (isEverywhere) await endSessions(people, person);
  await people.desks.removePass(session);
  evictVisits((each) => (isEverywhere ? each.person.id === person.id : each.session.hash === session.hash));
  c.header('set-cookie', sessionCookie(c.req.header('host') ?? ''));
  return c.redirect(signedOutPath, 303);
}

/** Returns the names of other owners who have signed in and can invite a person; at most three. */
async function inviters({ desks }: PeopleDependencies, { organization, id }: Person): Promise<string> {
  const others = (await desks.listPeople(organization)).filter((each) => each.id !== id && each.seenAt);
  const names = others.flatMap(({ role, name }) => (role === 'owner' ? [name] : [])).slice(0, 3);
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names) || 'your administrator';
}

/** Returns the person's sessions, open links and feed: this session first, then those used last. */
async function ownPasses(people: PeopleDependencies, { person, session }: Visit): Promise<Pass[]> {
  const { organization, id } = person;
  const all = await validPasses(people, organization, await people.desks.listPeople(organization), id);
  const others = all.filter(({ hash }) => hash !== session.hash);
  return [session, ...others.sort((a, b) => lastUseOf(b).getTime() - lastUseOf(a).getTime())];
}

/** The number of sessions that “You” shows at once. */
const maxSessions = 5;

/**
 * @param shown a new link or feed
 * @param userAgent the header, for the name of a new passkey
 */
async function mePage(
  people: PeopleDependencies,
  visit: Visit,
  shown: Html | '',
  userAgent: string,
): Promise<Html> {
  const { person, session } = visit;
  const isOwner = person.role === 'owner';
  const [passes, passkeys] = await Promise.all([ownPasses(people, visit), passkeysOf(people, person)]);
  const pass = (each: Pass) => {
    const isThis = each.hash === session.hash;
    const label = each.kind === 'invitation' ? 'Cancel' : 'End';
    const lastUse = lastUseOf(each).toISOString();
    const wasUsedLater = each.kind === 'session' && lastUse > each.createdAt;
    return passRow(each, {
      pill: isThis ? html` <span class="pill">This session</span>` : '',
      more: wasUsedLater && !isThis ? html`, last used ${minute(lastUse)}` : '',
      button: isThis
        ? ''
        : html`<button name="end" value="${passId(each)}" class="small quiet">${label}</button>`,
    });
  };
  const [sessions = [], links = [], feeds = []] = (['session', 'invitation', 'feed'] as const).map((kind) =>
    passes.filter((each) => each.kind === kind),
  );
  const earlierSessions = sessions.slice(maxSessions);
  const linksPart = html`<h2>Links that no one has used yet</h2>
  <form method="post" action="${path}" class="card part" ${replacesMain}><ul class="rows">${links.map(pass)}</ul></form>`;
  return html`<h1>You</h1>
  ${shown}
  <form method="post" action="${path}" class="card card-head" hx-boost="false">
    <div><h2><bdi>${person.name}</bdi></h2>
      <p class="muted">${isOwner ? 'Owner' : `Moderator${person.mayErase ? ', can erase' : ''}`} at ${person.organization}</p></div>
    <button name="end" value="this" class="small">Sign out</button>
    <p class="hint">To come back after you sign out, ${passkeys.length > 0 && 'use a passkey, or '}ask ${inviters(people, person)} for a link.</p></form>
  ${passkeysPart(passkeys, userAgent)}
  <h2 id="sessions">Where you are signed in</h2>
  <form method="post" action="${path}" class="card part" ${replacesMain}><ul class="rows">${sessions.slice(0, maxSessions).map(pass)}</ul>
    ${earlierSessions.length > 0 && html`<details><summary>${counted(earlierSessions.length, 'more session')}</summary><ul class="rows">${earlierSessions.map(pass)}</ul></details>`}
    <p class="muted">A session ends ${sessionDays} days after its last use.${sessions.length > 1 && ` Is one of them not yours? End it${isOwner ? '' : ', and tell an owner'}.`}</p>
    <div class="buttons"><button name="action" value="link">Create a link for another device</button>
      <button name="end" value="all" class="quiet">Sign out everywhere…</button></div></form>
  ${links.length > 0 && linksPart}
  ${isOwner && feedPart(path, feeds.map(pass))}
  <h2 data-keys-choice hidden>Keyboard</h2>
  <p class="card" data-keys-choice hidden><label class="check"><input type="checkbox" data-keys> Keyboard shortcuts in the queue, in this browser</label></p>`;
}
