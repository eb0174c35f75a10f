/** Testimonials in the spreadsheets of people, by the program that wrote the file. */

import { approvedOrNot, csv, dayOf, nameOf, reviews, toolFile } from './tool-file.ts';
import { workbook } from './workbook.ts';

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
