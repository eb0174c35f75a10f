/** The identity of an import, and the mapping that it keeps. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Mapping, readMapping } from '../../../functions/reading/map-columns.ts';
import { fingerprintOf } from '../../../functions/reading/open-file.ts';
import { readFile } from '../../read-file.ts';

const csv = 'Name,E-mail,rating,Review,Date\nAnn Doe,ann@example.org,5,"It was fine for us.",2024-03-04\n';
const nameOf = async (chosen: Partial<Mapping> = {}) => fingerprintOf((await readFile(csv, chosen)).opened);

test('is the same whether columns are chosen or guessed', async () => {
  const { map } = await readFile(csv);
  expect(await nameOf({ map })).toBe(await nameOf());
  expect(await nameOf({ map: { ...map, rating: ['rating'], tags: [], updatedAt: [] } })).toBe(await nameOf());
  expect(await nameOf({ map: { rating: ['rating'] }, roundRatings: false, keepHtml: false })).toBe(
    await nameOf(),
  );
});

test.each<[string, Partial<Mapping>]>([
  ['a column is left out', { map: { rating: [] } }],
  ['a column is another field', { map: { 'author.role': ['Name'] } }],
  ['a value is filled in', { defaults: { status: 'approved' } }],
  ['dates have another format', { dateFormat: 'yyyy-dd-MM' }],
  ['the dates are ignored', { asNew: true }],
])('is another one if %s', async (_, chosen) => expect(await nameOf(chosen)).not.toBe(await nameOf()));

test('a stored mapping is read again, and that of another version is none', async () => {
  const { opened } = await readFile(csv);
  expect(readMapping(JSON.stringify(opened.mapping))).toEqual(opened.mapping);
  for (const other of ['{"columns":{}}', '{"map":{"x":["y"]},"defaults":{}}', '7', '{'])
    expect(readMapping(other)).toBeUndefined();
  fc.assert(fc.property(fc.json(), (json) => void readMapping(json)));
  expect(readMapping(undefined)).toBeUndefined();
});
