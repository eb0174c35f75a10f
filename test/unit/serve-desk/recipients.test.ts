/** The people in pasted lines and files, as spreadsheets, other tools and hands write them. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Recipients, readRecipients } from '../../../functions/serve-desk/pages/recipients.ts';

const jane = { name: 'Jane Doe', email: 'jane@example.com', role: 'Head of Support', company: 'Acme' };
const ann = { name: 'Ann Lee', email: 'ann@example.com', role: 'CEO', company: 'Globex' };
const lines = (...all: string[]) => all.join('\n');

describe('people are read from', () => {
  test.each<[string, string, Recipients['people']]>([
    ['commas', 'Jane Doe, jane@example.com, Head of Support, Acme', [jane]],
    [
      'a spreadsheet, with carriage returns',
      'Jane Doe\tjane@example.com\tHead of Support\tAcme\r\nAnn Lee\tann@example.com\tCEO\tGlobex\r\n',
      [jane, ann],
    ],
    ['semicolons', 'Jane Doe;jane@example.com;Head of Support;Acme', [jane]],
    [
      'the address first',
      lines('jane@example.com;Jane Doe;Head of Support;Acme', 'ann@example.com;Ann Lee;CEO;Globex'),
      [jane, ann],
    ],
    [
      'an address behind the name, as in mails',
      lines('Jane Doe <jane@example.com>, Head of Support, Acme', 'Ann Lee ann@example.com'),
      [jane, { name: ann.name, email: ann.email }],
    ],
    ['the address last', 'Jane Doe | Head of Support | Acme | jane@example.com', [jane]],
    ['commas beside tabs', 'Doe, Jane\tjane@example.com', [{ name: 'Doe, Jane', email: jane.email }]],
    [
      'quoted cells',
      '"Doe, ""J.""","jane@example.com","Head,\nSupport"',
      [{ name: 'Doe, "J."', email: jane.email, role: 'Head, Support' }],
    ],
    ['names alone', lines('Jane Doe', 'Ann Lee'), [{ name: 'Jane Doe' }, { name: 'Ann Lee' }]],
    [
      'a company without a job title',
      'Jane Doe, jane@example.com,, Acme',
      [{ name: jane.name, email: jane.email, company: 'Acme' }],
    ],
    [
      'no address at all',
      'Jane Doe,,Head of Support,Acme',
      [{ name: jane.name, role: jane.role, company: jane.company }],
    ],
    [
      'headings in German, in any order',
      lines('Firma;E-Mail;Vorname;Nachname;Position', 'Acme;jane@example.com;Jane;Doe;Head of Support'),
      [jane],
    ],
    [
      'headings of a mail tool',
      lines('Email Address,First Name,Last Name,Phone', 'jane@example.com,Jane,Doe,1'),
      [{ name: 'Jane Doe', email: jane.email }],
    ],
    [
      'an address under an unknown heading',
      lines('Name,Where to write', 'Jane Doe,jane@example.com'),
      [{ name: 'Jane Doe', email: jane.email }],
    ],
    [
      'addresses with invisible characters',
      'Jane Doe, \u202ajane@example.com\u202c',
      [{ name: 'Jane Doe', email: jane.email }],
    ],
    [
      'domains in Unicode',
      'Jörg, jörg@bücher.de\nJane Doe, jane@bücher.de',
      [{ name: 'Jane Doe', email: 'jane@bücher.de' }],
    ],
    [
      'names like formulas and properties',
      '=cmd|x, jane@example.com\n__proto__, ann@example.com',
      [
        { name: '=cmd|x', email: jane.email },
        { name: '__proto__', email: ann.email },
      ],
    ],
  ])('%s', (_, typed, people) => {
    expect(readRecipients(typed).people).toEqual(people);
  });
});

describe('a line gets no link, and the reason,', () => {
  test.each<[string, string, string[]]>([
    ['without a name', ', jane@example.com', ['Line 1 has no name: jane@example.com.']],
    ['with an invisible name', '\u200b, jane@example.com', ['Line 1 has no name: jane@example.com.']],
    ['with nothing but an address', 'ann@example.com', ['Line 1 has no name: ann@example.com.']],
    [
      'with a wrong address',
      'Jane, jane@example',
      ['Line 1 cannot be used: “jane@example” is not an e-mail address.'],
    ],
    [
      'with an address without its sign',
      'Jane, jane.example.com',
      ['Line 1 cannot be used: “jane.example.com” is not an e-mail address.'],
    ],
    [
      'in another order than the others',
      lines('Ann, ann@example.com', 'Ben, ben@example.com', 'jane@example.com, Jane'),
      [
        'Line 3 cannot be used: the name “jane@example.com” must not contain an e-mail address, “Jane” is not an e-mail address.',
      ],
    ],
    [
      'with another separator than the others',
      lines('Ann, ann@example.com', 'Ben, ben@example.com', 'Jane\tjane@example.com\tCEO'),
      ['Line 3 cannot be used: the name “Jane jane@example.com CEO” must not contain an e-mail address.'],
    ],
    [
      'with a long name',
      `${'x'.repeat(201)}, jane@example.com`,
      [`Line 1 cannot be used: the name “${'x'.repeat(59)}…” must have 1 to 200 characters.`],
    ],
    [
      'with a long address',
      `Jane, ${'x'.repeat(10_000)}@example.com`,
      [
        `Line 1 cannot be used: the e-mail address “${'x'.repeat(59)}…” must be an e-mail address of at most 254 characters.`,
      ],
    ],
    [
      'with a control character',
      'Ja\u0007ne, jane@example.com',
      [
        'Line 1 cannot be used: the name “Ja\u0007ne” must not contain control characters other than newline and tab.',
      ],
    ],
    [
      'with a stray quote',
      lines('Jane "JD" Doe, jane@example.com', 'Ann, ann@example.com'),
      ['Line 1 has a quote in an unquoted cell: quote the whole cell.'],
    ],
  ])('%s', (_, typed, problems) => {
    expect(readRecipients(typed).problems).toEqual(problems);
  });
});

test('says how the lines were read, and which columns were not', () => {
  const notes = (typed: string) => readRecipients(typed).notes.join(' ');
  expect(notes('Firma;Telefon;Name;E-Mail\nAcme;1;Jane;jane@example.com')).toBe(
    'The first line was read as headings. The columns were read as company, name, e-mail address. Ignored columns: “Telefon”.',
  );
  expect(notes('Jane,jane@example.com,CEO,Acme,extra')).toBe(
    'The columns were read as name, e-mail address, job title, company. Ignored columns: number 5.',
  );
});

test('none and too many lines are refused, and a thousand are read', () => {
  const some = (count: number) => Array.from({ length: count }, (_, i) => `Jane ${i}, jane${i}@example.com`);
  for (const none of ['', ' \n\r\n', '\t\t\n'])
    expect(() => readRecipients(none)).toThrow('Paste at least one line, or choose a file.');
  expect(readRecipients(lines(...some(1000))).people).toHaveLength(1000);
  expect(readRecipients(lines('Name,E-mail', ...some(1000))).people).toHaveLength(1000);
  expect(() => readRecipients(lines(...some(1001)))).toThrow('Paste at most 1,000 lines at a time.');
});

test('whatever is pasted, each line with a letter gets a link or a reason', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom('', 'jane@example.com', 'Name', 'E-Mail', '"', '__proto__', 'constructor', '\t', ','),
  );
  const row = fc.tuple(fc.array(cell, { maxLength: 6 }), fc.constantFrom(',', ';', '\t', '|'));
  const pasted = fc
    .array(row, { maxLength: 8 })
    .map((rows) => rows.map(([cells, separator]) => cells.join(separator)).join('\n'));
  fc.assert(
    fc.property(pasted, (typed) => {
      if (!/[a-z]/i.test(typed)) return;
      const { people, problems, notes } = readRecipients(typed);
      expect(people.length + problems.length + notes.length).toBeGreaterThan(0);
      for (const { name } of people) expect(name).toMatch(/\S/);
    }),
  );
});
