/** Holds requests and answers against docs/openapi.json, the contract as clients have it. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { openApiDocument } from '../lib/openapi/document.ts';

type Document = ReturnType<typeof openApiDocument>;
type Schema = Record<string, unknown>;

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

interface Operation {
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { headers?: Record<string, unknown>; content?: Record<string, { schema: Schema }> }
  >;
}

const document: Document = JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'));

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
// RFC 3339, in any form.
ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i);
// ISO 8601 in UTC with milliseconds, as all times of answers are.
ajv.addFormat('utc', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
ajv.addFormat('email', /^[^@\s]+@[^@\s]+$/);
ajv.addKeyword('components');
// The document, and the same that allows no field but those that it names.
ajv.addSchema({ components: document.components } as Schema, 'open', undefined, false);
ajv.addSchema({ components: closed(document.components) } as Schema, 'closed', undefined, false);

/** The same schemas, in which an object has no other fields than its own, and a time one form. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]));
  const isObject = 'properties' in value && 'type' in value && value.type === 'object';
  if (isObject) return { ...members, additionalProperties: false };
  return members.format === 'date-time' ? { ...members, format: 'utc' } : members;
}

// The schemes that are a named part of a request.
const schemes: Record<string, { type: string; name?: string }> = document.components.securitySchemes;

const validators = new Map<string, ValidateFunction>();

/** The problems of a value by a schema of the document, with or without fields that it does not name. */
export function problems(schema: Schema, value: unknown, of: 'open' | 'closed'): string[] {
  const text = JSON.stringify(schema).replaceAll('"#/components', `"${of}#/components`);
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  return validate(value) ? [] : (validate.errors ?? []).map((each) => `${each.instancePath} ${each.message}`);
}

/**
 * The problems of the status and the body of an answer; a field that the document does not name is one.
 * @param routeKey of an operation that the document has
 */
export function answerProblems(
  routeKey: string,
  { status, body }: { status: number; body: unknown },
): string[] {
  const response = operationOf(routeKey)?.responses[status];
  if (!response) return [`The document has no answer ${status} of ${routeKey}`];
  const { content } = response;
  if (!content) return body ? [`The document has no body of ${routeKey} ${status}`] : [];
  return problems(content['application/json']?.schema ?? {}, body, 'closed');
}

/** What an operation was asked, and what it answered. */
export interface Exchange {
  /** `GET /v1/testimonials`. */
  routeKey: string;
  query?: string | undefined;
  headers?: Record<string, string>;
  body?: string | undefined;
  isBase64Encoded?: boolean;
  answer: { status: number; headers: Record<string, unknown>; body: unknown };
}

// What HTTP itself has every answer say is not an API's to document.
const ofHttp = /^content-(type|length|encoding)$/;

/** What the document does not know of a request that was accepted, and of its answer: status, headers and body. */
export function undocumented(exchange: Exchange): string[] {
  const { routeKey, query = '', headers = {}, body, isBase64Encoded, answer } = exchange;
  const operation = operationOf(routeKey);
  const lowerCased = (named = {}) => Object.keys(named).map((name) => name.toLowerCase());
  const known = lowerCased(operation?.responses[answer.status]?.headers);
  const unknown = lowerCased(answer.headers).filter((name) => !ofHttp.test(name) && !known.includes(name));
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : body;
  const isAccepted = operation && answer.status < 400;
  return [
    ...answerProblems(routeKey, answer),
    ...unknown.map((name) => `The document has no header ${name} of ${routeKey} ${answer.status}`),
    ...(isAccepted ? requestProblems(operation, { query, headers, body: text }) : []),
  ];
}

/** The operation `GET /v1/testimonials`; undefined when the document has none. */
export function operationOf(routeKey: string): Operation | undefined {
  const [method = '', path = ''] = routeKey.split(' ');
  return document.paths[path]?.[method.toLowerCase()] as Operation | undefined; // the document's own shape
}

/** The problems of a request's parameters and body; with `closed`, names that the document does not have are some, too. */
export function requestProblems(
  { security = [], parameters = [], requestBody }: Operation,
  { query, headers, body }: { query: string; headers: Record<string, string>; body: string | undefined },
  of: 'open' | 'closed' = 'open',
): string[] {
  const given = new URLSearchParams(query);
  const named = [...parameters, ...security.flatMap(Object.keys).flatMap((each) => schemes[each] ?? [])];
  const unnamed = [...given.keys()].filter((each) => !named.some(({ name }) => name === each));
  const lowerCase = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const ofParameters = parameters.flatMap(({ name, in: place, schema }) => {
    const values = place === 'query' ? given.getAll(name) : [lowerCase[name.toLowerCase()] ?? ''];
    // An empty parameter is the same as none.
    const value = values.filter(Boolean).join(',');
    return value === '' ? [] : problems(schema, typed(value, schema), 'open').map((text) => `${name}${text}`);
  });
  const bodySchema = requestBody?.content['application/json']?.schema;
  const ofBody = bodySchema ? problems(bodySchema, measured(JSON.parse(body ?? 'null')), of) : [];
  const ofNames = of === 'closed' ? unnamed.map((name) => `${name} is no parameter`) : [];
  return [...ofNames, ...ofParameters, ...ofBody];
}

/** A parameter's value, as its schema says that the text is to be read: without blanks, blank members and quotes. */
function typed(text: string, { type }: Schema): unknown {
  if (type === 'integer') return Number(text);
  if (type !== 'array') return measured(text.replace(/^"(.*)"$/, '$1'));
  return text
    .split(',')
    .map((member) => member.trim())
    .filter(Boolean);
}

// No field that is known lies deeper.
const deepest = 3;

/** Texts are measured without blanks around them, and composed. */
function measured(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.trim().normalize('NFC');
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
  if (Array.isArray(value)) return value.map((each) => measured(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, measured(each, depth + 1)]));
}
