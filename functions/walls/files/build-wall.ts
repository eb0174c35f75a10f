/** Builds a static wall: the page, complete without scripts, and the data file. */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import {
  buttonsOf,
  cardOf,
  countText,
  fiveStars,
  hidden,
  listOf,
  shownOf,
  starsOf,
  type WallTestimonial,
} from '../browser/view.ts';
import type { WallSettings } from '../settings.ts';
import { type Voice, voiceOf } from '../texts.ts';
import { controlsOf, drawn, type Html } from './controls.ts';
import { inertJson, jsonLdOf, type Ratings, type ReviewedThing, ratingsOf } from './json-ld.ts';
import { contentSecurityPolicy } from './wall-files.ts';

// The number of cards in the page, and that “Show more” adds each time.
const cardsPerPage = 24;

/** The meta tag that identifies a page as a wall. */
export const generator = 'Testimonials API: admin wall';

export interface WallOptions {
  settings: WallSettings;
  about: ReviewedThing;
  /** True if testimonials were selected by rating. Search engines must not get their average. */
  isChosenByRating: boolean;
}

/** The files that depend on the testimonials. */
export type BuiltWall = Record<'index.html' | 'testimonials.json', string>;

/** @param testimonials in display order */
export function buildWall(testimonials: readonly WallTestimonial[], options: WallOptions): BuiltWall {
  const shown = testimonials.map((each) => shownOf(each, options.settings));
  const json = `${inertJson(shown)}\n`;
  // Keeps caches from serving an older file to a newer page.
  const version = createHash('sha256').update(json).digest('hex').slice(0, 12);
  const page = pageOf(shown, options, `testimonials.json?v=${version}`);
  return { 'index.html': String(page), 'testimonials.json': json };
}

/** @param source the URL of the data file, relative to the page */
function pageOf(
  testimonials: readonly WallTestimonial[],
  { settings, about, isChosenByRating }: WallOptions,
  source: string,
): Html {
  const { look, hide, lang, texts } = settings;
  const voice = voiceOf(settings);
  const heading = voice.say('heading', { name: about.name });
  const title = settings.title ?? heading;
  const total = testimonials.length;
  const perPage = look === 'row' || look === 'single' || hide.includes('more') ? total : cardsPerPage;
  const shown = testimonials.slice(0, perPage);
  const cards = shown.map((each) => cardOf(each, voice));
  const ratings = hide.includes('summary') ? undefined : ratingsOf(testimonials);
  const average = ratings ? `. ${voice.say('summary', { average: voice.number(ratings.average, 1) })}` : '';
  const jsonLd = jsonLdOf(about, isChosenByRating ? undefined : ratings, shown);
  return html`<!doctype html>
<html lang="${lang}" dir="${new Intl.Locale(lang).getTextInfo().direction ?? 'ltr'}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="generator" content="${generator}">
    <meta name="description" content="${heading}${average}">
    <title>${title}</title>
    <link rel="icon" href="icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="wall.css">
    <link rel="stylesheet" href="theme.css">
    ${total > 0 ? scripts : ''}
    ${jsonLd ? html`<script type="application/ld+json">${raw(inertJson(jsonLd))}</script>` : ''}
  </head>
  <body>
    ${drawn(fiveStars)}
    <main data-source="${source}" data-per-page="${perPage}" data-language="${JSON.stringify({ lang, texts })}">
      <header class="head"><h1 dir="auto">${title}</h1>${ratings ? summaryOf(ratings, voice) : ''}</header>
      ${controlsOf(testimonials, voice)}
      <p id="count" class="count" role="status">${total === 0 ? voice.say('none') : countText(shown.length, total, voice)}</p>
      ${drawn(listOf(settings, voice, cards))}
      ${total > 0 ? drawn(buttonsOf({ ...settings, hide: total > shown.length ? [] : ['more'] }, voice)) : ''}
    </main>
  </body>
</html>
`;
}

// The first runs before any card is parsed, and so arranges the cards before they are visible.
const scripts = html`<script src="columns.js"></script>
    <script type="module" src="wall.js"></script>`;

/** The average rating and its distribution. */
function summaryOf({ counts, rated, average }: Ratings, voice: Voice): Html {
  const shown = voice.number(average, 1);
  return html`<div class="summary">
    <div class="average">
      <p class="average-number" aria-hidden="true">${shown}</p>
      ${drawn(starsOf(average, voice.say('average', { average: shown })))}
      <p class="average-of">${voice.say(rated === 1 ? 'ratedOnce' : 'rated', { count: rated })}</p>
    </div>
    <ul class="distribution" role="list">${[5, 4, 3, 2, 1].map((rating) => {
      const count = counts[rating] ?? 0;
      const share = Math.round((100 * count) / rated);
      return html`<li>
        <span aria-hidden="true">${voice.number(rating)}</span>${drawn(hidden(`${voice.say('starsOnly', { rating })}: `))}
        <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect class="unlit" width="100" height="1"></rect><rect class="lit" width="${share}" height="1"></rect>
        </svg>
        <span class="bar-count">${voice.number(count)}</span>
      </li>`;
    })}</ul>
  </div>`;
}
