/** The queue: pending testimonials one after the other, oldest first, as `testimonial review` has them. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Testimonial } from '../../../../functions/domain/testimonial.ts';
import type { TestimonialFilter } from '../../../../functions/domain/testimonial-filter.ts';
import { changeTestimonial, stillAs } from '../../../../functions/operations/change-testimonial.ts';
import { findTestimonial } from '../../../../functions/operations/find-testimonial.ts';
import { readFilter } from '../../filter-options.ts';
import { pendingTestimonials } from '../../moderation/pending-testimonials.ts';
import type { Desk } from '../desk.ts';
import { type HeldReview, holdReview, type ReviewState } from '../held-review.ts';
import { textOf } from '../parts/forms.ts';
import { type Html, layout } from '../parts/layout.ts';
import { byline, content, facts, stars, tagList } from '../parts/testimonial.ts';
import { plural } from '../parts/texts.ts';

/** Adds the queue. `where` in its address narrows it, as `--where` of a review does. */
export function queuePages(desk: Desk): Hono {
  const app = new Hono();
  const held = new Map<string, HeldReview>();
  const reviewOf = (where: string): HeldReview => {
    const there = held.get(where);
    if (there) return there;
    const begun = begin(desk, where);
    held.set(where, begun);
    return begun;
  };
  /** Does something with the review; one that failed is begun again by the next request. */
  const withReview = async <Result>(where: string, work: (review: HeldReview) => Promise<Result>) => {
    try {
      return await work(reviewOf(where));
    } catch (error) {
      held.delete(where);
      throw error;
    }
  };

  app.get('/', async (c) => {
    const where = c.req.query('where') ?? '';
    if (c.req.query('again') !== undefined) {
      held.delete(where);
      return c.redirect(pathOf(where), 303);
    }
    let state = await withReview(where, (review) => review.state());
    if (!(await isStillSo(desk, state.shown))) {
      held.delete(where);
      state = await withReview(where, (review) => review.state());
    } else if (!state.shown && state.said.length === 0) {
      // Any key looks whether more has come.
      state = await withReview(where, (review) => review.press('s', undefined));
    }
    return c.html(layout(await desk.frame(), { current: 'queue', title: 'Queue' }, queuePage(state, where)));
  });

  app.post('/', async (c) => {
    const body = await c.req.parseBody({ all: true });
    const where = textOf(body, 'where');
    const id = textOf(body, 'id') || undefined;
    await withReview(where, (review) => review.press(textOf(body, 'key'), id));
    return c.redirect(pathOf(where), 303);
  });
  return app;
}

function pathOf(where: string): string {
  return where === '' ? '/queue' : `/queue?${new URLSearchParams({ where })}`;
}

function begin(desk: Desk, where: string): HeldReview {
  const session = desk.session();
  const filter: TestimonialFilter = where === '' ? {} : readFilter(where);
  return holdReview({
    next: pendingTestimonials(session, desk.organization, filter),
    change: (seen, status) =>
      changeTestimonial(session, desk.organization, seen.id, { status }, stillAs(seen)),
  });
}

/** Whether what the review shows is as it is now; also where it shows nothing. */
async function isStillSo(desk: Desk, shown: Testimonial | undefined): Promise<boolean> {
  if (!shown) return true;
  const { testimonials } = desk.session();
  const found = await findTestimonial(testimonials, desk.organization, shown.id).catch(() => undefined);
  return found !== undefined && stillAs(shown)(found.testimonial);
}

function queuePage({ shown, left, canUndo, said, tally }: ReviewState, where: string): Html {
  const form = (inside: Html) => html`<form method="post" action="/queue" class="queue-keys" hx-boost="true"
      hx-target="#main" hx-select="#main" hx-swap="outerHTML show:window:top" hx-select-oob="#pending" hx-push-url="false">
      <input type="hidden" name="where" value="${where}">
      ${inside}
    </form>`;
  const undo = keyButton('u', 'Undo', !canUndo);
  return html`<section class="queue">
    <div class="page-head">
      <h1>Queue</h1>
      ${shown ? html`<p class="muted"><strong>${left.toLocaleString('en')}</strong> left</p>` : ''}
    </div>
    ${where === '' ? '' : html`<p class="muted">Only what matches <code>${where}</code>. <a href="/queue">All</a></p>`}
    <div role="status">${said.map((line) => html`<p class="notice">${line}</p>`)}</div>
    ${shown ? shownCard(shown) : endOf(tally, where)}
    ${form(
      shown
        ? html`<input type="hidden" name="id" value="${shown.id}">
          ${keyButton('a', 'Approve')}${keyButton('r', 'Reject')}${keyButton('s', 'Skip')}${undo}`
        : undo,
    )}
    <p class="muted tally">${tally.approved} approved, ${tally.rejected} rejected, ${tally.skipped} skipped.
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

function endOf({ skipped }: ReviewState['tally'], where: string): Html {
  const again = `${pathOf(where)}${where === '' ? '?' : '&'}again`;
  return html`<div class="empty" tabindex="-1" data-focus>
    <p class="empty-title">${skipped === 0 ? 'Nothing is pending.' : 'Nothing else is pending.'}</p>
    ${
      skipped === 0
        ? html`<p class="muted">What comes in shows here. <a href="/queue">Look again</a></p>`
        : html`<p class="muted">${skipped} ${plural(skipped, 'was', 'were')} skipped.
            <a href="${again}">Go through what was skipped</a></p>`
    }
  </div>`;
}

function keyButton(key: string, label: string, isDisabled = false): Html {
  return html`<button name="key" value="${key}" data-key="${key}" class="key-${key}" aria-keyshortcuts="${key}"${
    isDisabled ? html` disabled` : ''
  }>${label} <kbd aria-hidden="true">${key}</kbd></button>`;
}
