/** The rules of each parameter of a list: valid and invalid values at each limit. */
import type { ParameterValues } from '../../../functions/list-testimonials/parameters.ts';
import {
  expectEqual,
  expectStatus,
  forbidden,
  listed,
  malformed,
  refused,
  unauthorized,
} from './expectations.ts';
import type { Organization } from './organization.ts';
import { linksOf, queryOf, testimonialBody } from './requests.ts';
import { each, rule, type Suite } from './suite.ts';

const tagNames = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`).join(',');
const words = (count: number, different = count) =>
  Array.from({ length: count }, (_, i) => `w${i % different}`).join(' ');

type ByParameter = Record<keyof ParameterValues, string[]>;

const accepted: ByParameter = {
  page: ['1', '2', '2147483647'],
  limit: ['1', '25', '100'],
  status: ['pending', 'approved', 'rejected', 'all'],
  type: ['text', 'video', 'audio', 'all'],
  rating: ['1', '2', '3', '4', '5'],
  sort: ['createdAt', 'updatedAt', 'rating'],
  order: ['asc', 'desc'],
  search: [
    'a',
    '7',
    '品',
    '!a!',
    'a'.repeat(200),
    words(20),
    words(30, 20),
    // In a script without spaces, a run of letters is one word.
    '品'.repeat(200),
    '𝒜'.repeat(200),
  ],
  tags: ['a', 'a,b', tagNames(20), `,${tagNames(20)}, ,`],
};

const bad: ByParameter = {
  page: [
    '0',
    '00',
    '2147483648',
    '99999999999999999999',
    '-1',
    '+1',
    '1.0',
    '1.5',
    '1e1',
    '0x1',
    ' 1',
    '1 ',
    '1\n',
    '1,2',
    '1_0',
    '١',
    '１',
    'first',
    'NaN',
    'Infinity',
    ' ',
  ],
  limit: ['0', '101', '-1', '+25', '25.0', '1e2', '0x19', 'all', ' '],
  status: ['unknown', 'Pending', 'ALL', 'pending,approved', ' pending', 'toString'],
  type: ['image', 'TEXT', 'text,video'],
  rating: ['0', '6', '-1', '4.5', '5.0', '+5', '1e0', '５', 'five', 'all'],
  sort: ['id', 'CreatedAt', 'createdat', '-createdAt', 'createdAt,rating'],
  order: ['up', 'ASC', 'descending'],
  search: [
    'a'.repeat(201),
    '𝒜'.repeat(201),
    '!',
    '?!… —',
    '   ',
    '😀',
    '_',
    '\u200b',
    '\u3164\u2800',
    '\u0640',
    words(21),
  ],
  tags: [tagNames(21)],
};

/** Returns a case for each value, with a name made of the parameter and the value. */
const casesOf = (values: ByParameter) =>
  Object.entries(values).flatMap(([name, all]) =>
    all.map((value) => [`${name}=${value}`, name, value] as const),
  );

const singleValued = [
  ...new URLSearchParams(
    'page=1&limit=25&status=pending&type=text&rating=5&sort=rating&order=asc&search=amazing',
  ),
];
const names = [...singleValued.map(([name]) => name), 'tags'];

/** Expects the same list as without parameters. */
async function expectAsNone(api: Organization, query: string): Promise<void> {
  const [seen, expected] = [await api.list(query), await api.list()];
  expectEqual('the response', listed(seen), listed(expected));
}

const several: [string, query: string, named: string[]][] = [
  [
    'when all are bad',
    `page=0&limit=101&status=x&type=x&rating=6&sort=x&order=x&search=!&tags=${tagNames(21)}`,
    names,
  ],
  [
    'when one is out of range and one is given twice',
    'limit=0&order=asc&order=desc&page=1',
    ['limit', 'order'],
  ],
  ['but no valid or unknown one', 'page=1&limit=0&status=all&colour=red&rating=five', ['limit', 'rating']],
];

export const listParameters: Suite = {
  name: 'Parameters of a list',
  async prepare(api) {
    await api.created(testimonialBody({ content: 'Amazing product number one', rating: 5, tags: ['a'] }));
    await api.created(testimonialBody({ content: 'Amazing product number two', type: 'audio' }));
  },
  rules: [
    each('a list accepts', casesOf(accepted), async (api, _, name, value) =>
      expectStatus(await api.list(queryOf({ [name]: value })), 200),
    ),
    each(
      'a list is refused with 400 that names the parameter for',
      casesOf(bad),
      async (api, _, name, value) => refused(await api.list(queryOf({ [name]: value })), malformed(name)),
    ),
    each<[query: string, name: string]>(
      'a single-valued parameter given twice is a 400:',
      [
        ...singleValued.map(([name, value]): [string, string, string] => [
          name,
          `${name}=${value}&${name}=${value}`,
          name,
        ]),
        ['with others between them', 'type=text&limit=5&other=1&type=audio', 'type'],
        ['with another value and an escaped name', 'page=1&p%61ge=2', 'page'],
      ],
      async (api, _, query, name) => refused(await api.list(query), malformed(name)),
    ),
    rule('repeated tags parameters count as one list', async (api) =>
      expectEqual('the total', await api.total('tags=x&tags=a'), 1),
    ),
    rule('repeated tags parameters are refused above 20 tags in all', async (api) =>
      refused(await api.list(`tags=${tagNames(20)}&tags=one-more`), malformed('tags')),
    ),
    each<[query: string, total: number]>(
      'a list of tags may be written with empty brackets:',
      [
        ['one', 'tags[]=a', 1],
        ['several', 'tags[]=x&tags[]=a', 1],
        ['percent-encoded', 'tags%5B%5D=a', 1],
        ['with commas', 'tags[]=x,a', 1],
        ['and without them', 'tags=x&tags[]=a', 1],
        ['none that matches', 'tags[]=x', 0],
      ],
      async (api, _, query, total) => expectEqual('the total', await api.total(query), total),
    ),
    rule('links write such a list without brackets', async (api) => {
      const { first } = linksOf(await api.list('tags[]=a&tags[]=x'));
      expectEqual('the tags', new URLSearchParams(first).get('tags'), 'a,x');
    }),
    each<[query: string, name: string, form: string]>(
      'any other known parameter with brackets is a 400 that names the right form:',
      [
        ...singleValued.map(
          ([name, value]) => [`${name}[]`, `${name}[]=${value}`, name, `${name}=<value>`] as const,
        ),
        ['an index', 'tags[0]=a&tags[1]=x', 'tags', 'tags=<value>,<value>'],
        ['a key', 'page[number]=2&page[size]=10', 'page', 'page=<value>'],
        ['percent-encoded', 'sort%5Bfield%5D=rating', 'sort', 'sort=<value>'],
        ['nested', 'tags[][]=a', 'tags', 'tags=<value>,<value>'],
        ['an unclosed bracket', 'tags[=a', 'tags', 'tags=<value>,<value>'],
        ['beside the right form', 'rating=4&rating[]=4', 'rating', 'rating=<value>'],
      ],
      async (api, _, query, name, form) => {
        const response = await api.list(query);
        refused(response, malformed(name));
        expectEqual(
          'the rule',
          response.body.error.details[name],
          `must be written without brackets, as ${form}`,
        );
      },
    ),
    rule('more than 20 tags with brackets are refused', async (api) =>
      refused(await api.list(`tags[]=${tagNames(20)}&tags[]=one-more`), malformed('tags')),
    ),
    each<[query: string]>(
      'an empty value is the same as not given:',
      [
        ...names.map((name): [string, string] => [name, `${name}=`]),
        ...names.map((name): [string, string] => [`${name} without an equals sign`, name]),
        ['all of them', names.map((name) => `${name}=`).join('&')],
      ],
      (api, _, query) => expectAsNone(api, query),
    ),
    each(
      'an unknown parameter is ignored:',
      [
        ['any', 'colour=red'],
        ['one without a value', 'colour'],
        ['one given twice', 'colour=red&colour=blue'],
        ['a known name in another case', 'Status=approved&PAGE=0'],
        ['an unknown name with brackets', 'filter[status]=approved&xtags[]=none&[]=1&[tags]=none'],
        ['a known name with empty brackets and no value', 'status[]=&tags[]=&limit[]'],
        ['a field of the testimonial', 'id=test_1&content=none&organizationId=other'],
        ['__proto__', '__proto__=1&constructor=2&toString=3'],
        ['an empty name', '=x&&'],
      ],
      (api, _, query) => expectAsNone(api, query),
    ),
    each('every invalid parameter is named at once', several, async (api, _, query, named) =>
      refused(await api.list(query), malformed(...named)),
    ),
    each(
      'defaults:',
      ['page=1', 'limit=25', 'status=all', 'type=all', 'sort=createdAt', 'order=desc'].map(
        (same) => [`not given is ${same}`, same] as const,
      ),
      (api, _, query) => expectAsNone(api, query),
    ),
    rule('checks come in the order 401, 403, 400', async (api) => {
      refused(await api.list('page=0', { token: '' }), unauthorized);
      refused(await api.list('page=0', { token: await api.token('testimonials:write') }), forbidden);
    }),
  ],
};
