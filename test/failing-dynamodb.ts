/** A DynamoDB that fails as a test tells it to. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callEngine, type EngineAnswer } from './dynamodb.ts';

/** Decides what becomes of a call: an answer, no answer ever, or a connection cut before the answer. */
export type Fault = (
  call: { operation: string; body: string; headers: IncomingHttpHeaders },
  forward: (body: string) => Promise<EngineAnswer>,
) => Promise<EngineAnswer | 'hang' | 'cut'>;

/** Nothing fails. */
export const pass: Fault = ({ body }, forward) => forward(body);

const servers: Server[] = [];

/** Ends them all, once a suite is over. */
export function closeFailingDynamoDbs(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}

/** A DynamoDB in front of the test engine that fails as told; the real client reaches it over a real connection. */
export async function failingDynamoDb() {
  const state = { fault: pass, calls: [] as string[] };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const target = String(request.headers['x-amz-target']);
    const operation = target.slice(target.indexOf('.') + 1);
    const headers = { ...request.headers } as Record<string, string>; // the client sends each once
    const forward = (body: string) => callEngine({ headers, body });
    state.calls.push(operation);
    const call = { operation, body: Buffer.concat(chunks).toString(), headers: request.headers };
    const outcome = await state.fault(call, forward);
    if (outcome === 'cut') request.socket.destroy();
    else if (outcome !== 'hang') {
      response.writeHead(outcome.status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(outcome.body);
    }
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { state, endpoint: `http://127.0.0.1:${port}` };
}

/** How DynamoDB refuses a call. */
export function refusal(type: string): EngineAnswer {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'inside-message' };
  return { status: 400, body: JSON.stringify(body) };
}

/** Lets each write of this operation arrive and loses its answer, the first time. */
export function losing(lost: string): Fault {
  let done = false;
  return async (call, forward) => {
    const answer = await forward(call.body);
    if (done || call.operation !== lost) return answer;
    done = true;
    return 'cut';
  };
}
