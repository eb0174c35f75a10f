/** The files of a wall that depend on its testimonials. The page is complete without a script, with free space for what that adds. */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { controlsOf, moreTemplate } from './controls.ts';
import { inertJson, jsonLdOf, type Ratings, type ReviewedThing, ratingsOf } from './json-ld.ts';
import { cardOf, countText, fiveStars, type Html, starsOf, type WallTestimonial } from './site/view.ts';
import { contentSecurityPolicy } from './site-file.ts';

// Cards that stand in the page, and that "Show more" adds each time.
const cardsPerPage = 24;

/** By it a page is known as one that this made. */
export const generator = 'Testimonials API: admin wall';

export interface WallOptions {
  title: string;
  about: ReviewedThing;
  /** Whether the page tells the average, and how many gave which rating. */
  hasSummary: boolean;
  /** Whether its testimonials were chosen by their rating: then their average is nothing to tell search engines. */
  isChosenByRating: boolean;
}

/** What is made of testimonials, by name. */
export type BuiltWall = Record<'index.html' | 'testimonials.json', string>;

/**
 * The page, and the file beside it that has every testimonial.
 * @param testimonials in the order in which they are shown
 */
export function buildWall(testimonials: readonly WallTestimonial[], options: WallOptions): BuiltWall {
  const json = `${inertJson(testimonials)}\n`;
  // A cache that has an older file does not give it to a newer page.
  const version = createHash('sha256').update(json).digest('hex').slice(0, 12);
  const page = pageOf(testimonials, options, `testimonials.json?v=${version}`);
  return { 'index.html': String(page), 'testimonials.json': json };
}

/** @param source where the script finds all testimonials, from the page */
function pageOf(
  testimonials: readonly WallTestimonial[],
  { title, about, hasSummary, isChosenByRating }: WallOptions,
  source: string,
): Html {
  const total = testimonials.length;
  const shown = testimonials.slice(0, cardsPerPage);
  const ratings = hasSummary ? ratingsOf(testimonials) : undefined;
  const jsonLd = jsonLdOf(about, isChosenByRating ? undefined : ratings, shown);
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="generator" content="${generator}">
    <meta name="description" content="${descriptionOf(about.name, ratings)}">
    <title>${title}</title>
    <link rel="icon" href="icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="wall.css">
    <link rel="stylesheet" href="theme.css">
    ${total > 0 ? scripts : ''}
    ${jsonLd ? html`<script type="application/ld+json">${raw(inertJson(jsonLd))}</script>` : ''}
  </head>
  <body>
    ${fiveStars}
    <main data-source="${source}" data-total="${total}" data-per-page="${cardsPerPage}">
      <header class="head"><h1 dir="auto">${title}</h1>${ratings ? summaryOf(ratings) : ''}</header>
      ${controlsOf(testimonials)}
      <p id="count" class="count" role="status">${countText(shown.length, total, false)}</p>
      <ul id="cards" class="cards" role="list">${shown.map(cardOf)}</ul>
      ${total > 0 ? moreTemplate(total > shown.length) : ''}
    </main>
  </body>
</html>
`;
}

// The first is there before any card, and so puts each in its place before anybody sees it.
const scripts = html`<script src="columns.js"></script>
    <script type="module" src="wall.js"></script>`;

function descriptionOf(name: string, ratings: Ratings | undefined): string {
  const rated = ratings?.average === undefined ? '' : `, rated ${ratings.average.toFixed(1)} out of 5`;
  return `What customers say about ${name}${rated}.`;
}

/** The average, and how many gave which rating; nothing when nobody gave one. */
function summaryOf({ counts, rated, average }: Ratings): Html | '' {
  if (average === undefined) return '';
  const shown = average.toFixed(1);
  return html`<div class="summary">
    <div class="average">
      <p class="average-number" aria-hidden="true">${shown}</p>
      ${starsOf(average, `${shown} out of 5 stars on average`)}
      <p class="average-of">${rated.toLocaleString('en')} ${rated === 1 ? 'rating' : 'ratings'}</p>
    </div>
    <ul class="distribution" role="list">${[5, 4, 3, 2, 1].map((rating) => {
      const count = counts[rating] ?? 0;
      const share = Math.round((100 * count) / rated);
      return html`<li>
        <span>${rating}<span class="visually-hidden"> stars: </span></span>
        <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect class="unlit" width="100" height="1"></rect><rect class="lit" width="${share}" height="1"></rect>
        </svg>
        <span class="bar-count">${count.toLocaleString('en')}</span>
      </li>`;
    })}</ul>
  </div>`;
}
