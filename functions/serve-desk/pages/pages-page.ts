/** The desk's page about forms and walls: owners create, edit and remove them, and copy their links. */
import { randomInt } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import { type Page, pageKinds, pageTitle, pathOfPage } from '../../domain/page.ts';
import { capital } from '../../domain/wording.ts';
import {
  checkPageSettings,
  createPage,
  linksOf,
  type PageSetting,
  pageDefaults,
  pageSettings,
} from '../../serve-pages/own-pages.ts';
import { deskPath } from '../parts/assets.ts';
import { replacesMain } from '../parts/cards.ts';
import { type Desk, type DeskEnv, type DeskPages, isOwner, showPage } from '../parts/desk.ts';
import { field } from '../parts/field.ts';
import { BadForm, type FormBody, formOf, textOf, textsOf } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { minute } from '../parts/testimonial.ts';

const path = `${deskPath}/pages`;

export const pagesPages: DeskPages = new Hono<DeskEnv>()
  .use((c, next) => {
    if (!c.var.desk.stores.pages) return Promise.resolve(c.notFound());
    if (!isOwner(c.var.desk)) throw new BadForm('Only owners manage forms and walls.');
    return next();
  })
  .get('/', async (c) => showPage(c, 'pages', allPages(c.var.desk)))
  .post('/', async (c) => {
    const { desk } = c.var;
    const body = await formOf(c);
    const kind = pageKinds.find((each) => each === textOf(body, 'kind'));
    if (!kind) throw new BadForm('Choose a form or a wall.');
    const fields = { organization: desk.organization, kind, title: titleIn(body), settings: {} };
    const created = await createPage({ ...desk.stores, pages: pagesOf(desk), randomInt }, fields);
    return c.redirect(`${path}/${created.id}`, 303);
  })
  .get('/:id', async (c) => {
    const page = await findPage(c);
    const isSaved = c.req.query('saved') !== undefined;
    return page
      ? showOne(c, page, isSaved ? 'Saved. Visitors see it within two minutes.' : '')
      : c.notFound();
  })
  .post('/:id', async (c) => {
    const { desk } = c.var;
    const page = await findPage(c);
    if (!page) return c.notFound();
    const body = await formOf(c);
    if (textOf(body, 'action') === 'ask to remove') return showPage(c, 'pages', confirmRemoval(page));
    if (textOf(body, 'action') === 'remove') {
      await pagesOf(desk).remove(page);
      return c.redirect(path, 303);
    }
    const names = Object.keys(pageSettings[page.kind]);
    const settings = Object.fromEntries(names.map((name) => [name, textsOf(body, name).join()]));
    const edited = { ...page, title: textOf(body, 'title'), settings };
    let checked: Pick<Page, 'title' | 'settings'>;
    try {
      checked = { title: titleIn(body), settings: checkPageSettings(edited) };
    } catch (error) {
      return showOne(c, edited, error instanceof Error ? error.message : String(error), 422);
    }
    // Somebody may have removed it meanwhile.
    if (!(await pagesOf(desk).replace({ ...page, ...checked }))) return c.notFound();
    return c.redirect(`${path}/${page.id}?saved`, 303);
  });

function pagesOf({ stores: { pages } }: Desk) {
  if (!pages) throw new BadForm('This deployment has no forms and walls.');
  return pages;
}

/** Finds the page in the URL; undefined if the organization has no such page. */
async function findPage(c: Context<DeskEnv>): Promise<Page | undefined> {
  const found = await pagesOf(c.var.desk).find(c.req.param('id') ?? '');
  return found?.organization === c.var.desk.organization ? found : undefined;
}

/** @throws {BadForm} naming the broken rule */
function titleIn(body: FormBody): string {
  const { success, output, issues } = v.safeParse(pageTitle, textOf(body, 'title'));
  if (success) return output;
  throw new BadForm(`The title ${issues[0].message}.`);
}

async function allPages(desk: Desk): Promise<Html> {
  const all = await pagesOf(desk).list(desk.organization);
  const card = (page: Page) => html`<li class="card">
      <header class="card-head"><h2><a href="${path}/${page.id}"><bdi>${page.title}</bdi></a></h2>
        <a class="button small" href="${pathOfPage(page)}">Open<span class="visually-hidden"> ${page.title}</span></a></header>
      <p class="muted">${capital(page.kind)} · created ${minute(page.createdAt)}</p></li>`;
  return html`<h1>Forms and walls</h1>
  <p>Send the link of a form to a customer. Show what you approve on a wall, or on your own website.</p>
  <ul class="cards">${all.map(card)}</ul>
  <form method="post" action="${path}" class="settings card" ${replacesMain}>
    ${field({ id: 'new-title', name: 'title', label: 'Title', value: '', hint: 'Tell us about your experience' })}
    <div class="filter-buttons"><button name="kind" value="form">Create a form</button>
      <button name="kind" value="wall">Create a wall</button></div>
  </form>
  <p class="muted">Does a website of yours show a wall with a token? <a href="${deskPath}/wall">Tokens on your websites</a></p>`;
}

/** Shows a page of visitors with its links, its settings and a preview. */
function showOne(
  c: Context<DeskEnv>,
  page: Page,
  message: string,
  status: 200 | 422 = 200,
): Promise<Response> {
  const { api } = c.var.desk;
  const { url, snippet, iframe } = linksOf(page, api ?? 'https://YOUR-API');
  const kind = status === 422 ? 'notice wrong' : 'notice';
  const settings = Object.entries(pageSettings[page.kind]);
  const main = html`<h1><bdi>${page.title}</bdi></h1>
  <div role="status">${message && html`<p class="${kind}">${capital(message)}</p>`}</div>
  ${copied('Link', url)}
  ${copied(page.kind === 'form' ? 'Link on your website' : 'Wall on your website', snippet)}
  ${copied('In a frame', iframe)}
  <form method="post" action="${path}/${page.id}" class="settings card" ${replacesMain}>
    ${field({ id: 'page-title', name: 'title', label: 'Title', value: page.title })}
    ${settings.map(([name, setting]) => settingField(name, setting, page.settings[name] ?? pageDefaults[page.kind][name] ?? ''))}
    <div class="filter-buttons"><button name="action" value="save">Save</button>
      <button name="action" value="ask to remove" class="quiet danger">Remove …</button></div>
  </form>
  ${api !== undefined && html`<iframe class="wall" src="${pathOfPage(page)}" title="Preview"></iframe>`}`;
  return showPage(c, 'pages', main, { title: page.title, status });
}

function copied(label: string, text: string): Html {
  return html`<div data-snippet><h2>${label}</h2>
    <pre class="command" tabindex="0" aria-label="${label}"><code>${text}</code></pre>
    <p><button type="button" class="small" data-copy hidden>Copy</button></p></div>`;
}

function settingField(
  name: string,
  { label, meaning, options, parts, isLong }: PageSetting,
  value: string,
): Html {
  const id = `page-${name}`;
  const title = capital(meaning);
  if (parts) {
    const chosen = value.split(',').map((each) => each.trim());
    return html`<fieldset class="field"><legend class="muted">${label}</legend>${parts.map(
      (part) =>
        html`<label class="check"><input type="checkbox" name="${name}" value="${part}" ${chosen.includes(part) && 'checked'}> ${capital(part)}</label>`,
    )}</fieldset>`;
  }
  return field({ id, name, label, value, title, options, isLong });
}

function confirmRemoval({ id, title, kind }: Page): Html {
  return html`<h1 tabindex="-1" data-focus>Remove <bdi>${title}</bdi>?</h1>
  <p>Within a minute, its link shows that the ${kind} was removed. Testimonials stay. A removed ${kind} cannot be restored.</p>
  <form method="post" action="${path}/${id}"><div class="buttons ask">
    <button name="action" value="remove" class="danger solid">Remove</button> <a class="button quiet" href="${path}/${id}">Keep it</a></div></form>`;
}
