/** The links that fill in a form, as the desk makes them and as people and programs change them. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type PersonalValues,
  personalFields,
  personalLink,
  readPersonalLink,
  repairedLink,
} from '../../../functions/serve-pages/personal-link.ts';
import { anyText } from '../../any-text.ts';

const form = 'https://api.example.com/f/0123456789abcdefghijkl';
const path = '/f/0123456789abcdefghijkl';
const jane = {
  name: 'Jane Doe',
  email: 'jane+news@example.com',
  role: 'Head (R&D), 100 % remote!',
  company: "O'Neill & Co.",
};
const read = (fragment: string) => Object.fromEntries(readPersonalLink(fragment));
const byField = (values: PersonalValues) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`author.${name}`, value]));

test('a link has every value, and mail programs see where it ends', () => {
  const link = personalLink(form, jane);
  expect(link).toBe(
    `${form}#name=Jane%20Doe&role=Head%20%28R%26D%29%2C%20100%20%25%20remote%21&company=O%27Neill%20%26%20Co.&email=jane%2Bnews%40example.com`,
  );
  expect(read(new URL(link).hash)).toEqual(byField(jane));
  expect(personalLink(form, { name: 'Ann', email: undefined, company: '' })).toBe(`${form}#name=Ann`);
});

test('a link of any values that a form accepts fills in the same', () => {
  const value = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
    .filter((text) => text === text.trim() && [...text].length <= 254 && !/[\p{Cc}\ufffd]/u.test(text));
  const email = fc.emailAddress().filter((text) => text.length <= 254);
  const values = fc.record({ name: value, role: value, company: value, email }, { requiredKeys: ['name'] });
  fc.assert(
    fc.property(values, (values) => {
      expect(read(new URL(personalLink(form, values)).hash)).toEqual(byField(values));
    }),
  );
});

describe('of a fragment, as someone wrote it:', () => {
  test.each<[string, PersonalValues]>([
    ['#name=Jane+Doe&email=jane+news@example.com', { name: 'Jane Doe', email: 'jane+news@example.com' }],
    ['name=Jane&company=', { name: 'Jane' }],
    ['#name=Ann&name=Ben', { name: 'Ann' }],
    ['#NAME=Ann&Name=Ben&author.name=Cid', {}],
    ['#__proto__=x&constructor=y&rating=1&consent=yes&key=z&content=Hi', {}],
    ['#content', {}],
    ['#', {}],
    ['', {}],
    ['#name=%C3&company=%FF%FE&role=%E4%BD%A0%E5%A5%BD', { role: '你好' }],
    ['#name=%&company=100%&role=%zz', { name: '%', company: '100%', role: '%zz' }],
    ['#name=a%00b&company=a%0Ab&role=%1b[31m', {}],
    [
      '#name=%E2%80%AE%E2%81%A6eve%E2%81%A9%E2%80%AC&company=%D7%A9%D7%9C%D7%95%D7%9D',
      { name: 'eve', company: 'שלום' },
    ],
    ['#name=%20%20&company=%09x%20', { company: 'x' }],
    [
      `#name=${'x'.repeat(10_000)}&company=${'y'.repeat(254)}&role=${'z'.repeat(255)}`,
      { company: 'y'.repeat(254) },
    ],
    ['#name=علی‌رضا', { name: 'علی‌رضا' }],
  ])('%s', (fragment, values) => {
    expect(read(fragment)).toEqual(byField(values));
  });

  test('anything at all is read without harm', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        for (const [field, value] of readPersonalLink(text)) {
          expect(Object.values(personalFields)).toContain(field);
          expect(value).not.toMatch(/[\p{Cc}\ufffd\u202a-\u202e]/u);
        }
      }),
    );
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

describe('a link whose # was escaped on its way is mended:', () => {
  const link = personalLink(path, jane);
  const onlySign = link.replace('#', '%23');
  const all = (text: string) => path + encodeURIComponent(text.slice(path.length));

  test.each([
    ['the sign', onlySign],
    ['the sign twice', link.replace('#', '%2523').replace(/%(?!2523)/g, '%25')],
    ['everything', all(link)],
    ['everything twice', path + encodeURIComponent(encodeURIComponent(link.slice(path.length)))],
    ['in small letters', link.replace('#', '%23').toLowerCase().replace(path.toLowerCase(), path)],
  ])('%s', (name, sent) => {
    const mended = repairedLink(sent);
    expect(mended?.form).toBe(path);
    const values = read(mended?.link.slice(path.length) ?? '');
    const inSmall = (text: object) => JSON.parse(JSON.stringify(text).toLowerCase());
    const inCase = name === 'in small letters' ? inSmall : structuredClone<object>;
    expect(inCase(values)).toEqual(inCase(byField(jane)));
  });

  test('a gateway that decodes the path leaves what it can', () => {
    const { name, email } = jane;
    const mended = repairedLink(decodeURIComponent(personalLink(path, { name, email })));
    expect(read(mended?.link.slice(path.length) ?? '')).toEqual(byField({ name, email }));
  });

  test('anything else of it is dropped', () => {
    const sent = `${path}%23name=Ann&next=//evil.example&%0d%0aset-cookie:%20x=1`;
    expect(repairedLink(sent)).toEqual({ form: path, link: `${path}#name=Ann` });
    expect(repairedLink(`${path}%23`)?.form).toBe(path);
  });

  test('any other path is no personal link', () => {
    const others = [path, `${path}/thanks`, `${path.replace('/f', '/w')}%23name=x`];
    for (const sent of [...others, '/f/%23name=x', '/f/a/b%23name=x', '/%', ''])
      expect([sent, repairedLink(sent)]).toEqual([sent, undefined]);
  });
});
