/** The whole service on one machine, from the synthesized template. */
import type { Server } from 'node:http';
import { invitationLink } from '../../functions/serve-desk/people.ts';
import { listenOnLoopback } from '../../functions/serve-on-loopback.ts';
import { makeDemo } from './demo.ts';
import { ensureTable, type RunningDynamoDb, startEmbeddedDynamoDb } from './dynamodb.ts';
import { startEventBus } from './event-bus.ts';
import { createHttpApi } from './http-api.ts';
import { LocalFunction } from './local-function.ts';
import { localPages } from './pages.ts';
import { serviceLog } from './service-log.ts';
import type { Settings } from './settings.ts';
import { variablesFor, withTable } from './settings.ts';
import { synthesizedApp } from './synthesized-app.ts';
import { startEventSources } from './table-stream.ts';

// How long a request under way may take while the service stops.
const shutdownGraceMs = 3000;

export interface RunningService {
  url: string;
  /** A fresh read-and-write token for the organization `demo`. */
  token: string;
  /** One that may stand in a web page of `demo`. */
  publishedToken: string;
  /** What opens the desk of `demo`, once, where the template has that. */
  deskLink?: string;
  dynamoDbEndpoint: string;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** Context of the CDK app, as `cdk` takes it by -c. */
  context?: Record<string, string>;
  /** Told each step that takes time. */
  progress?: (step: string) => void;
  /** Told the lines of the log. */
  log?: (text: string) => void;
}

/**
 * Starts everything that the template defines.
 * @throws when a port or the data folder is in use; nothing is left running
 */
export async function runService(
  settings: Settings,
  {
    context = {},
    progress = () => {},
    log: print = (text) => process.stderr.write(text),
  }: ServiceOptions = {},
): Promise<RunningService> {
  const log = serviceLog(settings.LOG_FORMAT, print);
  // Stopped in order where the start fails.
  await using started = new AsyncDisposableStack();
  const template = await synthesizedApp({ progress, context });
  const dynamoDb = await dynamoDbOf(settings, progress);
  started.defer(dynamoDb.stop);
  await ensureTable(dynamoDb.endpoint, template.table);

  const variables = variablesFor(dynamoDb.endpoint);
  if (template.hasEventBus) {
    const bus = await startEventBus(({ DetailType, Detail }) => log.told(`Event ${DetailType} ${Detail}`));
    started.defer(bus.stop);
    variables.AWS_ENDPOINT_URL_EVENTBRIDGE = bus.endpoint;
  }
  const functions = new Map<string, LocalFunction>();
  for (const [id, definition] of template.functions) {
    const fn = new LocalFunction(definition, variables, { log: log.printed });
    started.defer(() => fn.stop());
    functions.set(id, fn);
  }
  const invoking = (id: string) => async (event: unknown) => functions.get(id)?.invoke(event);

  const { invitation, ...tokens } = await withTable(dynamoDb.endpoint, (table) =>
    makeDemo(table, template.routes),
  );
  started.defer(await startEventSources({ template, dynamoDb, invoking, log: log.told }));
  // As a deployment does when it is done: nobody waits for them.
  const stopping = new AbortController();
  for (const id of template.triggers) {
    invoking(id)({}).catch((error: unknown) => {
      if (!stopping.signal.aborted) log.told(`After the start: ${error}`);
    });
  }
  started.defer(() => stopping.abort());

  const server = createHttpApi({
    routes: new Map(Array.from(template.routes, ([routeKey, id]) => [routeKey, invoking(id)])),
    cors: template.cors,
    page: localPages(tokens, template.routes),
    onAnswered: log.answered,
  });
  const { port } = await listenOnLoopback(server, settings.PORT, 'PORT');
  started.defer(() => stopGracefully(server));
  const all = started.move();
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    ...tokens,
    ...(invitation !== undefined && { deskLink: invitationLink(url, invitation) }),
    dynamoDbEndpoint: dynamoDb.endpoint,
    stop: () => all.disposeAsync(),
  };
}

/**
 * The DynamoDB that is named, or the embedded one.
 * @throws where nothing answers at the one that is named
 */
export async function dynamoDbOf(
  { DYNAMODB_ENDPOINT: endpoint, DATA_DIR, DYNAMODB_PORT }: Settings,
  progress: (step: string) => void,
): Promise<RunningDynamoDb> {
  progress(endpoint ? `Using DynamoDB at ${endpoint}` : `Starting DynamoDB, data in ${DATA_DIR}`);
  if (!endpoint) return startEmbeddedDynamoDb(DATA_DIR, DYNAMODB_PORT);
  if (await answers(endpoint)) return { endpoint, stop: async () => {} };
  throw new Error(
    `Nothing answers at ${endpoint}, which DYNAMODB_ENDPOINT names: unset DYNAMODB_ENDPOINT, here or in .env, for the embedded DynamoDB.`,
  );
}

/** Whether anything answers at an address. */
export function answers(address: string): Promise<boolean> {
  return fetch(address).then(Boolean, () => false);
}

/** Requests under way are answered; one that a client never finishes is not waited for. */
function stopGracefully(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), shutdownGraceMs).unref();
  });
}
