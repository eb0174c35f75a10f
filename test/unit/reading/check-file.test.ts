/** The rules of a line. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { lineChecker } from '../../../functions/reading/check-file.ts';
import { reasonsText } from '../../../functions/reading/report.ts';
import { csvSheet } from '../../../functions/reading/spreadsheet.ts';
import { loadLanguages, timeReader } from '../../../functions/reading/times.ts';
import { ordinalOfLine } from '../../../functions/testimonials/load/positions.ts';
import { commandOptionNames } from '../../../lib/operator/import/command-texts.ts';
import { readFile } from '../../read-file.ts';

beforeAll(loadLanguages);

const now = new Date('2026-01-15T10:00:00.000Z');
const line = {
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text',
};
const page = '0123456789abcdefABCDEF';
const check = (overrides: Record<string, unknown>, dateFormat?: string) => {
  const result = lineChecker({ dateFormat }, now)({ ...line, ...overrides });
  return 'errors' in result ? { errors: result.errors } : result;
};

test('the rules of a create apply, and all failing fields are reported', () => {
  expect(
    check({ content: 'short', author: { name: '', email: 'jane' }, rating: 6, type: 'fax', tags: ['a,b'] }),
  ).toEqual({
    errors: {
      content: 'must have 10 to 10,000 characters',
      'author.name': 'must have 1 to 200 characters',
      'author.email': 'must be a valid e-mail address',
      rating: 'must be a whole number from 1 to 5',
      type: 'must be one of text, video, audio',
      'tags.0': 'must not contain a comma, because commas separate tags',
    },
  });
  expect(check({ author: undefined, rating: '5', content: undefined })).toMatchObject({
    errors: { content: 'is required', rating: 'must be a whole number from 1 to 5' },
  });
});

test.each([
  [{ rating: 4.5 }, { rating: 'must be a whole number from 1 to 5; it can be rounded' }],
  [{ rating: 5.5 }, { rating: 'must be a whole number from 1 to 5' }],
  [{ rating: null }, { rating: 'must be a whole number from 1 to 5' }],
  [{ status: 'published' }, { status: 'must be one of pending, approved, rejected' }],
  [{ id: 5 }, { id: 'must be a string' }],
  [{ updateOrdinal: 1.5 }, { updateOrdinal: 'must be an integer' }],
  [{ createdAt: 1_700_000_000 }, { createdAt: 'must be a string' }],
  [{ createdAt: '2026-01-15T10:00:00.001Z' }, { createdAt: 'must not be in the future' }],
  [{ updatedAt: '2025-01-01' }, { updatedAt: 'needs a createdAt' }],
  [{ createdAt: '2025-01-02', updatedAt: '2025-01-01' }, { updatedAt: 'must not be before createdAt' }],
  [{ consent: { page } }, { 'consent.at': 'is required' }],
  [{ consent: { at: '2026-01-15T09:00:00Z' } }, { 'consent.page': 'is required' }],
  [
    { consent: { page, at: 'yes' } },
    { 'consent.at': 'must be a time in ISO 8601, such as 2026-01-15T10:30:00Z' },
  ],
  [{ consent: { page, at: '2026-01-15T10:00:00.001Z' } }, { 'consent.at': 'must not be in the future' }],
  [{ consent: { page, at: 1_700_000_000 } }, { 'consent.at': 'must be a string' }],
  [
    { consent: { page: 'our form', at: '2026-01-15' } },
    { 'consent.page': 'must be the id of a form: 22 letters and digits' },
  ],
  [{ consent: { page: 5, at: '2026-01-15' } }, { 'consent.page': 'must be a string' }],
  [{ media: { url: 'http://example.com' } }, { 'media.url': 'must be a URL that begins with https://' }],
  [
    { media: { url: 'https://example.com/watch?by=jane@example.com' } },
    { 'media.url': 'must not contain an e-mail address' },
  ],
])('%j is rejected', (overrides, errors) => {
  expect(check(overrides)).toEqual({ errors });
});

test.each([
  [4.5, 5],
  [3.4, 3],
  [0.5, 1],
  [5.5, undefined],
])('the rating %d is rounded to %j', (rating, rounded) => {
  const result = lineChecker({ roundRatings: true }, now)({ ...line, rating });
  expect('loadLine' in result ? result.loadLine.rating : undefined).toBe(rounded);
});

test('a line keeps the page and the time of consent', () => {
  expect(check({ consent: { page, at: '2026-01-15T10:00:00.000Z', by: 'Jane' } })).toEqual({
    loadLine: { ...line, consent: { page, at: now.getTime() } },
  });
});

test.each([true, false, null, 'yes', 'at', 5, ['page'], [], {}, { marketing: true }, { page: '', at: '' }])(
  "another tool's consent %j is ignored",
  (consent) => {
    expect(check({ consent })).toEqual({ loadLine: line });
  },
);

test.each(['facebook', { photo: { type: 'image/jpeg' } }])("another tool's media %j are ignored", (media) => {
  expect(check({ media })).toEqual({ loadLine: line });
});

test('other members are ignored, even if they have special names', () => {
  const odd: unknown = JSON.parse(
    '{"__proto__":{"status":"approved"},"organizationId":"other","constructor":1}',
  );
  expect(check(Object.assign(Object.create(null), odd))).toEqual({ loadLine: line });
  expect(
    lineChecker(
      {},
      now,
    )(
      JSON.parse(
        `{"content":"Amazing product","author":{"name":"Jane Doe","email":"jane@example.com","__proto__":{"company":"X"}},"type":"text","__proto__":{"rating":5}}`,
      ),
    ),
  ).toEqual({ loadLine: line });
});

test('only an id of this service contains an ordinal', () => {
  const ordinal = (id?: string) => ordinalOfLine({ ...line, type: 'text', ...(id !== undefined && { id }) });
  expect(ordinal('test_12345678901242')).toBe(42);
  for (const id of ['test_123456789', 'review-7', '', undefined]) expect(ordinal(id)).toBe(0);
});

describe('a time without a zone', () => {
  const night = new Date('2026-01-15T23:30:00.000Z');
  const createdAt = (text: string, dateFormat?: string) => {
    const result = lineChecker({ dateFormat }, night)({ ...line, createdAt: text });
    return 'loadLine' in result
      ? new Date(result.loadLine.createdAt ?? 0).toISOString()
      : result.errors.createdAt;
  };

  test.each([
    ['on a day that has begun somewhere on earth is now', '1/16/2026', 'M/d/yyyy', night.toISOString()],
    ['that has passed somewhere on earth is now', '2026-01-16T13:30', undefined, night.toISOString()],
    [
      'on a day that has not begun anywhere is in the future',
      '1/17/2026',
      'M/d/yyyy',
      'must not be in the future',
    ],
    [
      'that has not passed anywhere is in the future',
      '2026-01-16T13:31',
      undefined,
      'must not be in the future',
    ],
    ['that has passed in UTC is in UTC', '2026-01-15 23:29', undefined, '2026-01-15T23:29:00.000Z'],
  ])('%s', (_, text, format, found) => {
    expect(createdAt(text, format)).toBe(found);
  });

  test('is in UTC, and other times in their own zone', () => {
    expect(createdAt('2026-01-16T00:30+02:00')).toBe('2026-01-15T22:30:00.000Z');
    expect(createdAt('2026-01-16T00:30+00:30')).toBe('must not be in the future');
    expect(createdAt('2026-01-15T23:31Z')).toBe('must not be in the future');
  });
});

describe('times', () => {
  const read = (text: string, format?: string) => {
    const milliseconds = timeReader(format).millisecondsOf(text);
    return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
  };

  test.each([
    ['2025-03-01', '2025-03-01T00:00:00.000Z'],
    ['2025-03-01T14:20', '2025-03-01T14:20:00.000Z'],
    ['2025-03-01T14:20:30.123456Z', '2025-03-01T14:20:30.123Z'],
    ['2025-03-01T14:20:30+02:00', '2025-03-01T12:20:30.000Z'],
    ['20250301T142030Z', '2025-03-01T14:20:30.000Z'],
    [' 2025-03-01 14:20:30 ', '2025-03-01T14:20:30.000Z'],
    ['2025-03-01 14:20:30 UTC', '2025-03-01T14:20:30.000Z'],
    ['2025-03-01 14:20:30.5 GMT', '2025-03-01T14:20:30.500Z'],
    ['2025-03-01 14:20:30+00', '2025-03-01T14:20:30.000Z'],
    ['2025-03-01 14:20:30 -0130', '2025-03-01T15:50:30.000Z'],
  ])('%j is %s', (text, time) => {
    expect(read(text)).toBe(time);
  });

  test.each([
    '',
    'yesterday',
    '10:30',
    '2025',
    '2025-03',
    '2025-W03',
    '01/03/2025',
    '2025-13-01',
    '2025-02-29',
    '-002025-01-01',
    '+012025-01-01',
    '0000-01-01',
    '1740838830',
    '2025-03-01T25:00',
    // A regular expression that backtracks at each space would take hours.
    '9'.repeat(1_000_000),
    `2025-03-01${' '.repeat(1_000_000)}`,
  ])('%j is not a time', (text) => {
    expect(read(text)).toBeUndefined();
  });

  test.each([
    ['31/01/2025', 'dd/MM/yyyy', '2025-01-31T00:00:00.000Z'],
    ['31.01.2025 16:05 +01:00', 'dd.MM.yyyy HH:mm ZZ', '2025-01-31T15:05:00.000Z'],
    ['1/31/2025 4:05pm', 'M/d/yyyy h:mm a', '2025-01-31T16:05:00.000Z'],
    ['1738339500', 'unix', '2025-01-31T16:05:00.000Z'],
    ['1738339500123', 'unix', '2025-01-31T16:05:00.123Z'],
    ['1738339500.25', 'unix', '2025-01-31T16:05:00.250Z'],
    ['March 1, 200 BC', 'words en', undefined],
    ['45688.6701388889', 'excel', '2025-01-31T16:05:00.000Z'],
    ['Jan 31st, 2025 at 4:05 PM', 'words en', '2025-01-31T16:05:00.000Z'],
    ['3 days ago', 'words en from 2025-02-03', '2025-01-31T00:00:00.000Z'],
    ['5 hours ago', 'words en from 2025-01-31', '2025-01-31T00:00:00.000Z'],
    ['yesterday', 'words en from 2025-02-01', '2025-01-31T00:00:00.000Z'],
    ['vor 3 Tagen', 'words de from 2025-02-03', '2025-01-31T00:00:00.000Z'],
    ['il y a une semaine', 'words fr from 2025-02-07', '2025-01-31T00:00:00.000Z'],
    ['hace 3 días', 'words es from 2025-02-03', '2025-01-31T00:00:00.000Z'],
    ['há 2 semanas', 'words pt from 2025-02-14', '2025-01-31T00:00:00.000Z'],
    ['3 days ago', 'words en', undefined],
    ['January 2025', 'words en', undefined],
    ['January 31', 'words en', undefined],
    ['between Jan 1, 2025 and Jan 31, 2025', 'words en', undefined],
    ['Order 31 of Jan 31, 2025', 'words en', undefined],
    ['x'.repeat(1_000_000), 'words en', undefined],
    ['2025-01-31', 'dd/MM/yyyy', undefined],
    ['32/01/2025', 'dd/MM/yyyy', undefined],
  ])('%j in the format %j is %s', (text, format, time) => {
    expect(read(text, format)).toBe(time);
  });

  test.each(['', 'when', 'foo', 'HH:mm', 'dd/MM', 'ZZZZ', 'yyyy-mm-dd'])(
    '%j does not describe a date',
    (format) => {
      expect(() => timeReader(format)).toThrow(/^The date format ".*" does not describe a date/);
    },
  );

  test.each(['words', 'words xx', 'words en from now'])(
    '%j names no language: the error lists the languages',
    (format) => {
      expect(() => timeReader(format)).toThrow(
        /^Dates in words can be in en, de, fr, es, pt, it\. Write "words de"/,
      );
    },
  );

  test('the error shows a time in the right format', () => {
    expect(check({ createdAt: 'yesterday' })).toEqual({
      errors: {
        createdAt: 'must be a time in ISO 8601, such as 2026-01-15T10:30:00Z',
      },
    });
    expect(check({ createdAt: 'yesterday' }, 'dd/MM/yyyy')).toEqual({
      errors: { createdAt: 'must be a time like 30/11/2025' },
    });
  });
});

describe('rejected rows', () => {
  const cellsOf = (text: string): Record<string, string>[] => parse(text, { bom: true, columns: true });

  test('are in a file with their texts, where that is readable, and their reasons', async () => {
    const { rejectedFileText } = await readFile(
      'content,author.name,author.email,rating\nGreat,José,jane,six\nToo, many, cells, here, too\n=a,"b\n',
    );
    expect(cellsOf(rejectedFileText)).toMatchObject([
      {
        content: 'Great',
        'author.name': 'José',
        rating: 'six',
        'rejected row': '2',
        'rejected text': '',
        'rejected because': expect.stringContaining('rating must be a whole number from 1 to 5'),
      },
      { content: '', 'rejected text': 'Too, many, cells, here, too' },
      { 'rejected text': `'=a,"b` },
    ]);
  });

  test('of NDJSON are in NDJSON, unchanged if they cannot be read', async () => {
    const deep = `{"content":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const { rejectedFileText } = await readFile(`{"content":\n${deep}\n`, { format: 'ndjson' });
    expect(
      rejectedFileText
        .trim()
        .split('\n')
        .map((each) => JSON.parse(each)),
    ).toEqual([
      { rejected: { line: 1, errors: { line: 'is not JSON' }, text: '{"content":' } },
      { rejected: { line: 2, errors: expect.anything(), text: deep } },
    ]);
  });

  test('are counted by their reasons, with the first rows of each', async () => {
    const defaults = { 'author.email': 'a@example.com', 'author.name': 'A' };
    const { reasons, opened } = await readFile(`content\n${'short\n'.repeat(1500)}`, { defaults });
    expect(reasonsText({ reasons, sheet: opened.sheet }, commandOptionNames)).toBe(
      '1,500 rows (2, 3, 4, 5, 6 …): content must have 10 to 10,000 characters',
    );
  });
});

test.each([',', ';', '^', '~', '\\', ']', 'é'])(
  'rejected rows of a file with sep=%s are read again',
  async (separator) => {
    const rows = [
      ['Name', 'E-mail', 'Review'],
      ['Jane Doe', 'jane@example.com', 'It was fine for us.'],
      ['Bo', 'nobody', 'It was fine there.'],
    ];
    const text = `sep=${separator}\n${rows.map((cells) => cells.join(separator)).join('\n')}\n`;
    expect(csvSheet(text).header).toEqual(rows[0]);
    const { lines, rejectedFileText } = await readFile(text);
    expect(lines).toHaveLength(1);
    const again = await readFile(rejectedFileText.replace('nobody', 'bo@example.com'));
    expect(again).toMatchObject({ rejected: 0, lines: [{ author: { email: 'bo@example.com' } }] });
  },
);
