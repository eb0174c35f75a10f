/** Finds testimonials as the API's lists do: words by their beginnings, without regard to case and accents. */

/** @import { WallTestimonial } from './view.js' */

/**
 * What visitors narrow the wall to; what is empty or 0 does not narrow.
 * @typedef {object} Wanted
 * @property {number} rating the smallest
 * @property {string} tag
 * @property {string} search
 */

// Unicode decomposes these no further.
/** @type {Record<string, string>} */
const plainLetters = { ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', ø: 'o', ŋ: 'n', æ: 'ae', œ: 'oe', þ: 'th' };
const decorated = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

// Letters of scripts that put no spaces between words: found anywhere in a text.
const unspaced =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** @param {string} text */
function foldCase(text) {
  const folded = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll('ς', 'σ').normalize('NFC');
}

/** @param {string} text */
function fold(text) {
  const unaccented = text.normalize('NFKD').replace(/(?=\p{M})(?![\u3099\u309A])\p{Script=Inherited}/gu, '');
  return foldCase(unaccented).replace(decorated, (letter) => plainLetters[letter] ?? letter);
}

/**
 * A space before each word and each part of one, and nothing else between them.
 * @param {string} text folded
 */
function spaced(text) {
  return ` ${text.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim()}`;
}

/**
 * The words of a search, as they stand in a text that was folded and spaced.
 * @param {string} search
 */
function wordsOf(search) {
  return Array.from(segmenter.segment(fold(search)), ({ segment }) => spaced(segment))
    .filter((word) => word !== ' ')
    .map((word) => (unspaced.test(word.trimStart()) ? word.trimStart() : word));
}

/**
 * Prepares testimonials to be searched.
 * @param {readonly WallTestimonial[]} testimonials
 * @returns {(wanted: Wanted) => WallTestimonial[]} finds those that match, in their order
 */
export function finderOf(testimonials) {
  const prepared = testimonials.map((testimonial) => ({
    testimonial,
    rating: testimonial.rating ?? 0,
    tags: testimonial.tags.map(foldCase),
    text: spaced(fold(`${testimonial.content}\n${testimonial.name}`)),
  }));
  return ({ rating, tag, search }) => {
    const words = wordsOf(search);
    return prepared
      .filter((each) => each.rating >= rating)
      .filter((each) => tag === '' || each.tags.includes(foldCase(tag)))
      .filter((each) => words.every((word) => each.text.includes(word)))
      .map((each) => each.testimonial);
  };
}
