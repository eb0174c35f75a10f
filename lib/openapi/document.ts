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

/** The start of the document, in Markdown: the first requests, authentication and errors. Rare rules come last. */
const introduction = `\
Collect testimonials (text, video and audio feedback of customers) and list them with filters, search and exact totals.

## First requests

Create a testimonial:

\`\`\`sh
curl -i "$TESTIMONIALS_URL/v1/testimonials" \\
  -H "Authorization: Bearer $TESTIMONIALS_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"content":"Amazing product! It saved our team two days a week.",
       "author":{"name":"Jane Doe","email":"jane@example.com"},"rating":5,"type":"text"}'
\`\`\`

List the pending testimonials:

\`\`\`sh
curl -i "$TESTIMONIALS_URL/v1/testimonials?status=pending" -H "Authorization: Bearer $TESTIMONIALS_TOKEN"
\`\`\`

## Authentication

Send an API token of your organization in the header \`Authorization: Bearer <token>\`. A token belongs to one organization and has one \
or more permissions; each operation names the permissions that allow it. A missing or invalid token fails with 401, a missing \
permission with 403.

Web pages use a token with the permission \`testimonials:read-published\`, which reads approved testimonials without e-mail addresses. Only \
this token may be in the URL, as the parameter \`${tokenParameter}\`.

## Errors

Every error has the same body. \`code\` is for programs, \`message\` for people, and \`requestId\` identifies the request in the log.

\`\`\`json
{"error":{"code":"validation_error","message":"The testimonial is not valid.","details":{"author.email":"is required"},"requestId":"b1946ac9-2d5c-4f8e-9d5a-7c9e6f3d2a10"}}
\`\`\`

| Status | Code | What to do |
|---|---|---|
| 400 | \`bad_request\` | Correct the parameters that \`details\` names. |
| 401 | \`unauthorized\` | Send a valid token. |
| 403 | \`forbidden\` | Use a token with the permission of the operation. |
| 404 | \`not_found\` | Check the path and the id. |
| 409 | \`conflict\` | Read the testimonial again: someone has changed it. |
| 422 | \`validation_error\` | Correct the fields that \`details\` names. |
| 422 | \`idempotency_key_reused\` | Use another Idempotency-Key for another testimonial. |
| 429 | \`rate_limited\` | Wait for the seconds in \`Retry-After\`. |
| 500 | \`internal_error\` | Repeat the request, then report the \`requestId\`. |
| 503 | \`unavailable\`, \`not_ready\` | Wait for the seconds in \`Retry-After\`. |

API Gateway sends some errors itself: 413, 431, and 429, 500 or 503 under load. Their body is \`{"message":"…"}\`.

## Details

* Unknown fields are ignored.
* Texts are trimmed and normalized (Unicode NFC). Limits count code points afterwards.
* Responses of 2 KB and more are compressed if \`Accept-Encoding\` allows gzip.
* A text fails if its characters stand for more than twice as many letters as the limit allows: U+FDFA stands for 18.
`;

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
      description: introduction,
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
            'An API token of one organization, with one or more permissions. Each operation names the permissions that allow it.',
        },
        [publicSecurity]: {
          type: 'apiKey',
          in: 'query',
          name: tokenParameter,
          description:
            'A token with the permission `testimonials:read-published`, in the URL: a browser then sends no preflight, and caches tell ' +
            'responses apart. If a request has the header too, the header wins. Any other token in the URL fails with 401: revoke ' +
            'it, because histories and logs keep URLs.',
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
