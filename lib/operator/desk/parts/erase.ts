/** Erasing for good: asked once more, with what is erased before one's eyes. */
import { html } from 'hono/html';
import type { Testimonial } from '../../../../functions/domain/testimonial.ts';
import { counted } from '../../terminal/formatting.ts';
import { seenValue } from './forms.ts';
import type { Html } from './layout.ts';
import { byline, facts, foldedContent, stars, statusPill } from './testimonial.ts';

/** @param list the address of the list to which it leads back */
export function askToErase(testimonials: readonly Testimonial[], list: string): Html {
  const number = counted(testimonials.length, 'testimonial');
  if (testimonials.length === 0) {
    return html`<h1>Erase</h1><p>None of these is there any more. <a href="${list}">Back to the list</a></p>`;
  }
  return html`<h1 tabindex="-1" data-focus>Erase ${number} for good?</h1>
  <p>Texts, authors and tags go from every list and from the index, and nobody can bring them back.
    A wall or an export that was made before still has them.</p>
  <form method="post" action="${list}">
    ${testimonials.map((each) => html`<input type="hidden" name="seen" value="${seenValue(each)}">`)}
    <ul class="cards">${testimonials.map(
      (each) => html`<li class="card">
        <header class="card-head"><p class="who">${byline(each)}</p><span class="marks">${stars(each.rating)} ${statusPill(each.status)}</span></header>
        ${foldedContent(each)}${facts(each)}
      </li>`,
    )}</ul>
    <div class="buttons ask"><button name="action" value="erase" class="danger solid">Erase for good</button>
      <a class="button quiet" href="${list}">Keep ${testimonials.length === 1 ? 'it' : 'them'}</a></div>
  </form>`;
}
