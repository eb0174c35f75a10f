/** Describes date formats to people. */
import { DateTime } from 'luxon';

const languageNames = new Intl.DisplayNames('en', { type: 'language' });
const example = DateTime.utc(2025, 11, 30, 16, 45, { locale: 'en-US' });

interface Description {
  text: string;
  example: string;
}

const named: Partial<Record<string, Description>> = {
  iso: { text: 'year-month-day', example: '2025-11-30' },
  unix: { text: 'seconds since 1970', example: '1764521100' },
  excel: { text: 'numbers of a spreadsheet', example: '45991' },
};

/** Returns a date format (`timeReader`) in words, and a date that is written in it. */
export function describeDateFormat(format = 'iso'): Description {
  const [first = '', ...others] = format.split(' or ');
  const { text, example } = describeOne(first);
  return { text: others.length > 0 ? `${text} and others` : text, example };
}

function describeOne(format: string): Description {
  const known = named[format];
  if (known) return known;
  const [, language, from] = /^words (\w+)(?: from (.+))?/.exec(format) ?? [];
  if (language === undefined) return { text: datePart(format), example: example.toFormat(format) };
  const ago = new Intl.RelativeTimeFormat(language).format(-3, 'day');
  const inWords = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  return {
    text: `words in ${languageNames.of(language)}`,
    example: from === undefined ? inWords.format(example.toJSDate()) : ago,
  };
}

const parts = { y: 'year', M: 'month', L: 'month', d: 'day' } as const;

/** Returns the order of year, month and day of Luxon tokens. */
function datePart(format: string): string {
  const [date = format] = /[yMLd](?:.*[yMLd])?/.exec(format.replaceAll(/'[^']*'/g, '')) ?? [];
  return date.replaceAll(/([yMLd])\1*/g, (_, token: keyof typeof parts) => parts[token]);
}
