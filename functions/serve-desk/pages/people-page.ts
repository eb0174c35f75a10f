/** The desk's page about people: owners invite and remove them, and end their sessions. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import * as v from 'valibot';
import { isPersonId, type Pass, type Passkey, type Person, personName } from '../../domain/person.ts';
import { replacesMain } from '../parts/cards.ts';
import { type Desk, type DeskEnv, type DeskPages, isOwner } from '../parts/desk.ts';
import { field } from '../parts/field.ts';
import {
  BadForm,
  type FormBody,
  fieldText,
  formOf,
  NotAllowed,
  outOfDateText,
  textProblem,
} from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { consumeNote, redirectWithNote } from '../parts/note.ts';
import { deskPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';
import { day, minute } from '../parts/testimonial.ts';
import { validPasskeys } from '../passkeys.ts';
import {
  endSessions,
  invitationLink,
  invitePerson,
  type PeopleDependencies,
  removePerson,
  signOutAndInvite,
  validPasses,
} from '../people.ts';
import { endedTexts, makerOf, newLinkPart, passId, passName, passRow, passText } from './invitation.ts';

const path = `${deskPath}/people`;

// With more people, the form is below the first screen.
const maxAboveForm = 3;

export function peoplePages(deps: PeopleDependencies): DeskPages {
  const show = async (c: Context<DeskEnv>, body: FormBody = {}, problem = '') => {
    const { desk } = c.var;
    const [link, name = ''] = (await consumeNote(c, 'link')).split('\n');
    const people = await deps.desks.listPeople(desk.organization);
    const toForm =
      people.length > maxAboveForm && html`<a class="button" href="#invite">Invite a colleague</a>`;
    const main = html`<div class="page-head"><h1>People</h1> ${toForm}</div>
      ${link && newLinkPart(link, name)}
      ${showAll(deps, desk, people)}
      ${inviteForm(body, problem)}`;
    return showPage(c, 'people', main, problem ? { status: 422 } : {});
  };
  /** Shows a page about the person in the URL. */
  const onPerson =
    (page: (desk: Desk, person: Person) => Promise<Html>) =>
    async (c: Context<DeskEnv>): Promise<Response> => {
      const person = await findPerson(deps, c.var.desk, c.req.param('id'));
      return person ? showPage(c, 'people', page(c.var.desk, person)) : c.redirect(path, 303);
    };
  return new Hono<DeskEnv>()
    .use((c, next) => {
      if (!isOwner(c.var.desk)) throw new NotAllowed('Only owners can invite people. Ask an owner.');
      return next();
    })
    .get('/', (c) => show(c))
    .get(
      '/:id/link',
      onPerson(async (_, person) => confirmLink(person)),
    )
    .get(
      '/:id/sign-out',
      onPerson(async (_, person) => confirmEnd(person)),
    )
    .get(
      '/:id/remove',
      onPerson((desk, person) => confirmRemoval(deps, desk, person)),
    )
    .post('/', async (c) => {
      const body = await formOf(c);
      const [action, id = ''] = fieldText(body, 'action').split(' on ');
      if (action !== 'invite') return act(c, deps, action, id);
      const { organization, visit } = c.var.desk;
      const { success, output: name, issues } = v.safeParse(personName, fieldText(body, 'name'));
      if (!success) return show(c, body, textProblem('name', fieldText(body, 'name'), issues[0].message));
      const role = fieldText(body, 'role') === 'owner' ? 'owner' : 'moderator';
      const mayErase = role === 'owner' || fieldText(body, 'may-erase') !== '';
      return invited(c, await invitePerson(deps, { organization, name, role, mayErase }, visit));
    });
}

async function findPerson({ desks }: PeopleDependencies, { organization }: Desk, id = '') {
  return isPersonId(id) ? desks.findPerson(organization, id) : undefined;
}

/** Redirects to the list, which shows the link once. */
function invited(c: Context<DeskEnv>, { person, secret }: { person: Person; secret: string }) {
  const { serviceUrl, onPerson } = c.var.desk;
  onPerson('invited', person.id);
  return redirectWithNote(c, path, `${invitationLink(serviceUrl, secret)}\n${person.name}`, 'link');
}

/** Carries out an action on a person, or on one of their open links. */
async function act(
  c: Context<DeskEnv>,
  deps: PeopleDependencies,
  action = '',
  id: string,
): Promise<Response> {
  const { desk } = c.var;
  const { visit } = desk;
  if (action === 'cancel') {
    const links = await openLinks(deps, desk, await deps.desks.listPeople(desk.organization));
    const link = links.find((each) => passId(each) === id);
    if (!link) return redirectWithNote(c, path, 'This link was already used, or it has expired.');
    await deps.desks.removePass(link);
    desk.evictVisits(({ session }) => session.hash === link.hash);
    if (link.kind === 'feed') desk.onPerson('feedEnded', link.person);
    return redirectWithNote(c, path, endedTexts[link.kind]);
  }
  const person = await findPerson(deps, desk, id);
  if (!person) return redirectWithNote(c, path, 'This person was already removed.');
  const evict = () =>
    desk.evictVisits(({ person, session }) => person.id === id || session.makers?.includes(id) === true);
  if (action === 'invite again') {
    const secret = await signOutAndInvite(deps, person, visit);
    evict();
    return invited(c, { person, secret });
  }
  if (action === 'end') await endSessions(deps, person, { name: visit.person.name, hasLink: false });
  else if (action !== 'remove') throw new BadForm(outOfDateText);
  else if (!(await removePerson(deps, person, visit))) {
    throw new BadForm('You cannot remove the last owner who has signed in.');
  }
  evict();
  desk.onPerson(action === 'end' ? 'signedOut' : 'removed', id);
  return redirectWithNote(c, path, doneText(person, action));
}

function doneText({ name, seenAt }: Person, action: 'end' | 'remove'): string {
  if (action === 'end') {
    return `${name} ${seenAt ? 'will be signed out everywhere within a minute' : 'can no longer use earlier links'}.`;
  }
  return seenAt ? `${name} was removed.` : `The invitation of ${name} was cancelled.`;
}

/** Returns the unused links, and the feeds. */
async function openLinks(deps: PeopleDependencies, { organization }: Desk, people: readonly Person[]) {
  return (await validPasses(deps, organization, people)).filter(({ kind }) => kind !== 'session');
}

async function showAll(deps: PeopleDependencies, desk: Desk, people: readonly Person[]): Promise<Html> {
  const links = await openLinks(deps, desk, people);
  // People who have signed in come first.
  const all = people.toSorted(
    (a, b) => Number(!a.seenAt) - Number(!b.seenAt) || (a.invitedAt < b.invitedAt ? -1 : 1),
  );
  return html`<form method="post" action="${path}" ${replacesMain}><ul class="cards">${all.map((person) =>
    personCard(
      person,
      links.filter((link) => link.person === person.id),
      person.id === desk.visit.person.id,
    ),
  )}</ul></form>`;
}

/** @param isSelf true for the person at the desk, who cannot sign out or remove themselves here */
function personCard(
  { id, name, role, mayErase, invitedAt, seenAt = '', endedAt = '' }: Person,
  links: readonly Pass[],
  isSelf: boolean,
): Html {
  const ofName = html`<span class="visually-hidden"> ${name}</span>`;
  const isNew = seenAt === '';
  // A link for someone who has signed in before signs them out, so it asks first.
  const buttons = html`${
    isNew
      ? html`<button name="action" value="invite again on ${id}" class="small">New invitation link${ofName}</button>`
      : html`<a class="button small" href="${path}/${id}/link">New sign-in link…${ofName}</a>`
  }
    ${
      isNew
        ? html`<button name="action" value="remove on ${id}" class="small quiet">Cancel invitation${ofName}</button>`
        : html`<a class="button small quiet" href="${path}/${id}/sign-out">Sign out everywhere…${ofName}</a>
    <a class="button small quiet danger" href="${path}/${id}/remove">Remove…${ofName}</a>`
    }`;
  const visits = isNew
    ? newText(invitedAt, links)
    : html`${endedAt > seenAt && 'signed out, '}last visit ${minute(seenAt)}`;
  const endLink = (link: Pass) => {
    const label = link.kind === 'feed' ? 'End feed' : 'Cancel link';
    return html`<button name="action" value="cancel on ${passId(link)}" class="small quiet">${label}${ofName}</button>`;
  };
  const rows = isNew ? [] : links.map((link) => passRow(link, { button: endLink(link) }));
  return html`<li class="card">
    <div class="with-actions"><div><h2><bdi>${name}</bdi>${isSelf && html` <span class="pill">You</span>`}${isNew && html` <span class="pill pending">Invited</span>`}</h2>
    <p class="muted">${role === 'owner' ? 'Owner' : `Moderator${mayErase ? ', can erase' : ''}`} · ${visits}</p></div>
    <div class="buttons">${isSelf ? html`<a class="button small" href="${deskPath}/me">Your passkeys and sessions</a>` : buttons}</div></div>
    ${rows.length > 0 && html`<ul class="rows">${rows}</ul>`}</li>`;
}

/**
 * Returns the text that says how long a person who has not signed in yet can use their link, and who made it.
 */
function newText(invitedAt: string, [link]: readonly Pass[]): Html {
  if (!link) return html`invited ${day(invitedAt)}, the link has expired`;
  return html`link${link.madeBy !== undefined && html` from ${makerOf(link)}`} expires ${minute(link.expiresAt)}`;
}

function inviteForm(body: FormBody, problem: string): Html {
  return html`<h2 id="invite">Invite a colleague</h2>
  <form method="post" action="${path}" class="settings pairs card" ${replacesMain}>
    ${field({ id: 'person-name', name: 'name', label: 'Name', value: fieldText(body, 'name'), problem })}
    ${field({
      id: 'person-role',
      name: 'role',
      label: 'Role',
      value: fieldText(body, 'role'),
      options: ['moderator', 'owner'],
      hint: 'Moderators approve, reject and tag. Owners can do everything.',
    })}
    <label class="check may-erase"><input type="checkbox" name="may-erase" value="yes" ${fieldText(body, 'may-erase') && 'checked'}> Can erase testimonials</label>
    <div class="buttons form-foot"><button class="solid" name="action" value="invite">Create invitation link</button>
      <span class="muted">You send the link yourself, by e-mail or chat.</span></div>
  </form>`;
}

function confirmEnd({ id, name }: Person): Html {
  return html`<h1 tabindex="-1" data-focus>Sign <bdi>${name}</bdi> out everywhere?</h1>
  <p>Within a minute they are signed out on every device, also on a lost phone or laptop. Their passkeys are removed, and unused links stop
    working. To come back, they need a new link from you.</p>
  <form method="post" action="${path}" ${replacesMain}><div class="buttons ask">
    <button name="action" value="end on ${id}" class="danger solid">Sign out everywhere</button>
    <a class="button quiet" href="${path}">Cancel</a></div></form>`;
}

function confirmLink({ id, name }: Person): Html {
  return html`<h1 tabindex="-1" data-focus>Create another link for <bdi>${name}</bdi>?</h1>
  <p>Anyone with the link can sign in as ${name}. So creating it signs ${name} out everywhere, and earlier links stop working. ${name} sees
    that you created it. To add a device while signed in, people use the page “You”.</p>
  <form method="post" action="${path}" ${replacesMain}><div class="buttons ask">
    <button name="action" value="invite again on ${id}" class="solid">Sign out and create a link</button>
    <a class="button quiet" href="${path}">Cancel</a></div></form>`;
}

async function confirmRemoval(deps: PeopleDependencies, desk: Desk, { id, name }: Person): Promise<Html> {
  const { organization, visit } = desk;
  const people = await deps.desks.listPeople(organization);
  const passes = await validPasses(deps, organization, people);
  const passkeys = await validPasskeys(deps, organization, people);
  const isMade = ({ makers, person }: Pass | Passkey) => makers?.includes(id) && person !== id;
  const made = passes.filter(isMade);
  const madePasskeys = passkeys.filter(isMade);
  const nameOf = ({ person }: Pass | Passkey) => people.find((each) => each.id === person)?.name;
  const fate = (pass: Pass) =>
    pass.hash === visit.session.hash ? 'This session stays.' : 'This session ends.';
  return html`<h1 tabindex="-1" data-focus>Remove <bdi>${name}</bdi>?</h1>
  <p>Within a minute they are signed out, and unused links stop working. Their decisions stay.</p>
  ${
    made.length + madePasskeys.length > 0 &&
    html`<p>${name}’s links also let in other people. They lose access, too. Send them a new link:</p>
    <ul class="cards">${made.map((pass) => html`<li class="card"><h2><bdi>${nameOf(pass)}</bdi></h2><p class="muted">${passName(pass)}: ${passText(pass)}. ${fate(pass)}</p></li>`)}
      ${madePasskeys.map((each) => html`<li class="card"><h2><bdi>${nameOf(each)}</bdi></h2><p class="muted">Passkey <bdi>${each.name}</bdi>, added ${minute(each.createdAt)}. It will be removed.</p></li>`)}</ul>`
  }
  <form method="post" action="${path}" ${replacesMain}>
    <div class="buttons ask"><button name="action" value="remove on ${id}" class="danger solid">Remove</button>
      <a class="button quiet" href="${path}">Keep</a></div></form>`;
}
