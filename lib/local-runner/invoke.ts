/** Runs one bundled function once with an event from a file, like `sam local invoke`. */
import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { demoToken } from './demo.ts';
import { ensureTable, type RunningDynamoDb } from './dynamodb.ts';
import { toAnswer } from './gateway-event.ts';
import { answers, dynamoDbOf, localFunction, type ServiceOptions } from './run.ts';
import { serviceLog } from './service-log.ts';
import { endpointOf, readSettings, type Settings } from './settings.ts';
import { synthesizedApp } from './synthesized-app.ts';

/** In an event file, stands for the token in the variable TESTIMONIALS_TOKEN, or for a fresh one. */
const tokenPlaceholder = '$TESTIMONIALS_TOKEN';

const requestEvent = v.object({
  requestContext: v.object({
    requestId: v.string(),
    http: v.object({ method: v.string(), path: v.string() }),
  }),
});

/**
 * Invokes the function whose name begins with `name`, in any case, on the DynamoDB of the running local
 * service or, when none runs, on the embedded one with the same data.
 * @returns what the handler returned
 */
export async function invokeOnce(
  name: string,
  eventFile: string,
  variables: Record<string, string | undefined>,
  {
    progress = () => {},
    log: print = (text) => process.stderr.write(text),
  }: Omit<ServiceOptions, 'context'> = {},
): Promise<unknown> {
  const settings = readSettings(variables);
  const eventText = await readFile(eventFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? new Error(`There is no file ${eventFile}: see test/events for some.`)
      : error;
  });
  parseEvent(eventText, eventFile);
  const template = await synthesizedApp({ progress });
  const definition = [...template.functions.values()].find(({ name: fn }) =>
    fn.toLowerCase().startsWith(name.toLowerCase()),
  );
  if (!definition) {
    const names = [...template.functions.values()].map((fn) => fn.name).join(', ');
    throw new Error(`There is no function ${name}: the beginning of one of ${names} is needed.`);
  }
  await using started = new AsyncDisposableStack();
  const dynamoDb = await connectOrStart(settings, progress);
  started.defer(dynamoDb.stop);
  await ensureTable(dynamoDb.endpoint, template.table);
  const token = variables.TESTIMONIALS_TOKEN ?? (await demoToken(dynamoDb.endpoint, 'npm run invoke', 1));
  const log = serviceLog(settings.LOG_FORMAT, print);
  const fn = localFunction(definition, { dynamoDb: dynamoDb.endpoint }, log.printed);
  started.defer(() => fn.stop());
  progress(`Invoking ${definition.name}`);
  const event = parseEvent(eventText.replaceAll(tokenPlaceholder, token), eventFile);
  const began = performance.now();
  const result = await fn.invoke(event);
  const request = v.safeParse(requestEvent, event);
  if (request.success) {
    const { requestId, http } = request.output.requestContext;
    const { status, body } = toAnswer(result);
    log.answered({ requestId, ...http, status, body, milliseconds: performance.now() - began });
  }
  return result;
}

/** A result with its body as what the text of it says, where that is JSON. */
export function readableResult(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('body' in result)) return result;
  try {
    return { ...result, body: JSON.parse(String(result.body)) };
  } catch {
    return result;
  }
}

/** The DynamoDB of the running local service, or the embedded one with the same data. */
async function connectOrStart(
  settings: Settings,
  progress: (step: string) => void,
): Promise<RunningDynamoDb> {
  const endpoint = endpointOf(settings);
  const isRunning = settings.DYNAMODB_ENDPOINT !== undefined || (await answers(endpoint));
  const place = isRunning ? { DYNAMODB_ENDPOINT: endpoint } : { DYNAMODB_PORT: 0 };
  return dynamoDbOf({ ...settings, ...place }, progress);
}

function parseEvent(text: string, file: string): unknown {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof event === 'object' && event !== null && ('routeKey' in event || 'Records' in event))
    return event;
  throw new Error(`${file} is no event: one of API Gateway has a routeKey, one of a stream has Records.`);
}
