import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonBody } from '../../../functions/http/json-body.ts';
import { apiEvent, call, refusalOf } from './api-call.ts';

const json = { 'content-type': 'application/json' };

async function read(
  body: string | undefined,
  headers: Record<string, string> = json,
  isBase64Encoded = false,
) {
  const event = apiEvent({ headers, isBase64Encoded, ...(body !== undefined && { body }) });
  await call([jsonBody()], event);
  return event.body;
}

const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64');

test('any JSON object is parsed unchanged', async () => {
  // An object of fast-check's own making has no prototype to compare.
  const objects = fc
    .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ stringUnit: 'grapheme' }))
    .filter((object) => !JSON.stringify(object).includes('\uFFFD'));
  await fc.assert(
    fc.asyncProperty(objects, fc.boolean(), async (object, encoded) => {
      const written = JSON.stringify(object);
      expect(JSON.stringify(await read(encoded ? base64(written) : written, json, encoded))).toBe(written);
    }),
  );
});

const problemOf = async (...request: Parameters<typeof read>) => (await refusalOf(read(...request)))?.details;
const misread = { body: 'must be JSON in UTF-8' };

test.each([
  ['before the object', '\uFEFF{"a":"é"}', { a: 'é' }],
  ['before blanks', '\uFEFF \n{"a":1}', { a: 1 }],
  ['inside of a text, where it stays', '{"a":"\uFEFFb"}', { a: '\uFEFFb' }],
  ['before a field that the parser rejects', '\uFEFF{"__proto__":1,"a":1}', { a: 1 }],
])('one byte order mark is ignored %s', async (_, body, parsed) => {
  expect(await read(body)).toMatchObject(parsed);
  expect(await read(base64(body), json, true)).toMatchObject(parsed);
});

const text = '{"content":"Café très agréable"}';

test.each([
  ['ISO-8859-1', Buffer.from(text, 'latin1')],
  ['UTF-16', Buffer.from(text, 'utf16le')],
  ['UTF-16 without any letter beyond ASCII', Buffer.from('{"a":"b"}', 'utf16le')],
  ['UTF-8 that is cut off', Buffer.from(text).subarray(0, text.indexOf('é') + 1)],
  ['UTF-8 that was decoded wrongly before', Buffer.from('{"content":"Caf\ufffd"}')],
])('a body in %s is refused, as text or encoded', async (_, bytes) => {
  // API Gateway hands a text over with U+FFFD in the place of bytes that are not UTF-8.
  expect(await problemOf(bytes.toString())).toEqual(misread);
  expect(await problemOf(base64(bytes), { 'content-type': 'application/vnd.acme+json' }, true)).toEqual(
    misread,
  );
});

test('the error quotes no part of a malformed body', async () => {
  const error = await refusalOf(read('{"author":{"email":"jane@example.com",}'));
  expect(`${JSON.stringify(error?.toBody('r'))}${error?.stack}${String(error?.cause)}`).not.toContain('jane');
  expect(error).toBeDefined();
});

test.each([
  ['arrays', '['.repeat(100_000), ']'.repeat(100_000)],
  ['objects', '{"a":'.repeat(100_000), `1${'}'.repeat(100_000)}`],
])('an unknown field of deeply nested %s is ignored', async (_, begin, end) => {
  expect(await read(`{"content":"Amazing product","deep":${begin}${end}}`)).toMatchObject({
    content: 'Amazing product',
  });
});
