/** Testimonials in the spreadsheets of people, by the program that wrote the file. */

import { approvedOrNot, csv, dayOf, nameOf, reviews, toolFile } from './tool-file.ts';
import { workbook } from './workbook.ts';

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

/** CSV of Excel on a German Windows: semicolons, and Windows-1252. */
export const germanExcel = toolFile('a German Excel', 'kundenstimmen.csv', {
  told: ['Windows-1252'],
  bytes: Buffer.from(
    csv(
      (each) => ({
        Vorname: each.first,
        Nachname: each.last,
        'E-Mail': each.email,
        Firma: each.company,
        Bewertung: `${each.rating},0`,
        Kommentar: each.text,
        Datum: dayOf(each).split('-').reverse().join('.'),
      }),
      ';',
    ).replaceAll('’', '\x92'),
    'latin1',
  ),
  without: ['tags', 'status'],
  says: (each) => ({ time: dayOf(each) }),
});

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
