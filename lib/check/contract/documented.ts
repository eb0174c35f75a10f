/**
 * The operations and schemas of docs/openapi.json, the contract for clients, and the differences of a
 * response from it.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import json from '../../../docs/openapi.json' with { type: 'json' };
import { withoutInvisible } from '../../../functions/domain/visible-text.ts';
import type { openApiDocument } from '../../openapi/document.ts';

type Document = ReturnType<typeof openApiDocument>;
export type Schema = Record<string, unknown>;

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

export interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { headers?: Record<string, unknown>; content?: Record<string, { schema: Schema }> }
  >;
}

// The inferred type of the JSON does not say that it is such a document.
const document = json as unknown as Document;

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
// Any form of RFC 3339.
ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i);
// ISO 8601 in UTC with milliseconds, the format of all times in responses.
ajv.addFormat('utc', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
ajv.addFormat('idn-email', /^[^@\s]+@[^@\s]+$/);
ajv.addKeyword('components');
// The document, and a copy that allows only its own fields.
ajv.addSchema({ components: document.components } as Schema, 'open', undefined, false);
ajv.addSchema({ components: closed(document.components) } as Schema, 'closed', undefined, false);

/** Returns the schemas without additional fields and with a single format of times. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]));
  const isObject = 'properties' in value && 'type' in value && value.type === 'object';
  if (isObject) return { ...members, additionalProperties: false };
  return members.format === 'date-time' ? { ...members, format: 'utc' } : members;
}

const validators = new Map<string, ValidateFunction>();

/**
 * Returns the problems of a value according to a schema of the document. An `open` schema allows additional
 * fields, a `closed` one does not.
 */
export function problems(schema: Schema, value: unknown, fields: 'open' | 'closed'): string[] {
  const text = JSON.stringify(schema).replaceAll('"#/components', `"${fields}#/components`);
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  return validate(value) ? [] : (validate.errors ?? []).map((each) => `${each.instancePath} ${each.message}`);
}

/** Returns the problems of a response's status and body. An undocumented field is a problem. */
export function responseProblems(
  routeKey: string,
  { status, body }: { status: number; body: unknown },
): string[] {
  const response = operationOf(routeKey)?.responses[status];
  if (!response) return [`The document has no response ${status} of ${routeKey}`];
  const { content } = response;
  if (!content) return body ? [`The document has no body of ${routeKey} ${status}`] : [];
  return problems(content['application/json']?.schema ?? {}, normalizedTexts(body), 'closed');
}

/** Returns an operation by its route key, such as `GET /v1/testimonials`. */
export function operationOf(routeKey: string): Operation | undefined {
  const [method = '', path = ''] = routeKey.split(' ');
  return document.paths[path]?.[method.toLowerCase()] as Operation | undefined; // the document's own shape
}

// Documented fields are not nested deeper.
const deepest = 3;

/**
 * Returns a value in which texts with a length limit are trimmed, in Unicode NFC, and without invisible
 * characters.
 */
export function normalizedTexts(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return withoutInvisible(value.trim().normalize('NFC'));
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
  if (Array.isArray(value)) return value.map((each) => normalizedTexts(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, normalizedTexts(each, depth + 1)]),
  );
}
