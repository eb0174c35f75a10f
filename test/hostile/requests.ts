/** Generates requests from the OpenAPI document and breaks them in every way that we know of. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { ApiRequest } from '../api-client.ts';
import { type Body, bodiesOf, hostileText, longRun, numberText, oddText, prototypeKeys } from './texts.ts';

interface Schema {
  $ref?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
}

/** The part of the OpenAPI document that the generator reads. */
interface Operation {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { examples: Record<string, { value: object }> }> };
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const { paths, components }: Document = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
);
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    routeKey: `${method.toUpperCase()} ${path}`,
    operation,
  })),
);

/**
 * Requests mostly with a token for all operations, sometimes with a token for one.
 * @param ids the ids of existing testimonials
 */
export function hostileRequest(tokens: Tokens, ids: readonly string[]): fc.Arbitrary<ApiRequest> {
  return fc
    .oneof(
      ...operations.map(({ routeKey, operation }) =>
        fc.record({
          // The gateway routes unknown paths to `$default`.
          routeKey: fc.oneof({ weight: 60, arbitrary: fc.constant(routeKey) }, fc.constant('$default')),
          query: queryOf(operation),
          ...(routeKey.endsWith('{id}') && { pathParameters: fc.record({ id: idOf(ids) }) }),
          headers: headersOf(tokens, operation),
          ...(operation.requestBody && {
            body: fc.oneof(...examplesOf(operation).map(bodyOf)),
          }),
        }),
      ),
    )
    .map(({ body, ...request }: RequestParts) => ({ ...request, ...body }));
}

export interface Tokens {
  both: string;
  read: string;
  write: string;
}

type RequestParts = Omit<ApiRequest, 'body'> & { body?: Body };

const authorizationOf = ({ both: token, ...others }: Tokens) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...Object.values(others)).map((other) => `Bearer ${other}`) },
    { weight: 60, arbitrary: fc.constant(`Bearer ${token}`) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        `bearer ${token}`,
        `BEARER   ${token}  `,
        `Bearer ${token}, Bearer ${token}`,
        token,
        'Bearer ',
        `Basic ${token}`,
        `Bearer ${token.slice(0, -1)}`,
        `Bearer ${token} ${token}`,
        `Bearer ${token}\u0000`,
        `Bearer ${token.toUpperCase()}`,
        '',
      ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('', 'Bearer ', 'bearer    '), hostileText)
        .map((parts) => parts.join('')),
    },
  );

const contentType = fc.oneof(
  { weight: 40, arbitrary: fc.constant('application/json') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'APPLICATION/JSON;charset="UTF-8"',
      'application/json ; a=b',
      'application/ld+json',
      'text/plain',
      'application/json, application/json',
      '*/*',
      'multipart/form-data; boundary=x',
      `application/${'a+'.repeat(2000)}json`,
      `application/json${' '.repeat(4000)}x`,
    ),
  },
  { weight: 1, arbitrary: hostileText },
);

const hostileKey = fc.oneof(
  fc.constantFrom(
    '"k"',
    '""',
    'a"b',
    '"a\\"b"',
    '"a\\b"',
    '"a", "b"',
    '\u00e9',
    'jane@example.com',
    'x'.repeat(255),
    'x'.repeat(256),
    `"${'x'.repeat(255)}"`,
    `"${'\\"'.repeat(4000)}`,
    '\\'.repeat(4000),
  ),
  hostileText,
);

// Mostly the same key, with different bodies.
const idempotencyKey = fc.oneof(
  { weight: 3, arbitrary: fc.constant('k') },
  { weight: 1, arbitrary: hostileKey },
);

const otherHeaders = fc.dictionary(
  fc.constantFrom(
    ...prototypeKeys,
    ...'origin cookie expect content-encoding transfer-encoding range x-forwarded-for'.split(' '),
    ...'x-http-method-override host content-length accept if-none-match'.split(' '),
  ),
  hostileText,
  { maxKeys: 3, noNullPrototype: true },
);

/** Changes the case of header names, which HTTP ignores. The gateway sends them in lower case. */
const letterCase = fc.constantFrom(
  (name: string) => name,
  (name: string) => name,
  (name: string) => name.toUpperCase(),
  (name: string) => name.replace(/^./, (first) => first.toUpperCase()),
);

function headersOf(tokens: Tokens, { parameters = [] }: Operation): fc.Arbitrary<Record<string, string>> {
  const names = parameters.filter((each) => each.in === 'header').map(({ name }) => name.toLowerCase());
  return fc
    .record({
      authorization: fc.option(authorizationOf(tokens), { freq: 60, nil: undefined }),
      type: fc.option(contentType, { freq: 40, nil: undefined }),
      key: fc.option(idempotencyKey, { freq: 2, nil: undefined }),
      other: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: otherHeaders }),
      written: letterCase,
    })
    .map(({ authorization, type, key, other, written }) => ({
      ...other,
      ...(authorization !== undefined && { [written('authorization')]: authorization }),
      ...(type !== undefined && { [written('content-type')]: type }),
      ...(key !== undefined && Object.fromEntries(names.map((name) => [written(name), key]))),
    }));
}

function idOf(ids: readonly string[]): fc.Arbitrary<string> {
  const near = fc.constantFrom(...ids.flatMap((id) => [`${id}0`, ` ${id}`, id.toUpperCase(), `${id}\u0000`]));
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...ids) },
    { weight: 1, arbitrary: near },
    { weight: 1, arbitrary: hostileText },
    { weight: 1, arbitrary: longRun },
  );
}

function queryOf({ parameters = [] }: Operation): fc.Arbitrary<string> {
  const inQuery = parameters.filter((each) => each.in === 'query');
  const pairs = inQuery.map(({ name, schema: { $ref = '', ...inline } }) => {
    const schema = components.schemas[$ref.split('/').at(-1) ?? ''] ?? inline;
    const good = schema.enum
      ? fc.constantFrom(...schema.enum)
      : fc.oneof(
          fc.integer({ min: schema.minimum ?? 1, max: Math.min(schema.maximum ?? 9, 100) }).map(String),
          fc.constantFrom('amaz', 'ux', 'jane'),
        );
    const values = fc.oneof(
      { weight: 5, arbitrary: good },
      { weight: 2, arbitrary: numberText },
      { weight: 4, arbitrary: hostileText },
      { weight: 1, arbitrary: longRun },
    );
    return fc.tuple(fc.constant(name), values);
  });
  const stray = fc.tuple(
    fc.constantFrom(
      ...prototypeKeys,
      'Page',
      'page[]',
      'limit[0]',
      'filter[a][b]',
      '',
      ' ',
      'status ',
      '\ud800',
      'q',
    ),
    hostileText,
  );
  const pair = fc
    .tuple(fc.oneof(...pairs, stray), encoding)
    .map(([[name, value], encode]) => `${encode(name)}=${encode(value)}`);
  return fc.oneof(
    { weight: 8, arbitrary: fc.array(pair, { maxLength: 6 }).map((all) => all.join('&')) },
    // A repeated parameter.
    {
      weight: 1,
      arbitrary: fc
        .tuple(pair, fc.constantFrom(2, 3, 21, 400))
        .map(([one, times]) => Array(times).fill(one).join('&')),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...'& = &&&& ? % %%% # ; page page=1;limit=2 %ff=%fe %c0%af +++'.split(' '),
        '&'.repeat(4000),
        '=&'.repeat(2000),
      ),
    },
  );
}

/** Writes a text into a query string: escaped, half escaped, or unchanged. */
const encoding = fc.constantFrom(
  (text: string) => encodeURIComponent(text.toWellFormed()),
  (text: string) => encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+'),
  // The bytes of a surrogate and a lone lead byte, both invalid in UTF-8.
  (text: string) => encodeURIComponent(text.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80%FF'),
  (text: string) => text.toWellFormed().replace(/[&=#\s]/g, ''),
);

const rating = fc.integer({ min: 1, max: 5 });

const hugeNumbers = '1e400 -1e400 1e-400 -0 9007199254740993 4.999999999999999999 5.0 5.1 1E0 0 6'.split(' ');

/** A value of any kind, as JSON. */
const hostileJson: fc.Arbitrary<string> = fc.oneof(
  hostileText.map((text) => JSON.stringify(text)),
  // Unescaped, so not valid Unicode or not JSON.
  oddText.map((text) => `"${text}"`),
  fc.constantFrom('null', 'true', 'false', '{}', '[]', '[[]]', '[null]', '{"length":3}', ...hugeNumbers),
  fc.constantFrom(10, 1000, 20_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.constantFrom(10, 1000, 20_000).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc
    .constantFrom(20, 21, 3000)
    .map((count) => JSON.stringify(Array.from({ length: count }, (_, i) => `t${i}`))),
  fc.constantFrom(...prototypeKeys).map((key) => `{"${key}":{"polluted":true,"prototype":{}}}`),
);

/** The example with some fields missing, duplicated or set to a hostile value. */
function brokenBody(example: object): fc.Arbitrary<string> {
  const names = [
    ...Object.keys(example),
    'author.name',
    'author.email',
    'author.role',
    'author.company',
    ...prototypeKeys,
    'id',
    'status',
  ];
  const change = fc.tuple(fc.constantFrom(...names), hostileJson);
  return fc
    .tuple(
      fc.array(change, { maxLength: 3 }),
      fc.subarray(Object.keys(example), { minLength: 2 }),
      fc.boolean(),
    )
    .map(([changes, kept, isWhole]) => {
      const fields = Object.entries(example)
        .filter(([name]) => isWhole || kept.includes(name))
        .map(([name, value]) => [name, JSON.stringify(value)] as const);
      const author = changes
        .filter(([name]) => name.startsWith('author.'))
        .map(([name, json]) => `${JSON.stringify(name.slice('author.'.length))}:${json}`);
      const own = changes.filter(([name]) => !name.startsWith('author.'));
      return `{${[...fields, ...own]
        .map(([name, json]) => {
          const isAuthor = name === 'author' && json.startsWith('{') && author.length > 0;
          return `${JSON.stringify(name)}:${isAuthor ? json.replace(/\}$/, `,${author.join(',')}}`) : json}`;
        })
        .join(',')}}`;
    });
}

const notJson = fc.constantFrom(
  '',
  'null',
  '"text"',
  '[{}]',
  '{"a":1}}',
  '{"a":1,}',
  '\ufeff{}',
  '{}\0',
  'content=a&type=text',
  '{"content":"\\u12"}',
);

/** Valid bodies with different values. */
function goodOf(example: object): fc.Arbitrary<object> {
  if ('rating' in example) return rating.map((each) => ({ ...example, rating: each }));
  return fc
    .constantFrom('pending', 'rejected')
    .map((status) => ({ ...example, status, ifUpdatedAt: undefined }));
}

function examplesOf({ requestBody }: Operation): object[] {
  return Object.values(requestBody?.content['application/json']?.examples ?? {}).map(({ value }) => value);
}

function bodyOf(example: object): fc.Arbitrary<Body> {
  const body = fc.oneof(
    // Valid bodies.
    { weight: 3, arbitrary: goodOf(example).map((each) => JSON.stringify(each)) },
    { weight: 12, arbitrary: brokenBody(example) },
    { weight: 2, arbitrary: notJson },
    { weight: 1, arbitrary: hostileJson },
  );
  return bodiesOf(body, 3);
}
