/**
 * Finds everything by one person. E-mail addresses are not indexed, so this reads all testimonials, in
 * several requests. Unreadable testimonials are logged and stay. An operator can erase them by their ids.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import * as v from 'valibot';
import { maxAddressLength } from '../../domain/email-address.ts';
import { isTestimonialId } from '../../domain/testimonial-id.ts';
import { isBlank, withoutInvisible } from '../../domain/visible-text.ts';
import { counted } from '../../domain/wording.ts';
import { mainTarget, replacesMain, selection } from '../parts/cards.ts';
import { type DeskEnv, type DeskPages, findEach } from '../parts/desk.ts';
import { BadForm, formOf, withQuery } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { hiddenFields, progressCount, progressPage, readProgress } from '../parts/long-work.ts';
import { affiliation } from '../parts/marks.ts';
import { redirectWithNote } from '../parts/note.ts';
import { deskPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';
import { factsOf } from '../parts/testimonial.ts';
import { ownWalls } from './pins-part.ts';

// A page is up to one megabyte: 256 read units, because the read is strongly consistent.
const pagesPerRequest = 4;

// The maximum page size of a list.
const maxShown = 100;

const carried = v.object({
  email: v.pipe(v.string(), v.trim()),
  /** The id to continue after; empty at the start. */
  after: v.pipe(
    v.string(),
    v.check((id) => id === '' || isTestimonialId(id)),
  ),
  read: progressCount,
  /** Not empty if the search continues after testimonials that were found. */
  more: v.string(),
  /** Ids, separated by spaces. */
  found: v.pipe(
    v.string(),
    v.transform((text) => text.split(' ').filter((id) => id !== '')),
    v.maxLength(maxShown),
    v.everyItem(isTestimonialId),
  ),
});

export const authorPath = `${deskPath}/author`;

export const authorPages: DeskPages = new Hono<DeskEnv>().get('/', showFound).post('/', async (c) => {
  const before = readProgress(await formOf(c), carried);
  const found = await findNext(c, before);
  return typeof found === 'string' ? redirectWithNote(c, `${deskPath}/list`, found) : found;
});

/** Starts to find everything by one person, like `findNext`. */
export function findAllBy(c: Context<DeskEnv>, email: string): Promise<Response | string> {
  return findNext(c, { email, after: '', read: 0, more: '', found: [] });
}

/**
 * Searches for everything by one person for as long as a request may take.
 * @returns a page that continues the search or redirects to its results, or a sentence if there are none
 */
async function findNext(
  c: Context<DeskEnv>,
  before: v.InferOutput<typeof carried>,
): Promise<Response | string> {
  if (isBlank(before.email)) throw new BadForm('Enter an e-mail address first.');
  if (withoutInvisible(before.email).length > maxAddressLength) {
    throw new BadForm(`An e-mail address has at most ${maxAddressLength} characters.`);
  }
  const batch = await c.var.desk.testimonials.findByAuthor([before.email], {
    ...(before.after !== '' && { after: before.after }),
    pages: pagesPerRequest,
  });
  const all = [...before.found, ...batch.ids];
  const found = all.slice(0, maxShown);
  const last = found.at(-1);
  const after = all.length > maxShown ? last : batch.after;
  const progress = { ...before, read: before.read + batch.read, found };
  const isDone = after === undefined || found.length === maxShown;
  if (isDone && found.length === 0) {
    if (before.more !== '') return `No more testimonials by ${before.email}.`;
    return `No testimonials by ${before.email} (searched ${counted(progress.read, 'testimonial')}).`;
  }
  // The e-mail address stays out of URLs, which logs may keep.
  if (isDone) return c.redirect(`${authorPath}?ids=${found.join()}&after=${after ?? ''}`, 303);
  const main = progressPage({
    title: 'Searching',
    message: html`<p>Searched ${counted(progress.read, 'testimonial')}, found ${found.length.toLocaleString('en')} by <bdi>${progress.email}</bdi> so far.</p>`,
    path: authorPath,
    values: { ...progress, after, found: found.join(' ') },
    stopPath: `${deskPath}/list`,
  });
  replaceMain(c);
  return showPage(c, 'list', main, { title: 'Searching' });
}

/** Makes htmx replace the whole page, even if the list's search would only replace its results. */
function replaceMain(c: Context<DeskEnv>): void {
  for (const name of ['hx-retarget', 'hx-reselect']) c.header(name, '#main');
  c.header('hx-reswap', 'outerHTML show:window:top');
}

/** Returns a form that finds everything by one person, if the search is or becomes an e-mail address. */
export function authorOffer(search: string): Html | '' {
  if (!search.includes('@')) return '';
  return html`<form method="post" action="${authorPath}" class="empty" ${mainTarget}>${hiddenFields({ email: search })}
    <p class="muted">The search does not cover e-mail addresses.</p>
    <button class="solid"><span>Find everything by <bdi>${search}</bdi></span></button></form>`;
}

/** Shows the testimonials that the URL lists, all by one person. */
async function showFound(c: Context<DeskEnv>): Promise<Response> {
  const { desk } = c.var;
  const after = c.req.query('after') ?? '';
  const testimonials = await findEach(desk, (c.req.query('ids') ?? '').split(',').slice(0, maxShown));
  const [first] = testimonials;
  if (!first) return after === '' ? c.redirect(`${deskPath}/list`, 303) : showGone(c);
  const [records, walls] = await Promise.all([factsOf(desk, testimonials), ownWalls(desk)]);
  replaceMain(c);
  const { name, email } = first.author;
  const job = affiliation(first.author);
  const order = testimonials.length > 1 ? ', oldest first' : '';
  const count = html`${counted(testimonials.length, 'testimonial')}${after === '' ? order : `${order}. There may be more`}`;
  // Escapes a percent sign in an address, which would begin an escape.
  const mail = `mailto:${encodeURIComponent(email).replace('%40', '@')}`;
  const main = html`<p><a class="back" href="${deskPath}/list">All testimonials</a></p>
    <div><h1><bdi>${name}</bdi></h1><p class="muted facts">${job && html`<span>${job}</span>`}<span><a href="${mail}"><bdi>${email}</bdi></a></span><span role="status">${count}</span></p></div>
    <div id="results" class="whole">
    ${
      after !== '' &&
      html`<form method="post" action="${authorPath}" ${replacesMain}>${hiddenFields({ email, after, more: 'yes' })}
        <div class="buttons"><button class="quiet">Find more</button></div></form>`
    }
    ${selection(desk, testimonials, {
      // Its actions lead back to this page.
      action: withQuery(`${deskPath}/list`, new URLSearchParams({ author: new URL(c.req.url).search })),
      records,
      walls,
      isOfOne: true,
    })}</div>`;
  return showPage(c, 'list', main, { title: name });
}

/**
 * Says that there may be more by a person whose shown testimonials are gone. Their e-mail address was in no
 * URL.
 */
function showGone(c: Context<DeskEnv>): Promise<Response> {
  const main = html`<h1>There may be more by this person</h1>
    <p>The testimonials that were found have been erased. Search for the e-mail address again to find the rest.</p>
    <p><a class="button" href="${deskPath}/list">Search again</a></p>`;
  return showPage(c, 'list', main, { title: 'There may be more' });
}
