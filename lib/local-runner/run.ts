/** Runs the whole service on this machine, from the synthesized template. */
import type { Server } from 'node:http';
import { invitationLink } from '../../functions/serve-desk/people.ts';
import { listenOnLoopback } from '../serve-on-loopback.ts';
import { startLocalBucket } from './bucket.ts';
import { makeDemo } from './demo.ts';
import { ensureTable, type RunningDynamoDb, startEmbeddedDynamoDb } from './dynamodb.ts';
import { startEventBus } from './event-bus.ts';
import { createHttpApi } from './http-api.ts';
import { LocalFunction } from './local-function.ts';
import { finishMedia } from './media-of-last-run.ts';
import { localPages } from './pages.ts';
import { serviceLog } from './service-log.ts';
import type { Settings } from './settings.ts';
import { variablesFor, withTable } from './settings.ts';
import { type SynthesisOptions, synthesizedApp } from './synthesized-app.ts';
import { startEventSources } from './table-stream.ts';

// The time for which running requests may continue when the service stops.
const shutdownGraceMs = 3000;

/** The running service, with the tokens of the organization `demo`. */
export type RunningService = Awaited<ReturnType<typeof runService>>;

export interface ServiceOptions extends SynthesisOptions {
  /** Receives the lines of the log. */
  log?: (text: string) => void;
}

/**
 * Starts everything that the template defines.
 * @throws if both ports are the same; or if a port or the data folder is in use, or the signal stops the
 * start, after stopping everything again
 */
export async function runService(
  settings: Settings,
  {
    context = {},
    progress = () => {},
    signal,
    log: print = (text) => process.stderr.write(text),
  }: ServiceOptions = {},
) {
  const { PORT, DYNAMODB_PORT, DYNAMODB_ENDPOINT } = settings;
  if (PORT === DYNAMODB_PORT && PORT !== 0 && DYNAMODB_ENDPOINT === undefined)
    throw new Error(`PORT and DYNAMODB_PORT must differ: both are ${PORT}.`);
  const log = serviceLog(settings.LOG_FORMAT, print);
  await using started = new AsyncDisposableStack();
  const template = await synthesizedApp({ progress, context, signal });
  signal?.throwIfAborted();
  const dynamoDb = await openDynamoDb(settings, progress);
  started.defer(dynamoDb.stop);
  await ensureTable(dynamoDb.endpoint, template.table);

  const variables = variablesFor(dynamoDb.endpoint);
  if (template.hasEventBus) {
    const bus = await startEventBus(({ DetailType, Detail }) => log.message(`Event ${DetailType} ${Detail}`));
    started.defer(bus.stop);
    variables.AWS_ENDPOINT_URL_EVENTBRIDGE = bus.endpoint;
  }
  const bucket = template.bucket && (await startLocalBucket(template.bucket, settings.DATA_DIR, log.message));
  if (bucket) {
    started.defer(bucket.stop);
    variables.AWS_ENDPOINT_URL_S3 = bucket.endpoint;
  }
  const functions = new Map<string, LocalFunction>();
  for (const [id, definition] of template.functions) {
    const fn = new LocalFunction(definition, variables, { log: log.output });
    started.defer(() => fn.stop());
    functions.set(id, fn);
  }
  const invoking = (id: string) => async (event: unknown) => functions.get(id)?.invoke(event);

  // A service that stops must not replace the invitation of the last run.
  signal?.throwIfAborted();
  const { invitation, pages, ...tokens } = await withTable(dynamoDb.endpoint, async (table) => {
    const demo = await makeDemo(table, template.routes);
    if (bucket) await finishMedia(table, bucket, log.message);
    return demo;
  });
  await bucket?.startExpiry();
  started.defer(await startEventSources({ template, dynamoDb, invoking, log: log.message }));
  // A deployment invokes these at its end, without waiting for them.
  const stopping = new AbortController();
  for (const id of template.triggers) {
    invoking(id)({}).catch((error: unknown) => {
      if (!stopping.signal.aborted) log.message(`After the start: ${error}`);
    });
  }
  started.defer(() => stopping.abort());

  const server = createHttpApi({
    routes: new Map(Array.from(template.routes, ([routeKey, id]) => [routeKey, invoking(id)])),
    cors: template.cors,
    page: localPages(tokens),
    onResponse: log.request,
  });
  const { port } = await listenOnLoopback(server, PORT, 'PORT');
  started.defer(() => stopGracefully(server));
  signal?.throwIfAborted();
  const all = started.move();
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    ...tokens,
    /**
     * A link that opens the desk of `demo` once, if the template has a desk. The host is a name, because
     * passkeys do not work with an IP address.
     */
    ...(invitation !== undefined && {
      deskLink: invitationLink(`http://localhost:${port}`, invitation),
    }),
    /** Links of a form and a wall of `demo`, if the template has pages. */
    ...(pages && { pageLinks: { form: url + pages.form, wall: url + pages.wall } }),
    dynamoDbEndpoint: dynamoDb.endpoint,
    stop: () => all.disposeAsync(),
  };
}

/**
 * Returns the DynamoDB at `DYNAMODB_ENDPOINT`, or starts the embedded one.
 * @throws if nothing responds at `DYNAMODB_ENDPOINT`
 */
export async function openDynamoDb(
  { DYNAMODB_ENDPOINT: endpoint, DATA_DIR, DYNAMODB_PORT }: Settings,
  progress: (step: string) => void,
): Promise<RunningDynamoDb> {
  progress(endpoint ? `Using DynamoDB at ${endpoint}` : `Starting DynamoDB, data in ${DATA_DIR}`);
  if (!endpoint) return startEmbeddedDynamoDb(DATA_DIR, DYNAMODB_PORT);
  if (await responds(endpoint)) return { endpoint, stop: async () => {} };
  throw new Error(
    `Nothing responds at ${endpoint}. Start DynamoDB there, or unset DYNAMODB_ENDPOINT (here or in .env) to use the embedded one.`,
  );
}

/** True if a server responds at a URL. */
export function responds(url: string): Promise<boolean> {
  return fetch(url).then(Boolean, () => false);
}

/** Stops the server after running requests have ended, or after a grace period. */
function stopGracefully(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    setTimeout(() => server.closeAllConnections(), shutdownGraceMs).unref();
  });
}
