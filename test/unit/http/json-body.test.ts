import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../functions/http/api-error.ts';
import { jsonBody } from '../../../functions/http/json-body.ts';
import { apiEvent, call } from './api-call.ts';

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

async function refusal(reading: Promise<unknown>): Promise<ApiError> {
  const error = await reading.then(
    () => new Error('was not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw error;
}

const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64');

test('any JSON object is read as it was written', async () => {
  // An object of fast-check's own making has no prototype to compare.
  const objects = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ noUnicodeString: false }));
  await fc.assert(
    fc.asyncProperty(objects, fc.boolean(), async (object, encoded) => {
      const written = JSON.stringify(object);
      expect(JSON.stringify(await read(encoded ? base64(written) : written, json, encoded))).toBe(written);
    }),
  );
});

describe('content type', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset=utf-8',
    'Application/JSON',
  ])('%s is JSON', async (type) => {
    expect(await read('{"a":1}', { 'content-type': type })).toEqual({ a: 1 });
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    '',
  ])('%j is refused with 400', async (type) => {
    const error = await refusal(read('{"a":1}', { 'content-type': type }));
    expect(error.status).toBe(400);
    expect(error.details).toEqual({ 'Content-Type': 'must be application/json' });
  });

  test('none is refused with 400', async () => {
    const error = await refusal(read('{"a":1}', {}));
    expect(error.details).toEqual({ 'Content-Type': 'must be application/json' });
  });
});

describe('refused with 400', () => {
  test.each([
    ['a missing body', undefined, false],
    ['an empty body', '', false],
    ['a body of white space', '  ', false],
    ['a cut object', '{"a":', false],
    ['text after the object', '{"a":1}}', false],
    ['an array', '[1]', false],
    ['a string', '"a"', false],
    ['a number', '1', false],
    ['null', 'null', false],
    ['invalid UTF-8', base64(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)), true],
    ['an unpaired surrogate in UTF-8', base64(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)), true],
    ['base64 of what is no JSON', base64('hello'), true],
  ])('%s', async (_, body, encoded) => {
    const error = await refusal(read(body, json, encoded));
    expect(error.status).toBe(400);
    expect(error.code).toBe('bad_request');
    expect(Object.keys(error.details ?? {})).toEqual(['body']);
  });

  test('nothing of the body is in the error, whatever is wrong with it', async () => {
    const error = await refusal(read('{"author":{"email":"jane@example.com",}'));
    expect(`${JSON.stringify(error.toBody('r'))}${error.stack}${String(error.cause)}`).not.toContain('jane');
  });
});

test('a base64 body is decoded', async () => {
  const event = apiEvent({ headers: json, isBase64Encoded: true, body: base64('{"a":"é"}') });
  await call([jsonBody()], event);
  expect(event.body).toEqual({ a: 'é' });
});

test('an unknown field named __proto__ is ignored like any other unknown field', async () => {
  const body = await read('{"content":"Amazing product","__proto__":{"rating":5}}');
  expect(body).toMatchObject({ content: 'Amazing product' });
  expect(body).not.toHaveProperty('rating');
});

test.each([
  ['arrays', '['.repeat(100_000), ']'.repeat(100_000)],
  ['objects', '{"a":'.repeat(100_000), `1${'}'.repeat(100_000)}`],
])('an unknown field of %s in each other is ignored, however deep they are', async (_, begin, end) => {
  expect(await read(`{"content":"Amazing product","deep":${begin}${end}}`)).toMatchObject({
    content: 'Amazing product',
  });
});
