/** The guessed mapping of a file: what headings say, its columns, and the formats of times and ratings. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Chrono } from 'chrono-node';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { mentionsTopic } from '../../../functions/csv/column-names.ts';
import headingWords from '../../../functions/csv/heading-topics.json' with { type: 'json' };
import { describeDateFormat } from '../../../functions/reading/date-format-names.ts';
import { dateFormatsOf, offeredFormats } from '../../../functions/reading/detect-date-format.ts';
import type { FileFormat } from '../../../functions/reading/formats.ts';
import type { Mapping } from '../../../functions/reading/map-columns.ts';
import { chooseSheet } from '../../../functions/reading/open-file.ts';
import { csvSheet } from '../../../functions/reading/spreadsheet.ts';
import { loadLanguages, timeReader } from '../../../functions/reading/times.ts';
import { readFile } from '../../read-file.ts';

beforeAll(loadLanguages);

const guessFor = (
  csv: string,
  { format = 'csv', ...chosen }: Partial<Mapping> & { format?: FileFormat } = {},
) => {
  const { guess, mapping } = chooseSheet(
    { name: 'reviews.csv', format, hash: '', modifiedAt: new Date('2024-06-15') },
    { text: csv, sheets: [csvSheet(csv)], needsNoSheet: format === 'ndjson' },
    { map: {}, defaults: {}, ...chosen },
  );
  return guess && { ...guess, mapping };
};

const person = { 'author.name': ['Name'], 'author.email': ['Email'] };

test.each([
  ['stars out of a hundred', 'Score', '87'],
  ['a status that no tool has', 'Status', 'fulfilled'],
  ['an unreadable date', 'Date', 'soon'],
])('%s are not guessed', (_, column, value) => {
  const guess = guessFor(`Text,Name,Email,${column}\nIt works well.,A,a@b.cd,${value}\n`);
  expect(guess).toMatchObject({ mapping: { map: { content: ['Text'], ...person } }, withoutColumn: [] });
  expect(Object.values(guess?.mapping.map ?? {}).flat()).not.toContain(column);
  expect(guess?.misfits).toMatchObject([{ column }]);
});

test.each([
  ['Reviewer Name', 'Reviewer Email', 'Rating', 'Comments', 'Date'],
  ['reviewer', 'Contact email', 'star_rating', 'message', 'date_reviewed'],
  ['profileName', 'reviewer_email', 'stars', 'Text feedback', 'Response date'],
  ['Kontakt', 'E-Mail', 'Sterne', 'Kommentar', 'Datum'],
  ['Nom', 'Courriel', 'Note', 'Avis', 'Date'],
  ['Nombre', 'Correo electrónico', 'Valoración', 'Reseña', 'Fecha'],
  ['Cliente', 'E-mail', 'Nota', 'Avaliação', 'Data'],
  ['Nome cliente', 'Email', 'Voto', 'Commento del cliente', 'Data recensione'],
  ['Naam', 'E-mailadres', 'Cijfer', 'Ervaring', 'Datum'],
  ['お客様名', 'メールアドレス', '評価', 'レビュー本文', '投稿日'],
])('the columns %s, %s, %s, %s and %s need no question', (name, email, rating, content, createdAt) => {
  const header = [name, email, rating, content, createdAt].join();
  expect(guessFor(`${header}\nAnn Lee,a@b.cd,4,It works well.,2024-03-04\n`)).toMatchObject({
    withoutColumn: [],
    choices: {},
    mapping: {
      map: {
        'author.name': [name],
        'author.email': [email],
        rating: [rating],
        content: [content],
        createdAt: [createdAt],
      },
    },
  });
});

test.each(['Consent', 'consent', 'Consent page', 'Consent.Page', 'Consent at', 'Page', 'consentAt'])(
  'a column %s of another tool is not guessed to be consent',
  (column) => {
    for (const cell of ['yes', '2024-01-15', '0123456789abcdefABCDEF']) {
      const guess = guessFor(`Text,Name,Email,${column}\nIt works well.,A,a@b.cd,${cell}\n`);
      expect(Object.keys(guess?.mapping.map ?? {}).filter((field) => /consent/.test(field))).toEqual([]);
      expect(guess?.misfits).toEqual([]);
    }
  },
);

test.each([
  ['is in NDJSON', { format: 'ndjson' as const }],
  ['names its columns', { map: { content: ['Text'], ...person, rating: ['Stars'] } }],
  ['leaves a column out on purpose', { map: { content: ['Text'], ...person, rating: [] } }],
])('there is no guess for a file that %s', (_, options) => {
  expect(guessFor('Text,Name,Email,Stars\nIt works well.,A,a@b.cd,5\n', options)).toBeUndefined();
});

test('a column that fits another field is not reported as unfit', () => {
  const guess = guessFor('Bewertung,Name,Email\n5,A,a@b.cd\n');
  expect(guess).toMatchObject({ withoutColumn: ['content'], misfits: [] });
  expect(guess?.mapping.map).toMatchObject({ rating: ['Bewertung'] });
});

test.each([2, 3])('an address that is the same in %i rows is an inbox from three rows on', (count) => {
  const rows = ['It works well,A,x@b.cd,a@b.cd', 'It works,A,x@b.cd,e@f.gh', 'It is fine,A,x@b.cd,i@j.kl'];
  const { choices, mapping } = guessFor(`Review,Name,Qux,Quy\n${rows.slice(0, count).join('\n')}\n`) ?? {};
  if (count === 2) expect(choices).toEqual({ 'author.email': ['Qux', 'Quy'] });
  else expect(mapping?.map).toMatchObject({ 'author.email': ['Quy'] });
});

test('an empty column is nobody’s address while another one has the addresses', () => {
  const csv = 'Email,Name,Review,Wohin?\n,A,It works well.,a@b.cd\nanonymous,B,It works too.,e@f.gh\n';
  expect(guessFor(csv)).toMatchObject({
    withPlaceholder: [],
    mapping: { map: { 'author.email': ['Wohin?'] } },
  });
});

test.each([
  ['no column can be the address', 'Review,Name\nIt works well.,A\n', ['author.email']],
  ['no column can be the name', 'Review,Email\nIt works well.,a@b.cd\n', ['author.name']],
  ['only numbers are left', 'Review,Email,Qux\nIt works well.,a@b.cd,17\n', ['author.name']],
  ['one of two could be the name', 'Review,Email,Qux,Quy\nIt works well.,a@b.cd,Ann,Acme\n', []],
  [
    'one column has an address somewhere',
    'Review,Name,Qux\nIt works well.,A,\nIt is fine.,B,\nSo it is.,C,c@d.ef\n',
    [],
  ],
])('a placeholder is proposed only if no column can be the field: %s', (_, csv, withPlaceholder) => {
  expect(guessFor(csv)).toMatchObject({ withPlaceholder });
});

test('columns that fit an optional field equally well are not used, and someone is asked', () => {
  const csv = 'Review,Name,Email,Qux,Quy\nIt works well.,A,a@b.cd,5,4\nIt is fine.,B,b@b.cd,2,3\n';
  const { choices, mapping } = guessFor(csv) ?? {};
  expect(choices).toEqual({ rating: ['Qux', 'Quy'] });
  expect(mapping?.map).not.toHaveProperty('rating');
});

test.each([
  ['counts the rows', ['1', '2', '3']],
  ['is above five', ['4', '6', '2']],
  ['is a percentage', ['80 %', '60 %', '20 %']],
  ['is always one', ['1', '1', '1']],
])('a column without a heading for ratings that %s is only offered', (_, [a, b, c]) => {
  const csv = `Review,Name,Email,Qux\nIt works well.,A,a@b.cd,${a}\nIt is fine.,B,b@b.cd,${b}\nSo it is.,C,c@b.cd,${c}\n`;
  expect(guessFor(csv)).toMatchObject({ choices: { rating: ['Qux'] }, foundByValues: [] });
});

test('an export is never guessed by its values', () => {
  const own = 'content,author.name,author.email,source\nIt works well.,A,a@b.cd,5\nIt is fine.,B,b@b.cd,3\n';
  expect(guessFor(own)).toBeUndefined();
});

test('chosen columns stay, and the others are guessed', () => {
  const csv = 'Text,Review,Name,Email\nIt works well.,no,A,a@b.cd\n';
  const guess = guessFor(csv, { map: { content: ['Review'] } });
  expect(guess).toMatchObject({
    withoutColumn: [],
    mapping: { map: { content: ['Review'], ...person } },
  });
});

test('a default does not replace the column', () => {
  const csv = 'Text,Name,Email,Stars\nIt works well.,A,a@b.cd,5\n';
  const defaults = { rating: '3', 'author.company': 'Acme' };
  const { mapping } = guessFor(csv, { defaults }) ?? {};
  expect(mapping).toMatchObject({ map: { ...person, rating: ['Stars'] }, defaults });
});

test('columns with the same name are numbered, and someone has to choose between those that fit', () => {
  const csv = 'Text,Name,Email,Email\nIt works well.,A,a@b.cd,e@f.gh\n';
  expect(guessFor(csv)).toMatchObject({
    withoutColumn: ['author.email'],
    withPlaceholder: [],
    choices: { 'author.email': ['Email (1)', 'Email (2)'] },
    mapping: { map: { content: ['Text'], 'author.name': ['Name'] } },
  });
  const map = { 'author.email': ['Email (2)'] };
  expect(guessFor(csv, { map })).toMatchObject({ withoutColumn: [], mapping: { map } });
  // Two columns with the name of a field are not that field.
  const own = 'content,content,author.name,author.email\nIt works well.,It is great.,A,a@b.cd\n';
  expect(guessFor(own)).toMatchObject({ withoutColumn: ['content'] });
});

describe('the format of times', () => {
  const millisecondsBy = (format: string | undefined, times: readonly string[]) =>
    times.map((text) => timeReader(format).millisecondsOf(text));

  test.each([
    'M/d/yyyy',
    'd/M/yyyy H:mm',
    'dd.MM.yyyy',
    'MMM d, yyyy',
    'd MMMM yyyy',
    'MM/dd/yyyy h:mm:ss a',
    'd/M/yy',
  ])('is detected: %s', (format) => {
    const time = fc.date({ min: new Date('2001-01-13'), max: new Date('2029-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 30 }), (times) => {
        const all = [new Date('2020-01-25T13:30:00Z'), ...times];
        const written = all.map((each) =>
          DateTime.fromJSDate(each, { zone: 'utc' }).setLocale('en-US').toFormat(format),
        );
        const read = dateFormatsOf(written);
        const expected = millisecondsBy(format, written);
        expect(read === undefined ? [] : millisecondsBy(read.format, written)).toEqual(expected);
      }),
      { numRuns: 3 },
    );
  });

  test('has the day first in dates with dots', () => {
    const times = ['31.12.2023', '01.02.2024', '2024-02-13 10:00'];
    const { format } = dateFormatsOf(times) ?? {};
    expect(millisecondsBy(format, times)[1]).toBe(Date.parse('2024-02-01'));
  });

  test.each([
    ['2024/07/01 9:15:00 PM GMT+2', '2024-07-01T19:15:00Z'],
    ['2024年3月1日 午後2:05', '2024-03-01T14:05:00Z'],
    ['2024. 3. 1 오후 2:05:09', '2024-03-01T14:05:09Z'],
    ['21.03.2024, 10:15', '2024-03-21T10:15:00Z'],
    ['2024年3月4日（月）', '2024-03-04T00:00:00Z'],
    ['1-Mar-24', '2024-03-01T00:00:00Z'],
    ['Mar 4th, 2024', '2024-03-04T00:00:00Z'],
    ['1 mars 2024', '2024-03-01T00:00:00Z'],
    ['1 de março de 2024', '2024-03-01T00:00:00Z'],
    ['20240301101500', '2024-03-01T10:15:00Z'],
    ['1709288100', '2024-03-01T10:15:00Z'],
    ['2024-03-01 05:15:00 America/New_York', '2024-03-01T10:15:00Z'],
    ['03/01/24, 10:15 AM', '2024-03-01T10:15:00Z'],
  ])('is found for %s', (text, time) => {
    const { format } = dateFormatsOf([text]) ?? {};
    expect(millisecondsBy(format, [text])).toEqual([Date.parse(time)]);
  });

  test('can be several in one column, and still be ambiguous', () => {
    // Words in English would read them all, and hide that day and month are ambiguous.
    expect(dateFormatsOf(['03/04/2024', '05/06/2024', '2024-03-21'])).toEqual({
      format: 'M/d/yyyy or iso or excel',
      other: 'd/M/yyyy or iso or excel',
    });
  });
});

describe('nine in ten', () => {
  const rows = (values: readonly string[]) =>
    `Text,Name,Email,Score,Date\n${values.map((value) => `It works well.,A,a@b.cd,${value}\n`).join('')}`;
  const most = Array.from({ length: 9 }, (_, i) => `${(i % 5) + 1},2024-0${i + 1}-01`);

  test('fitting values are enough for a rating or a date', () => {
    expect(guessFor(rows([...most, 'none,soon']))?.mapping.map).toMatchObject({
      rating: ['Score'],
      createdAt: ['Date'],
    });
  });

  test('fewer are not enough', () => {
    const { map } = guessFor(rows([...most, 'none,soon', 'none,soon']))?.mapping ?? { map: {} };
    expect(map).not.toHaveProperty('rating');
    expect(map).not.toHaveProperty('createdAt');
  });

  test('a column with the name of a field but other values is not used', () => {
    const csv = 'content,name,email,type,status\nIt works well.,A,a@b.cd,product,shipped\n';
    expect(guessFor(csv)?.mapping.map).toMatchObject({ type: [], status: [] });
    // Exports of this service are not guessed.
    const own = 'content,author.name,author.email,type,status\nIt works well.,A,a@b.cd,product,shipped\n';
    expect(guessFor(own)).toBeUndefined();
  });
});

test.each([
  ['Name,Author,Email', ['Author'], ['Email']],
  ['Customer,First name,Last name,Email', ['First name', 'Last name'], ['Email']],
  ['Client name,Email,Client email', ['Client name'], ['Client email']],
  ['Name,Email,Client email', ['Name'], ['Email']],
  ['First name,Your email', ['First name'], ['Your email']],
  ['Vorname,Name,E-Mail', ['Vorname', 'Name'], ['E-Mail']],
  ['Nom,Prénom,Courriel', ['Prénom', 'Nom'], ['Courriel']],
])('in %s the person has the columns %j and %j', (header, name, email) => {
  const cells = header.split(',').map((each) => (/mail|courriel/i.test(each) ? 'a@b.cd' : 'Abc'));
  const guess = guessFor(`${header},Review\n${cells.join(',')},It works well.\n`);
  expect(guess?.mapping.map).toMatchObject({ 'author.name': name, 'author.email': email });
});

/** Counts the calls of a method. A spy would also keep their arguments, which fills the memory. */
function countCalls<Name extends string>(
  object: Record<Name, (...args: never[]) => unknown>,
  name: Name,
): () => number {
  const method = object[name];
  let calls = 0;
  object[name] = function (this: unknown, ...args) {
    calls += 1;
    return method.apply(this, args);
  };
  return () => {
    object[name] = method;
    return calls;
  };
}

test.each([
  ['a scale', (i: number, k: number) => ['5 - Very satisfied', '4 - Satisfied', '3 - Neutral'][(i + k) % 3]],
  ['answers with numbers', (i: number, k: number) => `Answer ${i} of ${k}`],
  ['dates', (i: number, k: number) => `${1 + ((i + k) % 28)}.${1 + (k % 12)}.2024 10:0${i % 10}`],
])(
  'of a survey with a hundred columns of %s, each cell is read as a time by few formats',
  async (_, cell) => {
    const inNumbers = countCalls(DateTime, 'fromFormatParser');
    // The slowest of all.
    const inWords = countCalls(Chrono.prototype, 'parse');
    const columns = Array.from({ length: 100 }, (_, k) => k);
    const rows = Array.from({ length: 300 }, (_, i) =>
      [
        `Jane Doe ${i}`,
        `j${i}@example.com`,
        'This is really great.',
        ...columns.map((k) => cell(i, k)),
      ].join(),
    );
    const header = [
      'Name,Email,Review',
      ...columns.map((k) => `How satisfied are you with part ${k}?`),
    ].join();
    const { rejected } = await readFile([header, ...rows].join('\n'));
    expect(rejected).toBe(0);
    const cells = rows.length * columns.length;
    expect(inNumbers()).toBeLessThan(2.5 * cells);
    expect(inWords()).toBeLessThan(cells / 5);
  },
);

describe('the formats from which a person chooses', () => {
  test.each([
    [
      ['03/04/2024', '05/06/2024'],
      ['M/d/yyyy', 'd/M/yyyy'],
    ],
    // The last one fits both values, the first one only one.
    [
      ['03/04/2024', '25/06/2024'],
      ['d/M/yyyy', 'M/d/yyyy'],
    ],
    [['2024-03-01', '2024-03-02'], ['iso']],
    [['4. März 2024'], ['words de']],
    [['3 days ago'], ['words en from 2026-11-29']],
    [['45352', '45353'], ['excel']],
    [
      ['03/04/2024', '05/06/2024', '2024-06-07'],
      ['M/d/yyyy or iso or excel', 'd/M/yyyy or iso or excel', 'M/d/yyyy', 'd/M/yyyy', 'iso'],
    ],
  ])('of %j are %j', (times, expected) => {
    expect(offeredFormats(times, '2026-11-29')).toEqual(expected);
  });

  test.each([[[]], [['soon', 'later']]])('of %j are all, each once', (times) => {
    const formats = offeredFormats(times, '2026-11-29');
    const texts = formats.map((format) => JSON.stringify(describeDateFormat(format)));
    expect(new Set(texts).size).toBe(texts.length);
    expect(formats).toEqual(expect.arrayContaining(['iso', 'd.M.yyyy', 'excel', 'unix', 'words fr']));
  });
});

test.each([
  [undefined, 'year-month-day', '2025-11-30'],
  ['d/M/yyyy H:mm', 'day/month/year', '30/11/2025 16:45'],
  ['yyyyMMddHHmmss', 'yearmonthday', '20251130164500'],
  ["'on' EEE, MMM d, yyyy", 'month day, year', 'on Sun, Nov 30, 2025'],
  ['words de', 'words in German', '30. November 2025'],
  ['words en from 2026-11-29', 'words in English', '3 days ago'],
  ['d.M.yyyy or iso or excel', 'day.month.year and others', '30.11.2025'],
])('%s is described in words, with an example that it reads', (format, text, example) => {
  expect(describeDateFormat(format)).toEqual({ text, example });
  expect(timeReader(format).millisecondsOf(example)).toBeDefined();
});

type Topic = keyof typeof headingWords;
const words = Object.entries(headingWords).flatMap(([topic, all]) =>
  all.map((word) => [word, topic as Topic] as const),
); // its keys

test('every word of a topic is found in a question, in any case and with its accents', () => {
  for (const [word, topic] of words) {
    for (const question of [
      `${word.trim()}?`,
      `(1) ¿${word.trim().toUpperCase()} …`,
      `x y: ${word.trim()} z`,
    ])
      expect([word, mentionsTopic(question, topic)]).toEqual([word, true]);
  }
});

test.each([
  ['Wie heißen Sie?', 'author.name'],
  ['Adınız ve soyadınız', 'author.name'],
  ['Imię i nazwisko:', 'author.name'],
  ['Étoiles', 'rating'],
  ['ご満足いただけましたか', 'rating'],
  ['For which company do you work?', 'author.company'],
  ['DÜRFEN WIR DAS VERÖFFENTLICHEN? JA, ICH STIMME ZU: EINWILLIGUNG', 'notTestimonial'],
] as const)('%s is about %s', (heading, topic) => {
  expect(mentionsTopic(heading, topic)).toBe(true);
});

test.each([
  ['Additional comments', 'author.name'],
  ['Agreement', 'other'],
  ['Corporate', 'rating'],
  ['Nominated by', 'author.name'],
] as const)('%s is not about %s', (heading, topic) => {
  expect(mentionsTopic(heading, topic)).toBe(false);
});
