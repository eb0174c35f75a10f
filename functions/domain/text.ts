/** How texts are cleaned before they are stored and folded before they are compared. */
import * as v from 'valibot';

/** The number of Unicode code points in a text; JSON Schema counts a `minLength` the same way (RFC 8259). */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

// Composition (NFC) makes one code point of four at most. What is longer than that many times the limit is too
// long in any form, and is not composed: that takes the square of the time for a long run of accents.
const mostCodePointsComposed = 4;

// A control character other than newline and tab.
const forbiddenControl = /[^\P{Cc}\n\t]/u;

/**
 * Schema of a stored text: trimmed, Unicode NFC, without control characters other than newline and tab.
 * @param limits smallest and largest length in code points, counted after trimming
 */
export function text(limits: { min: number; max: number }) {
  return v.pipe(
    v.string('must be a string'),
    v.check(
      (value) => codePoints(value.trim()) <= limits.max * mostCodePointsComposed,
      lengthMessage(limits),
    ),
    v.transform((value) => value.trim().normalize('NFC')),
    v.check((value) => value.isWellFormed(), 'must be valid Unicode: it contains an unpaired surrogate'),
    v.check(
      (value) => !forbiddenControl.test(value),
      'must not contain control characters other than newline and tab',
    ),
    v.check((value) => {
      const length = codePoints(value);
      return length >= limits.min && length <= limits.max;
    }, lengthMessage(limits)),
    v.metadata({ minLength: limits.min, maxLength: limits.max }),
  );
}

// Made when it is told: to format a number takes some milliseconds at first.
function lengthMessage({ min, max }: { min: number; max: number }): () => string {
  return () =>
    min === 1
      ? `must not be empty and have at most ${max} characters`
      : `must have ${min} to ${max.toLocaleString('en')} characters`;
}

/**
 * Folds case only: two texts that differ in nothing but case fold to the same text.
 * Lower, upper, lower: so that ẞ, ß and ss fold to the same (Unicode full case folding, UAX #44).
 */
export function foldCase(text: string): string {
  const folded = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll('ς', 'σ').normalize('NFC');
}

const printableAscii = /^[ -~]*$/;

/**
 * Folds case, accents and compatibility forms (full width, ligatures). Only marks shared between scripts are
 * removed, and not the Japanese voicing marks: these, like the vowel signs of Devanagari or Thai, tell letters
 * apart.
 */
export function foldText(text: string): string {
  // Most words, many times faster.
  if (printableAscii.test(text)) return text.toLowerCase();
  const unaccented = text.normalize('NFKD').replace(/(?=\p{M})(?![\u3099\u309A])\p{Script=Inherited}/gu, '');
  return foldCase(unaccented);
}

/** Longest word kept, in code points: as long as the longest search, so that cutting loses no match. */
export const maxWordLength = 200;

// Made when it is first needed: it loads the dictionaries of all languages.
let wordSegmenter: Intl.Segmenter | undefined;
const letterOrDigit = /[\p{L}\p{N}]/u;

/**
 * The folded words of a text in reading order, with repetitions, split at Unicode word boundaries (UAX #29;
 * Chinese, Japanese, Thai and their like by dictionary). A word has a letter or a digit.
 */
export function words(text: string): string[] {
  const found: string[] = [];
  wordSegmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  // Split before folding: the dictionaries know words as they are written.
  for (const { segment } of wordSegmenter.segment(text)) {
    // A ligature or a fraction can fold to several words.
    for (const word of foldText(segment).split(/[\s\u2044]+/)) {
      if (letterOrDigit.test(word)) found.push(cutToWordLength(word));
    }
  }
  return found;
}

function cutToWordLength(word: string): string {
  return word.length <= maxWordLength ? word : Array.from(word).slice(0, maxWordLength).join('');
}
