/** A testimonial as a desk shows it. */
import { html } from 'hono/html';
import type { Decision } from '../../domain/stored-testimonial.ts';
import { limits, type Status, type Testimonial } from '../../domain/testimonial.ts';
import { ordinalOf } from '../../domain/testimonial-id.ts';
import { capital, minuteOf } from '../../domain/wording.ts';
import type { Desk } from './desk.ts';
import { seenValue } from './forms.ts';
import type { Html } from './html.ts';

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
  return html`<bdi>${name}</bdi>${company && html`, <bdi>${company}</bdi>`}
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

/** A time, which a script shows as it is where the reader is. */
export function minute(time: string): Html {
  return html`<time datetime="${time}">${minuteOf(time)}</time>`;
}

/**
 * When it was created and changed, its type and its id.
 * @param decision who gave it its status, where that is known
 */
export function facts({ id, type, createdAt, updatedAt, status }: Testimonial, decision?: Decision): Html {
  return html`<p class="facts muted">${capital(type)} · created ${minute(createdAt)}${
    updatedAt !== createdAt && html` · changed ${minute(updatedAt)}`
  }${decision && whoDecided(status, decision)} · <span class="id">${id}</span></p>`;
}

/** Two of the same name are told apart by their ids. */
function whoDecided(status: Status, { by, id = '', at }: Decision): Html | '' {
  const name = by || id;
  return name && html` · ${status} by <bdi title="${id}">${name}</bdi>, ${minute(at)}`;
}

/** Who decided on some testimonials, by their ids: what no list has. */
export async function decisionsOn(
  { stores, organization }: Desk,
  testimonials: readonly Testimonial[],
): Promise<Map<string, Decision>> {
  const changed = testimonials.filter(({ createdAt, updatedAt }) => createdAt !== updatedAt);
  if (changed.length === 0) return new Map();
  const ordinals = changed.map(({ id }) => ordinalOf(id));
  const found = await stores.testimonials.findMany(organization, ordinals, { consistent: false });
  // What was read may be older than the list.
  const shown = new Set(changed.map(seenValue));
  const current = found.filter(({ testimonial }) => shown.has(seenValue(testimonial)));
  return new Map(current.flatMap(({ testimonial: { id }, decision }) => (decision ? [[id, decision]] : [])));
}
