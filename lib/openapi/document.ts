/** The OpenAPI document, generated from the contracts of the operations. */
import { readFileSync } from 'node:fs';
import {
  createTestimonialContract,
  createUploadContract,
} from '../../functions/create-testimonial/contract.ts';
import {
  gatewayResponses,
  type OperationContract,
  operationTags,
  type ParameterContract,
  type ResponseContract,
} from '../../functions/http/contract.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { moderationContracts } from '../../functions/moderate-testimonials/contract.ts';
import frame from './frame.json' with { type: 'json' };
import { schemaOf, schemasFor } from './schemas.ts';

export const contracts: readonly OperationContract[] = [
  createTestimonialContract,
  listTestimonialsContract,
  createUploadContract,
  ...moderationContracts,
];

/**
 * Returns the document (OpenAPI 3.1) of this version of the service.
 * @param options `moderation` is false for a deployment without the operations on one testimonial; `media` is
 * false for a deployment without photos and recordings
 */
export function openApiDocument(version: string, { moderation = true, media = true } = {}) {
  const isServed = { Testimonials: true, Media: media, Moderation: moderation };
  const served = contracts.filter(({ tag }) => isServed[tag]);
  const operationsOf = (all: OperationContract[] = []) =>
    Object.fromEntries(all.map((each) => [each.method.toLowerCase(), operationOf(each)]));
  const paths = mapped(
    Object.groupBy(served, ({ path }) => path),
    operationsOf,
  );
  const tags = Object.entries(operationTags).map(([name, description]) => ({ name, description }));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Testimonials API',
      version,
      // Begins with the first requests, authentication and errors. Rare rules come last.
      description: readFileSync(new URL('./introduction.md', import.meta.url), 'utf8'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: frame.servers,
    security: [{ apiToken: [] }],
    tags: tags.filter(({ name }) => served.some(({ tag }) => tag === name)),
    paths,
    components: { schemas: schemasFor(paths, { media }), securitySchemes: frame.securitySchemes },
  };
}

function operationOf(contract: OperationContract) {
  const { operationId, summary, tag, description, accesses, parameters, requestBody } = contract;
  const permissions = accesses.map(({ permission }) => permission);
  // Only the body of an operation that has one can be too large.
  const { 413: tooLarge, ...otherResponses } = gatewayResponses;
  const responses = { ...contract.responses, ...otherResponses, ...(requestBody && { 413: tooLarge }) };
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${description} The token needs the permission ${permissions.map((each) => `\`${each}\``).join(' or ')}.`,
    // Leaves out a scheme for published tokens in the URL, because generated clients would put any token
    // there. The description explains it.
    security: permissions.map((permission) => ({ apiToken: [permission] })),
    ...(parameters.length > 0 && { parameters: parameters.map(parameterOf) }),
    ...(requestBody && {
      requestBody: {
        required: true,
        content: {
          [requestBody.contentType]: {
            schema: schemaOf(requestBody.schema, 'request'),
            examples: mapped(requestBody.examples, (value) => ({ value })),
          },
        },
      },
    }),
    responses: mapped(responses, responseOf),
  };
}

function parameterOf({
  name,
  in: location,
  description,
  schema,
  default: value,
  example,
  repeatable,
}: ParameterContract) {
  const jsonSchema = schemaOf(schema, 'request');
  const isList = jsonSchema.type === 'array';
  return {
    name,
    in: location,
    description: repeatable
      ? `${description} \`${name}[]=a&${name}[]=b\` is the same as \`${name}=a,b\`.`
      : description,
    required: location === 'path',
    // A list is one value, separated by commas.
    ...(isList && { style: 'form', explode: false }),
    // A named schema contains its own default.
    schema: { ...jsonSchema, ...(value !== undefined && !jsonSchema.$ref && { default: value }) },
    ...(example !== undefined && { example: isList ? String(example).split(',') : example }),
  };
}

function responseOf({ description, schema, headers, examples }: ResponseContract) {
  return {
    description,
    ...(Object.keys(headers).length > 0 && {
      headers: mapped(headers, (text) => ({ description: text, schema: { type: 'string' } })),
    }),
    ...(schema && {
      content: {
        'application/json': {
          schema: schemaOf(schema, 'response'),
          examples: mapped(examples, (value) => ({ value })),
        },
      },
    }),
  };
}

function mapped<Value, Result>(
  all: Record<string, Value>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, map(value)]));
}
