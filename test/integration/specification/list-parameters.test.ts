/** The rules of each parameter of a list: what is just inside them, and what is just outside. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { malformed, refusalOf } from './refusal.ts';

let api: ApiClient;
beforeAll(async () => {
  api = await createApiClient();
  await api.create(testimonialBody({ content: 'Amazing product number one', rating: 5, tags: ['a'] }));
  await api.create(testimonialBody({ content: 'Amazing product number two', type: 'audio' }));
});

/** A query of one parameter, escaped. */
const query = (name: string, value: string) => String(new URLSearchParams({ [name]: value }));
const tagNames = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`).join(',');

describe('a list accepts', () => {
  test.each([
    ['page', '1'],
    ['page', '2'],
    ['page', '2147483647'],
    ['limit', '1'],
    ['limit', '25'],
    ['limit', '100'],
    ['status', 'pending'],
    ['status', 'approved'],
    ['status', 'rejected'],
    ['status', 'all'],
    ['type', 'text'],
    ['type', 'video'],
    ['type', 'audio'],
    ['type', 'all'],
    ['rating', '1'],
    ['rating', '2'],
    ['rating', '3'],
    ['rating', '4'],
    ['rating', '5'],
    ['sort', 'createdAt'],
    ['sort', 'updatedAt'],
    ['sort', 'rating'],
    ['order', 'asc'],
    ['order', 'desc'],
    ['search', 'a'],
    ['search', '7'],
    ['search', '品'],
    ['search', '!a!'],
    ['search', 'a'.repeat(200)],
    ['search', Array.from({ length: 20 }, (_, i) => `w${i}`).join(' ')],
    ['search', Array.from({ length: 30 }, (_, i) => `w${i % 20}`).join(' ')],
    // A run of letters of a script without spaces is one word.
    ['search', '品'.repeat(200)],
    ['search', '𝒜'.repeat(200)],
    ['tags', 'a'],
    ['tags', 'a,b'],
    ['tags', tagNames(20)],
    ['tags', `,${tagNames(20)}, ,`],
  ])('%s=%s', async (name, value) => {
    expect((await api.list(query(name, value))).status).toBe(200);
  });
});

describe('a list is refused with 400 that names the parameter for', () => {
  test.each([
    ['page', '0'],
    ['page', '00'],
    ['page', '2147483648'],
    ['page', '99999999999999999999'],
    ['page', '-1'],
    ['page', '+1'],
    ['page', '1.0'],
    ['page', '1.5'],
    ['page', '1e1'],
    ['page', '0x1'],
    ['page', ' 1'],
    ['page', '1 '],
    ['page', '1\n'],
    ['page', '1,2'],
    ['page', '1_0'],
    ['page', '١'],
    ['page', '１'],
    ['page', 'first'],
    ['page', 'NaN'],
    ['page', 'Infinity'],
    ['page', ' '],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '-1'],
    ['limit', '+25'],
    ['limit', '25.0'],
    ['limit', '1e2'],
    ['limit', '0x19'],
    ['limit', 'all'],
    ['limit', ' '],
    ['status', 'unknown'],
    ['status', 'Pending'],
    ['status', 'ALL'],
    ['status', 'pending,approved'],
    ['status', ' pending'],
    ['status', 'toString'],
    ['type', 'image'],
    ['type', 'TEXT'],
    ['type', 'text,video'],
    ['rating', '0'],
    ['rating', '6'],
    ['rating', '-1'],
    ['rating', '4.5'],
    ['rating', '5.0'],
    ['rating', '+5'],
    ['rating', '1e0'],
    ['rating', '５'],
    ['rating', 'five'],
    ['rating', 'all'],
    ['sort', 'id'],
    ['sort', 'CreatedAt'],
    ['sort', 'createdat'],
    ['sort', '-createdAt'],
    ['sort', 'createdAt,rating'],
    ['order', 'up'],
    ['order', 'ASC'],
    ['order', 'descending'],
    ['search', 'a'.repeat(201)],
    ['search', '𝒜'.repeat(201)],
    ['search', '!'],
    ['search', '?!… —'],
    ['search', '   '],
    ['search', '😀'],
    ['search', '_'],
    ['search', Array.from({ length: 21 }, (_, i) => `w${i}`).join(' ')],
    ['tags', tagNames(21)],
  ])('%s=%s', async (name, value) => {
    const answer = await api.list(query(name, value));
    expect(refusalOf(answer)).toEqual(malformed(name));
    expect(answer.body.error.details[name]).toEqual(expect.stringMatching(/\w/));
  });
});

const singleValued = [
  ['page', '1'],
  ['limit', '25'],
  ['status', 'pending'],
  ['type', 'text'],
  ['rating', '5'],
  ['sort', 'rating'],
  ['order', 'asc'],
  ['search', 'amazing'],
] as const;

describe('a single-valued parameter given twice is a 400:', () => {
  test.each(singleValued)('%s', async (name, value) => {
    const answer = await api.list(`${name}=${value}&${name}=${value}`);
    expect(refusalOf(answer)).toEqual(malformed(name));
  });

  test('however many others stand between', async () => {
    const answer = await api.list('type=text&limit=5&other=1&type=audio');
    expect(refusalOf(answer)).toEqual(malformed('type'));
  });

  test('with another value, also when its name is escaped', async () => {
    expect(refusalOf(await api.list('page=1&p%61ge=2'))).toEqual(malformed('page'));
  });
});

describe('tags given twice', () => {
  test('is one list', async () => {
    const { body } = await api.list('tags=x&tags=a');
    expect(body.pagination.total).toBe(1);
  });

  test('is refused for more than 20 together', async () => {
    const answer = await api.list(`tags=${tagNames(20)}&tags=one-more`);
    expect(refusalOf(answer)).toEqual(malformed('tags'));
  });
});

describe('an empty value is the same as not given:', () => {
  test.each([...singleValued.map(([name]) => name), 'tags'])('%s', async (name) => {
    const [empty, absent] = [await api.list(`${name}=`), await api.list()];
    expect(empty).toMatchObject({ status: 200, body: absent.body });
  });

  test.each([...singleValued.map(([name]) => name), 'tags'])('%s without an equals sign', async (name) => {
    const [empty, absent] = [await api.list(name), await api.list()];
    expect(empty).toMatchObject({ status: 200, body: absent.body });
  });

  test('all of them', async () => {
    const all = [...singleValued.map(([name]) => name), 'tags'].map((name) => `${name}=`).join('&');
    const [empty, absent] = [await api.list(all), await api.list()];
    expect(empty).toMatchObject({ status: 200, body: absent.body });
  });
});

describe('an unknown parameter is ignored:', () => {
  test.each([
    ['any', 'colour=red'],
    ['one without a value', 'colour'],
    ['one given twice', 'colour=red&colour=blue'],
    ['a known name in another case', 'Status=approved&PAGE=0'],
    ['a known name with brackets', 'tags[]=none&status[]=approved'],
    ['a field of the testimonial', 'id=test_1&content=none&organizationId=other'],
    ['__proto__', '__proto__=1&constructor=2&toString=3'],
    ['an empty name', '=x&&'],
  ])('%s', async (_what, unknown) => {
    const [answer, absent] = [await api.list(unknown), await api.list()];
    expect(answer).toMatchObject({ status: 200, body: absent.body });
  });
});

describe('every bad parameter is named at once', () => {
  test('when all are bad', async () => {
    const answer = await api.list(
      `page=0&limit=101&status=x&type=x&rating=6&sort=x&order=x&search=!&tags=${tagNames(21)}`,
    );
    expect(refusalOf(answer)).toEqual(
      malformed('page', 'limit', 'status', 'type', 'rating', 'sort', 'order', 'search', 'tags'),
    );
  });

  test('when one is out of range and one is given twice', async () => {
    const answer = await api.list('limit=0&order=asc&order=desc&page=1');
    expect(refusalOf(answer)).toEqual(malformed('limit', 'order'));
  });

  test('and no good or unknown one', async () => {
    const answer = await api.list('page=1&limit=0&status=all&colour=red&rating=five');
    expect(refusalOf(answer)).toEqual(malformed('limit', 'rating'));
  });
});

describe('defaults:', () => {
  test.each([
    ['page', 'page=1'],
    ['limit', 'limit=25'],
    ['status', 'status=all'],
    ['type', 'type=all'],
    ['sort', 'sort=createdAt'],
    ['order', 'order=desc'],
  ])('%s not given is %s', async (_name, same) => {
    const [given, absent] = [await api.list(same), await api.list()];
    expect(given.body).toEqual(absent.body);
  });

  test('page 1 and limit 25 are what pagination says', async () => {
    expect((await api.list()).body.pagination).toMatchObject({ page: 1, limit: 25 });
  });
});

describe('checks come in the order 401, 403, 400:', () => {
  test('a bad parameter without a token is a 401', async () => {
    expect((await api.list('page=0', { authorization: '' })).status).toBe(401);
  });

  test('a bad parameter without the permission is a 403', async () => {
    const authorization = `Bearer ${await api.issue(['testimonials:write'])}`;
    expect((await api.list('page=0', { authorization })).status).toBe(403);
  });
});
