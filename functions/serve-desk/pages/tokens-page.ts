/** The desk's page about tokens on websites: each lets a live wall show approved testimonials. */
import { randomInt } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import type { TokenSummary } from '../../domain/stores.ts';
import { text } from '../../domain/text.ts';
import { hashSecret, idOfToken, isPublic } from '../../domain/token.ts';
import { readPermissions } from '../../list-testimonials/read-permissions.ts';
import { issueToken } from '../../operations/issue-token.ts';
import { deskPath, embedPath } from '../parts/assets.ts';
import { replacesMain } from '../parts/cards.ts';
import { type Desk, type DeskEnv, type DeskPages, isOwner } from '../parts/desk.ts';
import { field } from '../parts/field.ts';
import { formOf, NotAllowed, notSavedText, textOf } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { redirectWithNote, takeNote } from '../parts/note.ts';
import { showPage } from '../parts/show-page.ts';
import { snippetPart } from '../parts/snippet.ts';
import { day } from '../parts/testimonial.ts';

const path = `${deskPath}/tokens`;

/** The permission of tokens on websites. */
const [, published] = readPermissions;

const tokenName = text({ min: 1, max: 200 });

export const tokensPages: DeskPages = new Hono<DeskEnv>()
  .use((c, next) => {
    if (!isOwner(c.var.desk)) throw new NotAllowed('Only owners manage tokens. Ask one of them.');
    return next();
  })
  .get('/', (c) => show(c))
  .get('/:id/revoke', async (c) => {
    const { desk } = c.var;
    const token = (await publishedTokens(desk)).find(({ id }) => id === c.req.param('id'));
    return token ? showPage(c, 'tokens', confirmRevocation(token)) : c.redirect(path, 303);
  })
  .post('/', async (c) => {
    const { desk } = c.var;
    const body = await formOf(c);
    const revoked = textOf(body, 'revoke');
    if (revoked !== '') return redirectWithNote(c, path, await revoke(desk, revoked));
    const typed = textOf(body, 'name');
    const name = v.safeParse(
      tokenName,
      typed.trim() || `wall, by ${desk.visit?.person.name ?? 'the operator'}`,
    );
    if (!name.success) return show(c, typed, `The name of a website ${name.issues[0].message}.`);
    // A form knows the public URL, even behind CloudFront.
    const note = `${await issue(desk, name.output)}\n${desk.api}`;
    return redirectWithNote(c, path, note, 'token');
  });

async function issue({ stores, organization, visit, onToken }: Desk, name: string): Promise<string> {
  const madeBy = visit && { madeBy: visit.person.id };
  const fields = { organization, permissions: [published.permission], name, ...madeBy };
  const token = await issueToken({ ...stores, randomInt }, fields);
  onToken?.('made', idOfToken({ organization, hash: hashSecret(token) }));
  return token;
}

/** Revokes a published token; the desk never touches other tokens. */
async function revoke(desk: Desk, id: string): Promise<string> {
  const token = (await publishedTokens(desk)).find((each) => each.id === id);
  if (!token || !(await desk.stores.tokens.revoke(id))) return 'This token was already revoked.';
  desk.onToken?.('revoked', id);
  return 'Token revoked. Its walls are empty within a minute.';
}

async function publishedTokens({ stores, organization }: Desk): Promise<TokenSummary[]> {
  return (await stores.tokens.list(organization)).filter(({ permissions }) => permissions.every(isPublic));
}

async function show(c: Context<DeskEnv>, typed = '', problem = ''): Promise<Response> {
  const { desk } = c.var;
  const [token, api] = (await takeNote(c, 'token')).split('\n');
  const tokens = await publishedTokens(desk);
  const main = html`<h1>Tokens on your websites</h1>
  <p>A token lets a live wall on a website show your approved testimonials, and nothing else: it is safe to publish.
    ${desk.stores.pages && html`<a href="${deskPath}/pages">A wall with a link</a> needs no token, and you can change it here at any time.`}</p>
  ${originsText(desk)}
  ${token && newSnippet(token, api)}
  ${tokens.length > 0 && tokenList(tokens)}
  <form method="post" action="${path}" class="settings card" ${replacesMain}>
    ${field({ id: 'token-name', name: 'name', label: 'Name of the website', value: typed, example: 'our home page', problem })}
    <div class="buttons"><button class="solid">Create token</button></div>
  </form>`;
  return showPage(c, 'tokens', main, problem ? { status: 422, message: notSavedText } : {});
}

function newSnippet(token: string, api = ''): Html {
  const snippet = html`<script type="module" src="${api}${embedPath}"></script>
<testimonials-wall src="${api}" token="${token}"></testimonials-wall>`;
  return html`<section class="card part"><h2 tabindex="-1" data-focus>Put the wall on your website</h2>
    <p role="status">The snippet contains the new token. Copy it now: the token is not shown again.</p>
    ${snippetPart('Snippet', String(snippet))}</section>`;
}

function originsText({ origins }: Desk): Html | '' {
  if (origins === undefined || origins.includes('*')) return '';
  const allowed =
    origins.length === 0
      ? 'The wall does not work on any website yet.'
      : html`The wall works on ${origins.join(', ')} only.`;
  return html`<p class="muted">${allowed} To add a website, ask the person who runs this service to allow it.</p>`;
}

function tokenList(tokens: readonly TokenSummary[]): Html {
  const card = ({ id, name = id, createdAt }: TokenSummary) => html`<li class="card card-head">
      <div><h2><bdi>${name}</bdi></h2><p class="muted">Created ${day(createdAt)}</p></div>
      <a class="button small quiet danger" href="${path}/${id}/revoke">Revoke …<span class="visually-hidden"> ${name}</span></a></li>`;
  return html`<ul class="cards">${tokens.map(card)}</ul>`;
}

function confirmRevocation({ id, name = id }: TokenSummary): Html {
  return html`<h1 tabindex="-1" data-focus>Revoke the token of <bdi>${name}</bdi>?</h1>
  <p>Within a minute, walls with this token are empty. A revoked token cannot be restored.</p>
  <form method="post" action="${path}" ${replacesMain}><div class="buttons ask">
    <button name="revoke" value="${id}" class="danger solid">Revoke</button> <a class="button quiet" href="${path}">Keep it</a></div></form>`;
}
