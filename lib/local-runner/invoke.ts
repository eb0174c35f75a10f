/** Invokes one bundled function with an event from a file, like `sam local invoke`. */
import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { demoToken } from './demo.ts';
import { ensureTable } from './dynamodb.ts';
import { LocalFunction } from './local-function.ts';
import { openDynamoDb, responds, type ServiceOptions } from './run.ts';
import { endpointOf, readSettings, variablesFor, withTable } from './settings.ts';
import { synthesizedApp } from './synthesized-app.ts';

/** The placeholder in an event file for the token in the variable TESTIMONIALS_TOKEN, or for a new token. */
const tokenPlaceholder = '$TESTIMONIALS_TOKEN';

/**
 * Invokes the function whose name begins with `name`, ignoring case; `desk` and `pages` mean the functions
 * that serve them. Uses the DynamoDB of the running local service, or otherwise the embedded one with the
 * same data.
 * @returns the result of the handler
 */
export async function invokeOnce(
  name: string,
  eventFile: string,
  variables: Record<string, string | undefined>,
  { context = {}, progress = () => {}, log }: ServiceOptions = {},
): Promise<unknown> {
  const settings = readSettings(variables);
  const eventText = await readFile(eventFile, 'utf8').catch((cause: unknown) => {
    throw new Error(`${eventFile} cannot be read. See test/events for examples.`, { cause });
  });
  parseEvent(eventText, eventFile);
  const template = await synthesizedApp({ context, progress });
  const all = [...template.functions.values()];
  const definition = all.find((fn) => [name, `serve${name}`].some((each) => startsWith(fn.name, each)));
  if (!definition) {
    const names = all.map((fn) => fn.name).join(', ');
    throw new Error(`There is no function ${name}. Use the beginning of one of these names: ${names}`);
  }
  await using started = new AsyncDisposableStack();
  const running = endpointOf(settings);
  const isRunning = settings.DYNAMODB_ENDPOINT !== undefined || (await responds(running));
  const own = { ...settings, DYNAMODB_ENDPOINT: isRunning ? running : undefined, DYNAMODB_PORT: 0 };
  const { endpoint, stop } = await openDynamoDb(own, progress);
  started.defer(stop);
  await ensureTable(endpoint, template.table);
  const token =
    variables.TESTIMONIALS_TOKEN ??
    (await withTable(endpoint, (table) => demoToken(table, 'npm run invoke', 1)));
  const event = parseEvent(eventText.replaceAll(tokenPlaceholder, token), eventFile);
  const fn = new LocalFunction(definition, variablesFor(endpoint), { log });
  started.defer(() => fn.stop());
  progress(`Invoking ${definition.name}`);
  return await fn.invoke(event);
}

const startsWith = (text: string, beginning: string) =>
  text.toLowerCase().startsWith(beginning.toLowerCase());

const events = v.union([
  v.looseObject({ routeKey: v.string() }),
  v.looseObject({ Records: v.array(v.unknown()) }),
]);

function parseEvent(text: string, file: string): v.InferOutput<typeof events> {
  const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), events), text);
  if (success) return output;
  throw new Error(
    `${file} is not an event in JSON. An event of API Gateway has a routeKey, an event of a stream has Records.`,
  );
}

const jsonResponse = v.looseObject({ body: v.pipe(v.string(), v.parseJson()) });

/** Returns a result with its body parsed, if the body is JSON. */
export function readableResult(result: unknown): unknown {
  const { success, output } = v.safeParse(jsonResponse, result);
  return success ? output : result;
}
