/** The page of a wall: complete without a script, with free space for what the script adds. */
import { controlsOf, moreTemplate } from './controls.ts';
import { jsonLdOf } from './json-ld.ts';
import { inertJson, renderHtml } from './markup.ts';
import {
  cardOf,
  countText,
  element,
  fiveStars,
  type Markup,
  starsOf,
  type WallTestimonial,
} from './site/view.ts';
import { averageRating, type Ratings, ratedCount, ratingsOf, type WallOptions } from './wall.ts';
import { contentSecurityPolicy } from './wall-files.ts';

/** Cards that stand in the page, and that "Show more" adds each time. */
export const cardsPerPage = 24;

/** By it a page is known as one that this made. */
export const generator = 'Testimonials API: admin wall';

/**
 * The whole page.
 * @param source where the script finds all testimonials, from the page
 */
export function pageOf(
  testimonials: readonly WallTestimonial[],
  { title, about, hasSummary, isChosenByRating }: WallOptions,
  source: string,
): string {
  const shown = testimonials.slice(0, cardsPerPage);
  const ratings = hasSummary ? ratingsOf(testimonials) : undefined;
  const jsonLd = jsonLdOf(about, isChosenByRating ? undefined : ratings, shown);
  const isEmpty = testimonials.length === 0;
  const head = element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: contentSecurityPolicy }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('meta', { name: 'color-scheme', content: 'light dark' }),
    element('meta', { name: 'generator', content: generator }),
    element('meta', { name: 'description', content: descriptionOf(about.name, ratings) }),
    element('title', {}, title),
    element('link', { rel: 'icon', href: 'icon.svg', type: 'image/svg+xml' }),
    element('link', { rel: 'stylesheet', href: 'wall.css' }),
    element('link', { rel: 'stylesheet', href: 'theme.css' }),
    ...(isEmpty ? [] : scripts),
    ...(jsonLd ? [element('script', { type: 'application/ld+json' }, inertJson(jsonLd))] : []),
  );
  const main = element(
    'main',
    {
      'data-source': source,
      'data-total': String(testimonials.length),
      'data-per-page': String(cardsPerPage),
    },
    element(
      'header',
      { class: 'head' },
      element('h1', { dir: 'auto' }, title),
      ...(ratings ? summaryOf(ratings) : []),
    ),
    ...(isEmpty ? [] : controlsOf(testimonials)),
    element(
      'p',
      { id: 'count', class: 'count', role: 'status' },
      countText(shown.length, testimonials.length, false),
    ),
    element('ul', { id: 'cards', class: 'cards', role: 'list' }, ...shown.map(cardOf)),
    ...(isEmpty ? [] : moreTemplate(testimonials.length > shown.length)),
  );
  const html = element('html', { lang: 'en' }, head, element('body', {}, fiveStars, main));
  return `<!doctype html>\n${renderHtml(html)}\n`;
}

const scripts = [
  // It is there before the first card, and so puts each in its place before anybody sees it.
  element('script', { src: 'columns.js' }),
  element('script', { type: 'module', src: 'wall.js' }),
];

function descriptionOf(name: string, ratings: Ratings | undefined): string {
  const average = ratings && averageRating(ratings);
  const rated = average === undefined ? '' : `, rated ${average.toFixed(1)} out of 5`;
  return `What customers say about ${name}${rated}.`;
}

/** The average, and how many gave which rating; nothing when nobody gave one. */
function summaryOf(ratings: Ratings): Markup[] {
  const average = averageRating(ratings);
  if (average === undefined) return [];
  const rated = ratedCount(ratings);
  const shown = average.toFixed(1);
  const number = rated.toLocaleString('en');
  return [
    element(
      'div',
      { class: 'summary' },
      element(
        'div',
        { class: 'average' },
        element('p', { class: 'average-number', 'aria-hidden': 'true' }, shown),
        starsOf(average, `${shown} out of 5 stars on average`),
        element('p', { class: 'average-of' }, `${number} ${rated === 1 ? 'rating' : 'ratings'}`),
      ),
      element('ul', { class: 'distribution', role: 'list' }, ...[5, 4, 3, 2, 1].map(barOf(ratings, rated))),
    ),
  ];
}

function barOf({ counts }: Ratings, rated: number): (rating: number) => Markup {
  return (rating) => {
    const count = counts[rating] ?? 0;
    const share = String(Math.round((100 * count) / rated));
    return element(
      'li',
      {},
      element('span', {}, String(rating), element('span', { class: 'visually-hidden' }, ' stars: ')),
      element(
        'svg',
        { class: 'bar', viewBox: '0 0 100 1', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
        element('rect', { class: 'unlit', width: '100', height: '1' }),
        element('rect', { class: 'lit', width: share, height: '1' }),
      ),
      element('span', { class: 'bar-count' }, count.toLocaleString('en')),
    );
  };
}
