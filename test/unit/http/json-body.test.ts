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
  const objects = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ noUnicodeString: false }));
  await fc.assert(
    fc.asyncProperty(objects, fc.boolean(), async (object, encoded) => {
      const written = JSON.stringify(object);
      expect(JSON.stringify(await read(encoded ? base64(written) : written, json, encoded))).toBe(written);
    }),
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
