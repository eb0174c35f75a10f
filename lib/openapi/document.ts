/** The OpenAPI document of the service, made from the contracts of its operations. */
import { type ConversionConfig, type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { createTestimonialContract } from '../../functions/create-testimonial/contract.ts';
import { testimonial, testimonialInput } from '../../functions/domain/testimonial.ts';
import { isPublic } from '../../functions/domain/token.ts';
import {
  errorBody,
  gatewayBody,
  gatewayResponses,
  type OperationContract,
  operationTags,
  type ParameterContract,
  type ResponseContract,
} from '../../functions/http/contract.ts';
import { tokenParameter } from '../../functions/http/operation.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { listBody, publishedListBody } from '../../functions/list-testimonials/list-body.ts';
import { changeRequest } from '../../functions/moderate-testimonials/change-request.ts';
import { moderationContracts } from '../../functions/moderate-testimonials/contract.ts';

/** The operations of the service. */
export const contracts: readonly OperationContract[] = [
  createTestimonialContract,
  listTestimonialsContract,
  ...moderationContracts,
];

// Schemas that the document names.
const named: Record<string, v.GenericSchema> = {
  Testimonial: testimonial,
  TestimonialInput: testimonialInput,
  TestimonialChange: changeRequest,
  TestimonialList: listBody,
  PublishedTestimonialList: publishedListBody,
  Error: errorBody,
  GatewayError: gatewayBody,
};

const security = 'apiToken';
const publicSecurity = 'publishedToken';

/**
 * Makes the document (OpenAPI 3.1).
 * @param version of the service
 */
export function openApiDocument(version: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const contract of contracts) {
    paths[contract.path] = {
      ...paths[contract.path],
      [contract.method.toLowerCase()]: operationOf(contract),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Testimonials API',
      version,
      description:
        'Collects and lists the testimonials of an organization: text, video and audio feedback of customers. ' +
        'Texts are trimmed and composed (Unicode NFC) before they are measured, in code points; one whose characters stand for ' +
        'more than twice as many letters as it may have, as U+FDFA stands for eighteen, is refused. Unknown fields are ' +
        'ignored. Answers of 2 KB and more leave compressed where `Accept-Encoding` takes gzip. ' +
        'Every error has one shape, `{"error":{"code","message","details"?,"requestId"}}`; a path that does not ' +
        'exist is answered 404 with the code `not_found`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: '/', description: 'The service that serves this document.' },
      {
        url: 'https://{api}.execute-api.{region}.amazonaws.com',
        description: 'The URL that `cdk deploy` prints.',
        variables: { api: { default: 'abcdef1234' }, region: { default: 'us-east-1' } },
      },
    ],
    security: [{ [security]: [] }],
    tags: Object.entries(operationTags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: mapped(named, jsonSchemaOf),
      securitySchemes: {
        [security]: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API token of one organization. It has the permissions to read, to write, to moderate and to erase, or some of them, or the one to read what is ' +
            'published, with which it may stand in a web page; an operation names those that allow it.',
        },
        [publicSecurity]: {
          type: 'apiKey',
          in: 'query',
          name: tokenParameter,
          description:
            'A token with `testimonials:read-published`, in the address: a browser asks without a preflight, and caches tell answers ' +
            'apart by it. The header wins where both are sent. Any other token there is answered 401: revoke it, since addresses are ' +
            'kept in histories and logs.',
        },
      },
    },
  };
}

function operationOf(contract: OperationContract) {
  const { operationId, summary, tag, description, accesses, parameters, requestBody } = contract;
  const permissions = accesses.map(({ permission }) => permission);
  // API Gateway refuses bodies; only some operations have one.
  const { 413: tooLarge, ...otherAnswers } = gatewayResponses;
  const responses = { ...contract.responses, ...otherAnswers, ...(requestBody && { 413: tooLarge }) };
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${description} The token needs the permission ${permissions.map((each) => `\`${each}\``).join(' or ')}.`,
    security: [
      ...permissions.map((permission) => ({ [security]: [permission] })),
      ...permissions.filter(isPublic).map((permission) => ({ [publicSecurity]: [permission] })),
    ],
    ...(parameters.length > 0 && { parameters: parameters.map(parameterOf) }),
    ...(requestBody && {
      requestBody: {
        required: true,
        content: {
          [requestBody.contentType]: { schema: schemaOf(requestBody.schema), example: requestBody.example },
        },
      },
    }),
    responses: mapped(responses, responseOf),
  };
}

function parameterOf({ name, in: place, description, schema, default: value, example }: ParameterContract) {
  const its = jsonSchemaOf(schema);
  const isList = its.type === 'array';
  return {
    name,
    in: place,
    description,
    required: place === 'path',
    // A list is one value with commas.
    ...(isList && { style: 'form', explode: false }),
    schema: { ...its, ...(value !== undefined && { default: value }) },
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
          schema: schemaOf(schema),
          examples: mapped(examples, (value) => ({ value })),
        },
      },
    }),
  };
}

/** The same names, each with what becomes of its value. */
function mapped<Value, Made>(all: Record<string, Value>, make: (value: Value) => Made): Record<string, Made> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, make(value)]));
}

/** A reference to a schema that has a name, otherwise the schema. */
function schemaOf(schema: v.GenericSchema): JsonSchema {
  if (isUnion(schema)) return { anyOf: schema.options.map(schemaOf) };
  const [name] = Object.entries(named).find(([, each]) => each === schema) ?? [];
  return name === undefined ? jsonSchemaOf(schema) : { $ref: `#/components/schemas/${name}` };
}

function isUnion(schema: v.GenericSchema): schema is v.UnionSchema<v.GenericSchema[], undefined> {
  return schema.type === 'union';
}

const conversion: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'output',
  // Descriptions say what JSON Schema cannot.
  errorMode: 'ignore',
  overrideAction: ({ valibotAction, jsonSchema }) => {
    // The contracts' metadata are keywords of JSON Schema.
    const { metadata } = valibotAction as { metadata?: JsonSchema };
    if (valibotAction.type !== 'metadata' || !metadata) return undefined;
    // A value that is a text on the way is described as what it stands for.
    if (metadata.type) return metadata;
    // A format says more to a reader than the expression that checks it.
    const { pattern, ...rest } = jsonSchema;
    return { ...(metadata.format ? rest : jsonSchema), ...metadata };
  },
};

function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  const { $schema: _, ...rest } = toJsonSchema(schema, conversion);
  return rest;
}
