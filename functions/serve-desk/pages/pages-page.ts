/** The desk's pages about forms and walls: owners create, edit and remove them, and copy their links. */
import { randomInt } from 'node:crypto';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import encodeQR from 'qr';
import * as v from 'valibot';
import { isRandomId, type Page, pageKinds, pageTitle } from '../../domain/page.ts';
import { capital } from '../../domain/wording.ts';
import {
  checkPageSettings,
  createPage,
  editPage,
  linksOf,
  pageDefaults,
  validPins,
  withPins,
} from '../../serve-pages/own-pages.ts';
import { replacesMain } from '../parts/cards.ts';
import { type Desk, type DeskEnv, type DeskPages, isOwner } from '../parts/desk.ts';
import { field } from '../parts/field.ts';
import {
  BadForm,
  type FormBody,
  fieldText,
  formOf,
  mergedFields,
  NotAllowed,
  textProblem,
} from '../parts/forms.ts';
import { type IconName, icon } from '../parts/icon.ts';
import type { Html } from '../parts/layout.ts';
import { redirectWithNote } from '../parts/note.ts';
import { deskPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';
import { snippetPart } from '../parts/snippet.ts';
import { day } from '../parts/testimonial.ts';
import { brandPages } from './brand-page.ts';
import { formNumbers } from './form-numbers-part.ts';
import { downloadLinks, makeLinks, showLinks } from './links-page.ts';
import { movePin, pinsPart } from './pins-part.ts';
import { firstTitles, pagesOf, previewFrame, showPreview, showProblem } from './preview.ts';
import { type Problem, problemIn, problemOf, settingFields, settingsIn } from './settings-fields.ts';

const path = `${deskPath}/pages`;

const icons = { form: 'card-text', wall: 'grid' } as const satisfies Record<Page['kind'], IconName>;

export const pagesPages: DeskPages = new Hono<DeskEnv>()
  .use((c, next) => {
    if (!c.var.desk.stores.pages) return Promise.resolve(c.notFound());
    if (!isOwner(c.var.desk)) throw new NotAllowed('Only owners can manage forms and walls. Ask an owner.');
    return next();
  })
  .get('/', (c) => showAll(c))
  .route('/brand', brandPages)
  .post('/', async (c) => {
    const { desk } = c.var;
    const body = await formOf(c);
    const kind = pageKinds.find((each) => each === fieldText(body, 'kind'));
    if (!kind) throw new BadForm('Choose a form or a wall.');
    const ofForm = desk.media ? { ask: 'photo' } : {};
    const settings: Page['settings'] = kind === 'wall' ? { rating: '4', hide: 'tags' } : ofForm;
    const title = newTitle(await pagesOf(desk).list(desk.organization), firstTitles[kind]);
    const fields = { organization: desk.organization, kind, title, settings };
    const created = await createPage(
      { ...desk.stores, now: desk.now, pages: pagesOf(desk), randomInt },
      fields,
    );
    const at = `${path}/${created.id}?${newQuery}`;
    return kind === 'wall' ? redirectWithNote(c, at, newWallText) : c.redirect(at, 303);
  })
  .get('/:id', onPage(showOne))
  .post('/:id', onPage(save))
  .post(
    '/:id/pins',
    onPage((c, page) => (page.kind === 'wall' ? movePin(c, page, `${path}/${page.id}`) : c.notFound())),
  )
  .get(
    '/:id/remove',
    onPage((c, page) => showPage(c, 'pages', confirmRemoval(page, linksOf(page, c.var.desk.serviceUrl).url))),
  )
  .post(
    '/:id/remove',
    onPage(async (c, page) => {
      await pagesOf(c.var.desk).remove(page);
      return redirectWithNote(c, path, `The ${page.kind} “${page.title}” was removed.`);
    }),
  )
  .on(['GET', 'POST'], '/:id/preview', onPage(preview))
  .get('/:id/links', onPage(ofForms(showLinks)))
  .post('/:id/links', onPage(ofForms(makeLinks)))
  .post('/:id/links.csv', onPage(ofForms(downloadLinks)))
  .get(
    '/:id/qr.svg',
    onPage(async (c, page) => {
      const code = encodeQR(linksOf(page, c.var.desk.serviceUrl).url, 'svg');
      return c.body(code, 200, { 'content-type': 'image/svg+xml' });
    }),
  );

/** The query in the URL of a new page, whose editor shows all help. */
const newQuery = 'new';
const newWallText =
  'The wall shows testimonials with four or more stars, and hides their tags. Change both below.';

/** Returns a title that no page has: with a number behind it, if necessary. */
function newTitle(pages: readonly Page[], first: string): string {
  const isFree = (title: string) => pages.every((page) => page.title !== title);
  let title = first;
  for (let number = 2; !isFree(title); number++) title = `${first} ${number}`;
  return title;
}

/** Passes the page in the URL to a handler. Responds 404 if the organization does not have this page. */
function onPage(handle: (c: Context<DeskEnv>, page: Page) => Response | Promise<Response>) {
  return async (c: Context<DeskEnv>): Promise<Response> => {
    const { desk } = c.var;
    const id = c.req.param('id') ?? '';
    const found = isRandomId(id) ? await pagesOf(desk).find(id) : undefined;
    return found?.organization === desk.organization ? handle(c, found) : c.notFound();
  };
}

/** Passes on forms only. Responds 404 for a wall. */
function ofForms(handle: (c: Context<DeskEnv>, page: Page) => Promise<Response>) {
  return (c: Context<DeskEnv>, page: Page) => (page.kind === 'form' ? handle(c, page) : c.notFound());
}

/** Returns the values in the fields of a page's editor. No setting is named `title`. */
function fieldsOf({ kind, title, settings: { pinned: _, ...settings } }: Page) {
  return { ...pageDefaults[kind], ...settings, title };
}

/** Returns the page as typed in a form, and the rule that it breaks. */
function typedPage(desk: Desk, body: FormBody, page: Page): { typed: Page; problem?: Problem } {
  const title = v.safeParse(pageTitle, fieldText(body, 'title'));
  const typed = { ...page, title: fieldText(body, 'title'), settings: settingsIn(desk, body, page) };
  if (!title.success)
    return {
      typed,
      problem: { name: 'title', text: textProblem('title', typed.title, title.issues[0].message) },
    };
  try {
    const settings = checkPageSettings(typed, page.settings);
    const fields = fieldsOf({ ...typed, title: title.output, settings });
    const { title: mergedTitle, ...others } = mergedFields(body, fields, fieldsOf(page));
    const merged = withPins({ ...typed, title: mergedTitle, settings: others }, typed.settings);
    return { typed: { ...merged, settings: checkPageSettings(merged, page.settings) } };
  } catch (error) {
    return { typed, problem: problemOf(error) };
  }
}

async function save(c: Context<DeskEnv>, page: Page): Promise<Response> {
  const body = await formOf(c);
  const { typed, problem } = typedPage(c.var.desk, body, page);
  if (problem) return showOne(c, typed, { problem, before: fieldText(body, 'before') });
  const saved = await editPage(pagesOf(c.var.desk), page, (current) =>
    withPins(typed, { pinned: validPins(current).join() }),
  );
  // Someone has removed the page in the meantime.
  if (!saved) return c.notFound();
  return redirectWithNote(c, `${path}/${page.id}`, 'Saved. Visitors see it within two minutes.');
}

/**
 * Shows the page with the settings that were sent, or in its current state. Shows a message instead if a
 * setting is invalid.
 */
async function preview(c: Context<DeskEnv>, page: Page): Promise<Response> {
  const { desk } = c.var;
  const { typed, problem } =
    c.req.method === 'POST'
      ? typedPage(desk, await formOf(c), page)
      : { typed: page, problem: problemIn(page) };
  if (problem) return showProblem(c, problem);
  const brand = await pagesOf(desk).findBrand(desk.organization);
  return showPreview(c, { page: typed, brand });
}

async function showAll(c: Context<DeskEnv>): Promise<Response> {
  const { desk } = c.var;
  const all = await pagesOf(desk).list(desk.organization);
  const numbers = await formNumbers(
    desk,
    all.filter(({ kind }) => kind === 'form'),
  );
  const card = (page: Page) => {
    const { url } = linksOf(page, desk.serviceUrl);
    const addTag = html`<a href="${path}/${page.id}#page-tags">Add a tag to count testimonials</a>`;
    // Only the oldest forms are counted.
    const number = numbers.has(page) && (numbers.get(page) ?? addTag);
    return html`<li class="card with-actions">
      <div class="with-icon">${icon(icons[page.kind])}
        <div><h3><a href="${path}/${page.id}"><bdi>${page.title}</bdi></a></h3>
        <p class="muted facts"><span>Created ${day(page.createdAt)}</span>${number && html`<span>${number}</span>`}</p>
        <p class="link" data-without-script><a href="${url}">${url}</a></p></div></div>
      <div class="buttons"><a class="button small" href="${path}/${page.id}">Edit<span class="visually-hidden"> ${page.title}</span></a>
        <button type="button" class="small" data-copy="${url}" hidden>Copy link<span class="visually-hidden"> of ${page.title}</span></button>
        <a class="button small quiet" href="${url}">Open<span class="visually-hidden"> ${page.title}</span></a></div></li>`;
  };
  const allOf = (kind: Page['kind']) => {
    const some = all.filter((page) => page.kind === kind);
    return some.length > 0 && html`<h2>${capital(kind)}s</h2><ul class="cards">${some.map(card)}</ul>`;
  };
  const main = html`<div class="page-head"><div><h1>Pages</h1>
    <p class="muted">Send the link of a form to a customer. Show what you approve on a wall, or on your own website.</p></div>
    <form method="post" action="${path}" class="buttons" ${replacesMain}>
      <button name="kind" value="form" class="solid">New form</button><button name="kind" value="wall">New wall</button></form>
    <a class="button small quiet" href="${path}/brand">${icon('palette')} Name, color and logo</a></div>
  ${allOf('form')}${allOf('wall')}`;
  return showPage(c, 'pages', main);
}

/** Shows a page with its links, its settings and a preview. */
async function showOne(
  c: Context<DeskEnv>,
  page: Page,
  refused?: { problem: Problem; before: string },
): Promise<Response> {
  const { desk } = c.var;
  const at = `${path}/${page.id}`;
  const problem = refused?.problem ?? problemIn(page);
  const links = linksOf(page, desk.serviceUrl, await pagesOf(desk).findBrand(desk.organization));
  const below = page.kind === 'form' ? 'form' : 'testimonials';
  const titleHint = `Visitors see it above the ${below}, and in link previews.`;
  const main = html`<p class="muted"><a class="back" href="${path}">Pages</a> · ${capital(page.kind)}</p>
  <h1><bdi>${page.title || `Untitled ${page.kind}`}</bdi></h1>
  ${sharePart(page, links)}
  <div class="editor">
    <form method="post" action="${at}" class="settings card" data-preview="${at}/preview" ${replacesMain}>
      <div class="settings-head"><p>Settings</p>
        <details class="help" ${c.req.query(newQuery) !== undefined && 'open'}><summary>Help with the settings</summary></details></div>
      ${field({ id: 'page-title', name: 'title', label: 'Title', value: page.title, hint: titleHint, problem: problem?.name === 'title' ? problem.text : '' })}
      ${settingFields(desk, page, problem)}
      <input type="hidden" name="before" value="${refused?.before ?? JSON.stringify(fieldsOf(page))}">
      <p class="buttons"><a class="button small quiet danger" href="${at}/remove">Remove this ${page.kind}…</a></p>
      <div class="buttons form-foot"><button class="solid">Save</button> <span class="muted" data-unsaved ${!refused && 'hidden'}>Unsaved changes</span>
        <a class="to-preview" href="#preview">Go to the preview</a>
        <button class="quiet" formaction="${at}/preview" formtarget="preview" data-without-script>Preview</button></div>
    </form>
    ${page.kind === 'wall' && (await pinsPart(desk, page, at))}
    ${previewFrame(at)}
  </div>`;
  const failed = refused && ({ status: 422 } as const);
  return showPage(c, 'pages', main, { title: page.title, ...failed });
}

function sharePart(page: Page, { url, snippet, iframe }: ReturnType<typeof linksOf>): Html {
  const code = `${path}/${page.id}/qr.svg`;
  return html`<section class="card part share" aria-label="Share">
    ${snippetPart('Link', url)}
    <div class="ways"><a class="button small" href="${url}">${icon('box-arrow-up-right')} <span>Open<span class="wide"> the ${page.kind}</span></span></a>
      ${page.kind === 'form' && html`<a class="button small" href="${path}/${page.id}/links">${icon('people')} Personal links</a>`}
      <button type="button" class="small" popovertarget="qr">${icon('qr-code')} QR code</button>
      <button type="button" class="small" popovertarget="website">${icon('code-slash')} Website code</button></div>
    ${sheet(
      'qr',
      'QR code',
      html`<div class="qr"><img src="${code}" alt="QR code of the link" width="176" height="176">
      <a class="button small" href="${code}" download="${page.kind}.svg" hx-boost="false">Download</a></div>`,
    )}
    ${sheet(
      'website',
      'Put it on your website',
      html`<p>Paste this code where the ${page.kind} should appear:</p>
      ${snippetPart(`${capital(page.kind)} on your website`, snippet)}
      <p class="muted">If your website builder does not accept this code, use this iframe:</p>
      ${snippetPart('Frame on your website', iframe)}`,
    )}</section>`;
}

/** Returns a sheet that a button opens. It is a popover, so that it needs no script. */
function sheet(id: string, title: string, content: Html): Html {
  return html`<div popover id="${id}" class="sheet" role="dialog" aria-label="${title}">
      <div class="page-head"><h2>${title}</h2>
        <button type="button" class="small quiet" popovertarget="${id}" popovertargetaction="hide">Close</button></div>
      ${content}</div>`;
}

/** @param url the URL of the page */
function confirmRemoval({ id, title, kind }: Page, url: string): Html {
  return html`<h1 tabindex="-1" data-focus>Remove “<bdi>${title}</bdi>”?</h1>
  <p>This link stops working for good and is never used again: <span class="link">${url}</span></p>
  <p>Visitors see that the ${kind} was removed, and it disappears from your website within a minute. You cannot restore it. Testimonials stay.</p>
  <form method="post" action="${path}/${id}/remove" ${replacesMain}><div class="buttons ask">
    <button class="danger solid">Remove</button> <a class="button quiet" href="${path}/${id}">Keep it</a></div></form>`;
}
