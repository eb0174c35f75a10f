/** Tables whose headings are in no dictionary: what the import reads is right, or someone is asked. */
import { expect, test } from '@jest/globals';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { countFamiliarNames, mentionsTopic } from '../../../functions/csv/column-names.ts';
import { lineChecker } from '../../../functions/reading/check-file.ts';
import { mapColumns } from '../../../functions/reading/map-columns.ts';
import type { OpenedFile } from '../../../functions/reading/open-file.ts';
import { readFile } from '../../read-file.ts';
import { runsOf } from '../../some-of.ts';

const of = fc.constantFrom;
const names = ['Jane Doe', 'José Amado', 'Zoë Groß', 'Łukasz Petersen', 'Ole O’Brien', 'Yuki Sato'].map(
  (name) => name.split(' '),
);
const firstNames = names.map(([first = '']) => first);
const lastNames = names.map(([, last = '']) => last);
const otherScripts = ['佐藤美咲', 'Анна Иванова', 'ليلى حداد', '김민지', '田中 健'];
const nouns = ['team', 'app', 'week', 'report', 'setup', 'invoice', 'support', 'colleague'];
const verbs = ['saved', 'changed', 'helped', 'surprised', 'annoyed', 'impressed', 'slowed', 'convinced'];

const sentence = fc
  .tuple(
    of(...nouns),
    of(...verbs),
    fc.array(of(...nouns), { minLength: 3, maxLength: 12 }),
    of('.', '!', ' 🙂', ' :)'),
  )
  .map(([noun, verb, others, end]) => `The ${noun} ${verb} our ${others.join(' and our ')}${end}`);

const ascii = (name: string) =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace('ß', 'ss')
    .replace('ł', 'l')
    .replace(/[^a-z]/g, '');

/** The ways in which a file makes addresses from names. */
const mailboxes: Record<string, (first: string, last: string, i: number) => string> = {
  whole: (first, last) => `${ascii(first)}.${ascii(last)}`,
  initial: (first, last) => `${ascii(first).slice(0, 1)}${ascii(last)}`,
  first: (first, _, i) => `${ascii(first)}${i}`,
  last: (_, last, i) => `${ascii(last)}${i}`,
  other: (_first, _last, i) => `info${i}`,
};

interface Row {
  name: { first: string; last: string; whole: string };
  email: string;
  stars: number;
  text: string;
  time: Date;
}

const rows = fc.tuple(of(...Object.keys(mailboxes)), fc.boolean(), fc.nat()).chain(([style, isLatin, seed]) =>
  fc
    .array(
      fc.record({
        first: of(...firstNames),
        last: of(...lastNames),
        other: of(...otherScripts),
        stars: fc.integer({ min: 1, max: 5 }),
        text: sentence,
        time: fc.date({ min: new Date('2001-01-13'), max: new Date('2024-05-31'), noInvalidDate: true }),
      }),
      { minLength: 2, maxLength: 12 },
    )
    .map((all) =>
      all.map(({ first, last, other, stars, text, time }, i): Row => {
        const mailbox = (mailboxes[style] ?? String)(first, last, i + (seed % 90));
        const name =
          isLatin || seed % 5 > 0
            ? { first, last, whole: `${first} ${last}` }
            : { first, last, whole: other };
        return { name, email: `${mailbox}@example.com`, stars, text: `${text} ${i}.`, time };
      }),
    )
    // A column with one value in three rows or more is read as no name: it is the id of an app.
    .filter((all) => all.length < 3 || new Set(all.map(({ name }) => name.whole)).size > 1),
);

const ratings: Record<string, (stars: number) => string> = {
  plain: String,
  decimal: (stars) => `${stars},0`,
  ofFive: (stars) => `${stars}/5`,
  ofTen: (stars) => `${2 * stars}/10`,
  plainOfTen: (stars) => String(2 * stars),
  signs: (stars) => '★'.repeat(stars),
  words: (stars) =>
    ['', 'very dissatisfied', 'dissatisfied', 'neutral', 'satisfied', 'very satisfied'][stars] ?? '',
};

const dateFormats = [
  'yyyy-MM-dd',
  "yyyy-MM-dd'T'HH:mm:ss'Z'",
  'd.M.yyyy',
  'd.M.yyyy HH:mm',
  'yyyy/M/d',
  'd MMMM yyyy',
  'yyyy年M月d日',
];

/** Columns that are no part of a testimonial. */
const noise: Record<string, fc.Arbitrary<string>> = {
  city: of('Berlin', 'Paris', 'Rome', 'Lagos', 'Lyon', 'Porto', 'Graz'),
  company: of('Acme Inc.', 'Doe Consulting', 'Groß GmbH', 'Sato & Sons', 'Patel Foods', 'Umbrella'),
  job: of('Head of Sales', 'Chief Executive Officer', 'Baker', 'Nurse', 'Teacher'),
  order: fc.integer({ min: 1000, max: 9_999_999 }).map((number) => `#${number}`),
  quantity: fc.integer({ min: 1, max: 9 }).map(String),
  fewer: fc.integer({ min: 1, max: 4 }).map(String),
  price: fc.integer({ min: 100, max: 9999 }).map((cents) => (cents / 100).toFixed(2)),
  discount: of('10 %', '20 %', '50 %'),
  phone: fc.integer({ min: 100_000_000, max: 999_999_999 }).map((number) => `+49 ${number}`),
  postcode: fc.integer({ min: 10_000, max: 99_999 }).map(String),
  uuid: fc.uuid(),
  url: fc.nat(999).map((i) => `https://images.example.com/${i}.png`),
  network: fc.ipV4(),
  flag: of('TRUE', 'FALSE'),
  answer: of('yes', 'no'),
  country: of('DE', 'FR', 'NG', 'JP'),
  consent: fc.constant('I agree that you publish this on your website.'),
  product: fc.constant('Blue ceramic mug with a handle'),
  agent: fc.constant('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'),
  empty: fc.constant(''),
  number: fc.constant('number'),
  inbox: fc.constant('feedback@shop.example'),
  manager: of('boss@example.org', 'lead@example.org', 'chief@example.org'),
  due: fc
    .date({ min: new Date('2001-01-13'), max: new Date('2024-05-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
};

const syllables = ['qua', 'zor', 'vex', 'blu', 'kri', 'pum', 'dru', 'gax', 'wib', 'jol', 'fni', 'yed'];
const isUnknown = (heading: string) =>
  countFamiliarNames([heading]) === 0 &&
  (['author.name', 'author.company', 'rating', 'createdAt', 'other', 'notTestimonial'] as const).every(
    (topic) => !mentionsTopic(heading, topic),
  );
const word = fc.array(of(...syllables), { minLength: 2, maxLength: 4 }).map((parts) => parts.join(''));
/** A name or a whole question that no dictionary contains. */
const heading = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 7 }), of('', '?', ':', ' *'))
  .map(([words, end]) => words.join(' ') + end)
  .filter(isUnknown);

const table = rows.chain((people) =>
  fc
    .record({
      rating: of(...Object.keys(ratings)),
      date: of(...dateFormats),
      isSplit: fc.boolean(),
      reply: fc.boolean(),
      kinds: fc.uniqueArray(of(...Object.keys(noise)), { maxLength: 6 }),
      headings: fc.uniqueArray(heading, { minLength: 14, maxLength: 14 }),
      order: fc.array(fc.nat(), { minLength: 14, maxLength: 14 }),
      replies: fc.array(sentence, { minLength: people.length, maxLength: people.length }),
      cells: fc.array(fc.record(noise), { minLength: people.length, maxLength: people.length }),
    })
    .map(({ rating, date, isSplit, reply, kinds, headings, order, replies, cells }) => {
      const known: Record<string, (row: Row, i: number) => string> = {
        email: ({ email }) => email,
        rating: ({ stars }) => (ratings[rating] ?? String)(stars),
        date: ({ time }) => DateTime.fromJSDate(time, { zone: 'utc' }).setLocale('en').toFormat(date),
        text: ({ text }) => text,
        ...(isSplit
          ? { first: ({ name }) => name.first, last: ({ name }) => name.last }
          : { name: ({ name }) => name.whole }),
        ...(reply && { reply: (_, i) => replies[i] ?? '' }),
        ...Object.fromEntries(kinds.map((kind) => [kind, (_: Row, i: number) => cells[i]?.[kind] ?? ''])),
      };
      const shuffled = Object.entries(known).toSorted(
        ([a], [b]) => (order[a.charCodeAt(0) % 14] ?? 0) - (order[b.charCodeAt(0) % 14] ?? 0),
      );
      const headingOf = Object.fromEntries(shuffled.map(([kind], i) => [kind, headings[i] ?? '']));
      const columns = shuffled.map(([kind, cell]) => ({ heading: headingOf[kind] ?? '', cell }));
      const csv = stringify([
        columns.map((column) => column.heading),
        ...people.map((row, i) => columns.map(({ cell }) => cell(row, i))),
      ]);
      return { csv, people, isSplit, headingOf, date, rating };
    }),
);

const openedFor = async (csv: string) => (await readFile(csv)).opened;

/** The stored values of the fields that a person was not asked about. */
const linesOf = ({ sheet, mapping }: OpenedFile) => {
  if (!sheet) return [];
  const check = lineChecker(mapping, new Date('2024-06-15'));
  return sheet.firstRows.map(mapColumns(sheet, mapping).toTestimonial).map((line) => check(line));
};

test('a known column under an unknown heading is read right, or someone is asked', async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ csv, people, isSplit, headingOf, date, rating }) => {
      const opened = await openedFor(csv);
      const { withoutColumn = [], withPlaceholder = [], choices = {} } = opened.guess ?? {};
      const { 'author.name': names = isSplit ? ['first', 'last'] : ['name'] } = {};
      // Nobody is anonymous who has a name and an address in the file.
      expect(withPlaceholder).toEqual([]);
      const kinds = {
        content: ['text'],
        'author.name': names,
        'author.email': ['email'],
        rating: ['rating'],
        createdAt: ['date'],
      };
      const { header = [], firstRows: cells = [] } = opened.sheet ?? {};
      const isConstant = (heading: string) =>
        new Set(cells.map((row) => row[header.indexOf(heading)])).size === 1;
      for (const [field, of] of Object.entries(kinds)) {
        const offered = choices[field as keyof typeof choices]; // a field of the table
        const ours = of.map((kind) => headingOf[kind] ?? '').filter((name) => !isConstant(name));
        if (offered) expect(offered).toEqual(expect.arrayContaining(ours));
      }
      // Numbers of a scale to 10 that are all small look like stars. The notes show how they are read.
      const isShown = rating === 'plainOfTen' && people.every(({ stars }) => stars < 3);
      const isAsked = (field: string) =>
        withoutColumn.some((each) => each === field) || field in choices || (field === 'rating' && isShown);
      for (const [i, line] of linesOf(opened).entries()) {
        const { name, email, stars, text, time } = people[i] as Row; // a row of the table
        const read =
          'loadLine' in line ? { ...line.loadLine } : { ...(line.members as Partial<typeof line.members>) };
        const author = Object(read.author);
        if (!isAsked('author.email')) expect(author.email).toBe(email);
        if (!isAsked('author.name'))
          expect(author.name).toBe(isSplit ? `${name.first} ${name.last}` : name.whole);
        if (!isAsked('content')) expect(read.content).toContain(text);
        if (!isAsked('rating')) expect(read.rating).toBe(stars);
        const told = DateTime.fromJSDate(time, { zone: 'utc' });
        const expected = date.includes('HH:mm:ss')
          ? told.startOf('second')
          : date.includes('HH')
            ? told.startOf('minute')
            : told.startOf('day');
        if (!isAsked('createdAt'))
          expect(new Date(read.createdAt as string | number).toISOString()).toBe(
            expected.toJSDate().toISOString(),
          );
      }
    }),
    { numRuns: runsOf(30), endOnFailure: true },
  );
});

test('a table of the known columns alone, with whole names, needs no question', async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ csv, people, isSplit, headingOf, rating }) => {
      const known = new Set(['email', 'name', 'rating', 'date', 'text']);
      // Some ratings could also be something else.
      const isClear = ['decimal', 'ofFive', 'signs', 'words'].includes(rating);
      fc.pre(
        !isSplit && isClear && Object.keys(headingOf).every((kind) => known.has(kind)) && people.length > 2,
      );
      const { guess } = await openedFor(csv);
      expect(guess).toMatchObject({ withoutColumn: [], withPlaceholder: [], choices: {} });
    }),
    { numRuns: runsOf(6), maxSkipsPerRun: 1000 },
  );
});

test('of two rows by the same person, a job of several words is not taken for the name without a question', async () => {
  const csv = stringify([
    ['quazor', 'vexblu', 'kripum', 'drugax'],
    ['Head of Sales', 'Ольга Белая', 'olga@example.com', 'The report changed how our whole team works.'],
    ['Teacher', 'Ольга Белая', 'olga@example.com', 'The setup took us ten minutes, and it holds since.'],
  ]);
  const { guess } = await openedFor(csv);
  expect(guess?.choices?.['author.name']).toEqual(expect.arrayContaining(['quazor', 'vexblu']));
});
