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
  type Made = any;
  const changed = (change: (made: Made) => void): string[] => {
    const made = structuredClone(document);
    change(made);
    return breakingChanges(document, made);
  };
  const path = '/v1/testimonials';
  const jsonOf = (answer: Made) => answer.content['application/json'];

  test('an operation that is gone', () => {
    expect(changed(({ paths }) => delete paths[path].post)).toEqual([`POST ${path}: gone`]);
  });

  test('a parameter that is gone, required or narrowed', () => {
    const found = changed(({ paths }) => {
      const [, limit, status] = paths[path].get.parameters;
      limit.required = true;
      limit.schema.maximum = 50;
      status.schema.enum.pop();
      paths[path].get.parameters.shift();
    });
    expect(found).toEqual([
      `GET ${path}, parameter page: gone`,
      `GET ${path}, parameter status, value all: gone`,
      `GET ${path}, parameter limit, maximum: new`,
      `GET ${path}, required limit: new`,
    ]);
  });

  test('a field of a request that is gone, newly required or narrowed', () => {
    const found = changed(({ components }) => {
      const input = components.schemas.TestimonialInput;
      input.required.push('rating');
      input.properties.content.minLength = 20;
      input.properties.author.properties.name.type = 'object';
      delete input.properties.tags;
    });
    expect(found).toEqual([
      `POST ${path}, body, author, name, string: gone`,
      `POST ${path}, body, tags: gone`,
      `POST ${path}, body, required rating: new`,
      `POST ${path}, body, content, minLength: new`,
    ]);
  });

  test('a field, value, header or status of an answer that is gone or new', () => {
    const found = changed(({ components, paths }) => {
      const { Testimonial } = components.schemas;
      Testimonial.properties.status.enum.push('archived');
      Testimonial.required = Testimonial.required.filter((name: string) => name !== 'updatedAt');
      delete Testimonial.properties.createdAt;
      delete paths[path].post.responses[201].headers['Idempotent-Replayed'];
      delete paths[path].post.responses[429];
    });
    const answers = [`POST ${path}, 201`, `GET ${path}/{id}, 200`, `PATCH ${path}/{id}, 200`];
    const ofTestimonials = answers.flatMap((answer) => [
      `${answer}, Testimonial, required updatedAt: gone`,
      `${answer}, Testimonial, createdAt: gone`,
      `${answer}, Testimonial, status, value archived: new`,
    ]);
    const ofPost = [`POST ${path}, 201, header Idempotent-Replayed: gone`, `POST ${path}, 429: gone`];
    expect(found.sort()).toEqual([...ofPost, ...ofTestimonials].sort());
  });

  test('an error without its shape, or without a field of it', () => {
    const found = changed(({ components, paths }) => {
      components.schemas.Error.properties.error.required.pop();
      jsonOf(paths[path].get.responses[429]).schema = { type: 'string' };
    });
    expect(found).toContain(`GET ${path}, 400, Error, error, required requestId: gone`);
    expect(found).toContain(`GET ${path}, 429, GatewayError: gone`);
  });

  test('another shape of an answer, but not one for a permission that is new', () => {
    const addShape = ({ paths }: Made) => {
      const answer = jsonOf(paths[path].post.responses[201]);
      answer.schema = { anyOf: [answer.schema, { type: 'object' }] };
    };
    expect(changed(addShape)).toEqual([`POST ${path}, 201, more shapes than permissions: new`]);
    const allowing = (made: Made) => {
      addShape(made);
      made.paths[path].post.security.push({ apiToken: ['testimonials:draft'] });
    };
    expect(changed(allowing)).toEqual([]);
    const removed = changed(({ paths }) => jsonOf(paths[path].get.responses[200]).schema.anyOf.shift());
    expect(removed).toEqual([`GET ${path}, 200, TestimonialList: gone`]);
  });

  test('not what only adds', () => {
    const found = changed(({ components, paths }) => {
      const title = { type: 'string', minLength: 1, enum: ['Dr'] };
      components.schemas.TestimonialInput.properties.title = title;
      components.schemas.TestimonialInput.properties.content.minLength = 5;
      components.schemas.Testimonial.properties.title = title;
      components.schemas.Error.properties.error.properties.code.enum.push('too_early');
      const error = jsonOf(paths[path].get.responses[400]);
      error.schema = { anyOf: [{ type: 'string' }, error.schema] };
      paths[path].get.parameters.push({ name: 'company', in: 'query', schema: title });
    });
    expect(found).toEqual([]);
  });
});
