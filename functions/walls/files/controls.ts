/** The search and filters of a static wall, visible only if scripts run. */
import { html, raw } from 'hono/html';
import { limits } from '../../domain/testimonial.ts';
import { foldCase } from '../../domain/words.ts';
import type { Tree, WallTestimonial } from '../browser/view.ts';
import type { Voice } from '../texts.ts';

/** Markup; texts in it are escaped. */
export type Html = ReturnType<typeof html>;

export function drawn(tree: Tree): Html {
  return raw(markupOf(tree));
}

/** Returns the markup of a tree with escaped texts. The trees have no void elements. */
export function markupOf(node: Tree | string): string {
  if (typeof node === 'string') return escaped(node);
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  return `<${node.tag}${attributes.join('')}>${node.children.map(markupOf).join('')}</${node.tag}>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

// Keeps the menu short.
const tagsOffered = 30;

/** The search and the filters that would narrow these testimonials; none for a single one. */
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

/** @param ratings the minimum ratings to choose from */
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

/** The minimum ratings that narrow the wall, greatest first. Each leaves more testimonials than the one before. */
function narrowingRatings(testimonials: readonly WallTestimonial[]): number[] {
  const counts = [5, 4, 3, 2].map((smallest) => ({
    smallest,
    count: testimonials.filter(({ rating = 0 }) => rating >= smallest).length,
  }));
  return counts
    .filter(({ count }, i) => count > (counts[i - 1]?.count ?? 0) && count < testimonials.length)
    .map(({ smallest }) => smallest);
}

/** The tags that narrow the wall, most frequent first. Case is ignored; the first spelling is shown. */
function mostFrequentTags(testimonials: readonly WallTestimonial[]): string[] {
  const tags = testimonials.flatMap((each) => each.tags);
  const narrowing = [...Map.groupBy(tags, foldCase).values()].filter(
    ({ length }) => length < testimonials.length,
  );
  const byCount = narrowing.toSorted((a, b) => b.length - a.length);
  return byCount.slice(0, tagsOffered).flatMap(([first]) => first ?? []);
}
