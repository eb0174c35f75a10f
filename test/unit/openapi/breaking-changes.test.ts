import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { openApiDocument } from '../../../lib/openapi/document.ts';
import { breakingChanges, type Document } from './breaking-changes.ts';

const document = JSON.parse(JSON.stringify(openApiDocument('1.0.0'))) as Document;
const released: Document = JSON.parse(
  readFileSync(new URL('../../../docs/openapi-released.json', import.meta.url), 'utf8'),
);

test('the document breaks nothing of the last released one', () => {
  expect(breakingChanges(released, document)).toEqual([]);
});

describe('named is', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a test takes apart what it likes
  const changed = (change: (made: any) => void): string[] => {
    const made = structuredClone(document);
    change(made);
    return breakingChanges(document, made);
  };
  const path = '/v1/testimonials';

  test('an operation that is gone', () => {
    expect(changed(({ paths }) => delete paths[path].post)).toEqual([`POST ${path} is gone`]);
  });

  test('a parameter that is gone, required or narrowed', () => {
    expect(changed(({ paths }) => paths[path].get.parameters.shift())).toEqual([
      `GET ${path}: the parameter page is gone`,
    ]);
    expect(
      changed(({ paths }) => {
        paths[path].get.parameters[1].required = true;
        paths[path].get.parameters[1].schema.maximum = 50;
        paths[path].get.parameters[2].schema.enum.pop();
      }),
    ).toEqual([
      `GET ${path}: the parameter limit has another maximum: 50`,
      `GET ${path}: the parameter status no longer takes all`,
      `GET ${path}: the parameter limit is now required`,
    ]);
  });

  test('a field of a request that is gone, newly required or narrowed', () => {
    expect(
      changed(({ components }) => {
        const input = components.schemas.TestimonialInput;
        input.required.push('rating');
        input.properties.content.minLength = 20;
        input.properties.author.properties.name.type = 'object';
        delete input.properties.tags;
      }),
    ).toEqual([
      `POST ${path}: the body now requires rating`,
      `POST ${path}: the body, content has another minLength: 20`,
      `POST ${path}: the body, author, name is object and no longer string`,
      `POST ${path}: the body no longer has tags`,
    ]);
  });

  test('a field, value, header or status of an answer that is gone or new', () => {
    expect(
      changed(({ components, paths }) => {
        const { Testimonial } = components.schemas;
        Testimonial.properties.status.enum.push('archived');
        Testimonial.required = Testimonial.required.filter((name: string) => name !== 'updatedAt');
        delete Testimonial.properties.createdAt;
        delete paths[path].post.responses[201].headers['Idempotent-Replayed'];
        delete paths[path].post.responses[429];
      }),
    ).toEqual([
      `POST ${path}: the header Idempotent-Replayed of 201 is gone`,
      `POST ${path}: the answer 201 may lack updatedAt`,
      `POST ${path}: the answer 201, status can be archived`,
      `POST ${path}: the answer 201 no longer has createdAt`,
      `POST ${path}: the answer 429 is gone`,
      ...['GET', 'PATCH'].flatMap((method) =>
        ['may lack updatedAt', ', status can be archived', 'no longer has createdAt'].map((what) =>
          `${method} ${path}/{id}: the answer 200 ${what}`.replace(' ,', ','),
        ),
      ),
    ]);
  });

  test('an error without its shape, or without a field of it', () => {
    expect(
      changed(({ components, paths }) => {
        components.schemas.Error.properties.error.required.pop();
        paths[path].get.responses[429].content['application/json'].schema = { type: 'string' };
      }),
    ).toEqual(
      expect.arrayContaining([
        `GET ${path}: the answer 400, error may lack requestId`,
        `GET ${path}: the answer 429 is string and no longer object`,
      ]),
    );
  });

  test('another shape of an answer, but not one for a permission that is new', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a test takes apart what it likes
    const addShape = ({ paths }: any) => {
      const answer = paths[path].post.responses[201].content['application/json'];
      answer.schema = { anyOf: [answer.schema, { type: 'object' }] };
    };
    expect(changed(addShape)).toEqual([`POST ${path}: the answer 201 can have another shape`]);
    expect(
      changed((made) => {
        addShape(made);
        made.paths[path].post.security.push({ apiToken: ['testimonials:draft'] });
      }),
    ).toEqual([]);
    expect(
      changed(({ paths }) => paths[path].get.responses[200].content['application/json'].schema.anyOf.shift()),
    ).toEqual([`GET ${path}: the answer 200 is undefined and no longer object`]);
  });

  test('not what only adds', () => {
    expect(
      changed(({ components, paths }) => {
        components.schemas.TestimonialInput.properties.title = { type: 'string' };
        components.schemas.Testimonial.properties.title = { type: 'string' };
        components.schemas.Error.properties.error.properties.code.enum.push('too_early');
        const error = paths[path].get.responses[400].content['application/json'];
        error.schema = { anyOf: [{ type: 'string' }, error.schema] };
        paths[path].get.parameters.push({ name: 'company', in: 'query', schema: { type: 'string' } });
      }),
    ).toEqual([]);
  });
});
