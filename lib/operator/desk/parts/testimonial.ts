/** A testimonial as a desk shows it. */
import { html } from 'hono/html';
import { limits, type Status, type Testimonial } from '../../../../functions/domain/testimonial.ts';
import { capital, minuteOf } from '../../terminal/formatting.ts';
import type { Html } from './layout.ts';

// Longer texts are folded in a list.
const foldedFrom = 480;

/** The status, told by its word and not by a colour alone. */
export function statusPill(status: Status): Html {
  return html`<span class="pill ${status}">${capital(status)}</span>`;
}

/** The rating as stars, and in words for whoever does not see them. */
export function stars(rating: number | undefined): Html {
  if (rating === undefined) return html`<span class="muted">Unrated</span>`;
  const { max } = limits.rating;
  return html`<span class="stars"><span aria-hidden="true">${'★'.repeat(rating)}<span class="unlit">${'★'.repeat(
    max - rating,
  )}</span></span><span class="visually-hidden">${rating} of ${max} stars</span></span>`;
}

/** Who wrote it. */
export function byline({ author: { name, company, email } }: Testimonial): Html {
  return html`<bdi>${name}</bdi>${company === undefined ? '' : html`, <bdi>${company}</bdi>`}
    <span class="muted">&lt;<bdi>${email}</bdi>&gt;</span>`;
}

/** What it says, whole. */
export function content({ content: text }: Testimonial): Html {
  return html`<p class="content" dir="auto">${text}</p>`;
}

/** What it says; a long text is folded. */
export function foldedContent(testimonial: Testimonial): Html {
  const { content: text } = testimonial;
  if (text.length <= foldedFrom) return content(testimonial);
  // Never in the middle of a character.
  const beginning = [...text.slice(0, foldedFrom)].slice(0, -1).join('').trimEnd();
  return html`<p class="content excerpt" dir="auto">${beginning} …</p>
    <details><summary>Read it all</summary>${content(testimonial)}</details>`;
}

/** Its tags, if it has any. */
export function tagList({ tags = [] }: Testimonial): Html | '' {
  if (tags.length === 0) return '';
  return html`<ul class="tags" aria-label="Tags">${tags.map((tag) => html`<li><bdi>${tag}</bdi></li>`)}</ul>`;
}

/** When it was created and changed, its type and its id. */
export function facts({ id, type, createdAt, updatedAt }: Testimonial): Html {
  return html`<p class="facts muted">${capital(type)} · created <time datetime="${createdAt}">${minuteOf(
    createdAt,
  )}</time>${
    updatedAt === createdAt
      ? ''
      : html` · changed <time datetime="${updatedAt}">${minuteOf(updatedAt)}</time>`
  } · <span class="id">${id}</span></p>`;
}
