import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { testimonialInput } from '../../../functions/domain/testimonial.ts';
import { validateBody, validateQuery } from '../../../functions/http/validate.ts';
import { listQuery } from '../../../functions/list-testimonials/parameters.ts';
import { apiEvent, call, refusalOf } from './api-call.ts';

/** What a schema is given for a query string. */
async function valuesOf(rawQueryString: string): Promise<Record<string, string[]>> {
  const event = apiEvent({ rawQueryString });
  await call([validateQuery(v.record(v.string(), v.array(v.string())))], event);
  return Object.fromEntries(Object.entries(event.input as Record<string, string[]>)); // the schema's output
}

async function parsedList(rawQueryString: string) {
  const event = apiEvent({ rawQueryString });
  await call([validateQuery(listQuery)], event);
  return event.input as v.InferOutput<typeof listQuery>;
}

describe('validateQuery', () => {
  test.each([
    [
      'each parameter as the array of its values',
      'tags=a&page=2&tags=b%2Cc',
      { tags: ['a', 'b,c'], page: ['2'] },
    ],
    ['none for an empty one', 'status=&tags=&tags=a&page', { tags: ['a'] }],
    ['what percent signs and plus stand for', 'search=a+b%20%C3%A9', { search: ['a b é'] }],
  ])('gives %s', async (_, query, values) => {
    expect(await valuesOf(query)).toEqual(values);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a parameter named %s is a parameter like any other',
    async (name) => {
      expect((await parsedList(`${name}=1&${name}=2&page=3`)).query.page).toBe(3);
      expect(Object.prototype).not.toHaveProperty('1');
    },
  );

  test('any query string either parses or is refused with 400', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (query) => {
        expect([undefined, 400]).toContain((await refusalOf(parsedList(query)))?.status);
      }),
    );
  });

  test.each(['', 'page=', ',', 'tags=,%20,', 'unknown=1', 'status=all&type=all'])(
    'without a filter (%j) everything is asked for, by the defaults',
    async (query) => {
      const defaults = { filter: {}, sort: 'createdAt', order: 'desc', page: 1, limit: 25 };
      expect((await parsedList(query)).query).toEqual(defaults);
    },
  );
});

describe('validateBody', () => {
  const parse = async (body: unknown) => {
    const event = apiEvent({ body });
    await call([validateBody(testimonialInput)], event);
    return event.input;
  };

  test('reports every failing field at once, as 422', async () => {
    const error = await refusalOf(
      parse({ content: 'short', author: { name: '', company: '' }, rating: 6, type: 'x', tags: ['a,b', ''] }),
    );
    expect(error?.status).toBe(422);
    expect(error?.code).toBe('validation_error');
    expect(error?.details).toEqual({
      content: 'must have 10 to 10,000 characters',
      'author.name': 'must not be empty and have at most 200 characters',
      'author.email': 'is required',
      'author.company': 'must not be empty and have at most 200 characters',
      rating: 'must be an integer from 1 to 5',
      type: 'must be one of text, video, audio',
      'tags.0': 'must not contain a comma: the tags filter is comma-separated',
      'tags.1': 'must not be empty and have at most 50 characters',
    });
  });
});
