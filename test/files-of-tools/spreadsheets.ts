/** Testimonials in the spreadsheets of people, by the program that wrote the file. */

import { writtenOut } from './testimonial-tools.ts';
import {
  approvedOrNot,
  csv,
  dayOf,
  nameOf,
  type Review,
  reviews,
  type ToolFile,
  toolFile,
} from './tool-file.ts';
import { serialOf, workbook } from './workbook.ts';

/** A time as Americans write it: `1/3/2024 10:15am`. */
function american(time: string): string {
  const date = new Date(`${time}Z`);
  const hour = date.getUTCHours();
  const minutes = String(date.getUTCMinutes()).padStart(2, '0');
  const clock = `${hour % 12 || 12}:${minutes}${hour < 12 ? 'am' : 'pm'}`;
  return `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()} ${clock}`;
}

export const airtable = toolFile('Airtable', 'Testimonials-Grid view.csv', {
  told: [/Not used: Photo/],
  bytes: `\uFEFF${csv((each) => ({
    Name: nameOf(each),
    Email: each.email,
    Company: each.company,
    Testimonial: each.text,
    Rating: '★'.repeat(each.rating),
    Status: { approved: 'Live', pending: 'In review', rejected: 'Archived' }[each.status],
    Tags: each.tags.join(','),
    Created: american(each.time),
    Photo: 'me.jpg (https://dl.example.com/me.jpg)',
  }))}`,
});

const german = (each: Review) => ({
  Vorname: each.first,
  Nachname: each.last,
  'E-Mail': each.email,
  Firma: each.company,
  Bewertung: `${each.rating},0`,
  Kommentar: each.text,
  Datum: dayOf(each).split('-').reverse().join('.'),
});
const inGerman = {
  without: ['tags', 'status'],
  says: (each: Review) => ({ time: dayOf(each) }),
} as const;

/** CSV of Excel on a German Windows: semicolons, and Windows-1252. */
export const germanExcel = toolFile('a German Excel', 'kundenstimmen.csv', {
  told: ['Windows-1252'],
  bytes: Buffer.from(csv(german, ';').replaceAll('’', '\x92'), 'latin1'),
  ...inGerman,
});

export const sheets: ToolFile[] = [
  // A line that tells Excel the separator, and above the header the title of the sheet.
  toolFile('a sheet with a title', 'titled.csv', {
    told: ['1 line above the header is ignored.'],
    bytes: `sep=;\r\nUnsere Kundenstimmen, 2024;;;;;;\r\n${csv(german, ';')}`,
    ...inGerman,
  }),
  // UTF-16, tabs.
  toolFile('Unicode text of Excel', 'kundenstimmen.txt', {
    bytes: Buffer.from(`\uFEFF${csv(german, '\t')}`, 'utf16le'),
    ...inGerman,
  }),
];

export const workbookOfExcel = toolFile('a workbook', 'Testimonials.xlsx', {
  told: [
    'Sheet Testimonials is imported. Ignored: Notes.',
    '2 lines above the header are ignored.',
    /What they said \(“yes”\)/,
  ],
  bytes: workbook({
    Notes: [['Ask Ann'], ['before you publish']],
    Testimonials: [
      ['Customer voices'],
      [],
      ['of all teams'],
      ['Full name', 'Email', 'Company', 'Stars', 'What they said', 'Comment', 'Date', 'Published'],
      ...reviews.map((each) => [
        nameOf(each),
        each.email,
        each.company,
        each.rating,
        'yes',
        each.text,
        { day: each.time },
        each.status === 'approved',
      ]),
    ],
  }),
  without: ['tags'],
  says: (each) => ({ status: approvedOrNot(each) }),
});

const months = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
const inWords = (locale: string) => (time: string) => months(locale).format(new Date(`${time}Z`));

const numbers = ['', 'One', 'Two', 'Three', 'Four', 'Five'];

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
export const writtenByPeople: ToolFile[] = ways.map(([tool, rating, day], i) =>
  toolFile(`a table with ${tool}`, `table-${i}.csv`, {
    bytes: csv((each) => ({
      Name: nameOf(each),
      Email: each.email,
      Organisation: each.company,
      Testimonial: each.text,
      Rating: rating(each.rating),
      Date: day(each.time),
    })),
    without: ['tags', 'status'],
    says: (each) => (/Unix|serial/.test(tool) ? {} : { time: dayOf(each) }),
  }),
);
