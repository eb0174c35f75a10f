/** The OpenAPI document, made from the contracts of the operations. */
import { readFileSync } from 'node:fs';
import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from '@valibot/to-json-schema';
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
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { listBody, publishedListBody } from '../../functions/list-testimonials/list-body.ts';
import { changeRequest } from '../../functions/moderate-testimonials/change-request.ts';
import { moderationContracts } from '../../functions/moderate-testimonials/contract.ts';
import frame from './frame.json' with { type: 'json' };

/** All operations. */
export const contracts: readonly OperationContract[] = [
  createTestimonialContract,
  listTestimonialsContract,
  ...moderationContracts,
];

// Schemas that the document refers to by name.
const named: Record<string, v.GenericSchema> = {
  Testimonial: testimonial,
  TestimonialInput: testimonialInput,
  TestimonialChange: changeRequest,
  TestimonialList: listBody,
  PublishedTestimonialList: publishedListBody,
  Error: errorBody,
  GatewayError: gatewayBody,
};

/** Returns the document (OpenAPI 3.1) of this version of the service. */
export function openApiDocument(version: string) {
  const operationsOf = (all: OperationContract[] = []) =>
    Object.fromEntries(all.map((each) => [each.method.toLowerCase(), operationOf(each)]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Testimonials API',
      version,
      // The first requests, authentication and errors; rare rules come last.
      description: readFileSync(new URL('./introduction.md', import.meta.url), 'utf8'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: frame.servers,
    security: [{ apiToken: [] }],
    tags: Object.entries(operationTags).map(([name, description]) => ({ name, description })),
    paths: mapped(
      Object.groupBy(contracts, ({ path }) => path),
      operationsOf,
    ),
    components: { schemas: toJsonSchemaDefs(named, conversion), securitySchemes: frame.securitySchemes },
  };
}

function operationOf(contract: OperationContract) {
  const { operationId, summary, tag, description, accesses, parameters, requestBody } = contract;
  const permissions = accesses.map(({ permission }) => permission);
  // Only operations with a body can have one that is too large.
  const { 413: tooLarge, ...otherResponses } = gatewayResponses;
  const responses = { ...contract.responses, ...otherResponses, ...(requestBody && { 413: tooLarge }) };
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${description} The token needs the permission ${permissions.map((each) => `\`${each}\``).join(' or ')}.`,
    security: [
      ...permissions.map((permission) => ({ apiToken: [permission] })),
      ...permissions.filter(isPublic).map((permission) => ({ publishedToken: [permission] })),
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

function parameterOf({
  name,
  in: location,
  description,
  schema,
  default: value,
  example,
}: ParameterContract) {
  const jsonSchema = schemaOf(schema);
  const isList = jsonSchema.type === 'array';
  return {
    name,
    in: location,
    description,
    required: location === 'path',
    // A list is one value, separated by commas.
    ...(isList && { style: 'form', explode: false }),
    schema: { ...jsonSchema, ...(value !== undefined && { default: value }) },
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

function mapped<Value, Result>(
  all: Record<string, Value>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, map(value)]));
}

const conversion: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'output',
  // Descriptions cover rules that JSON Schema lacks.
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideAction: ({ valibotAction, jsonSchema }) => {
    // The contracts' metadata consists of JSON Schema keywords.
    const { metadata } = valibotAction as { metadata?: JsonSchema };
    if (valibotAction.type !== 'metadata' || !metadata) return undefined;
    // The schema of a parameter describes the parsed type, not its text.
    if (metadata.type) return metadata;
    // A format is easier to read than its regular expression.
    const { pattern, ...rest } = jsonSchema;
    return { ...(metadata.format ? rest : jsonSchema), ...metadata };
  },
};

/** Converts a schema, with references to the named ones. */
function schemaOf(schema: v.GenericSchema): JsonSchema {
  const { $schema: _, $defs: __, ...rest } = toJsonSchema(schema, { ...conversion, definitions: named });
  return rest;
}
