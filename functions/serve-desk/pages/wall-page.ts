/** The desk's page about live walls: a preview, the snippet to copy, and the tokens in customers' pages. */
import { randomInt } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import type { ListQuery } from '../../domain/list-query.ts';
import type { TokenSummary } from '../../domain/stores.ts';
import { text } from '../../domain/text.ts';
import { hashSecret, idOfToken, isPublic } from '../../domain/token.ts';
import { capital } from '../../domain/wording.ts';
import { listBodyOf } from '../../list-testimonials/list-body.ts';
import type { ParameterValues } from '../../list-testimonials/parameters.ts';
import { readPermissions } from '../../list-testimonials/read-permissions.ts';
import { issueToken } from '../../operations/issue-token.ts';
import { listTestimonials } from '../../operations/list-testimonials.ts';
import settings from '../../serve-pages/page-settings.json' with { type: 'json' };
import {
  looks,
  readSettings,
  type SettingName,
  type WallSettings,
  wallDefaults,
  wallParameters,
} from '../../serve-pages/wall-settings.ts';
import { deskPath, embedPath } from '../parts/assets.ts';
import { type Desk, type DeskEnv, type DeskPages, showPage } from '../parts/desk.ts';
import { field } from '../parts/field.ts';
import { fieldOf } from '../parts/filter-form.ts';
import { BadForm, formOf, listQueryOf, parametersIn, textOf, withQuery } from '../parts/forms.ts';
import { type Html, table } from '../parts/layout.ts';
import { minute } from '../parts/testimonial.ts';

const path = `${deskPath}/wall`;

/** The path of the page in the preview's frame. */
export const wallPreview = `${path}/preview`;

/** A wall accepts every list parameter, except those it sets itself. */
export type WallParameters<Values> = Record<Exclude<keyof Values, 'page' | 'status'>, string>;

const defaults: WallParameters<ParameterValues> = wallDefaults;

/** The permission of tokens in web pages. */
const [, published] = readPermissions;

const tokenName = text({ min: 1, max: 200 });

export const wallPages: DeskPages = new Hono<DeskEnv>()
  .get('/', (c) => show(c))
  .post('/', async (c) => {
    const { desk } = c.var;
    const body = await formOf(c);
    const revoked = textOf(body, 'revoke');
    if (revoked !== '') return show(c, { message: await revoke(desk, revoked) });
    return show(c, { token: await issue(desk, textOf(body, 'name').trim()) });
  })
  .get('/preview', (c) => {
    const { asset } = c.var.desk;
    return c.html(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Preview</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<script type="module" src="${asset('embed.js')}"></script><link rel="stylesheet" href="${asset('desk.css')}"></head>
<body class="wall-preview">${element({ src: path, token: 'preview' }, searchIn(c))}</body></html>`);
  })
  // The preview requests the list that a published token sees. The session authorizes it.
  .get('/v1/testimonials', async (c) => {
    const { stores, organization } = c.var.desk;
    const query = queryIn(c, 'page');
    const result = await listTestimonials(stores, organization, published.narrow(query));
    return c.json(published.show(listBodyOf(query, result)));
  });

function queryIn(c: Context, ...more: string[]): ListQuery {
  const query = listQueryOf(parametersIn(c.req.url, [...wallParameters, ...more]));
  const [refusedSort] = published.refuses.sort;
  if (query.sort === refusedSort)
    throw new BadForm(`A wall cannot be sorted by ${refusedSort}. Choose another sort.`);
  return query;
}

function searchIn(c: Context): URLSearchParams {
  return parametersIn(c.req.url, [...wallParameters, ...typedSettings]);
}

async function issue({ stores, organization, visit, onToken }: Desk, typed: string): Promise<string> {
  const name = v.safeParse(tokenName, typed || `wall, by ${visit?.person.name ?? 'the operator'}`);
  if (!name.success) throw new BadForm(`The name of a token ${name.issues[0].message}.`);
  const token = await issueToken(
    { ...stores, randomInt },
    {
      organization,
      permissions: [published.permission],
      name: name.output,
      ...(visit && { madeBy: visit.person.id }),
    },
  );
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

/** Shows the page, with a new token in the snippet or a message about a revoked token. */
async function show(c: Context<DeskEnv>, { token, message }: { token?: string; message?: string } = {}) {
  const { desk } = c.var;
  const search = searchIn(c);
  queryIn(c);
  settingsIn(search);
  const tokens = await publishedTokens(desk);
  const action = withQuery(path, search);
  const api = desk.api ?? 'https://YOUR-API';
  const snippet = html`<script type="module" src="${api}${embedPath}"></script>
${element({ src: api, token: token ?? 'YOUR-TOKEN' }, search)}`;
  const main = html`<h1>Wall</h1>
  <p>Show your approved testimonials on your own pages. This preview shows what your visitors see.</p>
  <form method="get" action="${path}" class="filters card">
    ${wallParameters.map((name) => fieldOf(name, search.getAll(name).join(',') || defaults[name], name === 'sort' ? published.refuses.sort : []))}
    ${settingFields(search)}
    <div class="filter-buttons"><button>Show</button> <a class="button quiet" href="${path}">Reset</a></div>
  </form>
  <iframe class="wall" src="${withQuery(wallPreview, search)}" title="Preview of the wall"></iframe>
  <h2 id="snippet">Put it on your page</h2>
  ${message && html`<p class="notice" role="status">${message}</p>`}
  ${
    token
      ? html`<p class="notice" role="status">The snippet contains the new token. Copy it now: the token is not shown again.</p>`
      : html`<p>The snippet needs a token. It is safe to publish, because it gives access to approved testimonials only.</p>
        <form method="post" action="${action}#snippet" class="filters"><div class="field"><label for="token-name">Name of the page</label>
          <input id="token-name" name="name" maxlength="200" placeholder="our home page" autocomplete="off"></div>
          <div class="filter-buttons"><button>Create token</button></div></form>`
  }
  <pre class="command" tabindex="0" aria-label="Snippet"><code>${String(snippet)}</code></pre>
  <p><button type="button" class="small" data-copy hidden>Copy</button></p>
  ${originsText(desk)}
  ${tokens.length > 0 && tokenTable(tokens, action)}`;
  return showPage(c, 'wall', main);
}

function element({ src, token }: { src: string; token: string }, search: URLSearchParams): Html {
  const attributes = [...search].map(([name, value]) => html` ${name}="${value}"`);
  return html`<testimonials-wall src="${src}" token="${token}"${attributes}></testimonials-wall>`;
}

function originsText({ origins }: Desk): Html | '' {
  if (origins === undefined || origins.includes('*')) return '';
  const allowed =
    origins.length === 0
      ? 'The wall does not work on any website yet.'
      : html`The wall works on ${origins.join(', ')} only.`;
  return html`<p class="muted">${allowed} To add a website, ask the person who runs this service to add it to <code>corsOrigins</code>.</p>`;
}

function tokenTable(tokens: readonly TokenSummary[], action: string): Html {
  const row = ({ id, name = id, createdAt }: TokenSummary) =>
    html`<tr><th scope="row"><bdi>${name}</bdi></th><td>${minute(createdAt)}</td>
      <td><button name="revoke" value="${id}" class="small quiet danger">Revoke<span class="visually-hidden"> ${name}</span></button></td></tr>`;
  return html`<h2>Tokens on your pages</h2>
  <form method="post" action="${action}#snippet">${table(
    'Tokens on your pages',
    html`<thead><tr><th scope="col">Page</th><th scope="col">Created</th><td></td></tr></thead>
    <tbody>${tokens.map(row)}</tbody>`,
  )}</form>`;
}

/**
 * Reads settings from a query. If a parameter is repeated, the first value counts, as in its field.
 * @throws {BadForm} naming the invalid setting
 */
function settingsIn(search: URLSearchParams): WallSettings {
  try {
    return readSettings(
      Object.fromEntries(typedSettings.map((name) => [name, search.get(name) ?? undefined])),
    );
  } catch (error) {
    throw new BadForm(error instanceof Error ? `${error.message}.` : String(error));
  }
}

/** The label and an example of each setting with a form field. */
const labels = {
  look: ['Layout', ''],
  hide: ['Hide', 'dates, stars'],
  lang: ['Language', 'de'],
  'own-tags': ['Internal tags', 'featured'],
} as const satisfies Partial<Record<SettingName, [label: string, example: string]>>;

const typedSettings = Object.keys(labels) as (keyof typeof labels)[]; // of a constant

function settingFields(search: URLSearchParams): Html {
  return html`${typedSettings.map((name) => {
    const [label, hint] = labels[name];
    const options = name === 'look' ? looks : undefined;
    const value = search.get(name) ?? options?.[0] ?? '';
    const title = capital(settings.wall[name].meaning);
    return field({ id: `wall-${name}`, name, label, value, hint, title, options });
  })}`;
}
