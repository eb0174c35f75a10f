/** The real handlers behind HTTP in this process, as in the local service, with a simulated clock. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { openTable, type Table } from '../functions/dynamodb/table.ts';
import type { ApiResponse } from '../functions/http/api-event.ts';
import { routeKey } from '../functions/http/operation.ts';
import { documentRoute } from '../functions/list-testimonials/document.ts';
import { updateIndexAlongside } from '../functions/testimonials/list-index/write/indexing.ts';
import { runCheck } from '../lib/check/run.ts';
import { tableRights } from '../lib/infrastructure/table-rights.ts';
import { createHttpApi } from '../lib/local-runner/http-api.ts';
import { localClientConfig } from '../lib/local-runner/settings.ts';
import { contracts } from '../lib/openapi/document.ts';
import { operatorOf } from '../lib/operator/session.ts';
import { type Printed, printedBy } from './admin.ts';
import { contextOf, functionOf, handlersOf, storesOf } from './api-client.ts';
import { deskOf, deskRouteKeys } from './desk-client.ts';
import { ownDynamoDb } from './dynamodb.ts';
import { actAs, addPolicy } from './iam/acting.ts';
import { listen } from './listen.ts';
import { pageRouteKeys, pagesHandlerOf } from './page-visitor.ts';
import { createTestTable } from './test-table.ts';

/** Breaks a response of the service. */
export type Breakage = (event: APIGatewayProxyEventV2, response: ApiResponse) => ApiResponse;

export interface ServedApi {
  url: string;
  table: Table;
  /** The URL of the table's DynamoDB, whose clock `sleep` advances. */
  endpoint: string;
  clock: () => number;
  /** Advances the clock and returns at once, after an index update of every organization. */
  sleep: (milliseconds: number) => Promise<void>;
}

// Twelve steps are a minute, within which an erasure has to end.
const stepMs = 5000;

// Costs are counted and never exceed this.
const dollarsPerMinute = 1000;

/** Serves the API on a table of its own. */
export async function servedApi(
  broken?: Breakage,
  { moderation = false, pages = false, desk = false } = {},
): Promise<ServedApi> {
  const { state, endpoint } = ownDynamoDb();
  const { name } = await createTestTable();
  const clock = () => Date.now() + state.aheadMs;
  const config = { ...localClientConfig(endpoint), requestHandler: {} };
  const table = openTable(name, { config });
  const operator = operatorOf(table, clock);
  const options = { now: () => new Date(clock()), limits: { dollars: dollarsPerMinute }, moderation };
  const handlers = {
    ...handlersOf(table, options),
    ServePages: pagesHandlerOf(table, options),
    ServeDesk: (await deskOf({ ...table, now: options.now })).running(),
  };
  const invoke = async (event: unknown) => {
    const request = event as APIGatewayProxyEventV2; // the server makes no other
    const actor = actorOf(request.routeKey);
    // A breakage reads the response, so that none is compressed.
    const { 'accept-encoding': accepted, ...others } = request.headers;
    const headers = broken ? others : request.headers;
    const response = await actAs(actor, () => handlers[actor]({ ...request, headers }, contextOf()));
    return broken?.(request, response) ?? response;
  };
  const served = contracts.filter(({ tag }) => moderation || tag !== 'Moderation');
  const server = createHttpApi({
    routes: new Map(
      [
        ...served.map(routeKey),
        routeKey(documentRoute),
        ...(pages ? pageRouteKeys : []),
        ...(desk ? deskRouteKeys : []),
        '$default',
      ].map((each) => [each, invoke]),
    ),
    onResponse: ({ error }) => {
      if (error !== undefined) throw error;
    },
  });
  const url = await listen(server);
  const updateAll = () =>
    actAs('IndexTestimonials', async () => {
      const stores = { ...storesOf(table), now: operator.now };
      for (const each of await operator.organizations.list()) await updateIndexAlongside(stores, each);
    });
  let updating: Promise<void> | undefined;
  return {
    url,
    table,
    endpoint,
    clock,
    async sleep(milliseconds) {
      // Concurrent sleeps share an index update and see time pass in steps.
      for (let left = milliseconds; left > 0; left -= stepMs) {
        state.aheadMs += Math.min(left, stepMs);
        updating ??= updateAll().finally(() => {
          updating = undefined;
        });
        await updating;
      }
    },
  };
}

// A deployment with a desk adds these.
addPolicy('Operator/Write', { ...tableRights.operatorWrite, ...tableRights.invite });

/** Returns the function that the gateway calls for a route. */
function actorOf(key: string) {
  if (deskRouteKeys.includes(key)) return 'ServeDesk';
  return pageRouteKeys.includes(key) ? 'ServePages' : functionOf(key);
}

/** Runs the check of a service with its clock. */
export function checkOf(service: ServedApi, ...args: string[]): Promise<Printed> {
  const { url, table, endpoint } = service;
  return runCheckOf(service, ['--url', url, '--table', table.name, '--endpoint', endpoint, ...args]);
}

/** Runs the check with the clock of a service. */
export async function runCheckOf(
  { clock, sleep }: Pick<ServedApi, 'clock' | 'sleep'>,
  args: readonly string[],
): Promise<Printed> {
  return printedBy({ clock, sleep }, (io) => actAs('Operator/Write', () => runCheck(args, io)));
}
