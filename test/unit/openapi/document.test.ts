import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { openApiDocument } from '../../../lib/openapi/document.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json'));

test('docs/openapi.json is what the contracts say: npm run openapi writes it', () => {
  expect(read('docs/openapi.json')).toBe(`${JSON.stringify(openApiDocument(version), null, 2)}\n`);
});

test('the parameters of a list are those of the specification, in its order, with its defaults and their limits', () => {
  const number = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum });
  const all = { default: 'all' };
  expect(openApiDocument(version).paths['/v1/testimonials']?.get).toMatchObject({
    parameters: [
      { name: 'page', schema: { ...number(1, 2_147_483_647), default: 1 } },
      { name: 'limit', schema: { ...number(1, 100), default: 25 } },
      { name: 'status', schema: all },
      { name: 'type', schema: all },
      { name: 'rating', schema: number(1, 5) },
      { name: 'sort', schema: { enum: ['createdAt', 'updatedAt', 'rating'], default: 'createdAt' } },
      { name: 'order', schema: { default: 'desc' } },
      { name: 'search', schema: { type: 'string', maxLength: 200 } },
      { name: 'tags', schema: { type: 'array', items: { type: 'string' }, maxItems: 20 }, explode: false },
    ],
  });
});

test.each(['README.md', 'docs/openapi.json'])('%s says by what equal values are ordered', (page) => {
  expect(read(page)).toMatch(/equal ratings .*by creation, equal `updatedAt` by the order of the updates/i);
});

test('a token may stand in the address where everyone may read it, and nowhere else', () => {
  const { paths, components } = openApiDocument(version);
  expect(components.securitySchemes).toMatchObject({
    publishedToken: { type: 'apiKey', in: 'query', name: 'token' },
  });
  const allowing = {
    security: expect.arrayContaining([{ publishedToken: ['testimonials:read-published'] }]),
  };
  expect(paths['/v1/testimonials']?.get).toMatchObject(allowing);
  expect(JSON.stringify(paths['/v1/testimonials']?.post)).not.toContain('publishedToken');
});

test('no expression in it needs more than consumers of JSON Schema read', () => {
  expect(JSON.stringify(openApiDocument(version))).not.toMatch(/\(\?<[!=]/);
});

test('the tables of the README are those of the document', () => {
  const readme = read('README.md');
  const { paths } = openApiDocument(version);
  const operations = Object.entries(paths).flatMap(([path, each]) =>
    Object.entries(each).map(([method, operation]) => {
      // The document's own shape.
      const { security, responses } = operation as {
        security: { apiToken?: string[] }[];
        responses: Record<string, unknown>;
      };
      const statuses = Object.keys(responses);
      return [
        `\`${method.toUpperCase()} ${path}\``,
        security
          .flatMap(({ apiToken = [] }) => apiToken.map((permission) => `\`${permission}\``))
          .join(' or '),
        statuses.find((status) => status < '400'),
        statuses.filter((status) => status >= '400').join(', '),
      ];
    }),
  );
  const rows = [
    ...readme.matchAll(/^\| (`(?:GET|POST|PATCH|DELETE) [^|]+) \| ([^|]+) \| (\d+), [^|]+ \| ([^|]+) \|$/gm),
  ];
  expect(rows.map(([, ...cells]) => cells)).toEqual(operations);

  const list: unknown = paths['/v1/testimonials']?.get;
  const { parameters } = list as {
    parameters: { name: string; schema: { default?: unknown; enum?: string[] } }[];
  };
  const documented = [...readme.matchAll(/^\| `(\w+)` \|([^|]*)\| ([^|]+) \|$/gm)]
    .filter(([, name]) => parameters.some((parameter) => parameter.name === name))
    .map(([, name, byDefault, rule]) => ({ name, byDefault: byDefault?.replaceAll('`', '').trim(), rule }));
  expect(documented.map(({ name, byDefault }) => [name, byDefault])).toEqual(
    parameters.map(({ name, schema }) => [name, String(schema.default ?? '')]),
  );
  for (const { name, schema } of parameters) {
    const rule = documented.find((each) => each.name === name)?.rule ?? '';
    expect((schema.enum ?? []).filter((value) => !rule.includes(`\`${value}\``))).toEqual([]);
  }
});
