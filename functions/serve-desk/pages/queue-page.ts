/** The queue: pending testimonials one after the other, oldest first, each decided by a key. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import type { Testimonial } from '../../domain/testimonial.ts';
import { filterNames } from '../../domain/testimonial-filter.ts';
import { base } from '../parts/base.ts';
import { change, type DeskEnv, type DeskPages, showPage } from '../parts/desk.ts';
import { fieldOf } from '../parts/filter-form.ts';
import {
  addressOf,
  BadForm,
  formOf,
  listQueryOf,
  nothingText,
  parametersIn,
  readSeen,
  readTagging,
  seenValue,
  textOf,
} from '../parts/forms.ts';
import type { Html } from '../parts/html.ts';
import { oldestPending } from '../parts/oldest-pending.ts';
import { byline, content, facts, stars, tagList } from '../parts/testimonial.ts';
import { afterMove, emptyReview, type Moved, moveOf, review } from '../review.ts';

/** The parameters of a list that are in the address narrow it; the page carries the review. */
export const queuePages: DeskPages = new Hono<DeskEnv>()
  .get('/', (c) => show(c, { review: emptyReview, said: '' }))
  .post('/', async (c) => {
    const body = await formOf(c);
    const carried = v.safeParse(v.pipe(v.string(), v.parseJson(), review), textOf(body, 'review'));
    if (!carried.success) throw new BadForm('The page sent no review.');
    const [key, shown, typed] = ['key', 'seen', 'tags'].map((name) => textOf(body, name));
    const tags = typed?.trim() || key === 't' ? readTagging('addTags', typed ?? '') : {};
    const move = moveOf(carried.output, key ?? '', shown ? readSeen(shown) : undefined, tags);
    if (!move) throw new BadForm(nothingText);
    const outcome = move.change && (await change(c.var.desk, move.seen, move.change));
    return show(c, afterMove(carried.output, move, outcome));
  });

// All that is in the queue is pending.
const narrowing = filterNames.filter((name) => name !== 'status');

/** Shows what is to be decided next. */
async function show(c: Context<DeskEnv>, { review, said, next }: Moved): Promise<Response> {
  const { stores, organization } = c.var.desk;
  const search = parametersIn(c.req.url, narrowing);
  const { testimonial: oldest, total } = await oldestPending(
    stores,
    organization,
    listQueryOf(search).filter,
    review.skipped,
  );
  const shown = next ?? oldest;
  const { approved, rejected, pending: skipped } = review.given;
  const path = addressOf(`${base}/queue`, search);
  const main = html`<section class="queue">
    <div class="page-head">
      <h1>Queue</h1>
      ${shown && html`<p class="muted"><strong>${total.toLocaleString('en')}</strong> pending</p>`}
    </div>
    <div role="status">${said && html`<p class="notice">${said}</p>`}</div>
    ${shown ? shownCard(shown) : endOf(skipped, path)}
    <form method="post" action="${path}" class="queue-keys" hx-boost="true" hx-target="#main" hx-select="#main"
      hx-swap="outerHTML show:window:top" hx-select-oob="#pending,#notices" hx-push-url="false">
      <input type="hidden" name="review" value="${JSON.stringify(review)}">
      ${shown && keysOf(shown)}${keyButton('u', 'Undo', review.steps.length === 0)}
    </form>
    <p class="muted tally">${approved} approved, ${rejected} rejected, ${skipped} skipped.
      <span class="keys-hint">Keys: <kbd>a</kbd> <kbd>r</kbd> <kbd>s</kbd> <kbd>u</kbd> <kbd>t</kbd></span></p>
    ${narrowForm(search)}
  </section>`;
  return showPage(c, 'queue', main, search.size === 0 ? { pending: total } : {});
}

/** What can be done with the testimonial that is shown. */
function keysOf(shown: Testimonial): Html {
  return html`<input type="hidden" name="seen" value="${seenValue(shown)}">
    <div class="tagging"><label for="queue-tags" data-key="t" aria-keyshortcuts="t">Tags <kbd aria-hidden="true">t</kbd></label>
      <input id="queue-tags" name="tags" placeholder="support, featured" autocomplete="off" maxlength="400">
      <button name="key" value="t" class="quiet">Add</button></div>
    ${keyButton('a', 'Approve')}${keyButton('r', 'Reject')}${keyButton('s', 'Skip')}`;
}

/** What narrows the queue, folded where nothing does. */
function narrowForm(search: URLSearchParams): Html {
  const isNarrowed = search.size > 0;
  return html`<details class="narrow" ${isNarrowed && 'open'}><summary>Only some${!isNarrowed && ' …'}</summary>
    <form class="filters" method="get" action="${base}/queue">
      ${narrowing.map((name) => fieldOf(name, search.getAll(name).join(',')))}
      <div class="filter-buttons"><button>Show</button> <a class="button quiet" href="${base}/queue">All</a></div>
    </form></details>`;
}

function shownCard(testimonial: Testimonial): Html {
  return html`<article class="card big" tabindex="-1" data-focus aria-labelledby="who">
    <header class="card-head"><h2 id="who" class="who">${byline(testimonial)}</h2>${stars(testimonial.rating)}</header>
    ${content(testimonial)}
    ${tagList(testimonial)}
    ${facts(testimonial)}
  </article>`;
}

/** @param path leads to a review that begins again, with what was skipped */
function endOf(skipped: number, path: string): Html {
  return html`<div class="empty" tabindex="-1" data-focus>
    ${
      skipped === 0
        ? html`<p class="empty-title">Nothing is pending.</p>
          <p class="muted">What comes in shows here. <a href="${path}">Look again</a></p>`
        : html`<p class="empty-title">Nothing else is pending.</p>
          <p class="muted">${skipped} ${skipped === 1 ? 'was' : 'were'} skipped. <a href="${path}">Go through what was skipped</a></p>`
    }
  </div>`;
}

function keyButton(key: string, label: string, isDisabled = false): Html {
  return html`<button name="key" value="${key}" data-key="${key}" class="key-${key}" aria-keyshortcuts="${key}" ${isDisabled && 'disabled'}>${label} <kbd aria-hidden="true">${key}</kbd></button>`;
}
