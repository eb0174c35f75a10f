/** The queue: pending testimonials one after the other, oldest first, each decided by a key. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import type { Testimonial } from '../../../../functions/domain/testimonial.ts';
import { filterNames } from '../../../../functions/domain/testimonial-filter.ts';
import { changeTestimonial } from '../../../../functions/operations/change-testimonial.ts';
import { oldestPending } from '../../../../functions/operations/oldest-pending.ts';
import type { Desk } from '../desk.ts';
import { BadForm, listQueryOf, parametersIn, readSeen, seenValue, textOf } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { byline, content, facts, stars, tagList } from '../parts/testimonial.ts';
import { afterMove, emptyReview, type Moved, moveOf, type Review, review } from '../review.ts';

/** Adds the queue. The parameters of a list that are in its address narrow it; the page carries the review. */
export function queuePages(desk: Desk): Hono {
  const app = new Hono();
  app.get('/', (c) => show(c, desk, { review: emptyReview, said: '' }));

  app.post('/', async (c) => {
    const body = await c.req.parseBody({ all: true });
    const carried = v.safeParse(v.pipe(v.string(), v.parseJson(), review), textOf(body, 'review'));
    if (!carried.success) throw new BadForm('The page sent no review.');
    const shown = textOf(body, 'seen');
    const move = moveOf(carried.output, textOf(body, 'key'), shown === '' ? undefined : readSeen(shown));
    if (!move) throw new BadForm('The page asked for nothing that can be done.');
    const { seen, status } = move;
    const condition = { ifUpdatedAt: seen.updatedAt };
    const outcome =
      move.kind === 'skip'
        ? undefined
        : await changeTestimonial(desk.session(), desk.organization, seen.id, { status }, condition);
    return show(c, desk, afterMove(carried.output, move, outcome));
  });
  return app;
}

// All that is in the queue is pending.
const narrowing = filterNames.filter((name) => name !== 'status');

/** Shows what is to be decided next. */
async function show(c: Context, desk: Desk, { review, said, next }: Moved): Promise<Response> {
  const search = parametersIn(c.req.url, narrowing);
  const { filter } = listQueryOf(search);
  const found = await oldestPending(desk.session(), desk.organization, filter, review.skipped);
  const main = queuePage({ shown: next ?? found.testimonial, left: found.left, review, said }, search);
  return c.html(await desk.page('queue', main, { pending: search.size === 0 ? found.total : undefined }));
}

/** @param shown absent where none is left */
function queuePage(
  {
    shown,
    left,
    review,
    said,
  }: { shown?: Testimonial | undefined; left: number; review: Review; said: string },
  search: URLSearchParams,
): Html {
  const { approved, rejected, pending: skipped } = review.given;
  const path = search.size === 0 ? '/queue' : `/queue?${search}`;
  return html`<section class="queue">
    <div class="page-head">
      <h1>Queue</h1>
      ${shown ? html`<p class="muted"><strong>${left.toLocaleString('en')}</strong> left</p>` : ''}
    </div>
    ${search.size === 0 ? '' : html`<p class="muted">Only what matches <code>${[...search].map((each) => each.join('=')).join('&')}</code>. <a href="/queue">All</a></p>`}
    <div role="status">${said === '' ? '' : html`<p class="notice">${said}</p>`}</div>
    ${shown ? shownCard(shown) : endOf(skipped, path)}
    <form method="post" action="${path}" class="queue-keys" hx-boost="true" hx-target="#main" hx-select="#main"
      hx-swap="outerHTML show:window:top" hx-select-oob="#pending" hx-push-url="false">
      <input type="hidden" name="review" value="${JSON.stringify(review)}">
      ${
        shown
          ? html`<input type="hidden" name="seen" value="${seenValue(shown)}">
          ${keyButton('a', 'Approve')}${keyButton('r', 'Reject')}${keyButton('s', 'Skip')}`
          : ''
      }${keyButton('u', 'Undo', review.steps.length === 0)}
    </form>
    <p class="muted tally">${approved} approved, ${rejected} rejected, ${skipped} skipped.
      <span class="keys-hint">Keys: <kbd>a</kbd> <kbd>r</kbd> <kbd>s</kbd> <kbd>u</kbd></span></p>
  </section>`;
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
  return html`<button name="key" value="${key}" data-key="${key}" class="key-${key}" aria-keyshortcuts="${key}"${
    isDisabled ? html` disabled` : ''
  }>${label} <kbd aria-hidden="true">${key}</kbd></button>`;
}
