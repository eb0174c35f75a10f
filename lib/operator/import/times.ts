/** Reading times as files write them, and finding how those of a file are written. */
import { createRequire } from 'node:module';
import type * as Chrono from 'chrono-node';
import { DateTime, FixedOffsetZone } from 'luxon';

export interface TimeReader {
  /**
   * Milliseconds since the epoch; undefined where a text is no time.
   * @param offset from UTC of a text that names no zone, in minutes; 0 where it is absent
   */
  millisecondsOf: (text: string, offset?: number) => number | undefined;
  /** Told of what is no time. */
  rule: string;
}

// Nobody writes a time with more characters; what reads it stays quick.
const longestTime = 100;
const minute = 60_000;

const iso: TimeReader = {
  millisecondsOf(text, offset = 0) {
    if (text.length > longestTime) return undefined;
    // As databases write it: 2026-01-15 10:30:00 +01:00, or UTC behind it.
    const written = text
      .trim()
      .replace(/^([\d-]+) +(\d)/, '$1T$2')
      .replace(/ *(UTC|GMT|Z)$/i, 'Z')
      .replace(/ +([+-]\d\d:?\d\d)$/, '$1');
    // ISO 8601 allows for less than a date.
    if (!/^\d{4}(-\d\d-\d\d|\d{4})(T|$)/.test(written)) return undefined;
    return validMilliseconds(DateTime.fromISO(written, { zone: FixedOffsetZone.instance(offset) }));
  },
  rule: 'must be a time in ISO 8601, as 2026-01-15T10:30:00Z',
};

/** Seconds or milliseconds since 1970. */
const unix: TimeReader = {
  millisecondsOf(text) {
    if (/^\d{12,13}$/.test(text)) return Number(text);
    return /^\d{9,10}(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1000) : undefined;
  },
  rule: 'must be a time in seconds or milliseconds since 1970',
};

/** Days since the end of 1899, as a spreadsheet counts them. */
const excel: TimeReader = {
  millisecondsOf: (text, offset = 0) =>
    /^\d{4,6}(\.\d+)?$/.test(text)
      ? Date.UTC(1899, 11, 30) + Math.round(Number(text) * 86_400) * 1000 - offset * minute
      : undefined,
  rule: 'must be a time as spreadsheets count days, as 45352',
};

// Its languages take a tenth of a second to load, and few files need them.
const require = createRequire(import.meta.url);
// The module is what its types say.
const chrono = () => require('chrono-node') as typeof Chrono;

/** Languages of dates in words, by their codes (ISO 639-1). */
const languages = 'en de fr es pt it nl sv fi ru uk ja vi id'.split(' ');
const inWords = new RegExp(`^words (${languages.join('|')})(?: from (\\d{4}-\\d\\d-\\d\\d))?$`);

/**
 * Dates in words: `Mar 4th, 2024`; `3 days ago` is counted from a day, and is no time without one. Only what is certain is used.
 */
function wordsReader(language: string, from: string | undefined): TimeReader {
  const instant = new Date(`${from ?? '2000-01-01'}T12:00:00Z`);
  return {
    millisecondsOf(text, offset = 0) {
      const written = text.trim().replace(/^(edited|posted|updated) /i, '');
      if (written.length > longestTime) return undefined;
      // All of its languages parse alike.
      const [found, ...others] = chrono()[language as 'en'].parse(written, { instant, timezone: offset });
      if (!found || others.length > 0 || found.end || found.text.length !== written.length) return undefined;
      const { start } = found;
      const isRelative =
        !/\d/.test(written) || [...found.tags()].some((tag) => tag.startsWith('result/relative'));
      const isCertain = isRelative ? from !== undefined : start.isCertain('month') && start.isCertain('day');
      if (!isCertain || !start.isCertain('year')) return undefined;
      if (!isRelative && start.isCertain('hour')) return validMilliseconds(DateTime.fromJSDate(start.date()));
      const [year, month, day] = (['year', 'month', 'day'] as const).map((unit) => start.get(unit) ?? 0);
      return validMilliseconds(
        DateTime.fromObject({ year, month, day }, { zone: FixedOffsetZone.instance(offset) }),
      );
    },
    rule: 'must be a time in words, as March 1, 2024',
  };
}

/**
 * Returns what reads times: in ISO 8601, or by a format. Without an offset they are in UTC.
 * @param format tokens of Luxon, with English names of months; `unix`, `excel`, `words de`, or `words en from 2024-03-01`
 * @throws when the format does not tell a date
 */
export function timeReader(format = 'iso'): TimeReader {
  if (format === 'iso' || format === 'unix' || format === 'excel') return { iso, unix, excel }[format];
  const [, code, from] = inWords.exec(format) ?? [];
  if (code !== undefined) return wordsReader(code, from);
  if (format.startsWith('words'))
    throw new Error(
      `Times in words are read in ${languages.join(', ')}: write "words de", or "words en from 2024-03-01".`,
    );
  const read = (text: string, offset = 0) =>
    DateTime.fromFormat(text, format, { zone: FixedOffsetZone.instance(offset), locale: 'en-US' });
  const sample = DateTime.utc(2025, 11, 30, 16, 45, { locale: 'en-US' });
  const written = sample.toFormat(format);
  const tokens = format.replace(/'[^']*'/g, '');
  if (!/(?=.*y)(?=.*[ML])(?=.*d)/.test(tokens) || read(written).toISODate() !== sample.toISODate()) {
    throw new Error(
      `The format of times ${JSON.stringify(format)} does not tell a date: write it with tokens, as dd/MM/yyyy HH:mm.`,
    );
  }
  return {
    millisecondsOf(text, offset) {
      if (text.length > longestTime) return undefined;
      const plain = text.trim();
      // 10:15am, for formats that have a space there.
      const spaced = plain.replace(/(\d)([ap])\.?(m)\.?$/i, '$1 $2$3');
      return (
        validMilliseconds(read(plain, offset)) ??
        (spaced === plain ? undefined : validMilliseconds(read(spaced, offset)))
      );
    },
    rule: `must be a time like ${written}`,
  };
}

// Where a day begins first: UTC+14.
const earliestOffset = 14 * 60;

/**
 * When something was that is over: a time that names no zone, and has not come in UTC, is now where it has come somewhere on
 * earth. Milliseconds since the epoch; undefined where a text is no time, later than `now` where it is nowhere over.
 */
export function pastTime({ millisecondsOf }: TimeReader, text: string, now: number): number | undefined {
  const time = millisecondsOf(text);
  if (time === undefined || time <= now) return time;
  return (millisecondsOf(text, earliestOffset) ?? time) <= now ? now : time;
}

function validMilliseconds(time: DateTime): number | undefined {
  // Years of four digits: texts of other times do not sort as times do.
  return time.isValid && time.year > 0 && time.year <= 9999 ? time.toMillis() : undefined;
}

const dates = 'M/d/yyyy d/M/yyyy yyyy/M/d d.M.yyyy d-M-yyyy M-d-yyyy yyyy-M-d M/d/yy d/M/yy d.M.yy'.split(
  ' ',
);
const clocks = ['H:mm', 'H:mm:ss', 'h:mm a', 'h:mm:ss a'].flatMap((clock) => [` ${clock}`, `, ${clock}`]);

/** Undefined is ISO 8601. Of two that read as much, the first is taken. */
const inNumbers = [
  undefined,
  ...dates.flatMap((date) => ['', ...clocks].map((clock) => `${date}${clock}`)),
  'unix',
  'excel',
];

// A few odd lines are refused each by itself.
export const share = 0.9;
// So many rule out nearly all formats that a file does not have.
const few = 20;

/** As `timeReader` takes them; absent for ISO 8601. */
export interface DateFormats {
  format?: string;
  /** Reads as much, and something else: where day and month cannot be told apart. */
  other?: string;
}

/**
 * The format that reads the most of some times; undefined when none reads nearly all of them.
 * @param from the day that times such as `3 days ago` are counted from, ISO 8601; where it is absent, they are none
 */
export function dateFormatsOf(times: readonly string[], from?: string): DateFormats | undefined {
  if (times.length === 0) return undefined;
  // 01.02.2024 is the first of February wherever dates have dots, and English reads it as January.
  const hasDots = times.some((text) => /^\d{1,2}\.\d{1,2}\.\d{2,4}/.test(text.trim()));
  const inOrder = hasDots ? languages.toSorted((a, b) => Number(a === 'en') - Number(b === 'en')) : languages;
  const words = inOrder.map((language) => `words ${language}`);
  const counted = from === undefined ? [] : words.map((each) => `${each} from ${from}`);
  return bestOf(inNumbers, times) ?? bestOf([...words, ...counted], times);
}

function bestOf(formats: readonly (string | undefined)[], times: readonly string[]): DateFormats | undefined {
  const isMost = (read: readonly unknown[]) => countOf(read) >= share * read.length;
  const found = formats
    .filter((format) => isMost(timesBy(format, times.slice(0, few))))
    .map((format) => ({ format, read: timesBy(format, times) }))
    .filter(({ read }) => isMost(read))
    .toSorted((a, b) => countOf(b.read) - countOf(a.read));
  const [best, ...others] = found;
  if (!best) return undefined;
  const { format } = best;
  if (format === undefined) return {};
  const isOther = ({ read }: typeof best) =>
    countOf(read) === countOf(best.read) && read.some((time, i) => time !== best.read[i]);
  const other = others.find(isOther)?.format;
  return { format, ...(other !== undefined && { other }) };
}

// The year 25 is not meant.
const [oldest, newest] = [Date.UTC(1990), Date.UTC(2100)];

function timesBy(format: string | undefined, times: readonly string[]): (number | undefined)[] {
  const { millisecondsOf } = timeReader(format);
  return times.map((text) => {
    const time = millisecondsOf(text);
    return time !== undefined && time >= oldest && time < newest ? time : undefined;
  });
}

function countOf(read: readonly unknown[]): number {
  return read.filter((time) => time !== undefined).length;
}
