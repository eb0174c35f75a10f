import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { openApiDocument } from '../../../lib/openapi/document.ts';
import { breakingChanges, type Document } from './breaking-changes.ts';

const document = JSON.parse(JSON.stringify(openApiDocument('1.0.0'))) as Document;
const released: Document = JSON.parse(
  readFileSync(new URL('../../../docs/openapi-released.json', import.meta.url), 'utf8'),
);

test('the document is compatible with the last released one', () => {
  expect(breakingChanges(released, document)).toEqual([]);
});

const path = '/v1/testimonials';

// biome-ignore lint/suspicious/noExplicitAny: the changes here reach any part of the document
type Change = (made: any) => void;

function namedOf(change: Change): string[] {
  const made = structuredClone(document);
  change(made);
  return breakingChanges(document, made).sort();
}

const another: Change = ({ paths }) => {
  const response = paths[path].post.responses[201].content['application/json'];
  response.schema = { anyOf: [response.schema, { type: 'object' }] };
};

test.each<[string, Change, string[]]>([
  ['an operation', ({ paths }) => delete paths[path].post, [`gone: POST ${path}`]],
  ['a parameter', ({ paths }) => paths[path].get.parameters.shift(), [`gone: GET ${path}: parameter page`]],
  [
    'a parameter that is required or narrowed',
    ({ components, paths }) => {
      const [, limit] = paths[path].get.parameters;
      limit.required = true;
      limit.schema.maximum = 50;
      components.schemas.StatusFilter.enum.pop();
    },
    [
      `gone: GET ${path}: parameter status allows all`,
      `new: GET ${path}: parameter limit is required`,
      `less: GET ${path}: parameter limit, maximum`,
    ],
  ],
  [
    'a field of a request that is removed, newly required or narrowed',
    ({ components }) => {
      const { TestimonialInput: input, AuthorInput: author } = components.schemas;
      input.required.push('rating');
      input.properties.content.minLength = 20;
      author.properties.name.type = 'object';
      delete input.properties.tags;
    },
    [
      `gone: POST ${path}: body, author, name is string`,
      `gone: POST ${path}: body, tags`,
      `new: POST ${path}: body requires rating`,
      `less: POST ${path}: body, content, minLength`,
    ],
  ],
  [
    'a field, value, header or status of a response that is removed or added',
    ({ components, paths }) => {
      const { Testimonial, TestimonialStatus } = components.schemas;
      TestimonialStatus.enum.push('archived');
      Testimonial.required = Testimonial.required.filter((name: string) => name !== 'updatedAt');
      delete Testimonial.properties.createdAt;
      delete paths[path].post.responses[201].headers['Idempotent-Replayed'];
      delete paths[path].post.responses[429];
    },
    [
      `gone: POST ${path}: response 201, header Idempotent-Replayed`,
      `gone: POST ${path}: response 429`,
      ...[
        `POST ${path}: response 201 Testimonial`,
        `GET ${path}/{id}: response 200 Testimonial`,
        `PATCH ${path}/{id}: response 200 Testimonial`,
      ].flatMap((each) => [
        `gone: ${each}, createdAt`,
        `gone: ${each}, updatedAt is always present`,
        `new: ${each}, status can be archived`,
      ]),
      `new: GET ${path}: response 200 TestimonialList, testimonials, each, status can be archived`,
    ],
  ],
  [
    'a field or value of one shape of a response',
    ({ components }) => {
      const { TestimonialList, PublishedTestimonial } = components.schemas;
      delete TestimonialList.properties.pagination;
      const { properties } = PublishedTestimonial;
      properties.status.enum.push('pending');
      delete properties.rating;
    },
    [
      `gone: GET ${path}: response 200 PublishedTestimonialList, testimonials, each, rating`,
      `gone: GET ${path}: response 200 TestimonialList, pagination`,
      `new: GET ${path}: response 200 PublishedTestimonialList, testimonials, each, status can be pending`,
    ],
  ],
  [
    'an alternative of a body that is the only one left',
    ({ components }) => components.schemas.TestimonialChange.anyOf.splice(1),
    [`new: PATCH ${path}/{id}: body requires status`],
  ],
  [
    'an error without its shape',
    ({ paths }) => {
      paths[path].get.responses[429].content['application/json'].schema = { type: 'string' };
    },
    ['response 429 is object', 'response 429, error', 'response 429, message'].map(
      (each) => `gone: GET ${path}: ${each}`,
    ),
  ],
  ['another shape of a response', another, [`less: POST ${path}: response 201, permissions minus shapes`]],
  [
    'nothing for a new shape with a new permission',
    (document) => {
      another(document);
      document.paths[path].post.security.push({ apiToken: ['testimonials:draft'] });
    },
    [],
  ],
  [
    'nothing for additions',
    ({ components, paths }) => {
      components.schemas.TestimonialInput.properties.title = { type: 'string', maxLength: 5, enum: ['a'] };
      components.schemas.Testimonial.properties.title = { type: 'string', enum: ['a'] };
      const error = paths[path].get.responses[400].content['application/json'];
      error.schema = { anyOf: [{ type: 'string' }, error.schema] };
      paths[path].get.parameters.push({ name: 'company', in: 'query', schema: { type: 'string' } });
    },
    [],
  ],
])('reports %s', (_, change, expected) => {
  expect(namedOf(change)).toEqual(expected.toSorted());
});

test('reports an error body that lost a field', () => {
  const named = namedOf(({ components }) => components.schemas.ErrorBody.properties.error.required.pop());
  expect(named).toContain(`gone: GET ${path}: response 400, error, requestId is always present`);
});
