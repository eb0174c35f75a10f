import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { createTestimonialContract } from '../../../functions/create-testimonial/contract.ts';
import { errorCodes } from '../../../functions/http/api-error.ts';
import { tokenParameter } from '../../../functions/http/operation.ts';
import { contracts, openApiDocument } from '../../../lib/openapi/document.ts';

/** An operation of the document. */
interface Operation {
  security: { apiToken: string[] }[];
  parameters?: { name: string; schema: { $ref?: string; enum?: unknown[]; default?: unknown } }[];
  responses: Record<string, unknown>;
}

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json'));

test('docs/openapi.json is up to date with the contracts (npm run openapi)', () => {
  expect(read('docs/openapi.json')).toBe(`${JSON.stringify(openApiDocument(version), null, 2)}\n`);
});

test.each(['README.md', 'docs/openapi.json'])('%s documents the order of equal values', (page) => {
  expect(read(page)).toMatch(/equal ratings .*by creation, .*equal `updatedAt` by the order of the updates/i);
});

test('the document describes the token in the URL in words, so that no client puts a secret one there', () => {
  const { paths, components, security } = openApiDocument(version);
  expect(components.securitySchemes).toEqual({
    apiToken: { type: 'http', scheme: 'bearer', description: expect.anything() },
  });
  const operations = Object.values(paths).flatMap((each) => Object.values(each)) as Operation[];
  const schemes = [security, ...operations.map((each) => each.security)].flat().flatMap(Object.keys);
  expect(new Set(schemes)).toEqual(new Set(['apiToken']));
  const names = operations.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name));
  expect(names).not.toContain(tokenParameter);
  expect(paths['/v1/testimonials']?.get).toMatchObject({
    description: expect.stringMatching(new RegExp(`parameter \`${tokenParameter}\`.*revoke it`)),
  });
});

test('the introduction explains each error code', () => {
  const { description } = openApiDocument(version).info;
  expect(errorCodes.filter((code) => !description.includes(`\`${code}\``))).toEqual([]);
});

test('its regular expressions avoid lookbehind, which consumers of JSON Schema lack', () => {
  expect(JSON.stringify(openApiDocument(version))).not.toMatch(/\(\?<[!=]/);
});

test('the tables of the README match the document', () => {
  const readme = read('README.md');
  const { paths, components } = openApiDocument(version);
  const operations = Object.entries(paths).flatMap(([path, each]) =>
    Object.entries(each).map(([method, operation]) => {
      // The document's own shape.
      const { security, responses } = operation as Operation;
      const statuses = Object.keys(responses);
      return [
        `\`${method.toUpperCase()} ${path}\``,
        security.flatMap(({ apiToken }) => apiToken.map((permission) => `\`${permission}\``)).join(' or '),
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
  const parameters = ((list as Operation).parameters ?? []).map(({ name, schema }) => ({
    name,
    schema: components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema,
  }));
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

const responses = contracts.flatMap(({ operationId, responses: all }) =>
  Object.entries(all).map(([status, response]) => [operationId, status, response] as const),
);

test.each(responses)(
  '%s %s: each example satisfies its schema, without unknown fields',
  (_, __, response) => {
    const examples = Object.values(response.examples);
    expect(examples.length > 0).toBe(response.schema !== undefined);
    for (const example of examples) expect(v.parse(response.schema ?? v.never(), example)).toEqual(example);
  },
);

test('the example of a create matches the example of its response', () => {
  const { requestBody, responses } = createTestimonialContract;
  const { created } = responses[201].examples;
  const { testimonial } = requestBody.examples;
  expect(created).toMatchObject({ ...testimonial, status: 'pending', updatedAt: created.createdAt });
});

const requestExamples = contracts.flatMap(({ operationId, requestBody }) =>
  Object.entries(requestBody?.examples ?? {}).map(
    ([name, example]) => [operationId, name, requestBody?.schema ?? v.never(), example] as const,
  ),
);

test.each(requestExamples)('%s: the example “%s” satisfies its schema', (_, __, schema, example) => {
  expect(v.parse(schema, example)).toEqual(example);
});

test('only another example than the first has ifUpdatedAt, which is right for one testimonial at one time', () => {
  const examples = requestExamples.filter(([operationId]) => operationId === 'changeTestimonial');
  const has = examples.map(([, , , example]) => Object.hasOwn(Object(example), 'ifUpdatedAt'));
  expect(has).toEqual([false, true]);
});

const parameters = contracts.flatMap(({ operationId, parameters: all }) =>
  all.map((parameter) => [operationId, parameter.name, parameter] as const),
);

test.each(parameters)('%s %s: the example and the default satisfy the schema', (_, __, parameter) => {
  for (const value of [parameter.example, parameter.default]) {
    if (value !== undefined) expect(v.safeParse(parameter.schema, String(value)).issues).toBeUndefined();
  }
});
