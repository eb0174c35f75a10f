/** What a wall shows, said once: the build writes it into the page, the script adds more of the same. */

/**
 * All that a wall tells of a testimonial.
 * @typedef {object} WallTestimonial
 * @property {string} content
 * @property {string} name the author's
 * @property {string} [company]
 * @property {number} [rating] 1 to 5
 * @property {string[]} tags
 * @property {string} date the day of its creation in UTC, as 2026-11-21
 */

/**
 * Text, or an element as plain data: whoever makes HTML or nodes of it treats every text as text.
 * @typedef {string | { tag: string, attributes: Record<string, string>, children: Markup[] }} Markup
 */

// A text of more lines than these, at the widest that a card can be, is cut until someone wants to read more.
const linesShown = 8;
const widestLine = 64;
// A shorter text is set larger.
const shortText = 90;
const tagsShown = 4;
// As many as the style sheet has.
const tints = 6;

const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {Markup[]} children
 * @returns {Markup}
 */
export function element(tag, attributes, ...children) {
  return { tag, attributes, children };
}

/**
 * The card of a testimonial.
 * @param {WallTestimonial} testimonial
 */
export function cardOf({ content, name, company, rating, tags, date }) {
  return element(
    'li',
    { class: 'card' },
    element(
      'figure',
      {},
      ...(rating === undefined ? [] : [starsOf(rating, `${rating} out of 5 stars`)]),
      quoteOf(content),
      ...(tags.length > 0 ? [tagsOf(tags)] : []),
      element(
        'figcaption',
        { class: 'author' },
        element('span', { class: `initials tint-${tintOf(name)}`, 'aria-hidden': 'true' }, initialsOf(name)),
        element(
          'span',
          { class: 'who' },
          // What is written from right to left, or pretends to be, turns nothing around it.
          element('bdi', { class: 'name' }, name),
          ...(company === undefined ? [] : [element('bdi', { class: 'company' }, company)]),
        ),
        element('time', { datetime: date }, dayFormat.format(new Date(date))),
      ),
    ),
  );
}

/**
 * Stars to look at, and the same in words for those who listen.
 * @param {number} value may lie between two stars
 * @param {string} words
 */
export function starsOf(value, words) {
  return element(
    'p',
    { class: 'rating' },
    element(
      'svg',
      { class: 'stars', viewBox: '0 0 100 20', 'aria-hidden': 'true' },
      element('use', { href: '#five-stars', class: 'unlit' }),
      // It cuts off what is wider than itself.
      element(
        'svg',
        { width: String(Math.round(value * 20)), height: '20' },
        element('use', { href: '#five-stars', class: 'lit' }),
      ),
    ),
    element('span', { class: 'visually-hidden' }, words),
  );
}

/**
 * Which testimonials are shown, in words.
 * @param {number} shown
 * @param {number} found
 * @param {boolean} narrowed by a filter or a search
 */
export function countText(shown, found, narrowed) {
  if (found === 0) return narrowed ? 'No testimonial matches.' : 'There are no testimonials yet.';
  const [all, some] = [found, shown].map((number) => number.toLocaleString('en'));
  if (shown < found) return `Showing ${some} of ${all} ${narrowed ? 'matching ' : ''}testimonials`;
  return `${all} ${narrowed ? 'matching ' : ''}${found === 1 ? 'testimonial' : 'testimonials'}`;
}

/** @param {string} content */
function quoteOf(content) {
  const lines = content.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / widestLine), 0);
  const isLong = lines > linesShown;
  const size = isLong ? 'long' : content.length <= shortText ? 'short' : 'plain';
  return element(
    'blockquote',
    { class: `quote ${size}`, dir: 'auto' },
    element('p', {}, content),
    // The style sheet shows the whole text while it is open.
    ...(isLong
      ? [
          element(
            'details',
            { class: 'unfold', dir: 'ltr' },
            element(
              'summary',
              {},
              element('span', { class: 'when-closed' }, 'Read it all'),
              element('span', { class: 'when-open' }, 'Show less'),
            ),
          ),
        ]
      : []),
  );
}

/** @param {string[]} tags */
function tagsOf(tags) {
  return element(
    'p',
    { class: 'tags' },
    element('span', { class: 'visually-hidden' }, 'Tags: '),
    ...tags.slice(0, tagsShown).flatMap((tag, i) => {
      const one = element('bdi', { class: 'tag' }, tag);
      return i === 0 ? [one] : [' ', one];
    }),
  );
}

/** @param {string} name */
function initialsOf(name) {
  const letters = name.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}]\p{M}*/u)?.[0] ?? []);
  const [first = '', ...others] = letters;
  return (first + (others.at(-1) ?? '')).toUpperCase();
}

/** @param {string} name */
function tintOf(name) {
  let sum = 0;
  for (const character of name) sum += character.codePointAt(0) ?? 0;
  return sum % tints;
}
