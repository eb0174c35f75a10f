/**
 * What one person has written, found by the e-mail address. No index has addresses, so that all testimonials are read, in steps:
 * the page carries how far that is.
 */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import { ordinalOf } from '../../domain/testimonial-id.ts';
import { counted } from '../../domain/wording.ts';
import { findByAuthor } from '../../operations/find-testimonial.ts';
import { base } from '../parts/base.ts';
import { selection } from '../parts/cards.ts';
import { type DeskEnv, type DeskPages, findEach, showPage } from '../parts/desk.ts';
import { BadForm, formOf } from '../parts/forms.ts';
import type { Html } from '../parts/html.ts';
import { carriedIn, carrying, count, goOn } from '../parts/steps.ts';
import { decisionsOn } from '../parts/testimonial.ts';

const ids = v.pipe(
  v.string(),
  v.transform((text) => text.split(' ').filter((id) => id !== '')),
);

/** How far the search is, as a form carries it: `from` is the place where it goes on. */
const carried = v.object({ email: v.pipe(v.string(), v.trim()), from: count, read: count, found: ids });

type Carried = v.InferOutput<typeof carried>;

// A page of them is up to a megabyte: 128 read units.
const pagesAStep = 4;

// As many as a list shows at most, whose page and form a function can answer.
const mostShown = 100;

export const authorPages: DeskPages = new Hono<DeskEnv>().post('/', async (c) => {
  const before = carriedIn(await formOf(c), carried);
  if (before.email === '') throw new BadForm('Type an e-mail address first.');
  const { stores, organization } = c.var.desk;
  const step = await findByAuthor(stores.testimonials, organization, [before.email], {
    from: before.from,
    pages: pagesAStep,
  });
  const all = [...before.found, ...step.ids];
  const found = all.slice(0, mostShown);
  const last = found.at(-1);
  const next = last !== undefined && all.length > mostShown ? ordinalOf(last) + 1 : step.next;
  const now = { ...before, read: before.read + step.read, found };
  if (next === undefined || found.length === mostShown) return showFound(c, now, next);
  const main = goOn({
    title: 'Searching',
    said: html`<p>${counted(now.read, 'testimonial')} read, ${found.length.toLocaleString('en')} by <bdi>${now.email}</bdi> so far.</p>`,
    address: `${base}/author`,
    values: { ...now, from: next, found: found.join(' ') },
    stop: `${base}/list`,
  });
  return showPage(c, 'list', main, { title: 'Searching' });
});

/** A field for an address, for the page of the list. */
export function authorForm(): Html {
  return html`<details><summary>All of one person, by e-mail address</summary>
    <form method="post" action="${base}/author" class="filters">
      <div class="field field-search"><label for="author-email">E-mail address</label>
        <input id="author-email" name="email" type="email" required autocomplete="off"></div>
      <div class="filter-buttons"><button>Find</button></div>
    </form></details>`;
}

/** @param next where the search goes on; absent where all were read */
async function showFound(c: Context<DeskEnv>, { email, read, found }: Carried, next?: number) {
  const { desk } = c.var;
  const testimonials = await findEach(desk, found);
  const decisions = await decisionsOn(desk, testimonials);
  const main = html`<h1>By one person</h1>
    <div id="results"><p class="count" role="status">${counted(testimonials.length, 'testimonial')} by <bdi>${email}</bdi>${
      next === undefined ? html`, of ${counted(read, 'testimonial')} read` : ', and there may be more'
    }</p>
    ${
      next !== undefined &&
      html`<form method="post" action="${base}/author">${carrying({ email, from: next })}
        <div class="buttons"><button class="quiet">Find the next</button></div></form>`
    }
    ${
      testimonials.length > 0
        ? selection(desk, testimonials, { action: `${base}/list`, decisions })
        : html`<p><a class="button" href="${base}/list">Back to the list</a></p>`
    }</div>`;
  return showPage(c, 'list', main, { title: 'By one person' });
}
