/** Normalization and validation of texts before they are stored. */
import * as v from 'valibot';
import { withoutInvisible } from './visible-text.ts';
import { foldText } from './words.ts';

/** Counts the Unicode code points of a text, as JSON Schema does for `minLength` (RFC 8259). */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

// NFC composes at most four code points into one.
const maxCodePointsComposed = 4;

/**
 * Returns false if a text has more than `max` code points even after composition. Such a text must not be
 * composed: a long run of accents takes quadratic time.
 */
export function canBeAtMost(text: string, max: number): boolean {
  return codePoints(text.trim()) <= max * maxCodePointsComposed;
}

// On average. The Arabic ligature U+FDFA folds to eighteen letters, which lists would all have to split into
// words.
const maxLettersPerCharacter = 2;

const forbiddenControl = /[^\P{Cc}\n\t]/u;

// Decoders replace bytes that they cannot read with this character.
const replacementCharacter = '\uFFFD';

// The most bytes that UTF-8 needs. A text with invisible characters takes no more bytes than one without, so
// that a page of testimonials fits into a response.
const maxBytesPerCharacter = 4;

const carriageReturn = /\r\n?/g;

/**
 * Schema of a stored text: trimmed, Unicode NFC, line ends as newlines, no control characters other than
 * newline and tab, and no replacement characters. Also limits the number of letters after folding.
 * @param limits the minimum and maximum number of code points after trimming, without invisible characters
 */
export function text(limits: { min: number; max: number }) {
  return v.pipe(
    v.string('must be a string'),
    v.check((value) => canBeAtMost(value, limits.max), lengthMessage(limits)),
    // Counted before NFC, which turns some musical symbols into three code points.
    v.check((value) => codePoints(value.trim()) >= limits.min, lengthMessage(limits)),
    v.transform((value) => value.replace(carriageReturn, '\n').trim().normalize('NFC')),
    v.check((value) => value.isWellFormed(), 'must be valid Unicode: it contains an unpaired surrogate'),
    v.check(
      (value) => !forbiddenControl.test(value),
      'must not contain control characters other than newline and tab',
    ),
    v.check(
      (value) => !value.includes(replacementCharacter),
      'must not contain U+FFFD, which stands for a character that was read in a wrong encoding',
    ),
    v.check((value) => {
      const length = codePoints(withoutInvisible(value).trim());
      return length >= limits.min && length <= limits.max;
    }, lengthMessage(limits)),
    v.check(
      (value) => new TextEncoder().encode(value).length <= maxBytesPerCharacter * limits.max,
      'must contain fewer invisible characters',
    ),
    v.check(
      (value) => codePoints(foldText(value)) <= maxLettersPerCharacter * limits.max,
      foldedMessage(limits),
    ),
    v.metadata({ minLength: limits.min, maxLength: limits.max }),
  );
}

// Functions, because formatting the first number takes some milliseconds.
function lengthMessage({ min, max }: { min: number; max: number }): (issue: { input: string }) => string {
  return ({ input }) => {
    const counted = withoutInvisible(input) === input ? 'characters' : 'visible characters';
    return `must have ${min} to ${max.toLocaleString('en')} ${counted}`;
  };
}

function foldedMessage({ max }: { max: number }): () => string {
  return () =>
    `must have at most ${(maxLettersPerCharacter * max).toLocaleString('en')} letters, counting each letter of a ligature`;
}
