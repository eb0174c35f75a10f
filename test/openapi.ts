/** Finds everything undocumented in a request and its response, by docs/openapi.json. */
import {
  normalizedTexts,
  type Operation,
  operationOf,
  problems,
  responseProblems,
  type Schema,
} from '../lib/check/contract/documented.ts';

/** A request to an operation, and its response. */
export interface Exchange {
  /** `GET /v1/testimonials`. */
  routeKey: string;
  query?: string | undefined;
  headers?: Record<string, string>;
  body?: string | undefined;
  isBase64Encoded?: boolean;
  response: { status: number; headers: Record<string, unknown>; body: unknown };
}

// HTTP defines these for every response.
const ofHttp = /^content-(type|length|encoding)$/;

/**
 * Returns everything undocumented about a request that was accepted, and about its response: status, headers
 * and body.
 */
export function undocumented(exchange: Exchange): string[] {
  const { routeKey, query = '', headers = {}, body, isBase64Encoded, response } = exchange;
  const operation = operationOf(routeKey);
  const lowerCased = (named = {}) => Object.keys(named).map((name) => name.toLowerCase());
  const known = lowerCased(operation?.responses[response.status]?.headers);
  const unknown = lowerCased(response.headers).filter((name) => !ofHttp.test(name) && !known.includes(name));
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : body;
  const isAccepted = operation && response.status < 400;
  return [
    ...responseProblems(routeKey, response),
    ...unknown.map((name) => `The document has no header ${name} of ${routeKey} ${response.status}`),
    ...(isAccepted ? requestProblems(operation, { query, headers, body: text }) : []),
  ];
}

/**
 * Returns the problems of a request's parameters and body. With `closed`, undocumented names are problems,
 * too.
 */
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
  const ofBody = bodySchema ? problems(bodySchema, normalizedTexts(json), of) : [];
  const ofNames = of === 'closed' ? unnamed.map((name) => `${name} is not a parameter`) : [];
  return [...ofNames, ...ofParameters, ...ofBody];
}

/** Parses a parameter by its schema, without surrounding blanks, blank members and quotes. */
function typed(text: string, { type }: Schema): unknown {
  if (type === 'integer') return Number(text);
  if (type !== 'array') return normalizedTexts(text.replace(/^"(.*)"$/, '$1'));
  return text
    .split(',')
    .map((member) => member.trim())
    .filter(Boolean);
}
