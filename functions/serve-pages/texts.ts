/** The texts of a wall other than its testimonials, and its format of numbers and dates. */

import { ownOf } from './stand-ins.ts';
// Braces are placeholders.
import englishTexts from './wall-texts.json' with { type: 'json' };

export type TextName = keyof typeof englishTexts;

/** Returns a range of numbers in a language, such as `1–24`. */
export function rangeOf(first: number, last: number, lang: string): string {
  const numbers = new Intl.NumberFormat(lang);
  // A range of one number would be “~1”.
  return first === last ? numbers.format(first) : numbers.formatRange(first, last);
}

/** Values of placeholders, by name. */
export type TextValues = Readonly<Record<string, string | number>>;

/**
 * Returns a text with values in place of its placeholders, with numbers in the format of a language. Unknown
 * placeholders stay.
 */
export function fillIn(text: string, values: TextValues, lang: string): string {
  const own = ownOf(values);
  const part = /\{(\w+)\}|[^{]+|\{/g;
  let filled = '';
  for (let found = part.exec(text); found; found = part.exec(text)) {
    const [whole, name = ''] = found;
    const value = own[name] ?? whole;
    filled += typeof value === 'number' ? new Intl.NumberFormat(lang).format(value) : value;
  }
  return filled;
}

export type Voice = ReturnType<typeof voiceOf>;

interface Language {
  /** The language of numbers and dates, such as `de` or `pt-BR`. */
  lang: string;
  /** Replacements of the English texts. */
  texts: { [name in TextName]?: string };
}

export function voiceOf({ lang, texts }: Language) {
  const all = { ...englishTexts, ...texts };
  const days = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeZone: 'UTC' });
  return {
    say: (name: TextName, values: TextValues = {}) => fillIn(all[name], values, lang),
    /** @param date such as 2026-11-21 */
    day: (date: string) => days.format(new Date(date)),
  };
}
