/** What the script adds to the page, in templates: without a script it is not there. */
import { html } from 'hono/html';
import { limits } from '../../../functions/domain/testimonial.ts';
import { foldCase } from '../../../functions/domain/words.ts';
import type { Html, WallTestimonial } from './site/view.ts';

// Others are found by the search.
const tagsOffered = 30;

/**
 * The search and the filters that narrow these testimonials, and the space for them: nothing that would change
 * nothing, and nothing at all for one testimonial.
 */
export function controlsOf(testimonials: readonly WallTestimonial[]): Html | '' {
  if (testimonials.length < 2) return '';
  const ratings = narrowingRatings(testimonials);
  const tags = mostFrequentTags(testimonials);
  const controls = [
    searchBox,
    ...(ratings.length > 0 ? [ratingChoice(ratings)] : []),
    ...(tags.length > 0 ? [tagChoice(tags)] : []),
  ];
  return html`<div id="controls" class="space space-of-${controls.length}"></div>
    <template id="controls-template">
      <form role="search" class="controls" aria-label="Testimonials">${controls}</form>
    </template>`;
}

/**
 * "Show more", and the space for it.
 * @param isNeeded at first; a filter may show fewer or more
 */
export function moreTemplate(isNeeded: boolean): Html {
  return html`<div id="more" class="${isNeeded ? 'more space' : 'more'}"></div>
    <template id="more-template"><button type="button">Show more</button></template>`;
}

const searchBox = html`<label class="search">
  <span class="visually-hidden">Search</span>
  <svg viewBox="0 0 20 20" aria-hidden="true">
    <path d="M13.5 13.5L18 18M15 8.5a6.5 6.5 0 1 1-13 0a6.5 6.5 0 0 1 13 0z"></path>
  </svg>
  <input type="search" name="search" placeholder="Search" maxlength="200" autocomplete="off" spellcheck="false" enterkeyhint="search">
</label>`;

/** @param ratings the smallest that may be chosen */
function ratingChoice(ratings: readonly number[]): Html {
  const choice = (value: number, label: string, name: string) => html`<label>
        <input type="radio" name="rating" value="${value}" aria-label="${name}"${value === 0 ? html` checked` : ''}>
        <span aria-hidden="true">${label}</span>
      </label>`;
  const { max } = limits.rating;
  return html`<fieldset class="ratings">
    <legend class="visually-hidden">Rating</legend>
    ${choice(0, 'All', 'All ratings')}
    ${ratings.map((rating) =>
      rating === max
        ? choice(rating, `${rating} ★`, `${rating} stars`)
        : choice(rating, `${rating}+ ★`, `${rating} stars and more`),
    )}
  </fieldset>`;
}

function tagChoice(tags: readonly string[]): Html {
  return html`<label class="tag-choice">
    <span class="visually-hidden">Tag</span>
    <select name="tag">
      <option value="">All tags</option>
      ${tags.map((tag) => html`<option value="${tag}">${tag}</option>`)}
    </select>
  </label>`;
}

/** Greatest first: as the smallest that is wanted, each leaves more than the one before and fewer than all. */
function narrowingRatings(testimonials: readonly WallTestimonial[]): number[] {
  const found: number[] = [];
  let most = 0;
  for (let rating: number = limits.rating.max; rating > limits.rating.min; rating -= 1) {
    const count = testimonials.filter((each) => (each.rating ?? 0) >= rating).length;
    if (count > most && count < testimonials.length) {
      found.push(rating);
      most = count;
    }
  }
  return found;
}

/** The tags that not all testimonials have, each as it was written first: case does not tell them apart. */
function mostFrequentTags(testimonials: readonly WallTestimonial[]): string[] {
  const found = new Map<string, { tag: string; count: number }>();
  for (const tag of testimonials.flatMap(({ tags }) => tags)) {
    const known = found.get(foldCase(tag));
    if (known) known.count += 1;
    else found.set(foldCase(tag), { tag, count: 1 });
  }
  const narrowing = [...found.values()].filter(({ count }) => count < testimonials.length);
  const byCount = narrowing.toSorted((a, b) => b.count - a.count);
  return byCount.slice(0, tagsOffered).map(({ tag }) => tag);
}
