/** A DynamoDB that is busy: it throttles some calls, and leaves parts of batches undone. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { refusingPages } from './no-pages.ts';

/** What a batch asks for of a table. */
const part = v.union([v.array(v.unknown()), v.looseObject({ Keys: v.array(v.unknown()) })]);
type Part = v.InferOutput<typeof part>;
const parts = v.record(v.string(), part);

const batch = v.pipe(v.string(), v.parseJson(), v.looseObject({ RequestItems: parts }));

/** Where the answer to a batch says what is left of it. */
const leftIn: Record<string, string> = {
  BatchGetItem: 'UnprocessedKeys',
  BatchWriteItem: 'UnprocessedItems',
};

interface Answer {
  status: number;
  body: string;
}

/** How DynamoDB refuses a call to a table on demand whose partition has no throughput left. */
const refusal: Answer = {
  status: 400,
  body: JSON.stringify({
    __type: 'com.amazon.coral.availability#ThrottlingException',
    message: 'Throughput exceeds the current capacity of your table or index.',
  }),
};

/**
 * Stands in front of a DynamoDB.
 * @param oneIn of so many calls one is throttled: refused or, of a batch of several, done by half
 */
export async function throttle(
  endpoint: string,
  oneIn: number,
): Promise<{ endpoint: string; stop(): Promise<void> }> {
  let calls = 0;
  const listener: RequestListener = async (request, response) => {
    const body = await text(request);
    const forward = (changed: string) => send(endpoint, request.headers, changed);
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    calls += 1;
    const answer = calls % oneIn === 0 ? throttled(operation, body, forward) : forward(body);
    // Whoever called tries again.
    const { status, body: answered } = await answer.catch(() => ({ status: 500, body: '{}' }));
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(answered);
  };
  const server = createServer(refusingPages(listener));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function send(endpoint: string, headers: IncomingHttpHeaders, body: string): Promise<Answer> {
  const passed = ['content-type', 'x-amz-target', 'x-amz-date', 'authorization'].map(
    (name): [string, string] => [name, String(headers[name])],
  );
  const answer = await fetch(endpoint, { method: 'POST', headers: passed, body });
  return { status: answer.status, body: await answer.text() };
}

async function throttled(
  operation: string,
  body: string,
  forward: (body: string) => Promise<Answer>,
): Promise<Answer> {
  const left = leftIn[operation];
  const parsed = v.safeParse(batch, body);
  if (left === undefined || !parsed.success) return refusal;
  const asked = Object.entries(parsed.output.RequestItems);
  if (asked.flatMap(([, each]) => listOf(each)).length < 2) return refusal;
  const half = asked.map(([table, each]) => [table, withList(each, firstHalf(listOf(each)))]);
  const answer = await forward(JSON.stringify({ ...parsed.output, RequestItems: Object.fromEntries(half) }));
  if (answer.status !== 200) return answer;
  const done: Record<string, unknown> = JSON.parse(answer.body);
  // The engine may have left some itself.
  const own = v.parse(v.optional(parts, {}), done[left]);
  const rest = asked.map(([table, each]) => {
    const list = listOf(each);
    const all = [...listOf(own[table] ?? []), ...list.slice(firstHalf(list).length)];
    return [table, withList(each, all)];
  });
  return { status: 200, body: JSON.stringify({ ...done, [left]: Object.fromEntries(rest) }) };
}

function firstHalf(list: unknown[]): unknown[] {
  return list.slice(0, Math.ceil(list.length / 2));
}

function listOf(asked: Part): unknown[] {
  return Array.isArray(asked) ? asked : asked.Keys;
}

function withList(asked: Part, list: unknown[]): Part {
  return Array.isArray(asked) ? list : { ...asked, Keys: list };
}
