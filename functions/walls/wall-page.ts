/** The wall in a web page: what visitors would see, the snippet to copy, and the tokens that stand in such pages. */
import { randomInt } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import type { ListQuery } from '../domain/list-query.ts';
import type { TokenSummary } from '../domain/stores.ts';
import { text } from '../domain/text.ts';
import { hashSecret, idOfToken, isPublic } from '../domain/token.ts';
import { listBodyOf } from '../list-testimonials/list-body.ts';
import { readPermissions } from '../list-testimonials/read-permissions.ts';
import { issueToken } from '../operations/issue-token.ts';
import { listTestimonials } from '../operations/list-testimonials.ts';
import { embedPath } from '../serve-desk/parts/assets.ts';
import { base } from '../serve-desk/parts/base.ts';
import { type Desk, type DeskEnv, type DeskPages, showPage } from '../serve-desk/parts/desk.ts';
import { fieldOf } from '../serve-desk/parts/filter-form.ts';
import { addressOf, BadForm, formOf, listQueryOf, parametersIn, textOf } from '../serve-desk/parts/forms.ts';
import type { Html } from '../serve-desk/parts/html.ts';
import { table } from '../serve-desk/parts/layout.ts';
import { minute } from '../serve-desk/parts/testimonial.ts';
import { settingFields, settingsIn, typedSettings } from './wall-fields.ts';

const path = `${base}/wall`;

/** What stands in a frame of the page. */
export const wallPreview = `${path}/preview`;

/** What a wall is asked for, and how it looks, by attributes of the same names. */
const listed = ['limit', 'rating', 'tags', 'search', 'type', 'sort', 'order'] as const;
const attributes = [...listed, ...typedSettings];

// Defaults of the element that are not a list's.
const standards: Partial<Record<(typeof listed)[number], string>> = { limit: '12' };

/** The view of a token that stands in a web page. */
const [, published] = readPermissions;

const tokenName = text({ min: 1, max: 200 });

export const wallPages: DeskPages = new Hono<DeskEnv>()
  .get('/', (c) => show(c))
  .post('/', async (c) => {
    const { desk } = c.var;
    const body = await formOf(c);
    const revoked = textOf(body, 'revoke');
    if (revoked !== '') return show(c, { said: await revoke(desk, revoked) });
    return show(c, { token: await issue(desk, textOf(body, 'name').trim()) });
  })
  .get('/preview', (c) => {
    const { asset } = c.var.desk;
    return c.html(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The wall</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<script type="module" src="${asset('embed.js')}"></script><link rel="stylesheet" href="${asset('desk.css')}"></head>
<body class="wall-preview">${element({ src: path, token: 'preview' }, searchIn(c))}</body></html>`);
  })
  // What the element asks for: the list as everyone sees it, by this session in place of a token.
  .get('/v1/testimonials', async (c) => {
    const { stores, organization } = c.var.desk;
    const query = queryIn(c, 'page');
    const result = await listTestimonials(stores, organization, published.ask(query));
    return c.json(published.show(listBodyOf(query, result)));
  });

/** What a wall may be asked for by its token. */
function queryIn(c: Context, ...more: string[]): ListQuery {
  const query = listQueryOf(parametersIn(c.req.url, [...listed, ...more]));
  const [hidden] = published.refuses.sort;
  if (query.sort === hidden) throw new BadForm(`A wall is not sorted by ${hidden}.`);
  return query;
}

function searchIn(c: Context): URLSearchParams {
  return parametersIn(c.req.url, attributes);
}

async function issue({ stores, organization, visit, onToken }: Desk, typed: string): Promise<string> {
  const name = v.safeParse(tokenName, typed || `wall, by ${visit?.person.name ?? 'the operator'}`);
  if (!name.success) throw new BadForm(`The name of a token ${name.issues[0].message}.`);
  const madeBy = visit && { madeBy: visit.person.id };
  const about = { organization, permissions: [published.permission], name: name.output, ...madeBy };
  const token = await issueToken({ ...stores, randomInt }, about);
  onToken?.('made', idOfToken({ organization, hash: hashSecret(token) }));
  return token;
}

/** Revokes a token that stands in web pages; of others a desk knows nothing. */
async function revoke(desk: Desk, id: string): Promise<string> {
  const found = (await publishedTokens(desk)).find((each) => each.id === id);
  if (!found || !(await desk.stores.tokens.revoke(id))) return 'It was revoked before.';
  desk.onToken?.('revoked', id);
  return 'Revoked: its walls are empty within a minute.';
}

async function publishedTokens({ stores, organization }: Desk): Promise<TokenSummary[]> {
  return (await stores.tokens.list(organization)).filter(({ permissions }) => permissions.every(isPublic));
}

/** @param told a token that was just issued, or what is said of one that was revoked */
async function show(c: Context<DeskEnv>, { token, said }: { token?: string; said?: string } = {}) {
  const { desk } = c.var;
  const search = searchIn(c);
  queryIn(c);
  settingsIn(search);
  const tokens = await publishedTokens(desk);
  const action = addressOf(path, search);
  const api = desk.api ?? 'https://YOUR-API';
  const snippet = html`<script type="module" src="${api}${embedPath}"></script>
${element({ src: api, token: token ?? 'YOUR-TOKEN' }, search)}`;
  const main = html`<h1>Wall</h1>
  <p>What visitors see: approved testimonials and nothing else, as they are now.</p>
  <form method="get" action="${path}" class="filters card">
    ${listed.map((each) => fieldOf(each, search.getAll(each).join(',') || (standards[each] ?? ''), each === 'sort' ? published.refuses.sort : []))}
    ${settingFields(search)}
    <div class="filter-buttons"><button>Show</button> <a class="button quiet" href="${path}">Reset</a></div>
  </form>
  <iframe class="wall" src="${addressOf(wallPreview, search)}" title="The wall"></iframe>
  <h2 id="snippet">For your page</h2>
  ${said && html`<p class="notice" role="status">${said}</p>`}
  ${
    token
      ? html`<p class="notice" role="status">The token is in the snippet, and is shown this once.</p>`
      : html`<p>Make a token for it; everyone may know it, and it shows nothing but approved testimonials.</p>
        <form method="post" action="${action}#snippet" class="filters"><div class="field"><label for="token-name">Where it will stand</label>
          <input id="token-name" name="name" maxlength="200" placeholder="our home page" autocomplete="off"></div>
          <div class="filter-buttons"><button>Make a token</button></div></form>`
  }
  <pre class="command" tabindex="0" aria-label="Snippet"><code>${String(snippet)}</code></pre>
  <p><button type="button" class="small" data-copy hidden>Copy</button></p>
  ${originsText(desk)}
  ${tokens.length > 0 && tokenTable(tokens, action)}`;
  return showPage(c, 'wall', main);
}

/** The element with its attributes. */
function element({ src, token }: { src: string; token: string }, search: URLSearchParams): Html {
  const others = [...search].map(([name, value]) => html` ${name}="${value}"`);
  return html`<testimonials-wall src="${src}" token="${token}"${others}></testimonials-wall>`;
}

/** Whose pages may ask the API, as the deployment has it. */
function originsText({ origins }: Desk): Html | '' {
  if (origins === undefined || origins.includes('*')) return '';
  const those =
    origins.length === 0
      ? html`No page of another host may ask this API yet`
      : html`Pages of ${origins.join(', ')} may ask this API, and no others`;
  return html`<p class="muted">${those}: whoever deploys it lets them, by the context value <code>corsOrigins</code>.</p>`;
}

function tokenTable(tokens: readonly TokenSummary[], action: string): Html {
  const row = ({ id, name = id, createdAt }: TokenSummary) =>
    html`<tr><th scope="row"><bdi>${name}</bdi></th><td>${minute(createdAt)}</td>
      <td><button name="revoke" value="${id}" class="small quiet danger">Revoke<span class="visually-hidden"> ${name}</span></button></td></tr>`;
  return html`<h2>Tokens in pages</h2>
  <form method="post" action="${action}#snippet">${table(
    'Tokens in pages',
    html`<thead><tr><th scope="col">Name</th><th scope="col">Made</th><td></td></tr></thead>
    <tbody>${tokens.map(row)}</tbody>`,
  )}</form>`;
}
