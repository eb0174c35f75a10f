/** What a wall shows, said once: the build writes it into the page, the script adds more of the same. */

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

/** Text, or an element as plain data: whoever makes HTML or nodes of it treats every text as text. */
export type Markup = string | { tag: string; attributes: Record<string, string>; children: Markup[] };

// A text of more lines than these, at the widest that a card can be, is cut until someone wants to read more.
const linesShown = 8;
const widestLine = 64;
// A shorter text is set larger.
const shortText = 90;
const tagsShown = 4;
// As many as the style sheet has.
const tints = 6;

const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

export function element(tag: string, attributes: Record<string, string>, ...children: Markup[]): Markup {
  return { tag, attributes, children };
}

/** Drawn once, and used wherever stars are. */
export const fiveStars = element(
  'svg',
  { class: 'drawings', width: '0', height: '0', 'aria-hidden': 'true' },
  element(
    'defs',
    {},
    element('path', { id: 'five-stars', d: [10, 30, 50, 70, 90].map((x) => starAt(x, 10.6)).join('') }),
  ),
);

/** The card of a testimonial. */
export function cardOf({ content, name, company, rating, tags, date }: WallTestimonial): Markup {
  const tint = `tint-${tintOf(name)}`;
  // What is written from right to left, or pretends to be, turns nothing around it.
  const who = [
    element('bdi', { class: 'name' }, name),
    ...(company === undefined ? [] : [element('bdi', { class: 'company' }, company)]),
  ];
  const author = [
    element('span', { class: `initials ${tint}`, 'aria-hidden': 'true' }, initialsOf(name)),
    element('span', { class: 'who' }, ...who),
    element('time', { datetime: date }, dayFormat.format(new Date(date))),
  ];
  const figure = [
    ...(rating === undefined ? [] : [starsOf(rating, `${rating} out of 5 stars`)]),
    quoteOf(content),
    ...(tags.length > 0 ? [tagsOf(tags)] : []),
    element('figcaption', { class: 'author' }, ...author),
  ];
  return element('li', { class: 'card' }, element('figure', {}, ...figure));
}

/**
 * Stars to look at, and the same in words for those who listen.
 * @param value may lie between two stars
 */
export function starsOf(value: number, words: string): Markup {
  const lit = element('use', { href: '#five-stars', class: 'lit' });
  const stars = element(
    'svg',
    { class: 'stars', viewBox: '0 0 100 20', 'aria-hidden': 'true' },
    element('use', { href: '#five-stars', class: 'unlit' }),
    // It cuts off what is wider than itself.
    element('svg', { width: String(Math.round(value * 20)), height: '20' }, lit),
  );
  return element('p', { class: 'rating' }, stars, element('span', { class: 'visually-hidden' }, words));
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

function quoteOf(content: string): Markup {
  const lines = content.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / widestLine), 0);
  const isLong = lines > linesShown;
  const size = isLong ? 'long' : content.length <= shortText ? 'short' : 'plain';
  // The style sheet shows the whole text while it is open.
  const summary = element(
    'summary',
    {},
    element('span', { class: 'when-closed' }, 'Read it all'),
    element('span', { class: 'when-open' }, 'Show less'),
  );
  const unfold = isLong ? [element('details', { class: 'unfold', dir: 'ltr' }, summary)] : [];
  return element('blockquote', { class: `quote ${size}`, dir: 'auto' }, element('p', {}, content), ...unfold);
}

function tagsOf(tags: readonly string[]): Markup {
  const shown = tags.slice(0, tagsShown).flatMap((tag) => [' ', element('bdi', { class: 'tag' }, tag)]);
  const label = element('span', { class: 'visually-hidden' }, 'Tags: ');
  return element('p', { class: 'tags' }, label, ...shown.slice(1));
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
