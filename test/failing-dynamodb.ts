/** A DynamoDB in front of the test engine whose calls a test can fail. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { callEngine, type EngineAnswer } from './dynamodb.ts';
import { listen } from './listen.ts';

/** Decides about a call: a response, no response, or a connection cut before the response. */
export type Fault = (
  call: { operation: string; body: string; headers: IncomingHttpHeaders },
  forward: (body: string) => Promise<EngineAnswer>,
) => Promise<EngineAnswer | 'hang' | 'cut'>;

/** Lets every call pass. */
export const pass: Fault = ({ body }, forward) => forward(body);

/** Starts it. The real client reaches it over a real connection. */
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
  return { state, endpoint: await listen(server) };
}

/** Returns a response of DynamoDB that refuses a call. */
export function refusal(type: string): EngineAnswer {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'inside-message' };
  return { status: 400, body: JSON.stringify(body) };
}
