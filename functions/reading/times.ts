/** Reads times in the formats of other tools. */
import type * as Chrono from 'chrono-node';
import { DateTime, FixedOffsetZone } from 'luxon';
import spellings from './date-spellings.json' with { type: 'json' };

export interface TimeReader {
  /**
   * Returns milliseconds since 1970, or undefined if the text is not a time.
   * @param offset from UTC in minutes, for a text without a zone
   */
  millisecondsOf: (text: string, offset?: number) => number | undefined;
  /**
   * The error for a text that is not a time. Begins with `must be a time`, by which `remedyOf` finds the
   * remedy.
   */
  rule: string;
}

// Longer texts are not times. The limit keeps parsing fast.
const maxTimeLength = 100;
const minute = 60_000;

const iso: TimeReader = {
  millisecondsOf(text, offset = 0) {
    if (text.length > maxTimeLength) return undefined;
    // Databases write 2026-01-15 10:30:00 +01:00, or end the time with UTC.
    const cleaned = text
      .trim()
      .replace(/^([\d-]+) +(\d)/, '$1T$2')
      .replace(/ *(UTC|GMT|Z)$/i, 'Z')
      .replace(/ +([+-]\d\d:?\d\d)$/, '$1');
    // ISO 8601 also allows a year or a month alone.
    if (!/^\d{4}(-\d\d-\d\d|\d{4})(T|$)/.test(cleaned)) return undefined;
    return validMilliseconds(DateTime.fromISO(cleaned, { zone: FixedOffsetZone.instance(offset) }));
  },
  rule: 'must be a time in ISO 8601, such as 2026-01-15T10:30:00Z',
};

/** Seconds or milliseconds since 1970. */
const unix: TimeReader = {
  millisecondsOf(text) {
    if (/^\d{12,13}$/.test(text)) return Number(text);
    return /^\d{9,10}(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1000) : undefined;
  },
  rule: 'must be a time in seconds or milliseconds since 1970',
};

/** Days since 30 December 1899, the serial numbers of spreadsheets. */
const excel: TimeReader = {
  millisecondsOf: (text, offset = 0) =>
    /^\d{4,6}(\.\d+)?$/.test(text)
      ? Date.UTC(1899, 11, 30) + Math.round(Number(text) * 86_400) * 1000 - offset * minute
      : undefined,
  rule: 'must be a time as a serial number, such as 45352',
};

const loaded: { chrono?: typeof Chrono } = {};

/** Loads the languages of dates in words, before a file is read. Takes a tenth of a second. */
export async function loadLanguages(): Promise<void> {
  loaded.chrono ??= await import('chrono-node');
}

function chrono(): typeof Chrono {
  if (loaded.chrono) return loaded.chrono;
  throw new Error('The languages of dates are not loaded');
}

/** Languages of dates in words (ISO 639-1). */
export const languages = ['en', 'de', 'fr', 'es', 'pt', 'it'];
const inWords = new RegExp(`^words (${languages.join('|')})(?: from (\\d{4}-\\d\\d-\\d\\d))?$`);

// JavaScript names the zone after its offset, in the language of the machine.
const zoneName = /((?:GMT|UTC)[+-]\d{4}) \(.*\)$/;

/**
 * True if the sentence around a date does not change it: it contains no other number, and no zone after a
 * time.
 */
function isAround(before: string, after: string, hasTime: boolean): boolean {
  const isZone = hasTime && !/^[\s).]*$|^ (?:Coordinated Universal|Greenwich Mean) Time$/.test(after);
  return !/\d/.test(before + after) && !isZone;
}

const units = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;
const maxAgo = 99;
const one = /(?<!\p{L})(?:una?|uma?|une)(?!\p{L})/u;

type TimeAgo = Record<string, number>;
const timesAgo = new Map<string, ReadonlyMap<string, TimeAgo>>();

/** Returns the time in a text such as `hace 3 días`, which chrono-node does not read in all languages. */
function timeAgoIn(text: string, language: string): TimeAgo | undefined {
  const known = timesAgo.get(language) ?? allTimesAgo(language);
  timesAgo.set(language, known);
  return known.get(text.toLowerCase().replace(one, '1'));
}

function allTimesAgo(language: string): ReadonlyMap<string, TimeAgo> {
  const format = new Intl.RelativeTimeFormat(language);
  const counts = Array.from({ length: maxAgo }, (_, i) => i + 1);
  const texts = units.flatMap((unit) =>
    counts.map((count): [string, TimeAgo] => [format.format(-count, unit).toLowerCase(), { [unit]: count }]),
  );
  return new Map(texts);
}

/**
 * Reads dates in words, such as `Mar 4th, 2024`, even inside a sentence. `3 days ago` counts from the day
 * `from`, and is not a time if that is absent.
 */
function wordsReader(language: string, from: string | undefined): TimeReader {
  const instant = new Date(`${from ?? '2000-01-01'}T12:00:00Z`);
  return {
    millisecondsOf(text, offset = 0) {
      if (text.length > maxTimeLength) return undefined;
      const cleaned = text
        .trim()
        .replace(/^(edited|posted|updated|reviewed|written|published) /i, '')
        .replace(zoneName, '$1');
      const ago = from === undefined ? undefined : timeAgoIn(cleaned, language);
      if (ago) {
        const zone = FixedOffsetZone.instance(offset);
        return validMilliseconds(DateTime.fromJSDate(instant, { zone }).minus(ago).startOf('day'));
      }
      // All languages have the same function.
      const [match, ...others] = chrono()[language as 'en'].parse(cleaned, { instant, timezone: offset });
      if (!match || others.length > 0 || match.end) return undefined;
      const { start } = match;
      const isWhole = match.text.length === cleaned.length;
      const [before, after] = [cleaned.slice(0, match.index), cleaned.slice(match.index + match.text.length)];
      const isRelative =
        !/\d/.test(cleaned) || [...match.tags()].some((tag) => tag.startsWith('result/relative'));
      const isCertain = isRelative ? from !== undefined : start.isCertain('month') && start.isCertain('day');
      if (!isCertain || !start.isCertain('year')) return undefined;
      if (!isWhole && (isRelative || !isAround(before, after, start.isCertain('hour')))) return undefined;
      if (!isRelative && start.isCertain('hour')) return validMilliseconds(DateTime.fromJSDate(start.date()));
      const [year, month, day] = (['year', 'month', 'day'] as const).map((unit) => start.get(unit) ?? 0);
      return validMilliseconds(
        DateTime.fromObject({ year, month, day }, { zone: FixedOffsetZone.instance(offset) }),
      );
    },
    rule: 'must be a time in words, such as March 1, 2024',
  };
}

/** Replaces the digits of other scripts and full-width letters. */
export function plainDigits(text: string): string {
  return text.normalize('NFKC').replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 16));
}

const replacements = spellings.replacements.map(
  ([pattern = '', by = '']) => [new RegExp(pattern, 'giu'), by] as const,
);

/**
 * Rewrites a date in numbers of another language in the form that the formats expect: `2024年3月1日 午後2:05`
 * becomes `2024/3/1 2:05 PM`.
 */
function respelled(text: string): string {
  return replacements.reduce((date, [pattern, by]) => date.replace(pattern, by), plainDigits(text)).trim();
}

/**
 * Returns a reader of times, in UTC unless a time names an offset.
 * @param format Luxon tokens with English month names, `iso`, `unix`, `excel`, `words de`, or `words en from
 * 2024-03-01`; several, as in `d.M.yyyy or excel`, are tried in their order
 * @throws if the format does not describe a date
 */
export function timeReader(format = 'iso'): TimeReader {
  const [first = '', ...others] = format.split(' or ').map((each) => each.trim());
  if (others.length > 0) {
    const readers = [first, ...others].map(timeReader);
    const millisecondsOf: TimeReader['millisecondsOf'] = (text, offset) =>
      Iterator.from(readers)
        .map((reader) => reader.millisecondsOf(text, offset))
        .find((time) => time !== undefined);
    return { millisecondsOf, rule: timeReader(first).rule };
  }
  if (format === 'iso' || format === 'unix' || format === 'excel') return { iso, unix, excel }[format];
  const [, code, from] = inWords.exec(format) ?? [];
  if (code !== undefined) return wordsReader(code, from);
  if (format.startsWith('words'))
    throw new Error(
      `Dates in words can be in ${languages.join(', ')}. Write "words de", or "words en from 2024-03-01" for "3 days ago".`,
    );
  const parser = DateTime.buildFormatParser(format, { locale: 'en-US' });
  const read = (text: string, offset = 0) =>
    DateTime.fromFormatParser(text, parser, { zone: FixedOffsetZone.instance(offset), locale: 'en-US' });
  const sample = DateTime.utc(2025, 11, 30, 16, 45, { locale: 'en-US' });
  const example = sample.toFormat(format);
  const tokens = format.replace(/'[^']*'/g, '');
  if (!/(?=.*y)(?=.*[ML])(?=.*d)/.test(tokens) || read(example).toISODate() !== sample.toISODate()) {
    throw new Error(
      `The date format ${JSON.stringify(format)} does not describe a date. Write it with tokens, such as dd/MM/yyyy HH:mm.`,
    );
  }
  return {
    millisecondsOf(text, offset) {
      if (text.length > maxTimeLength) return undefined;
      const time = validMilliseconds(read(text.trim(), offset));
      const other = time === undefined ? respelled(text) : text;
      return other === text ? time : validMilliseconds(read(other, offset));
    },
    rule: `must be a time like ${example}`,
  };
}

// UTC+14, where each day begins first.
const earliestOffset = 14 * 60;

/**
 * Reads a time in the past, in milliseconds since 1970. A time without a zone that is still in the
 * future in UTC becomes `now` if it is past in some time zone. Returns undefined if the text is not a time.
 */
export function pastTime({ millisecondsOf }: TimeReader, text: string, now: number): number | undefined {
  const time = millisecondsOf(text);
  if (time === undefined || time <= now) return time;
  return (millisecondsOf(text, earliestOffset) ?? time) <= now ? now : time;
}

function validMilliseconds(time: DateTime): number | undefined {
  // Only years of four digits sort as text.
  return time.isValid && time.year > 0 && time.year <= 9999 ? time.toMillis() : undefined;
}
