/** Testimonials in the spreadsheets of people, by the program that wrote the file. */

import { writtenOut } from './testimonial-tools.ts';
import { csv, dayOf, nameOf, type Review, reviews, saidOf, type ToolFile } from './tool-file.ts';
import { serialOf, workbook } from './workbook.ts';

/** A time as Americans write it: `1/3/2024 10:15am`. */
function american(time: string): string {
  const date = new Date(`${time}Z`);
  const hour = date.getUTCHours();
  const minutes = String(date.getUTCMinutes()).padStart(2, '0');
  const clock = `${hour % 12 || 12}:${minutes}${hour < 12 ? 'am' : 'pm'}`;
  return `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()} ${clock}`;
}

export function airtable(): ToolFile {
  return {
    ...{ tool: 'Airtable', file: 'Testimonials-Grid view.csv', typed: 'y', told: [/Not used: Photo/] },
    bytes: `\uFEFF${csv(
      reviews.map((each) => ({
        Name: nameOf(each),
        Email: each.email,
        Company: each.company,
        Testimonial: each.text,
        Rating: '★'.repeat(each.rating),
        Status: { approved: 'Live', pending: 'In review', rejected: 'Archived' }[each.status],
        Tags: each.tags.join(','),
        Created: american(each.time),
        Photo: 'me.jpg (https://dl.example.com/me.jpg)',
      })),
    )}`,
    said: reviews.map((each) => saidOf(each)),
  };
}

const german = (each: Review) => ({
  Vorname: each.first,
  Nachname: each.last,
  'E-Mail': each.email,
  Firma: each.company,
  Bewertung: `${each.rating},0`,
  Kommentar: each.text,
  Datum: dayOf(each).split('-').reverse().join('.'),
});
const saidInGerman = reviews.map((each) => ({ ...saidOf(each, 'tags', 'status'), time: dayOf(each) }));

/** CSV of Excel on a German Windows: semicolons, and Windows-1252. */
export function germanExcel(): ToolFile {
  const text = csv(reviews.map(german), ';').replaceAll('’', '\x92');
  return {
    ...{ tool: 'a German Excel', file: 'kundenstimmen.csv', typed: 'y', told: ['Windows-1252'] },
    bytes: Buffer.from(text, 'latin1'),
    said: saidInGerman,
  };
}

/** A line that tells Excel the separator, and above the header the title of the sheet. */
export function titled(): ToolFile {
  return {
    ...{
      tool: 'a sheet with a title',
      file: 'titled.csv',
      typed: 'y',
      told: ['1 line above the header is not read.'],
    },
    bytes: `sep=;\r\nUnsere Kundenstimmen, 2024;;;;;;\r\n${csv(reviews.map(german), ';')}`,
    said: saidInGerman,
  };
}

/** “Unicode text” of Excel: UTF-16, tabs. */
export function unicodeText(): ToolFile {
  return {
    ...{ tool: 'Unicode text of Excel', file: 'kundenstimmen.txt', typed: 'y', told: [] },
    bytes: Buffer.from(`\uFEFF${csv(reviews.map(german), '\t')}`, 'utf16le'),
    said: saidInGerman,
  };
}

export function excel(): ToolFile {
  const header = ['Full name', 'Email', 'Company', 'Stars', 'What they said', 'Comment', 'Date', 'Published'];
  return {
    ...{ tool: 'a workbook', file: 'Testimonials.xlsx', typed: 'y' },
    told: [
      'The sheet Testimonials is read; Notes is not.',
      '2 lines above the header are not read.',
      /What they said \(“yes”\)/,
    ],
    bytes: workbook({
      Notes: [['Ask Ann'], ['before you publish']],
      Testimonials: [
        ['Customer voices'],
        [],
        ['of all teams'],
        header,
        ...reviews.map((each) => [
          ...[nameOf(each), each.email, each.company, each.rating, 'yes', each.text],
          ...[{ day: each.time }, each.status === 'approved'],
        ]),
      ],
    }),
    said: reviews.map((each) => ({
      ...saidOf(each, 'tags'),
      status: each.status === 'approved' ? 'approved' : 'pending',
    })),
  };
}

const months = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
const inWords = (locale: string) => (time: string) => months(locale).format(new Date(`${time}Z`));

/** Ways in which people write stars and days. */
const ways: readonly [string, (rating: number) => string, (time: string) => string][] = [
  ['80 %, 1. März 2024', (rating) => `${20 * rating} %`, inWords('de')],
  ['5 stars, Mar 4th, 2024', (rating) => `${rating} stars`, writtenOut],
  ['5/5, Unix seconds', (rating) => `${rating}/5`, (time) => String(Date.parse(`${time}Z`) / 1000)],
  ['8/10, serial numbers', (rating) => `${2 * rating}/10`, (time) => String(serialOf(time))],
  ['4,0, 1 mars 2024', (rating) => `${rating},0`, inWords('fr')],
  ['⭐⭐⭐, 1 de março de 2024', (rating) => '⭐'.repeat(rating), inWords('pt')],
  [
    '★★★☆☆, 2024/03/01',
    (rating) => '★★★★★☆☆☆☆☆'.slice(5 - rating, 10 - rating),
    (time) => time.slice(0, 10).replaceAll('-', '/'),
  ],
  ['four, 1-Mar-24', (rating) => numbers[rating] ?? '', (time) => shortDay(time)],
];
const numbers = ['', 'One', 'Two', 'Three', 'Four', 'Five'];

function shortDay(time: string): string {
  const [day, month, year] = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: '2-digit',
    timeZone: 'UTC',
  })
    .format(new Date(`${time}Z`))
    .split(' ');
  return `${day}-${month}-${year}`;
}

/** A plain table, for each of these ways. */
export function writtenByPeople(): ToolFile[] {
  return ways.map(([tool, rating, day], i) => ({
    ...{ tool: `a table with ${tool}`, file: `table-${i}.csv`, typed: 'y', told: [] },
    bytes: csv(
      reviews.map((each) => ({
        Name: nameOf(each),
        Email: each.email,
        Organisation: each.company,
        Testimonial: each.text,
        Rating: rating(each.rating),
        Date: day(each.time),
      })),
    ),
    said: reviews.map((each) => ({
      ...saidOf(each, 'tags', 'status'),
      ...(!/Unix|serial/.test(tool) && { time: dayOf(each) }),
    })),
  }));
}
