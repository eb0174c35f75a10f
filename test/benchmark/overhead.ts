/** Measures where a request's CPU goes, with storage answered in memory: the network and DynamoDB take none of it. */

import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { Logger } from '@aws-lambda-powertools/logger';
import middy, { type MiddlewareObj } from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import * as v from 'valibot';
import { createHandler as createCreateHandler } from '../../functions/create-testimonial/handler.ts';
import { testimonialInput } from '../../functions/domain/testimonial.ts';
import type { ApiEvent, ApiResponse } from '../../functions/http/api-event.ts';
import { authenticate } from '../../functions/http/authenticate.ts';
import { jsonBody } from '../../functions/http/json-body.ts';
import { ownAccess } from '../../functions/http/operation.ts';
import { validateBody, validateQuery } from '../../functions/http/validate.ts';
import { ListMemory } from '../../functions/list-index/read/memory.ts';
import { createHandler as createListHandler, pageLinks } from '../../functions/list-testimonials/handler.ts';
import { listQuery } from '../../functions/list-testimonials/parameters.ts';
import { createTestimonial } from '../../functions/operations/create-testimonial.ts';
import { issueToken } from '../../functions/operations/issue-token.ts';
import { listTestimonials } from '../../functions/operations/list-testimonials.ts';
import { costMeter } from '../../functions/persistence/cost-meter.ts';
import { idempotencyKeyStore } from '../../functions/persistence/dynamodb-idempotency-key-store.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { remembered, tokenReader, tokenStore } from '../../functions/persistence/dynamodb-token-store.ts';
import { openTable, type Table } from '../../functions/persistence/table.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import { noBudgets } from '../no-budgets.ts';
import { type EmbeddedDynamoDb, organization } from './engine.ts';
import { type Spread, spreadOf } from './statistics.ts';

export interface Overhead {
  operation: string;
  /** Parts of a request, in milliseconds of CPU; the first is the whole. */
  parts: { name: string; cpuMs: Spread }[];
}

const batches = 9;

/** @param batchMs CPU of a batch; nine batches are measured after as many to warm up */
export async function measureOverhead(database: EmbeddedDynamoDb, batchMs: number): Promise<Overhead[]> {
  const cpuOf = async (work: () => unknown): Promise<Spread> => {
    // The system counts CPU in steps of some milliseconds: a batch takes many of them.
    const rounds = async (milliseconds: number) => {
      const begin = process.threadCpuUsage();
      for (let count = 1; ; count += 1) {
        await work();
        const { user, system } = process.threadCpuUsage(begin);
        if (user + system >= milliseconds * 1000) return (user + system) / 1000 / count;
      }
    };
    await rounds(batches * batchMs);
    const measured: number[] = [];
    for (let batch = 0; batch < batches; batch += 1) measured.push(await rounds(batchMs));
    return spreadOf(measured);
  };

  const token = await issueToken(
    {
      tokens: tokenStore(database.open()),
      organizations: organizationStore(database.open()),
      now: () => new Date(),
      randomInt,
    },
    { organization, permissions: ['testimonials:read', 'testimonials:write'] },
  );
  const { table: remembering, calls } = rememberingTable(database);
  const overHttp = {
    testimonials: testimonialStore(remembering),
    index: indexStore(remembering),
    idempotencyKeys: idempotencyKeyStore(remembering),
  };
  const inMemory = {
    testimonials: rememberingAnswers(overHttp.testimonials),
    index: rememberingAnswers(overHttp.index),
    idempotencyKeys: rememberingAnswers(overHttp.idempotencyKeys),
  };
  const common = {
    findToken: remembered(tokenReader(remembering)),
    logger: new UnprintedLogger(),
    now: () => new Date(),
    randomInt,
    memory: new ListMemory(),
    meter: costMeter(remembering.client),
    budgets: noBudgets,
  };

  const query = 'status=approved&limit=25';
  const body = JSON.stringify({
    content: 'Amazing product! It saved our team two days a week, and the support answered within the hour.',
    author: { name: 'Jane Doe', email: 'jane@example.com', company: 'Acme Inc.' },
    rating: 5,
    type: 'text',
    tags: ['onboarding', 'support'],
  });
  const event = (routeKey: string) => () =>
    ({
      version: '2.0',
      routeKey,
      rawPath: '/v1/testimonials',
      rawQueryString: routeKey.startsWith('GET') ? query : '',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: '*/*' },
      requestContext: { requestId: 'bench', http: { method: routeKey.split(' ')[0] } },
      ...(routeKey.startsWith('POST') && { body }),
      isBase64Encoded: false,
    }) as unknown as APIGatewayProxyEventV2; // the handlers read no other part
  const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => 10_000 } as Context; // likewise
  type Event = ApiEvent<unknown>;
  const middlewareEvent = (made: APIGatewayProxyEventV2) => ({ event: made as unknown as Event, context });
  const answered = async (response: Promise<ApiResponse>) => {
    const { statusCode, body: text } = await response;
    if (statusCode !== 200 && statusCode !== 201) throw new Error(`Answered ${statusCode}: ${text}`);
  };

  const callsOf = async (work: () => Promise<unknown>) => {
    // The first may look up the token again.
    await work();
    const before = calls();
    await work();
    return calls() - before;
  };
  const authentication = authenticate({ ...common, accesses: [ownAccess('testimonials:read')] });
  const bareMiddy = middy<Event, ApiResponse>();
  for (let i = 0; i < 5; i += 1) bareMiddy.use({ before: () => {}, after: () => {}, onError: () => {} });
  bareMiddy.use(httpHeaderNormalizer() as MiddlewareObj<Event, ApiResponse>);
  bareMiddy.handler(async () => ({ statusCode: 200 }));
  const line = { requestId: 'bench', lambdaRequestId: 'bench', route: 'GET', organization, status: 200 };

  /** @param ask a request to a function on these stores */
  const measure = async (
    operation: string,
    event: () => APIGatewayProxyEventV2,
    ask: (stores: typeof overHttp) => () => Promise<void>,
    ownParts: Record<string, () => unknown>,
  ): Promise<Overhead> => {
    const whole = await cpuOf(ask(overHttp));
    const callsMade = await callsOf(ask(overHttp));
    const rest = await cpuOf(ask(inMemory));
    const parts = [
      { name: 'whole request', cpuMs: whole },
      { name: `AWS SDK: ${callsMade} calls`, cpuMs: difference(whole, rest) },
    ];
    const works = {
      ...ownParts,
      'Middy, its header normalizer': () => bareMiddy(event() as never, context),
      authentication: () => authentication.before?.(middlewareEvent(event()) as never),
      'log line': () => common.logger.info('Request answered', line),
    };
    for (const [name, work] of Object.entries(works)) parts.push({ name, cpuMs: await cpuOf(work) });
    return { operation, parts };
  };

  const getEvent = event('GET /v1/testimonials');
  const { given, query: parsed } = v.parse(listQuery, { status: ['approved'], limit: ['25'] });
  const page = await listTestimonials({ ...common, ...inMemory }, organization, parsed);
  const listBody = () => JSON.stringify({ testimonials: page.testimonials, pagination: { page: 1 } });
  const queryValidation = validateQuery(listQuery);
  const lists = await measure(
    `a list of ${page.testimonials.length} (${Math.round(listBody().length / 1024)} KB)`,
    getEvent,
    (stores) => {
      const list = createListHandler({ ...common, stores: () => stores });
      // Asked for the first time each time, by a function that knows the head.
      return () => {
        common.memory.of(organization).forget();
        return answered(list(getEvent(), context));
      };
    },
    {
      'list engine': () => listTestimonials({ ...common, ...inMemory }, organization, parsed),
      validation: () => queryValidation.before?.(middlewareEvent(getEvent()) as never),
      'serialization and links': () => {
        listBody();
        pageLinks('/v1/testimonials', given, { page: 1, totalPages: 40 });
      },
    },
  );

  const postEvent = event('POST /v1/testimonials');
  const input = v.parse(testimonialInput, JSON.parse(body));
  const parsing = jsonBody<unknown>();
  const bodyValidation = validateBody(testimonialInput);
  const creates = await measure(
    'a create',
    postEvent,
    (stores) => {
      const create = createCreateHandler({ ...common, stores: () => stores });
      return () => answered(create(postEvent(), context));
    },
    {
      operation: () => createTestimonial({ ...common, ...inMemory }, { organization, input }),
      'body parser and validation': async () => {
        const request = middlewareEvent(postEvent());
        await parsing.before?.(request as never);
        await bodyValidation.before?.(request as never);
      },
      serialization: () => JSON.stringify(input),
    },
  );
  return [lists, creates];
}

function difference(whole: Spread, rest: Spread): Spread {
  return {
    count: whole.count,
    median: whole.median - rest.median,
    low: whole.low - rest.high,
    high: whole.high - rest.low,
  };
}

/** Formats each line and keeps it to itself. */
class UnprintedLogger extends Logger {
  protected override printLog(): void {}
}

/** A table whose database is asked each thing once and answers from memory from then on. */
function rememberingTable(database: EmbeddedDynamoDb): { table: Table; calls: () => number } {
  let called = 0;
  const answers = new Map<
    string,
    { statusCode: number; headers: Record<string, string>; body: Uint8Array }
  >();
  const http = new NodeHttpHandler();
  const handle: NodeHttpHandler['handle'] = async (request, options) => {
    called += 1;
    const target = String(request.headers['x-amz-target']);
    // Every write is another one, and answered like the first.
    const isWrite = /PutItem|UpdateItem/.test(target);
    const key = isWrite ? target : `${target} ${Buffer.from(request.body).toString('latin1')}`;
    let answer = answers.get(key);
    if (!answer) {
      const { response } = await http.handle(request, options);
      const { statusCode, headers } = response;
      answer = { statusCode, headers, body: Buffer.concat(await Array.fromAsync(response.body)) };
      answers.set(key, answer);
    }
    return { response: new HttpResponse({ ...answer, body: Readable.from([answer.body]) }) };
  };
  const requestHandler = Object.assign(Object.create(http), { handle }) as NodeHttpHandler; // all but this is its own
  const config = { ...localClientConfig(database.endpoint), requestHandler };
  return { table: openTable(database.open().name, { config }), calls: () => called };
}

/** A store that answers each call like the first of its kind. */
function rememberingAnswers<Store extends object>(store: Store): Store {
  const answers = new Map<string, unknown>();
  return new Proxy(store, {
    get(target, name, receiver) {
      const method = Reflect.get(target, name, receiver);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        const plain = args.filter((arg) => !(arg instanceof AbortSignal));
        const isWrite = name === 'takeOrdinals' || name === 'insert' || name === 'claim';
        const key = isWrite ? String(name) : `${String(name)} ${JSON.stringify(plain)}`;
        if (name === 'walk') return walkAgain(key, () => method.apply(target, args));
        if (!answers.has(key)) answers.set(key, method.apply(target, args));
        return answers.get(key);
      };
    },
  });

  async function* walkAgain(key: string, walk: () => AsyncIterable<unknown>) {
    if (!answers.has(key)) answers.set(key, await Array.fromAsync(walk()));
    yield* answers.get(key) as unknown[]; // set above
  }
}
