/** What a wall shows, said once: the build writes it into the page, the script adds more of the same. */
import type { WallSettings } from '../settings.ts';
import type { Voice } from '../texts.ts';
import { el, type Tree } from './tree.ts';

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
  date?: string;
}

/** What a wall with these settings tells of a testimonial: what it does not show is in none of its files. */
export function shownOf(
  { rating, date, tags, ...rest }: WallTestimonial,
  { hide, 'own-tags': ownTags }: WallSettings,
): WallTestimonial {
  const own = ownTags.map((tag) => tag.toLowerCase());
  return {
    ...rest,
    ...(rating !== undefined && !hide.includes('stars') && { rating }),
    tags: hide.includes('tags') ? [] : tags.filter((tag) => !own.includes(tag.toLowerCase())),
    ...(date !== undefined && !hide.includes('dates') && { date }),
  };
}

// A text of more lines than these, at the widest that a card can be, is cut until someone wants to read more.
const linesShown = 8;
const widestLine = 64;
// A shorter text is set larger.
const shortText = 90;
const tagsShown = 4;
// So many arrive at once with a page, and may have columns as wide as they fill the row.
const fewCards = 6;
// As many as the style sheet has.
const tints = 6;

/** Drawn once, and used wherever stars are. */
export const fiveStars = el(
  'svg',
  { class: 'drawings', width: '0', height: '0', 'aria-hidden': 'true' },
  el(
    'defs',
    {},
    el('path', { id: 'five-stars', d: [10, 30, 50, 70, 90].map((x) => starAt(x, 10.6)).join('') }),
  ),
);

/** The list that cards stand in; where it is wider than the page, the keyboard can scroll it. */
export function listOf({ look }: WallSettings, voice: Voice, cards: readonly Tree[] = []): Tree {
  const isRow = look === 'row' || look === 'single';
  const label = isRow ? { tabindex: '0', 'aria-label': voice.say('testimonials') } : {};
  const many = cards.length > fewCards ? ' many' : '';
  return el('ul', { id: 'cards', class: `cards ${look}${many}`, role: 'list', ...label }, ...cards);
}

// A row has all cards at once.
const buttonsBelow = {
  columns: ['more'],
  list: ['more'],
  row: ['previous', 'next'],
  single: ['previous', 'stop', 'next'],
} as const;

/** The buttons below the cards, if any: "Show more", or those that go along a row. */
export function buttonsOf({ look, hide }: Pick<WallSettings, 'look' | 'hide'>, voice: Voice): Tree {
  const names = buttonsBelow[look].filter((name) => name !== 'more' || !hide.includes(name));
  const buttons = names.map((name) => el('button', { type: 'button', class: name }, voice.say(name)));
  return el('div', { class: 'buttons' }, ...buttons);
}

/**
 * The card of a testimonial. What is written from right to left, or pretends to be, turns nothing around it.
 */
export function cardOf({ content, name, company, rating, tags, date }: WallTestimonial, voice: Voice): Tree {
  const line = (kind: string, text: string) => el('span', { class: kind }, el('bdi', {}, text));
  const parts = [
    rating === undefined ? undefined : starsOf(rating, voice.say('stars', { rating })),
    quoteOf(content, voice),
    tags.length === 0 ? undefined : tagsOf(tags, voice),
    el(
      'figcaption',
      { class: 'author' },
      el('span', { class: `initials tint-${tintOf(name)}`, 'aria-hidden': 'true' }, initialsOf(name)),
      el(
        'span',
        { class: 'who' },
        line('name', name),
        company === undefined ? company : line('company', company),
      ),
      date === undefined ? date : el('time', { datetime: date }, el('bdi', {}, voice.day(date))),
    ),
  ];
  return el('li', { class: 'card' }, el('figure', {}, ...parts));
}

/**
 * Stars to look at, and the same in words for those who listen. The inner drawing cuts off what is wider than itself.
 * @param value may lie between two stars
 */
export function starsOf(value: number, words: string): Tree {
  const stars = (kind: string) => el('use', { href: '#five-stars', class: kind });
  const lit = el('svg', { width: String(Math.round(value * 20)), height: '20' }, stars('lit'));
  return el(
    'p',
    { class: 'rating' },
    el('svg', { class: 'stars', viewBox: '0 0 100 20', 'aria-hidden': 'true' }, stars('unlit'), lit),
    hidden(words),
  );
}

/** For those who listen. */
export function hidden(words: string): Tree {
  return el('span', { class: 'visually-hidden' }, words);
}

/** Which of the testimonials that were found are shown, in words. */
export function countText(shown: number, found: number, voice: Voice): string {
  if (shown < found) return voice.say('some', { shown, found });
  return voice.say(found === 1 ? 'one' : 'all', { found });
}

function quoteOf(content: string, voice: Voice): Tree {
  const lines = content.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / widestLine), 0);
  const isLong = lines > linesShown;
  const size = isLong ? 'long' : content.length <= shortText ? 'short' : 'plain';
  const unfold = isLong ? unfoldOf(voice) : undefined;
  return el('blockquote', { class: `quote ${size}`, dir: 'auto' }, el('p', {}, content), unfold);
}

/** The style sheet shows the whole text while it is open. */
function unfoldOf(voice: Voice): Tree {
  const closed = el('span', { class: 'when-closed' }, voice.say('whole'));
  const open = el('span', { class: 'when-open' }, voice.say('less'));
  return el('details', { class: 'unfold', dir: 'auto' }, el('summary', {}, closed, open));
}

function tagsOf(tags: readonly string[], voice: Voice): Tree {
  const shown = tags.slice(0, tagsShown).flatMap((tag) => [' ', el('bdi', { class: 'tag' }, tag)]);
  return el('p', { class: 'tags' }, hidden(voice.say('tags')), ...shown);
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
