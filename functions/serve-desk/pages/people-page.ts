/** The desk's page about people: owners invite and remove them, and end their sessions. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import { type Person, personName } from '../../domain/person.ts';
import { counted } from '../../domain/wording.ts';
import { deskPath } from '../parts/assets.ts';
import { replacesMain } from '../parts/cards.ts';
import { type Desk, type DeskEnv, type DeskPages, isOwner, showPage } from '../parts/desk.ts';
import { field } from '../parts/field.ts';
import { BadForm, type FormBody, formOf, outOfDateText, textOf } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { minute } from '../parts/testimonial.ts';
import {
  endSessions,
  invitationDays,
  invitationLink,
  inviteAgain,
  invitePerson,
  type PeopleDependencies,
} from '../people.ts';

const path = `${deskPath}/people`;

export function peoplePages(deps: PeopleDependencies): DeskPages {
  const { desks } = deps;
  /** Carries out the action of a form. Returns the page to show, or nothing for the list of people. */
  const act = async (desk: Desk, body: FormBody): Promise<Html | undefined> => {
    const [action, id = ''] = textOf(body, 'action').split(' on ');
    if (action === 'invite') return showInvited(desk, await invitePerson(deps, invitedIn(desk, body)));
    const person = await desks.findPerson(desk.organization, id);
    if (!person) throw new BadForm('This person was already removed.');
    if (action === 'invite again')
      return showInvited(desk, { person, secret: await inviteAgain(deps, person) });
    if (action === 'end') await endSessions(deps, person);
    else if (action === 'ask to remove') return confirmRemoval(desk, person);
    else if (action === 'remove') await remove(desk, person, textOf(body, 'tokens') !== '');
    else throw new BadForm(outOfDateText);
    desk.onPerson?.(action === 'end' ? 'signedOut' : 'removed', id);
    return undefined;
  };
  const remove = async (
    { stores, organization, onToken }: Desk,
    { id, role }: Person,
    withTokens: boolean,
  ) => {
    const owners = (await desks.listPeople(organization)).filter((each) => each.role === 'owner');
    if (role === 'owner' && owners.length === 1) throw new BadForm('The last owner cannot be removed here.');
    await desks.removePerson(organization, id);
    if (!withTokens) return;
    for (const token of await tokensOf({ stores, organization }, id)) {
      await stores.tokens.revoke(token.id);
      onToken?.('revoked', token.id);
    }
  };
  const everybody = async ({ organization }: Desk) => showAll(await desks.listPeople(organization));
  return new Hono<DeskEnv>()
    .use((c, next) => {
      if (!isOwner(c.var.desk)) throw new BadForm('Only owners invite people.');
      return next();
    })
    .get('/', (c) => showPage(c, 'people', everybody(c.var.desk)))
    .post('/', async (c) => {
      const main = await act(c.var.desk, await formOf(c));
      return main ? showPage(c, 'people', main) : c.redirect(path, 303);
    });
}

/** @throws {BadForm} naming the broken rule */
function invitedIn(
  { organization }: Desk,
  body: FormBody,
): Pick<Person, 'organization' | 'name' | 'role' | 'mayErase'> {
  const { success, output: name, issues } = v.safeParse(personName, textOf(body, 'name'));
  if (!success) throw new BadForm(`The name ${issues[0].message}.`);
  const role = textOf(body, 'role') === 'owner' ? 'owner' : 'moderator';
  return { organization, name, role, mayErase: role === 'owner' || textOf(body, 'may-erase') !== '' };
}

async function tokensOf({ stores, organization }: Pick<Desk, 'stores' | 'organization'>, person: string) {
  return (await stores.tokens.list(organization)).filter(({ madeBy }) => madeBy === person);
}

const meanings = ({ role, mayErase }: Person) =>
  role === 'owner' ? 'Owner' : mayErase ? 'Moderator, may erase' : 'Moderator';

function showAll(people: readonly Person[]): Html {
  const button = (action: string, { id, name }: Person, label: string, kind: string) =>
    html`<button name="action" value="${action} on ${id}" class="small ${kind}">${label}<span class="visually-hidden"> ${name}</span></button>`;
  const card = (person: Person) => html`<li class="card">
      <h2><bdi>${person.name}</bdi></h2>
      <p class="muted">${meanings(person)} · invited ${minute(person.invitedAt)} ·
        ${person.seenAt === undefined ? 'never signed in' : html`last visit ${minute(person.seenAt)}`}</p>
      <div class="buttons">${button('invite again', person, 'Another link', '')}
        ${button('end', person, 'Sign out everywhere', 'quiet')}${button('ask to remove', person, 'Remove …', 'quiet danger')}</div></li>`;
  const all = people.toSorted((a, b) => (a.invitedAt < b.invitedAt ? -1 : 1));
  return html`<h1>People</h1>
  <form method="post" action="${path}" ${replacesMain}><ul class="cards">${all.map(card)}</ul></form>
  <h2>Invite a colleague</h2>
  <form method="post" action="${path}" class="settings card" ${replacesMain}>
    ${field({ id: 'person-name', name: 'name', label: 'Name', value: '' })}
    ${field({ id: 'person-role', name: 'role', label: 'Role', value: 'moderator', options: ['moderator', 'owner'] })}
    <label class="check"><input type="checkbox" name="may-erase" value="yes"> May erase testimonials</label>
    <div class="filter-buttons"><button name="action" value="invite">Invite</button></div>
  </form>
  <p class="muted">Moderators approve, reject and tag. Owners also erase, invite people and manage forms and walls.</p>`;
}

function showInvited(desk: Desk, { person, secret }: { person: Person; secret: string }): Html {
  desk.onPerson?.('invited', person.id);
  return html`<h1 tabindex="-1" data-focus>Send this link to <bdi>${person.name}</bdi></h1>
  <p role="status">It opens the desk once, within ${invitationDays} days. It is not shown again.</p>
  <div data-snippet><pre class="command" tabindex="0" aria-label="Invitation"><code>${invitationLink(desk.api ?? '', secret)}</code></pre>
    <p><button type="button" class="small" data-copy hidden>Copy</button></p></div>
  <p><a class="button" href="${path}">Back to people</a></p>`;
}

async function confirmRemoval(desk: Desk, { id, name }: Person): Promise<Html> {
  const tokens = await tokensOf(desk, id);
  return html`<h1 tabindex="-1" data-focus>Remove <bdi>${name}</bdi>?</h1>
  <p>Within a minute they are signed out, and their invitations no longer work.</p>
  <form method="post" action="${path}">
    ${
      tokens.length > 0 &&
      html`<label class="check"><input type="checkbox" name="tokens" value="revoke">
        Also revoke ${counted(tokens.length, 'token')} that they made: ${tokens.map(({ name = '' }) => name).join(', ')}</label>`
    }
    <div class="buttons ask"><button name="action" value="remove on ${id}" class="danger solid">Remove</button>
      <a class="button quiet" href="${path}">Keep</a></div></form>`;
}
