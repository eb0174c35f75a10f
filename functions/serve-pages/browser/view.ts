/**
 * The elements of a wall as trees. A hosted wall renders them as markup, and the live element as DOM
 * elements.
 */

import { expectNoOthers } from '../../domain/expect-no-others.ts';
import type { PublishedListBody, PublishedTestimonial } from '../../list-testimonials/list-body.ts';
import { collect, isIn, matchesOf } from '../stand-ins.ts';
import type { Voice } from '../texts.ts';
import type { WallSettings } from '../wall-settings.ts';

/** The settings that a visitor's browser needs. */
export type ShownSettings = Omit<WallSettings, 'own-tags' | 'pinned'>;

/** A page of a wall: its testimonials, without the tags that visitors do not see, and its settings. */
export type WallData = PublishedListBody & {
  settings: ShownSettings;
  /** The accent color of the brand, if any. */
  accent?: { light: string; dark: string };
};

type Media = NonNullable<PublishedTestimonial['media']>;

export interface Tree {
  tag: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly (Tree | string)[];
}

/** Makes an element, without its undefined children. */
export function el(
  tag: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Tree | string | undefined)[]
): Tree {
  return { tag, attributes, children: collect(children, (child) => child) };
}

/** True for a look whose cards scroll sideways. */
export const isRow = (look?: string): boolean => look === 'row' || look === 'single';

// Texts with more lines than this, counting blank lines and lines of this many characters, are cut off until
// the visitor opens them. The style sheet cuts at the same lines. A row is as high as its highest card, so it
// cuts earlier.
const longestText = [8, /[^\n]{1,64}|\n(?=\n)/g] as const;
const longestTextInRow = [5, /[^\n]{1,28}|\n(?=\n)/g] as const;
// Shorter texts are set larger.
const shortText = 60;
const tagsShown = 4;
// Up to this many cards, columns may be wide enough to fill the row.
const fewCards = 6;
// The number of tints in the style sheet.
const tints = 6;

// The outline of a star, from its upper point.
const star = 'l2.3 5.6 6.1.5-4.7 3.9 1.5 5.9-5.2-3.2-5.2 3.2 1.5-5.9-4.7-3.9 6.1-.5z';
let outlines = '';
for (const x of [10, 30, 50, 70, 90]) outlines += `M${x} 1.8${star}`;

/** The drawing that all ratings reuse. */
export const fiveStars = el(
  'svg',
  { class: 'svg-defs', width: '0', height: '0', 'aria-hidden': 'true' },
  el('defs', {}, el('path', { id: 'five-stars', d: outlines })),
);

/** Returns the list of cards. Rows can be scrolled by keyboard. */
export function listOf({ look }: ShownSettings, voice: Voice, cards: readonly Tree[] = []): Tree {
  const label = isRow(look) ? { tabindex: '0', 'aria-label': voice.say('testimonials') } : {};
  // While a page of several cards loads, its first card is not the only one. The live element adds all of its
  // cards at once.
  const isAlone = look === 'columns' && cards.length < 2;
  const size = cards.length > fewCards ? ' many' : isAlone ? ' few' : '';
  return el('ul', { id: 'cards', class: `cards ${look}${size}`, role: 'list', ...label }, ...cards);
}

// A row loads all its cards at once, so it needs no “Show more”.
const buttonsBelow = {
  columns: ['more'],
  list: ['more'],
  row: ['previous', 'next'],
  single: ['previous', 'stop', 'next'],
} as const;

/**
 * The buttons below the cards: “Show more”, or the buttons that scroll a row. A hosted wall has a link
 * instead of “Show more”.
 */
export function buttonsOf({ look, hide }: Pick<ShownSettings, 'look' | 'hide'>, voice: Voice): Tree {
  const buttons = collect(buttonsBelow[look], (name) =>
    isIn(hide, name) ? undefined : el('button', { type: 'button', class: name }, voice.say(name)),
  );
  return el('div', { class: 'buttons' }, ...buttons);
}

/**
 * The card of a testimonial. `bdi` keeps right-to-left text and bidi control characters from affecting the
 * rest.
 * @param service the origin of photos and recordings; empty on its own pages
 */
export function cardOf(
  testimonial: PublishedTestimonial,
  voice: Voice,
  settings: ShownSettings,
  service = '',
): Tree {
  const { id, content, author, rating, tags, createdAt, type, status, media = {}, ...others } = testimonial;
  expectNoOthers(others);
  const { name, company, role, ...ofAuthor } = author;
  expectNoOthers(ofAuthor);
  const { hide, look } = settings;
  const [date = ''] = matchesOf(createdAt, /[^T]+/g);
  const isolated = (text?: string) => (text === undefined ? undefined : el('bdi', {}, text));
  const affiliation = [isolated(role), role && company && ', ', isolated(company)];
  const { photo, recording, url } = media;
  const parts = [
    recording && playerOf(recording, name, voice, service),
    rating === undefined || isIn(hide, 'stars') ? undefined : starsOf(rating, voice.say('stars', { rating })),
    quoteOf(content, voice, look),
    url === undefined ? undefined : elsewhereOf(url, voice),
    tags.length === 0 ? undefined : tagsOf(tags, voice),
    el(
      'figcaption',
      { class: 'author' },
      el(
        'span',
        { class: `initials tint-${tintOf(name)}`, 'aria-hidden': 'true' },
        initialsOf(name),
        photo && el('img', { class: 'photo', src: service + photo.url, alt: '', loading: 'lazy' }),
      ),
      el(
        'span',
        { class: 'who' },
        el('span', { class: 'name' }, isolated(name)),
        role || company ? el('span', { class: 'affiliation' }, ...affiliation) : undefined,
        isIn(hide, 'dates') ? undefined : el('time', { datetime: date }, el('bdi', {}, voice.day(date))),
      ),
    ),
  ];
  return el('li', { class: 'card', id }, el('figure', {}, ...parts));
}

/** Returns a player that loads only its poster until the visitor presses it. */
function playerOf(
  { url, type, poster }: NonNullable<Media['recording']>,
  name: string,
  voice: Voice,
  service: string,
): Tree {
  const is = /^video/.exec(type) ? 'video' : 'audio';
  const attributes = {
    class: 'player',
    src: service + url,
    controls: '',
    preload: 'none',
    'data-open': voice.say('open'),
    'aria-label': voice.say(is, { name }),
    ...(is === 'video' && { playsinline: '' }),
    ...(poster !== undefined && { poster: service + poster }),
  };
  return el('div', { class: `media ${is}` }, el(is, attributes));
}

/** Returns a link to media at another service. Nothing is loaded from there. */
function elsewhereOf(url: string, voice: Voice): Tree {
  const { hostname: host } = new URL(url);
  const link = { href: url, target: '_blank', rel: 'noopener noreferrer nofollow ugc' };
  return el('p', { class: 'elsewhere' }, el('a', link, voice.say('elsewhere', { host })));
}

/**
 * Returns a rating as stars, and in words for screen readers. The filled stars are clipped to the width of
 * the rating.
 */
function starsOf(value: number, words: string): Tree {
  const stars = (kind: string) => el('use', { href: '#five-stars', class: kind });
  const lit = el('svg', { width: `${value * 20}`, height: '20' }, stars('lit'));
  return el(
    'p',
    { class: 'rating' },
    el('svg', { class: 'stars', viewBox: '0 0 100 20', 'aria-hidden': 'true' }, stars('unlit'), lit),
    hidden(words),
  );
}

/** Returns a text for screen readers. */
function hidden(words: string): Tree {
  return el('span', { class: 'visually-hidden' }, words);
}

/** Returns the text that says how many of the matching testimonials are shown. */
export function countText(shownCount: number, total: number, voice: Voice): string {
  if (shownCount < total) return voice.say('some', { shown: shownCount, found: total });
  return voice.say(total === 1 ? 'one' : 'all', { found: total });
}

function quoteOf(content: string, voice: Voice, look: ShownSettings['look']): Tree {
  const [linesShown, line] = isRow(look) ? longestTextInRow : longestText;
  const isLong = matchesOf(content, line).length > linesShown;
  const size = isLong ? 'long' : content.length <= shortText ? 'short' : 'plain';
  const unfold = isLong ? unfoldOf(voice) : undefined;
  return el('blockquote', { class: `quote ${size}`, dir: 'auto' }, el('p', {}, content), unfold);
}

function unfoldOf(voice: Voice): Tree {
  const closed = el('span', { class: 'when-closed' }, voice.say('whole'));
  const open = el('span', { class: 'when-open' }, voice.say('less'));
  return el('details', { class: 'unfold', dir: 'auto' }, el('summary', {}, closed, open));
}

function tagsOf(tags: readonly string[], voice: Voice): Tree {
  let elements: (Tree | string)[] = [];
  for (const tag of tags) {
    if (elements.length < 2 * tagsShown) elements = [...elements, ' ', el('bdi', { class: 'tag' }, tag)];
  }
  return el('p', { class: 'tags' }, hidden(voice.say('tags')), ...elements);
}

/** Returns the first letters of the first and the last word. The style sheet makes them capitals. */
function initialsOf(name: string): string {
  const letters = matchesOf(name, /(?:^|\s)[^\s\p{L}\p{N}]*([\p{L}\p{N}]\p{M}*)\S*/gu);
  const [first = ''] = letters;
  return letters.length > 1 ? first + letters[letters.length - 1] : first;
}

function tintOf(name: string): number {
  let sum = 0;
  for (const byte of new TextEncoder().encode(name)) sum += byte;
  return sum % tints;
}
