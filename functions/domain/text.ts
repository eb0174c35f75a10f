/** The texts that a client sends: how they are cleaned and checked before they are stored. */
import * as v from 'valibot';
import { foldText } from './words.ts';

/** The number of Unicode code points in a text; JSON Schema counts a `minLength` the same way (RFC 8259). */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

// Composition (NFC) makes one code point of four at most.
const mostCodePointsComposed = 4;

/**
 * False of a text that is longer than `max` code points however it is composed. It is not to be composed: that takes the
 * square of the time for a long run of accents.
 */
export function canBeAtMost(text: string, max: number): boolean {
  return codePoints(text.trim()) <= max * mostCodePointsComposed;
}

// A character of the longest text, on the average: the Arabic ligature U+FDFA stands for eighteen letters, and lists split them.
const lettersACharacter = 2;

// A control character other than newline and tab.
const forbiddenControl = /[^\P{Cc}\n\t]/u;

// Line ends as forms and Windows send them.
const carriageReturn = /\r\n?/g;

/**
 * Schema of a stored text: trimmed, Unicode NFC, line ends as newlines, without control characters other than newline
 * and tab. What its characters stand for when it is folded is bounded, too.
 * @param limits smallest and largest length in code points, counted after trimming
 */
export function text(limits: { min: number; max: number }) {
  return v.pipe(
    v.string('must be a string'),
    v.check((value) => canBeAtMost(value, limits.max), lengthMessage(limits)),
    v.transform((value) => value.replace(carriageReturn, '\n').trim().normalize('NFC')),
    v.check((value) => value.isWellFormed(), 'must be valid Unicode: it contains an unpaired surrogate'),
    v.check(
      (value) => !forbiddenControl.test(value),
      'must not contain control characters other than newline and tab',
    ),
    v.check((value) => {
      const length = codePoints(value);
      return length >= limits.min && length <= limits.max;
    }, lengthMessage(limits)),
    v.check((value) => codePoints(foldText(value)) <= lettersACharacter * limits.max, foldedMessage(limits)),
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

function foldedMessage({ max }: { max: number }): () => string {
  const most = () => (lettersACharacter * max).toLocaleString('en');
  return () => `must stand for at most ${most()} letters: some of its characters stand for several each`;
}
