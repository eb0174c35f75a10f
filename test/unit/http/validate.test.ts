import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { testimonialInput } from '../../../functions/domain/testimonial.ts';
import { ApiError } from '../../../functions/http/api-error.ts';
import { validateBody, validateQuery } from '../../../functions/http/validate.ts';
import { listQuery } from '../../../functions/list-testimonials/parameters.ts';
import { apiEvent, call } from './api-call.ts';

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

async function refusal(calling: Promise<unknown>): Promise<ApiError> {
  const error = await calling.then(
    () => new Error('was not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw error;
}

describe('validateQuery', () => {
  test('gives each parameter as the array of its values', async () => {
    expect(await valuesOf('tags=a&page=2&tags=b%2Cc')).toEqual({ tags: ['a', 'b,c'], page: ['2'] });
  });

  test('an empty parameter is the same as none', async () => {
    expect(await valuesOf('status=&tags=&tags=a&page')).toEqual({ tags: ['a'] });
  });

  test('an empty query has no parameters', async () => {
    expect(await valuesOf('')).toEqual({});
  });

  test('decodes percent signs and plus', async () => {
    expect(await valuesOf('search=a+b%20%C3%A9')).toEqual({ search: ['a b é'] });
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
        const error = await parsedList(query).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error === undefined || (error instanceof ApiError && error.status === 400)).toBe(true);
      }),
    );
  });

  test('takes a parameter that is given once and once empty', async () => {
    expect((await parsedList('page=&page=4')).query.page).toBe(4);
  });

  test('takes tags given twice together', async () => {
    expect((await parsedList('tags=a,b&tags=c')).query.filter.tags).toEqual(['a', 'b', 'c']);
  });

  test.each(['', 'page=', ',', 'tags=,%20,', 'unknown=1', 'status=all&type=all'])(
    'without a filter (%j) everything is asked for, by the defaults',
    async (query) => {
      expect((await parsedList(query)).query).toEqual({
        filter: {},
        sort: 'createdAt',
        order: 'desc',
        page: 1,
        limit: 25,
      });
    },
  );
});

describe('validateBody', () => {
  const valid = {
    content: 'Amazing product',
    author: { name: 'Jane Doe', email: 'jane@example.com' },
    type: 'text',
  };
  const parse = async (body: unknown) => {
    const event = apiEvent({ body });
    await call([validateBody(testimonialInput)], event);
    return event.input;
  };
  const detailsOf = async (body: unknown) => (await refusal(parse(body))).details;

  test('reports every failing field at once, as 422', async () => {
    const error = await refusal(
      parse({ content: 'short', author: { name: '', company: '' }, rating: 6, type: 'x', tags: ['a,b', ''] }),
    );
    expect(error.status).toBe(422);
    expect(error.code).toBe('validation_error');
    expect(error.details).toEqual({
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

  test('reports every required field of an empty object', async () => {
    expect(await detailsOf({})).toEqual({
      content: 'is required',
      author: 'is required',
      type: 'is required',
    });
  });

  test.each([
    ['content', 10, 10_000],
    ['author.name', 1, 200],
    ['author.company', 1, 200],
    ['tags.0', 1, 50],
  ])('%s has %d to %d characters, counted in code points after trimming', async (path, min, max) => {
    const body = (length: number) => {
      const value = ` ${'😀'.repeat(length)}\n`;
      if (path === 'content') return { ...valid, content: value };
      if (path === 'tags.0') return { ...valid, tags: [value] };
      return { ...valid, author: { ...valid.author, [path.slice('author.'.length)]: value } };
    };
    for (const length of [min - 1, max + 1]) {
      expect(Object.keys((await detailsOf(body(length))) ?? {})).toEqual([path]);
    }
    for (const length of [min, max]) await expect(parse(body(length))).resolves.toBeDefined();
  });
});
