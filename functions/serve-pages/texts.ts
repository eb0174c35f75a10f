/** The texts of a wall besides its testimonials, and its format of numbers and dates. */

// Braces are placeholders.
import englishTexts from './wall-texts.json' with { type: 'json' };

export type TextName = keyof typeof englishTexts;

/** Returns a range of numbers in a language, such as `1–24`. */
export function rangeOf(first: number, last: number, lang: string): string {
  const numbers = new Intl.NumberFormat(lang);
  // A range of one number would be “~1”.
  return first === last ? numbers.format(first) : numbers.formatRange(first, last);
}

export type Voice = ReturnType<typeof voiceOf>;

interface Language {
  /** The language of numbers and dates, such as `de` or `pt-BR`. */
  lang: string;
  /** Replacements of the English texts. */
  texts: { [name in TextName]?: string };
}

export function voiceOf({ lang, texts }: Language) {
  const days = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeZone: 'UTC' });
  return {
    /** @param values the values of placeholders; numbers are formatted */
    say(name: TextName, values: Readonly<Record<string, string | number>> = {}): string {
      return (texts[name] ?? englishTexts[name]).replace(/\{(\w+)\}/g, (placeholder, key) => {
        const value = values[key];
        return typeof value === 'number' ? value.toLocaleString(lang) : (value ?? placeholder);
      });
    },
    /** @param date such as 2026-11-21 */
    day: (date: string) => days.format(new Date(date)),
  };
}
