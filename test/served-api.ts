/** The real handlers behind HTTP, as the local service has them, in this process and in a time that goes as it is told. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ApiResponse } from '../functions/http/api-event.ts';
import { routeKey } from '../functions/http/operation.ts';
import { openTable, type Table } from '../functions/persistence/table.ts';
import { createHttpApi } from '../lib/local-runner/http-api.ts';
import { localClientConfig } from '../lib/local-runner/settings.ts';
import { contracts } from '../lib/openapi/document.ts';
import { updateIndexAlongside } from '../lib/operator/load/load-testimonials.ts';
import { operatorOf } from '../lib/operator/session.ts';
import { type Printed, printedBy } from './admin.ts';
import { contextOf, functionOf, handlersOf } from './api-client.ts';
import { runCheck } from './check/run.ts';
import { ownDynamoDb } from './dynamodb.ts';
import { actAs } from './iam/acting.ts';
import { createTestTable } from './test-table.ts';

/** Makes another answer of an answer: what is broken about a service. */
export type Breakage = (event: APIGatewayProxyEventV2, answer: ApiResponse) => ApiResponse;

export interface ServedApi {
  url: string;
  table: Table;
  /** The address of the table's DynamoDB, whose time goes on by `sleep`. */
  endpoint: string;
  clock: () => number;
  /** Is over at once; meanwhile every organization's index is brought up to date, as the index function does. */
  sleep: (milliseconds: number) => Promise<void>;
}

const servers: Server[] = [];

/** Ends them all, once a suite is over. */
export function closeServedApis(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}

// Twelve make a minute, within which an erasure has to end.
const stepMs = 5000;

// What is spent is counted, and never too much.
const dollarsAMinute = 1000;

/** Serves the operations on a table of their own. */
export async function servedApi(broken?: Breakage, { moderation = false } = {}): Promise<ServedApi> {
  const { state, endpoint } = ownDynamoDb();
  const { name } = await createTestTable();
  const clock = () => Date.now() + state.aheadMs;
  const config = { ...localClientConfig(endpoint), requestHandler: {} };
  const table = openTable(name, { config });
  const operator = operatorOf(table, clock);
  const handlers = handlersOf(table, { now: () => new Date(clock()), limits: { dollars: dollarsAMinute } });
  const invoke = async (event: unknown) => {
    const request = event as APIGatewayProxyEventV2; // the server makes no other
    // The handlers put what they read in the place of the body.
    const actor = functionOf(request.routeKey);
    // What breaks an answer reads it: none is compressed.
    const { 'accept-encoding': accepted, ...others } = request.headers;
    const headers = broken ? others : request.headers;
    const answer = await actAs(actor, () => handlers[actor]({ ...request, headers }, contextOf()));
    return broken?.(request, answer) ?? answer;
  };
  const served = contracts.filter(({ tag }) => moderation || tag !== 'Moderation');
  const server = createHttpApi({
    routes: new Map([...served.map(routeKey), '$default'].map((each) => [each, invoke])),
    onAnswered: ({ error }) => {
      if (error !== undefined) throw error;
    },
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const updateAll = () =>
    actAs('IndexTestimonials', async () => {
      for (const each of await operator.organizations.list()) await updateIndexAlongside(operator, each);
    });
  let updating: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    table,
    endpoint,
    clock,
    async sleep(milliseconds) {
      // Who sleeps at once waits for the same, and sees time go by though somebody else sleeps for long.
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

/** Runs the check of a service, with further options, in its time. */
export function checkOf(service: ServedApi, ...args: string[]): Promise<Printed> {
  const { url, table, endpoint } = service;
  return runCheckOf(service, ['--url', url, '--table', table.name, '--endpoint', endpoint, ...args]);
}

/** Runs the command in the time of a service. */
export async function runCheckOf(
  { clock, sleep }: Pick<ServedApi, 'clock' | 'sleep'>,
  args: readonly string[],
): Promise<Printed> {
  return printedBy({ clock, sleep }, (io) => actAs('Operator/Write', () => runCheck(args, io)));
}
