/** The desk's page about people: owners invite and remove them, and end their sessions. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import { type Person, personName } from '../../domain/person.ts';
import { counted } from '../../domain/wording.ts';
import { deskPath } from '../parts/assets.ts';
import { replacesMain } from '../parts/cards.ts';
import { type Desk, type DeskEnv, type DeskPages, isOwner, showPage } from '../parts/desk.ts';
import { field } from '../parts/field.ts';
import {
  BadForm,
  type FormBody,
  formOf,
  NotAllowed,
  notSavedText,
  outOfDateText,
  textOf,
} from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { redirectWithNote, takeNote } from '../parts/note.ts';
import { snippetPart } from '../parts/snippet.ts';
import { minute } from '../parts/testimonial.ts';
import {
  endSessions,
  invitationDays,
  invitationLink,
  inviteAgain,
  invitePerson,
  type PeopleDependencies,
  removePerson,
} from '../people.ts';

const path = `${deskPath}/people`;
const linkCookie = 'desk-link';

export function peoplePages(deps: PeopleDependencies): DeskPages {
  const { desks } = deps;
  const show = (c: Context<DeskEnv>, body: FormBody = {}, problem = '') => {
    const { organization, visit } = c.var.desk;
    const [link, name] = takeNote(c, linkCookie).split('\n');
    const all = desks.listPeople(organization).then((people) => showAll(people, visit?.person.id));
    const main = html`<h1>People</h1>${link && showLink(link, name)}${all}${inviteForm(body, problem)}`;
    return showPage(c, 'people', main, problem ? { status: 422, message: notSavedText } : {});
  };
  /** Carries out the action of a form. */
  const act = async (c: Context<DeskEnv>, body: FormBody): Promise<Response> => {
    const { desk } = c.var;
    const { organization, api } = desk;
    const [action, id = ''] = textOf(body, 'action').split(' on ');
    const invited = ({ person, secret }: { person: Person; secret: string }) => {
      desk.onPerson?.('invited', person.id);
      return redirectWithNote(c, path, `${invitationLink(api, secret)}\n${person.name}`, linkCookie);
    };
    if (action === 'invite') {
      const { success, output: name, issues } = v.safeParse(personName, textOf(body, 'name'));
      if (!success) return show(c, body, `The name ${issues[0].message}.`);
      const role = textOf(body, 'role') === 'owner' ? 'owner' : 'moderator';
      const mayErase = role === 'owner' || textOf(body, 'may-erase') !== '';
      return invited(await invitePerson(deps, { organization, name, role, mayErase }));
    }
    const person = await desks.findPerson(organization, id);
    if (!person) return redirectWithNote(c, path, 'This person was already removed.');
    if (action === 'invite again') return invited({ person, secret: await inviteAgain(deps, person) });
    if (action === 'end') await endSessions(deps, person);
    else if (action !== 'remove') throw new BadForm(outOfDateText);
    else if (!(await removePerson(deps, person))) throw new BadForm('The last owner cannot be removed here.');
    for (const token of textOf(body, 'tokens') ? await tokensOf(desk, id) : []) {
      await desk.stores.tokens.revoke(token.id);
      desk.onToken?.('revoked', token.id);
    }
    desk.onPerson?.(action === 'end' ? 'signedOut' : 'removed', id);
    const ended = person.seenAt
      ? 'is signed out everywhere within a minute'
      : 'can no longer use earlier links';
    const done = action === 'end' ? ended : 'was removed';
    return redirectWithNote(c, path, `${person.name} ${done}.`);
  };
  return new Hono<DeskEnv>()
    .use((c, next) => {
      if (!isOwner(c.var.desk)) throw new NotAllowed('Only owners invite people. Ask one of them.');
      return next();
    })
    .get('/', (c) => show(c))
    .get('/:id/remove', async (c) => {
      const person = await desks.findPerson(c.var.desk.organization, c.req.param('id'));
      return person ? showPage(c, 'people', confirmRemoval(c.var.desk, person)) : c.redirect(path, 303);
    })
    .post('/', async (c) => act(c, await formOf(c)));
}

async function tokensOf({ stores, organization }: Pick<Desk, 'stores' | 'organization'>, person: string) {
  return (await stores.tokens.list(organization)).filter(({ madeBy }) => madeBy === person);
}

/** @param ownId of the person at the desk, whom only others remove */
function showAll(people: readonly Person[], ownId = ''): Html {
  const card = ({ id, name, role, mayErase, invitedAt, seenAt = '', endedAt = '' }: Person) => {
    const ofName = html`<span class="visually-hidden"> ${name}</span>`;
    // Signing oneself out leaves the desk, so the other form replaces the whole page.
    return html`<li class="card">
      <h2><bdi>${name}</bdi>${id === ownId && html` <span class="pill">You</span>`}</h2>
      <p class="muted">${role === 'owner' ? 'Owner' : `Moderator${mayErase ? ', may erase' : ''}`} · ${seenAt === '' ? html`invited ${minute(invitedAt)}, never signed in` : html`${endedAt > seenAt && 'signed out, '}last visit ${minute(seenAt)}`}</p>
      <div class="buttons ask"><button name="action" value="invite again on ${id}" class="small">Another link${ofName}</button>
        <button ${id === ownId ? html`form="sign-out" name="end" value="all"` : html`name="action" value="end on ${id}"`} class="small quiet">${seenAt === '' ? 'Cancel invitation' : 'Sign out everywhere'}${ofName}</button>
        ${id !== ownId && html`<a class="button small quiet danger" href="${path}/${id}/remove">Remove …${ofName}</a>`}</div></li>`;
  };
  const all = people.toSorted((a, b) => (a.invitedAt < b.invitedAt ? -1 : 1));
  return html`<form method="post" action="${path}" ${replacesMain}><ul class="cards">${all.map(card)}</ul></form>
  <form method="post" action="${deskPath}/me" id="sign-out"></form>`;
}

function inviteForm(body: FormBody, problem: string): Html {
  return html`<h2>Invite a colleague</h2>
  <form method="post" action="${path}" class="settings card" ${replacesMain}>
    ${field({ id: 'person-name', name: 'name', label: 'Name', value: textOf(body, 'name'), problem })}
    ${field({ id: 'person-role', name: 'role', label: 'Role', value: textOf(body, 'role'), options: ['moderator', 'owner'] })}
    <label class="check"><input type="checkbox" name="may-erase" value="yes" ${textOf(body, 'may-erase') && 'checked'}> May erase testimonials, as owners may</label>
    <div class="filter-buttons"><button class="solid" name="action" value="invite">Invite</button></div>
  </form>
  <p class="muted">Moderators approve, reject and tag. Owners also erase, invite people and manage forms and walls.</p>`;
}

function showLink(link: string, name = ''): Html {
  return html`<section class="card part"><h2 tabindex="-1" data-focus>Send this link to <bdi>${name}</bdi></h2>
    <p role="status">It opens the desk once, within ${invitationDays} days. It is not shown again.</p>
    ${snippetPart('Invitation', link)}</section>`;
}

async function confirmRemoval(desk: Desk, { id, name }: Person): Promise<Html> {
  const tokens = await tokensOf(desk, id);
  return html`<h1 tabindex="-1" data-focus>Remove <bdi>${name}</bdi>?</h1>
  <p>Within a minute they are signed out, and links that they have not used stop working. Their decisions stay.</p>
  <form method="post" action="${path}">
    ${
      tokens.length > 0 &&
      html`<label class="check"><input type="checkbox" name="tokens" value="revoke">
        Also revoke ${counted(tokens.length, 'token')} that they made: ${tokens.map(({ name = '' }) => name).join(', ')}</label>`
    }
    <div class="buttons ask"><button name="action" value="remove on ${id}" class="danger solid">Remove</button>
      <a class="button quiet" href="${path}">Keep</a></div></form>`;
}
