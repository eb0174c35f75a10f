/** Checks requests and responses against docs/openapi.json, the contract that clients see. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import json from '../docs/openapi.json' with { type: 'json' };
import { withoutInvisible } from '../functions/domain/visible-text.ts';
import type { openApiDocument } from '../lib/openapi/document.ts';

type Document = ReturnType<typeof openApiDocument>;
type Schema = Record<string, unknown>;

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { headers?: Record<string, unknown>; content?: Record<string, { schema: Schema }> }
  >;
}

// The types of its JSON do not know that it is one of these documents.
const document = json as unknown as Document;

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
// Any form of RFC 3339.
ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i);
// ISO 8601 in UTC with milliseconds, the form of all times in responses.
ajv.addFormat('utc', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
ajv.addFormat('idn-email', /^[^@\s]+@[^@\s]+$/);
ajv.addKeyword('components');
// The document, and a copy that allows only its own fields.
ajv.addSchema({ components: document.components } as Schema, 'open', undefined, false);
ajv.addSchema({ components: closed(document.components) } as Schema, 'closed', undefined, false);

/** Returns the schemas with no additional fields and one form of times. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]));
  const isObject = 'properties' in value && 'type' in value && value.type === 'object';
  if (isObject) return { ...members, additionalProperties: false };
  return members.format === 'date-time' ? { ...members, format: 'utc' } : members;
}

const validators = new Map<string, ValidateFunction>();

/** Returns the problems of a value by a schema of the document, which may or may not have further fields. */
export function problems(schema: Schema, value: unknown, of: 'open' | 'closed'): string[] {
  const text = JSON.stringify(schema).replaceAll('"#/components', `"${of}#/components`);
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  return validate(value) ? [] : (validate.errors ?? []).map((each) => `${each.instancePath} ${each.message}`);
}

/** Returns the problems of a response's status and body. An undocumented field is one. */
export function answerProblems(
  routeKey: string,
  { status, body }: { status: number; body: unknown },
): string[] {
  const response = operationOf(routeKey)?.responses[status];
  if (!response) return [`The document has no response ${status} of ${routeKey}`];
  const { content } = response;
  if (!content) return body ? [`The document has no body of ${routeKey} ${status}`] : [];
  return problems(content['application/json']?.schema ?? {}, measured(body), 'closed');
}

/** A request to an operation, and its response. */
export interface Exchange {
  /** `GET /v1/testimonials`. */
  routeKey: string;
  query?: string | undefined;
  headers?: Record<string, string>;
  body?: string | undefined;
  isBase64Encoded?: boolean;
  answer: { status: number; headers: Record<string, unknown>; body: unknown };
}

// HTTP defines these for every response.
const ofHttp = /^content-(type|length|encoding)$/;

/** Returns everything undocumented about a request that was accepted, and about its response: status, headers and body. */
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

/** Returns an operation by its route key, such as `GET /v1/testimonials`. */
export function operationOf(routeKey: string): Operation | undefined {
  const [method = '', path = ''] = routeKey.split(' ');
  return document.paths[path]?.[method.toLowerCase()] as Operation | undefined; // the document's own shape
}

/** Returns the problems of a request's parameters and body. With `closed`, undocumented names are problems, too. */
export function requestProblems(
  { parameters = [], requestBody }: Operation,
  { query, headers, body }: { query: string; headers: Record<string, string>; body: string | undefined },
  of: 'open' | 'closed' = 'open',
): string[] {
  const sent = new URLSearchParams(query);
  const unnamed = [...sent.keys()].filter((each) => !parameters.some(({ name }) => name === each));
  const lowerCase = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const ofParameters = parameters.flatMap(({ name, in: place, schema }) => {
    const values = place === 'query' ? sent.getAll(name) : [lowerCase[name.toLowerCase()] ?? ''];
    // An empty parameter counts as none.
    const value = values.filter(Boolean).join(',');
    return value === '' ? [] : problems(schema, typed(value, schema), 'open').map((text) => `${name}${text}`);
  });
  const bodySchema = requestBody?.content['application/json']?.schema;
  // A byte order mark is ignored.
  const json = JSON.parse(body?.replace(/^\uFEFF/, '') ?? 'null');
  const ofBody = bodySchema ? problems(bodySchema, measured(json), of) : [];
  const ofNames = of === 'closed' ? unnamed.map((name) => `${name} is not a parameter`) : [];
  return [...ofNames, ...ofParameters, ...ofBody];
}

/** Parses a parameter by its schema, without surrounding blanks, blank members and quotes. */
function typed(text: string, { type }: Schema): unknown {
  if (type === 'integer') return Number(text);
  if (type !== 'array') return measured(text.replace(/^"(.*)"$/, '$1'));
  return text
    .split(',')
    .map((member) => member.trim())
    .filter(Boolean);
}

// No documented field is nested deeper.
const deepest = 3;

/** Returns a value with trimmed texts in Unicode NFC and without invisible characters, whose lengths the schema limits. */
function measured(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return withoutInvisible(value.trim().normalize('NFC'));
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
  if (Array.isArray(value)) return value.map((each) => measured(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, measured(each, depth + 1)]));
}
