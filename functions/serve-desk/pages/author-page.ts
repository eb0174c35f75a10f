/** Finds everything one person wrote. E-mail addresses are not indexed, so this reads all testimonials, in several requests. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import { ordinalOf } from '../../domain/testimonial-id.ts';
import { counted } from '../../domain/wording.ts';
import { findByAuthor } from '../../operations/find-testimonial.ts';
import { deskPath } from '../parts/assets.ts';
import { selection } from '../parts/cards.ts';
import { type DeskEnv, type DeskPages, findEach, showPage } from '../parts/desk.ts';
import { BadForm, formOf } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { carriedCount, hiddenFields, progressPage, readCarried } from '../parts/long-work.ts';
import { recordsOf } from '../parts/testimonial.ts';

const carried = v.object({
  email: v.pipe(v.string(), v.trim()),
  /** The ordinal to continue from. */
  from: carriedCount,
  read: carriedCount,
  /** Ids, separated by spaces. */
  found: v.pipe(
    v.string(),
    v.transform((text) => text.split(' ').filter((id) => id !== '')),
  ),
});

type Carried = v.InferOutput<typeof carried>;

// A page is up to one megabyte: 128 read units.
const pagesPerRequest = 4;

// The maximum page size of a list.
const maxShown = 100;

export const authorPages: DeskPages = new Hono<DeskEnv>().post('/', async (c) => {
  const before = readCarried(await formOf(c), carried);
  if (before.email === '') throw new BadForm('Type an e-mail address first.');
  const { stores, organization } = c.var.desk;
  const batch = await findByAuthor(stores.testimonials, organization, [before.email], {
    from: before.from,
    pages: pagesPerRequest,
  });
  const all = [...before.found, ...batch.ids];
  const found = all.slice(0, maxShown);
  const last = found.at(-1);
  const next = last !== undefined && all.length > maxShown ? ordinalOf(last) + 1 : batch.next;
  const progress = { ...before, read: before.read + batch.read, found };
  if (next === undefined || found.length === maxShown) return showFound(c, progress, next);
  const main = progressPage({
    title: 'Searching',
    message: html`<p>${counted(progress.read, 'testimonial')} searched, ${found.length.toLocaleString('en')} by <bdi>${progress.email}</bdi> found so far.</p>`,
    path: `${deskPath}/author`,
    values: { ...progress, from: next, found: found.join(' ') },
    stopPath: `${deskPath}/list`,
  });
  return showPage(c, 'list', main, { title: 'Searching' });
});

/** Returns the form on the list page that starts the search. */
export function authorForm(): Html {
  return html`<details><summary>Find everything one person wrote</summary>
    <form method="post" action="${deskPath}/author" class="filters">
      <div class="field field-search"><label for="author-email">E-mail address</label>
        <input id="author-email" name="email" type="email" required autocomplete="off"></div>
      <div class="filter-buttons"><button>Find</button></div>
    </form></details>`;
}

/** @param next the ordinal to continue from; absent at the end */
async function showFound(c: Context<DeskEnv>, { email, read, found }: Carried, next?: number) {
  const { desk } = c.var;
  const testimonials = await findEach(desk, found);
  const records = await recordsOf(desk, testimonials);
  const main = html`<h1>By one person</h1>
    <div id="results"><p class="count" role="status">${counted(testimonials.length, 'testimonial')} by <bdi>${email}</bdi>${
      next === undefined ? html`, out of ${counted(read, 'testimonial')}` : ', and there may be more'
    }</p>
    ${
      next !== undefined &&
      html`<form method="post" action="${deskPath}/author">${hiddenFields({ email, from: next })}
        <div class="buttons"><button class="quiet">Find more</button></div></form>`
    }
    ${
      testimonials.length > 0
        ? selection(desk, testimonials, { action: `${deskPath}/list`, records })
        : html`<p><a class="button" href="${deskPath}/list">Back to the list</a></p>`
    }</div>`;
  return showPage(c, 'list', main, { title: 'By one person' });
}
