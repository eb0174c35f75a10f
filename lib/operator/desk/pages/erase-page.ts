/** Erasing for good: asked once more, with what is erased before one's eyes. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Testimonial } from '../../../../functions/domain/testimonial.ts';
import { eraseEach } from '../../../../functions/operations/erase-testimonial.ts';
import { findTestimonial } from '../../../../functions/operations/find-testimonial.ts';
import { counted } from '../../terminal/formatting.ts';
import type { Desk } from '../desk.ts';
import { readSeen, seenValue, textOf, textsOf } from '../parts/forms.ts';
import { type Html, layout } from '../parts/layout.ts';
import { byline, facts, foldedContent, stars, statusPill } from '../parts/testimonial.ts';
import { listThatTells } from '../parts/told.ts';

/** Adds the page that asks, and what it asks for. */
export function erasePages(desk: Desk): Hono {
  const app = new Hono();
  app.get('/', async (c) => {
    const seen = (c.req.queries('seen') ?? []).map(readSeen);
    const { testimonials } = desk.session();
    const found = await Promise.all(
      seen.map(({ id }) => findTestimonial(testimonials, desk.organization, id)),
    );
    const there = found.flatMap((each) => (each ? [each.testimonial] : []));
    const main = erasePage(there, c.req.query('back') ?? '');
    return c.html(layout(await desk.frame(), { current: 'list', title: 'Erase' }, main));
  });

  app.post('/', async (c) => {
    const body = await c.req.parseBody({ all: true });
    const seen = textsOf(body, 'seen').map(readSeen);
    const tally = await eraseEach(desk.session(), desk.organization, seen);
    return c.redirect(listThatTells(textOf(body, 'back'), 'erase', tally), 303);
  });
  return app;
}

function erasePage(testimonials: readonly Testimonial[], back: string): Html {
  const number = counted(testimonials.length, 'testimonial');
  if (testimonials.length === 0) {
    return html`<h1>Erase</h1><p>None of these is there any more. <a href="/list?${back}">Back to the list</a></p>`;
  }
  return html`<h1>Erase ${number} for good?</h1>
  <p>Texts, authors and tags go from every list and from the index, and nobody can bring them back.
    A wall or an export that was made before still has them.</p>
  <form method="post" action="/erase">
    <input type="hidden" name="back" value="${back}">
    ${testimonials.map((each) => html`<input type="hidden" name="seen" value="${seenValue(each)}">`)}
    <ul class="cards">${testimonials.map(
      (each) => html`<li class="card">
        <header class="card-head"><p class="who">${byline(each)}</p><span class="marks">${stars(each.rating)} ${statusPill(each.status)}</span></header>
        ${foldedContent(each)}${facts(each)}
      </li>`,
    )}</ul>
    <div class="buttons ask"><button class="danger solid">Erase for good</button>
      <a class="button quiet" href="/list?${back}">Keep ${testimonials.length === 1 ? 'it' : 'them'}</a></div>
  </form>`;
}
