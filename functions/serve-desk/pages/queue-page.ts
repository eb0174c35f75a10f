/** The queue: pending testimonials one after the other, oldest first, one key each. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import { type Page, pathOfPage } from '../../domain/page.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import { filterNames } from '../../domain/testimonial-filter.ts';
import { deskPath } from '../parts/assets.ts';
import { change, type Desk, type DeskEnv, type DeskPages, oldestPending, showPage } from '../parts/desk.ts';
import { fieldOf } from '../parts/filter-form.ts';
import {
  BadForm,
  formOf,
  listQueryOf,
  outOfDateText,
  parametersIn,
  readSeen,
  readTagging,
  seenValue,
  textOf,
  withQuery,
} from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import {
  byline,
  content,
  facts,
  recordsOf,
  stars,
  type TestimonialRecord,
  tagList,
} from '../parts/testimonial.ts';
import { commandOf, emptyReview, type NextPage, pageAfter, review } from '../review.ts';

/** A filter in the URL narrows the queue. */
export const queuePages: DeskPages = new Hono<DeskEnv>()
  .get('/', (c) => show(c, { review: emptyReview, message: '' }))
  .post('/', async (c) => {
    const body = await formOf(c);
    const carried = v.safeParse(v.pipe(v.string(), v.parseJson(), review), textOf(body, 'review'));
    if (!carried.success) throw new BadForm(outOfDateText);
    const [key = '', seen, typed = ''] = ['key', 'seen', 'tags'].map((name) => textOf(body, name));
    const tags = typed.trim() || key === 't' ? readTagging('addTags', typed) : {};
    const command = commandOf(carried.output, key, seen ? readSeen(seen) : undefined, tags);
    if (!command) throw new BadForm(outOfDateText);
    const outcome = command.change && (await change(c.var.desk, command.seen, command.change));
    return show(c, pageAfter(carried.output, command, outcome));
  });

// The status is always pending.
const narrowing = filterNames.filter((name) => name !== 'status');

/** Shows the next testimonial. */
async function show(c: Context<DeskEnv>, { review, message, next }: NextPage): Promise<Response> {
  const { stores, organization } = c.var.desk;
  const search = parametersIn(c.req.url, narrowing);
  const { filter } = listQueryOf(search);
  const { testimonial: oldest, total } = await oldestPending(stores, organization, filter, review.skipped);
  const testimonial = next ?? oldest;
  const records = await recordsOf(c.var.desk, testimonial ? [testimonial] : []);
  const { approved, rejected, pending: skipped } = review.counts;
  const path = withQuery(`${deskPath}/queue`, search);
  const main = html`<section class="queue">
    <div class="page-head">
      <h1>Queue</h1>
      ${testimonial && html`<p class="muted"><strong>${total.toLocaleString('en')}</strong> pending</p>`}
    </div>
    <div role="status">${message && html`<p class="notice">${message}</p>`}</div>
    ${testimonial ? currentCard(testimonial, records.get(testimonial.id)) : await endOf(c.var.desk, skipped, path)}
    <form method="post" action="${path}" class="queue-keys" hx-boost="true" hx-target="#main" hx-select="#main"
      hx-swap="outerHTML show:window:top" hx-select-oob="#pending,#notices" hx-push-url="false">
      <input type="hidden" name="review" value="${JSON.stringify(review)}">
      ${testimonial && keysOf(testimonial)}${keyButton('u', 'Undo', review.decisions.length === 0)}
    </form>
    <p class="muted tally">${approved} approved, ${rejected} rejected, ${skipped} skipped.
      <span class="keys-hint">Keys: <kbd>a</kbd> <kbd>r</kbd> <kbd>s</kbd> <kbd>u</kbd> <kbd>t</kbd></span></p>
    ${narrowForm(search)}
  </section>`;
  return showPage(c, 'queue', main, search.size === 0 ? { pending: total } : {});
}

function keysOf(testimonial: Testimonial): Html {
  return html`<input type="hidden" name="seen" value="${seenValue(testimonial)}">
    <div class="tagging"><label for="queue-tags" data-key="t" aria-keyshortcuts="t">Tags <kbd aria-hidden="true">t</kbd></label>
      <input id="queue-tags" name="tags" placeholder="support, featured" autocomplete="off" maxlength="400">
      <button name="key" value="t" class="quiet">Add</button></div>
    ${keyButton('a', 'Approve')}${keyButton('r', 'Reject')}${keyButton('s', 'Skip')}`;
}

function narrowForm(search: URLSearchParams): Html {
  const isNarrowed = search.size > 0;
  return html`<details class="narrow" ${isNarrowed && 'open'}><summary>Filter the queue</summary>
    <form class="filters" method="get" action="${deskPath}/queue">
      ${narrowing.map((name) => fieldOf(name, search.getAll(name).join(',')))}
      <div class="filter-buttons"><button>Show</button> <a class="button quiet" href="${deskPath}/queue">Reset</a></div>
    </form></details>`;
}

function currentCard(testimonial: Testimonial, record?: TestimonialRecord): Html {
  return html`<article class="card big" tabindex="-1" data-focus aria-labelledby="who">
    <header class="card-head"><h2 id="who" class="who">${byline(testimonial)}</h2>${stars(testimonial.rating)}</header>
    ${content(testimonial)}
    ${tagList(testimonial)}
    ${facts(testimonial, record)}
  </article>`;
}

/** @param path starts a new review, with the skipped testimonials */
async function endOf({ stores, organization }: Desk, skipped: number, path: string): Promise<Html> {
  const pages = skipped === 0 ? ((await stores.pages?.list(organization)) ?? []) : [];
  const link = (page: Page) =>
    html`<li><a href="${pathOfPage(page)}">${page.kind === 'form' ? 'Send to a customer' : 'See what you approved'}: <bdi>${page.title}</bdi></a></li>`;
  return html`<div class="empty" tabindex="-1" data-focus>
    ${
      skipped === 0
        ? html`<p class="empty-title">Nothing is pending.</p>
          <p class="muted">New testimonials appear here. <a href="${path}">Check again</a></p>
          ${pages.length > 0 && html`<ul>${pages.map(link)}</ul>`}`
        : html`<p class="empty-title">Nothing else is pending.</p>
          <p class="muted">You skipped ${skipped}. <a href="${path}">Review what you skipped</a></p>`
    }
  </div>`;
}

function keyButton(key: string, label: string, isDisabled = false): Html {
  return html`<button name="key" value="${key}" data-key="${key}" class="key-${key}" aria-keyshortcuts="${key}" ${isDisabled && 'disabled'}>${label} <kbd aria-hidden="true">${key}</kbd></button>`;
}
