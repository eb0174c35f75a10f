/** What narrows a wall. The style sheet shows it where scripts run. */
import { html, raw } from 'hono/html';
import { limits } from '../../domain/testimonial.ts';
import { foldCase } from '../../domain/words.ts';
import { markupOf, type Tree } from '../browser/tree.ts';
import type { WallTestimonial } from '../browser/view.ts';
import type { Voice } from '../texts.ts';

/** Markup in which a text is never more than text. */
export type Html = ReturnType<typeof html>;

/** The markup of what the page and its script make alike. */
export function drawn(tree: Tree): Html {
  return raw(markupOf(tree));
}

// Others are found by the search.
const tagsOffered = 30;

/** The search and the filters that narrow these testimonials: nothing that would change nothing, and nothing at all for one testimonial. */
export function controlsOf(testimonials: readonly WallTestimonial[], voice: Voice): Html | '' {
  if (testimonials.length < 2) return '';
  const ratings = narrowingRatings(testimonials);
  const tags = mostFrequentTags(testimonials);
  return html`<form id="controls" role="search" class="controls" aria-label="${voice.say('testimonials')}">
    ${searchBox(voice)}
    ${ratings.length > 0 ? ratingChoice(ratings, voice) : ''}
    ${tags.length > 0 ? tagChoice(tags, voice) : ''}
  </form>`;
}

function searchBox(voice: Voice): Html {
  return html`<label class="search">
  <span class="visually-hidden">${voice.say('search')}</span>
  <svg viewBox="0 0 20 20" aria-hidden="true">
    <path d="M13.5 13.5L18 18M15 8.5a6.5 6.5 0 1 1-13 0a6.5 6.5 0 0 1 13 0z"></path>
  </svg>
  <input type="search" name="search" placeholder="${voice.say('search')}" maxlength="200" autocomplete="off" spellcheck="false" enterkeyhint="search">
</label>`;
}

/** @param ratings the smallest that may be chosen */
function ratingChoice(ratings: readonly number[], voice: Voice): Html {
  const choice = (value: number, label: string, name: string) => html`<label>
        <input type="radio" name="rating" value="${value}" aria-label="${name}"${value === 0 ? html` checked` : ''}>
        <span aria-hidden="true">${label}</span>
      </label>`;
  const { max } = limits.rating;
  return html`<fieldset class="ratings">
    <legend class="visually-hidden">${voice.say('rating')}</legend>
    ${choice(0, voice.say('anyRating'), voice.say('allRatings'))}
    ${ratings.map((rating) =>
      rating === max
        ? choice(rating, `${voice.number(rating)} ★`, voice.say('starsOnly', { rating }))
        : choice(rating, `${voice.number(rating)}+ ★`, voice.say('starsAndMore', { rating })),
    )}
  </fieldset>`;
}

function tagChoice(tags: readonly string[], voice: Voice): Html {
  return html`<label class="tag-choice">
    <span class="visually-hidden">${voice.say('tag')}</span>
    <select name="tag">
      <option value="">${voice.say('allTags')}</option>
      ${tags.map((tag) => html`<option value="${tag}">${tag}</option>`)}
    </select>
  </label>`;
}

/** Greatest first: as the smallest that is wanted, each leaves more than the one before and fewer than all. */
function narrowingRatings(testimonials: readonly WallTestimonial[]): number[] {
  const counts = [5, 4, 3, 2].map((smallest) => ({
    smallest,
    count: testimonials.filter(({ rating = 0 }) => rating >= smallest).length,
  }));
  return counts
    .filter(({ count }, i) => count > (counts[i - 1]?.count ?? 0) && count < testimonials.length)
    .map(({ smallest }) => smallest);
}

/** The tags that not all testimonials have, each as it was written first: case does not tell them apart. */
function mostFrequentTags(testimonials: readonly WallTestimonial[]): string[] {
  const tags = testimonials.flatMap((each) => each.tags);
  const narrowing = [...Map.groupBy(tags, foldCase).values()].filter(
    ({ length }) => length < testimonials.length,
  );
  const byCount = narrowing.toSorted((a, b) => b.length - a.length);
  return byCount.slice(0, tagsOffered).flatMap(([first]) => first ?? []);
}
