/** Reading times as files write them. */
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
