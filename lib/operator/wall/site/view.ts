/** What a wall shows, said once: the build writes it into the page, the script adds more of the same. */
import { html } from 'hono/html';

/** All that a wall tells of a testimonial. */
export interface WallTestimonial {
  content: string;
  /** The author's. */
  name: string;
  company?: string;
  /** 1 to 5. */
  rating?: number;
  tags: string[];
  /** The day of its creation in UTC, as 2026-11-21. */
  date: string;
}

/** Markup in which a text is never more than text. */
export type Html = ReturnType<typeof html>;

// A text of more lines than these, at the widest that a card can be, is cut until someone wants to read more.
const linesShown = 8;
const widestLine = 64;
// A shorter text is set larger.
const shortText = 90;
const tagsShown = 4;
// As many as the style sheet has.
const tints = 6;

const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** Drawn once, and used wherever stars are. */
export const fiveStars = html`<svg class="drawings" width="0" height="0" aria-hidden="true"><defs><path id="five-stars"
  d="${[10, 30, 50, 70, 90].map((x) => starAt(x, 10.6)).join('')}"></path></defs></svg>`;

/**
 * The card of a testimonial. What is written from right to left, or pretends to be, turns nothing around it.
 */
export function cardOf({ content, name, company, rating, tags, date }: WallTestimonial): Html {
  return html`<li class="card"><figure>
    ${rating === undefined ? '' : starsOf(rating, `${rating} out of 5 stars`)}
    ${quoteOf(content)}
    ${tags.length === 0 ? '' : tagsOf(tags)}
    <figcaption class="author"><span class="initials tint-${tintOf(name)}" aria-hidden="true">${initialsOf(name)}</span>
      <span class="who"><bdi class="name">${name}</bdi>${company === undefined ? '' : html`<bdi class="company">${company}</bdi>`}</span>
      <time datetime="${date}">${dayFormat.format(new Date(date))}</time></figcaption>
  </figure></li>`;
}

/**
 * Stars to look at, and the same in words for those who listen. The inner drawing cuts off what is wider than itself.
 * @param value may lie between two stars
 */
export function starsOf(value: number, words: string): Html {
  return html`<p class="rating"><svg class="stars" viewBox="0 0 100 20" aria-hidden="true"><use href="#five-stars" class="unlit"></use>
    <svg width="${Math.round(value * 20)}" height="20"><use href="#five-stars" class="lit"></use></svg></svg><span
    class="visually-hidden">${words}</span></p>`;
}

/**
 * Which testimonials are shown, in words.
 * @param narrowed by a filter or a search
 */
export function countText(shown: number, found: number, narrowed: boolean): string {
  if (found === 0) return narrowed ? 'No testimonial matches.' : 'There are no testimonials yet.';
  const [all, some] = [found, shown].map((number) => number.toLocaleString('en'));
  if (shown < found) return `Showing ${some} of ${all} ${narrowed ? 'matching ' : ''}testimonials`;
  return `${all} ${narrowed ? 'matching ' : ''}${found === 1 ? 'testimonial' : 'testimonials'}`;
}

function quoteOf(content: string): Html {
  const lines = content.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / widestLine), 0);
  const isLong = lines > linesShown;
  const size = isLong ? 'long' : content.length <= shortText ? 'short' : 'plain';
  return html`<blockquote class="quote ${size}" dir="auto"><p>${content}</p>${isLong ? unfold : ''}</blockquote>`;
}

// The style sheet shows the whole text while it is open.
const unfold = html`<details class="unfold" dir="ltr"><summary><span class="when-closed">Read it all</span><span
  class="when-open">Show less</span></summary></details>`;

function tagsOf(tags: readonly string[]): Html {
  const shown = tags.slice(0, tagsShown).map((tag) => html` <bdi class="tag">${tag}</bdi>`);
  return html`<p class="tags"><span class="visually-hidden">Tags:</span>${shown}</p>`;
}

function initialsOf(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}]\p{M}*/u)?.[0] ?? []);
  const [first = '', ...others] = letters;
  return (first + (others.at(-1) ?? '')).toUpperCase();
}

function tintOf(name: string): number {
  let sum = 0;
  for (const character of name) sum += character.codePointAt(0) ?? 0;
  return sum % tints;
}

function starAt(x: number, y: number): string {
  const corners = Array.from({ length: 10 }, (_, i) => {
    const radius = i % 2 === 0 ? 8.8 : 3.9;
    const angle = (i * Math.PI) / 5;
    return `${(x + radius * Math.sin(angle)).toFixed(2)} ${(y - radius * Math.cos(angle)).toFixed(2)}`;
  });
  return `M${corners.join('L')}z`;
}
