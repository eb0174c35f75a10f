/** Reading times as files write them. */
import { DateTime } from 'luxon';

export interface TimeReader {
  /** Milliseconds since the epoch; undefined where a text is no time. */
  millisecondsOf: (text: string) => number | undefined;
  /** Told of what is no time. */
  rule: string;
}

const iso: TimeReader = {
  millisecondsOf(text) {
    // As databases write it: 2026-01-15 10:30:00 +01:00, or UTC behind it.
    const written = text
      .trim()
      .replace(/^([\d-]+) +(\d)/, '$1T$2')
      .replace(/ *(UTC|GMT|Z)$/i, 'Z')
      .replace(/ +([+-]\d\d:?\d\d)$/, '$1');
    // ISO 8601 allows for less than a date.
    if (!/^\d{4}(-\d\d-\d\d|\d{4})(T|$)/.test(written)) return undefined;
    return validMilliseconds(DateTime.fromISO(written, { zone: 'utc' }));
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
  const read = (text: string) => DateTime.fromFormat(text, format, { zone: 'utc', locale: 'en-US' });
  const sample = DateTime.utc(2025, 11, 30, 16, 45, { locale: 'en-US' });
  const written = sample.toFormat(format);
  if (read(written).toISODate() !== sample.toISODate()) {
    throw new Error(
      `--date-format ${JSON.stringify(format)} does not tell a date: write it with tokens, as dd/MM/yyyy HH:mm.`,
    );
  }
  return {
    millisecondsOf: (text) => validMilliseconds(read(text.trim())),
    rule: `must be a time like ${written}`,
  };
}

function validMilliseconds(time: DateTime): number | undefined {
  // Years of four digits: texts of other times do not sort as times do.
  return time.isValid && time.year > 0 && time.year <= 9999 ? time.toMillis() : undefined;
}
