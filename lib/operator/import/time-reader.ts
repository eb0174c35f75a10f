/** Reading times as files write them, and finding how those of a file are written. */
import { DateTime } from 'luxon';

export interface TimeReader {
  /**
   * Milliseconds since the epoch; undefined where a text is no time.
   * @param zone of a text that names none; UTC where it is absent
   */
  millisecondsOf: (text: string, zone?: string) => number | undefined;
  /** Told of what is no time. */
  rule: string;
}

// Nobody writes a time with more characters; what reads it stays quick.
const longestTime = 100;

const iso: TimeReader = {
  millisecondsOf(text, zone = 'utc') {
    if (text.length > longestTime) return undefined;
    // As databases write it: 2026-01-15 10:30:00 +01:00, or UTC behind it.
    const written = text
      .trim()
      .replace(/^([\d-]+) +(\d)/, '$1T$2')
      .replace(/ *(UTC|GMT|Z)$/i, 'Z')
      .replace(/ +([+-]\d\d:?\d\d)$/, '$1');
    // ISO 8601 allows for less than a date.
    if (!/^\d{4}(-\d\d-\d\d|\d{4})(T|$)/.test(written)) return undefined;
    return validMilliseconds(DateTime.fromISO(written, { zone }));
  },
  rule: 'must be a time in ISO 8601, as 2026-01-15T10:30:00Z; name another format with --date-format',
};

/**
 * Returns what reads times: in ISO 8601, or by a format. Without an offset they are in UTC.
 * @param format tokens of Luxon; names of months are English
 * @throws when the format does not tell a date
 */
export function timeReader(format: string | undefined): TimeReader {
  if (format === undefined) return iso;
  const read = (text: string, zone = 'utc') => DateTime.fromFormat(text, format, { zone, locale: 'en-US' });
  const sample = DateTime.utc(2025, 11, 30, 16, 45, { locale: 'en-US' });
  const written = sample.toFormat(format);
  if (read(written).toISODate() !== sample.toISODate()) {
    throw new Error(
      `--date-format ${JSON.stringify(format)} does not tell a date: write it with tokens, as dd/MM/yyyy HH:mm.`,
    );
  }
  return {
    millisecondsOf: (text, zone) =>
      text.length > longestTime ? undefined : validMilliseconds(read(text.trim(), zone)),
    rule: `must be a time like ${written}`,
  };
}

// Where a day begins first.
const earliestZone = 'UTC+14';

/**
 * When something was that is over: a time that names no zone, and has not come in UTC, is now where it has come somewhere on
 * earth. Milliseconds since the epoch; undefined where a text is no time, later than `now` where it is nowhere over.
 */
export function pastTime({ millisecondsOf }: TimeReader, text: string, now: number): number | undefined {
  const time = millisecondsOf(text);
  if (time === undefined || time <= now) return time;
  return (millisecondsOf(text, earliestZone) ?? time) <= now ? now : time;
}

function validMilliseconds(time: DateTime): number | undefined {
  // Years of four digits: texts of other times do not sort as times do.
  return time.isValid && time.year > 0 && time.year <= 9999 ? time.toMillis() : undefined;
}

const dates = [
  ...['M/d/yyyy', 'd/M/yyyy', 'yyyy/M/d', 'd.M.yyyy', 'd-M-yyyy', 'M-d-yyyy', 'yyyy-M-d'],
  ...['MMM d, yyyy', 'MMMM d, yyyy', 'd MMM yyyy', 'd MMMM yyyy', 'd-MMM-yyyy', 'MMM d yyyy'],
  ...['M/d/yy', 'd/M/yy', 'd.M.yy', 'd-MMM-yy'],
];
const clocks = [
  '',
  ...[' ', ', '].flatMap((gap) => ['H:mm', 'H:mm:ss', 'h:mm a', 'h:mm:ss a'].map((each) => gap + each)),
];

/** Undefined is ISO 8601. Of two that read as much, the first is taken. */
const formats = [undefined, ...dates.flatMap((date) => clocks.map((clock) => `${date}${clock}`))];

// A few odd lines are refused each by itself.
const share = 0.9;
// So many rule out nearly all formats that a file does not have.
const few = 20;

/** Tokens of Luxon; absent for ISO 8601. */
export interface DateFormats {
  format?: string;
  /** Reads as much, and something else: where day and month cannot be told apart. */
  other?: string;
}

/** The format that reads the most of some times; undefined when none reads nearly all of them. */
export function dateFormatsOf(times: readonly string[]): DateFormats | undefined {
  if (times.length === 0) return undefined;
  const found = formats
    .filter((format) => countOf(timesBy(format, times.slice(0, few))) >= share * Math.min(few, times.length))
    .map((format) => ({ format, read: timesBy(format, times) }))
    .filter(({ read }) => countOf(read) >= share * times.length)
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

function countOf(read: readonly (number | undefined)[]): number {
  return read.filter((time) => time !== undefined).length;
}
