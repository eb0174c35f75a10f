/** The desk's page “You”: the person at this desk, their sessions and open links, and how to sign out. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Pass, Person, Visit } from '../../domain/person.ts';
import { feedUrl } from '../feed.ts';
import { deskPath } from '../parts/assets.ts';
import { type DeskEnv, type DeskPages, isOwner } from '../parts/desk.ts';
import { BadForm, formOf, NotAllowed, outOfDateText, textOf } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { redirectWithNote, takeNote } from '../parts/note.ts';
import { showPage } from '../parts/show-page.ts';
import { minute } from '../parts/testimonial.ts';
import {
  endSessions,
  invitationLink,
  inviteAgain,
  makeFeed,
  type PeopleDependencies,
  sessionDays,
  validPasses,
} from '../people.ts';
import { sessionCookie, signedOutPath } from '../sign-in.ts';
import { feedPart, newFeedPart } from './feed-part.ts';
import { endedTexts, newLinkPart, passId, passText } from './invitation.ts';

const path = `${deskPath}/me`;

export function mePages(people: PeopleDependencies): DeskPages {
  return new Hono<DeskEnv>()
    .get('/', async (c) => {
      const { visit } = c.var.desk;
      const [link, name = ''] = (await takeNote(c, 'link')).split('\n');
      const feed = await takeNote(c, 'feed');
      const shown = link ? newLinkPart(link, name) : feed && newFeedPart(feed);
      const main = visit ? mePage(people, visit, shown) : html``;
      return showPage(c, 'me', main);
    })
    .post('/', async (c) => {
      const { desk } = c.var;
      const { visit } = desk;
      const body = await formOf(c);
      const [action, ended] = [textOf(body, 'action'), textOf(body, 'end')];
      if (!visit) throw new BadForm(outOfDateText);
      if (action === 'link') {
        const secret = await inviteAgain(people, visit.person, visit);
        desk.onPerson?.('invited', visit.person.id);
        return redirectWithNote(c, path, `${invitationLink(desk.api, secret)}\nyourself`, 'link');
      }
      if (action === 'feed') {
        if (!isOwner(desk)) throw new NotAllowed('Only owners make a feed. Ask one of them.');
        const secret = await makeFeed(people, visit);
        desk.forgetVisits?.(
          ({ person, session }) => session.kind === 'feed' && person.id === visit.person.id,
        );
        desk.onPerson?.('feedMade', visit.person.id);
        return redirectWithNote(c, path, feedUrl(desk.api, secret), 'feed');
      }
      if (ended === 'this' || ended === 'all') return signOut(c, people, ended === 'all');
      const pass = (await ownPasses(people, visit)).find((each) => passId(each) === ended);
      if (!pass && !/^[0-9a-f]{12}$/.test(ended)) throw new BadForm(outOfDateText);
      if (pass) await people.desks.removePass(pass);
      desk.forgetVisits?.(({ session }) => session.hash === pass?.hash);
      if (pass?.kind === 'feed') desk.onPerson?.('feedEnded', visit.person.id);
      return redirectWithNote(c, path, endedTexts[pass?.kind ?? 'session']);
    });
}

async function signOut(
  c: Context<DeskEnv>,
  people: PeopleDependencies,
  isEverywhere: boolean,
): Promise<Response> {
  const { visit, forgetVisits } = c.var.desk;
  if (!visit) throw new BadForm(outOfDateText);
  const { person, session } = visit;
  if (isEverywhere) await endSessions(people, person);
  await people.desks.removePass(session);
  forgetVisits?.((each) =>
    isEverywhere ? each.person.id === person.id : each.session.hash === session.hash,
  );
  c.header('set-cookie', sessionCookie(c.req.header('host') ?? ''));
  return c.redirect(signedOutPath, 303);
}

/** Returns the names of other owners, who can invite a person; three at most. */
async function inviters({ desks }: PeopleDependencies, { organization, id }: Person): Promise<string> {
  const others = (await desks.listPeople(organization)).filter((each) => each.id !== id);
  const names = others.flatMap(({ role, name }) => (role === 'owner' ? [name] : [])).slice(0, 3);
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names) || 'the person who invited you';
}

/** Returns the person's sessions, open links and feed; this session first. */
async function ownPasses(people: PeopleDependencies, { person, session }: Visit): Promise<Pass[]> {
  const { organization, id } = person;
  const all = await validPasses(people, organization, await people.desks.listPeople(organization), id);
  return [session, ...all.filter(({ hash }) => hash !== session.hash)];
}

/** @param shown a new link or feed */
async function mePage(people: PeopleDependencies, visit: Visit, shown: Html | ''): Promise<Html> {
  const { person, session } = visit;
  const passes = await ownPasses(people, visit);
  const pass = (each: Pass) => {
    const isThis = each.hash === session.hash;
    const label = each.kind === 'invitation' ? 'Cancel' : 'End';
    return html`<li class="card card-head"><p>${passText(each)}${isThis && html` <span class="pill">This session</span>`}</p>
      ${!isThis && html`<button name="end" value="${passId(each)}" class="small quiet">${label}</button>`}</li>`;
  };
  return html`<h1>You</h1>
  ${shown}
  <dl class="card">
    <dt>Name</dt><dd><bdi>${person.name}</bdi></dd>
    <dt>Organization</dt><dd>${person.organization}</dd>
    <dt>Invited</dt><dd>${minute(person.invitedAt)}</dd>
    <dt>You may</dt><dd>approve, reject${person.mayErase ? ', tag and erase testimonials' : ' and tag testimonials, but not erase them'}${person.role === 'owner' && ', invite people, and manage forms and walls'}</dd>
  </dl>
  <h2>Where you are signed in</h2>
  <form method="post" action="${path}"><ul class="cards">${passes.map(pass)}</ul>
    <p class="muted">A session ends ${sessionDays} days after its last use. Is one of them not yours? End it, and tell an owner.</p>
    <div class="buttons"><button name="action" value="link" class="quiet">Sign in on another device …</button></div></form>
  <form method="post" action="${path}" class="buttons" hx-boost="false">
    <button name="end" value="this">Sign out</button>
    <button name="end" value="all" class="quiet">Sign out everywhere</button>
  </form>
  <p class="muted">To come back after you sign out, ask ${inviters(people, person)} for a link.</p>
  ${
    person.role === 'owner' &&
    feedPart(
      path,
      passes.some(({ kind }) => kind === 'feed'),
    )
  }
  <p data-keys-choice hidden><label class="check"><input type="checkbox" data-keys> Keyboard shortcuts in the queue, in this browser</label></p>`;
}
