/** Calls the real handlers as API Gateway would, on a table of their own. */

import { randomInt, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from '@jest/globals';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { organizationStore } from '../functions/accounts/dynamodb-organization-store.ts';
import { tokenReader, tokenStore } from '../functions/accounts/dynamodb-token-store.ts';
import { issueToken } from '../functions/accounts/issue-token.ts';
import type { FindToken } from '../functions/accounts/token-store.ts';
import { createHandler as createCreateHandler } from '../functions/create-testimonial/handler.ts';
import { isPublic, type Permission, permissions } from '../functions/domain/token.ts';
import { costMeter } from '../functions/dynamodb/cost-meter.ts';
import { abortable, type Table } from '../functions/dynamodb/table.ts';
import { type OrganizationLimits, tableBudgets } from '../functions/fair-use/dynamodb-budget-store.ts';
import { createHandler as createListHandler } from '../functions/list-testimonials/handler.ts';
import type { Bucket } from '../functions/media/bucket.ts';
import { createHandler as createModerationHandler } from '../functions/moderate-testimonials/handler.ts';
import { changesOn } from '../functions/testimonials/changes.ts';
import { createsOn } from '../functions/testimonials/creates.ts';
import { findsOn } from '../functions/testimonials/finds.ts';
import { ListMemory } from '../functions/testimonials/list-index/read/memory.ts';
import { listsOn } from '../functions/testimonials/lists.ts';
import { idempotencyKeyStore } from '../functions/testimonials/table/idempotency-key-store.ts';
import { indexStore } from '../functions/testimonials/table/index-store.ts';
import { testimonialStore } from '../functions/testimonials/table/testimonial-store.ts';
import { operationOf } from '../lib/check/contract/documented.ts';
import {
  type ApiRequest as Sent,
  type ServiceResponse,
  testimonialBody,
} from '../lib/check/contract/requests.ts';
import { tableRights } from '../lib/infrastructure/table-rights.ts';
import { openApiDocument } from '../lib/openapi/document.ts';
import packageJson from '../package.json' with { type: 'json' };
import { type Actor, actAs, addPolicy } from './iam/acting.ts';
import { noBudgets, noMeter } from './no-budgets.ts';
import { undocumented } from './openapi.ts';
import { createTestTable } from './test-table.ts';
import { leaksIn, logsOf, remember, WatchedLogger } from './watched-logs.ts';
import type { Backend } from './world/backend.ts';

/** The headers of every JSON response. */
export const jsonHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export { type ServiceResponse, testimonialBody };

export interface ApiClient {
  table: Table;
  token: string;
  /** The memory of the list function. */
  memory: ListMemory;
  /** The handlers' clock: milliseconds ahead of the real one, or the time at which it stands still. */
  clock: { offset: number; stopped?: number | undefined };
  create(body: unknown, headers?: Record<string, string>): Promise<ServiceResponse>;
  list(query?: string, headers?: Record<string, string>): Promise<ServiceResponse>;
  call(request: ApiRequest): Promise<ServiceResponse>;
  issue(permissions: Permission[], organization?: string): Promise<string>;
}

export interface ApiRequest extends Omit<Sent, 'method' | 'path' | 'token'> {
  routeKey: string;
  pathParameters?: Record<string, string>;
}

export function storesOf(table: Table): Backend {
  return {
    testimonials: testimonialStore(table),
    index: indexStore(table),
    idempotencyKeys: idempotencyKeyStore(table),
  };
}

/** The permissions that one token may have together. */
export const ownPermissions: Permission[] = permissions.filter((each) => !isPublic(each));

// The default template has no such function.
addPolicy('ModerateTestimonials', tableRights.moderate);

/**
 * Returns the handlers by their functions.
 * @param options without `limits` of each organization, costs are not counted
 */
export function handlersOf(
  table: Table,
  {
    now = table.now,
    findToken = tokenReader(table),
    memory = new ListMemory(),
    stores = (signal) => storesOf(signal ? abortable(table, signal) : table),
    limits,
    moderation = true,
    bucket,
  }: {
    now?: () => Date;
    findToken?: FindToken;
    memory?: ListMemory;
    stores?: (signal?: AbortSignal) => Backend;
    limits?: Partial<OrganizationLimits> | undefined;
    moderation?: boolean;
    bucket?: Bucket | undefined;
  } = {},
) {
  const logger = new WatchedLogger();
  const deps = {
    findToken,
    logger,
    budgets: limits
      ? tableBudgets({ ...table, now }, { dollars: 0, dailyDollars: 0, rate: 0, ...limits }, logger)
      : noBudgets,
    now,
    // No list takes too long, however busy the machine is. Slow lists have their own tests.
    lists: listsOn(stores, { memory, clock: () => 0 }),
    creates: createsOn(stores, { now, log: logger }),
    bucket,
    finds: findsOn(stores),
    changes: changesOn(stores, now),
    meter: limits ? costMeter(table.client) : noMeter,
    document: () => openApiDocument(packageJson.version, { moderation, media: bucket !== undefined }),
  };
  return {
    ListTestimonials: createListHandler(deps),
    CreateTestimonial: createCreateHandler(deps),
    ModerateTestimonials: createModerationHandler(deps),
  } satisfies Partial<Record<Actor, unknown>>;
}

/** Returns the function that the gateway calls for a route. */
export function functionOf(routeKey: string): keyof ReturnType<typeof handlersOf> {
  if (routeKey.endsWith('/{id}')) return 'ModerateTestimonials';
  return routeKey.startsWith('POST') ? 'CreateTestimonial' : 'ListTestimonials';
}

/** Returns the gateway's event of a request. */
export function eventOf({ routeKey, pathParameters, query = '', headers = {}, ...rest }: ApiRequest) {
  return {
    version: '2.0',
    routeKey,
    rawPath: '/v1/testimonials',
    rawQueryString: query,
    headers,
    requestContext: { requestId: randomUUID() },
    ...(pathParameters && { pathParameters }),
    isBase64Encoded: false,
    ...rest,
  } as unknown as APIGatewayProxyEventV2; // the handlers read no other part
}

/** Returns a context with time enough for a busy machine. Slow requests have their own tests. */
export function contextOf(timeLeftMs = () => 600_000): Context {
  return { awsRequestId: randomUUID(), getRemainingTimeInMillis: timeLeftMs } as Context; // likewise
}

/**
 * Calls a handler as the gateway does. Checks the exchange against the OpenAPI document, and its log for
 * leaks.
 */
export async function callHandler(
  handlers: ReturnType<typeof handlersOf>,
  request: ApiRequest,
  context = contextOf(),
): Promise<ServiceResponse> {
  const { routeKey, query = '', headers = {}, body, isBase64Encoded = false } = request;
  const actor = functionOf(routeKey);
  const { result, logged } = await logsOf(() =>
    actAs(actor, () => handlers[actor](eventOf(request), context)),
  );
  expect(leaksIn(logged, textsOf(headers, query, body))).toEqual([]);
  const response: ServiceResponse = {
    status: result.statusCode ?? 0,
    headers: result.headers ?? {},
    body: JSON.parse(String(result.isBase64Encoded ? unpacked(result.body) : (result.body ?? 'null'))),
  };
  const exchange = { routeKey, query, headers, body, isBase64Encoded, response };
  if (operationOf(routeKey)) expect(undocumented(exchange)).toEqual([]);
  if (response.status === 201 && response.body.author)
    remember(response.body.content, response.body.author.name, response.body.author.company);
  return response;
}

function unpacked(body = ''): Buffer {
  return gunzipSync(Buffer.from(body, 'base64'));
}

/** Returns the token, the search and the texts of a request, as far as it has them. */
function textsOf(headers: Record<string, string>, query: string, body = ''): string[] {
  const parameters = new URLSearchParams(query);
  const sent: Record<string, unknown> = { ...headers, search: parameters.get('search') };
  try {
    const { content, author } = JSON.parse(body);
    Object.assign(sent, { content, name: author?.name, company: author?.company });
  } catch {
    // It has no texts.
  }
  const { authorization = '', search, content, name, company } = sent;
  const token = String(authorization).replace(/^bearer\s+/i, '');
  return [token, ...parameters.getAll('token'), search, content, name, company].filter(
    (each) => typeof each === 'string',
  );
}

/**
 * Makes a client of the handlers on an empty table, with a read-and-write token for the organization `acme`.
 */
export async function createApiClient(
  existing?: Table,
  limits?: Partial<OrganizationLimits>,
  bucket?: Bucket,
): Promise<ApiClient> {
  const table = existing ?? (await createTestTable());
  const clock: ApiClient['clock'] = { offset: 0 };
  const now = () => new Date(clock.stopped ?? Date.now() + clock.offset);
  const memory = new ListMemory();
  const handlers = handlersOf(table, { now, limits, memory, bucket });
  const issue = (permissions: Permission[], organization = 'acme') =>
    issueToken(
      { tokens: tokenStore(table), organizations: organizationStore(table), now, randomInt },
      { organization, permissions },
    );
  const token = await issue(['testimonials:read', 'testimonials:write']);
  const authorization = `Bearer ${token}`;
  const call = (request: ApiRequest) => callHandler(handlers, request);

  return {
    table,
    token,
    memory,
    clock,
    issue,
    call,
    create: (body, headers = {}) =>
      call({
        routeKey: 'POST /v1/testimonials',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    list: (query = '', headers = {}) =>
      call({ routeKey: 'GET /v1/testimonials', query, headers: { authorization, ...headers } }),
  };
}
