/** The small parts of a testimonial: its status, its stars, and the author's job. */
import { html } from 'hono/html';
import { limits, type Status, type Testimonial } from '../../domain/testimonial.ts';
import { capital } from '../../domain/wording.ts';
import type { Html } from './layout.ts';

export function statusPill(status: Status): Html {
  return html`<span class="pill ${status}">${capital(status)}</span>`;
}

/** Returns the rating as stars, and in words for screen readers. */
export function stars(rating: number | undefined): Html {
  if (rating === undefined) return html`<span class="muted">Unrated</span>`;
  const { max } = limits.rating;
  return html`<span class="stars"><span aria-hidden="true">${'★'.repeat(rating)}<span class="unlit">${'★'.repeat(
    max - rating,
  )}</span></span><span class="visually-hidden">${rating} of ${max} stars</span></span>`;
}

/** Returns the author's job title and company. */
export function affiliation({ role, company }: Testimonial['author']): Html | '' {
  if (role === undefined && company === undefined) return '';
  return html` <span class="muted">${role && html`<bdi>${role}</bdi>`}${role && company && ', '}${company && html`<bdi>${company}</bdi>`}</span>`;
}
