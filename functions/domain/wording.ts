/** Numbers, names, labels and times for people. */
import { expectNoOthers } from './expect-no-others.ts';
import type { Testimonial } from './testimonial.ts';

/** Returns a number with its noun: `1 request`, `20,001 requests`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Returns a time to the minute. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

/** Joins parts, and leaves out those that are false or undefined. */
export function joined(parts: readonly (string | false | undefined)[], separator = '\n'): string {
  return parts.filter((part) => typeof part === 'string').join(separator);
}

// British English has no comma before “and”, as in the documents.
const list = new Intl.ListFormat('en-GB');

/** Joins names as in a sentence: `a, b and c`. */
export function listed(names: Iterable<string>): string {
  return list.format(names);
}

// Characters that move the cursor, reverse other text, or break a line invisibly. The API refuses most of
// them.
const unsafe = /[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--[\n\t]]/gv;

/** Replaces each character that controls a terminal, except newlines. */
export function displayed(text: string): string {
  return text.replaceAll('\t', '    ').replace(unsafe, '\uFFFD');
}

/** Returns the beginning of a text: at most this many characters, with the ellipsis. Keeps emoji whole. */
export function excerpt(text: string, length: number): string {
  let count = 0;
  let cut = 0;
  for (const { index } of new Intl.Segmenter().segment(text)) {
    count += 1;
    if (count === length) cut = index;
    if (count > length) return `${text.slice(0, cut)}…`;
  }
  return text;
}

export function oneLine(text: string): string {
  return displayed(text).replace(/\s+/g, ' ').trim();
}

/** Describes an author in one line. */
export function authorText({ name, email, role, company, ...others }: Testimonial['author']): string {
  expectNoOthers(others);
  return oneLine(joined([`${name} <${email}>`, role, company], ', '));
}
