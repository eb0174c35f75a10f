/** EventBridge on this machine: takes what functions put on a bus, and tells it in the log. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import * as v from 'valibot';
import { listenOnLoopback } from '../pages/serve-on-loopback.ts';

const putEvents = v.object({
  Entries: v.array(
    v.object({ EventBusName: v.string(), Source: v.string(), DetailType: v.string(), Detail: v.string() }),
  ),
});

/** An event, as a bus is told it. */
export type BusEntry = v.InferOutput<typeof putEvents>['Entries'][number];

/**
 * Starts a server that speaks as much of EventBridge's API as PutEvents.
 * @param onEvent told each event
 */
export async function startEventBus(
  onEvent: (entry: BusEntry) => void,
): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    const { success, output } = v.safeParse(putEvents, await json(request).catch(() => undefined));
    if (request.headers['x-amz-target'] !== 'AWSEvents.PutEvents' || !success) {
      return answer(400, {
        __type: 'ValidationException',
        message: 'The local service knows PutEvents alone.',
      });
    }
    for (const entry of output.Entries) onEvent(entry);
    return answer(200, {
      FailedEntryCount: 0,
      Entries: output.Entries.map(() => ({ EventId: randomUUID() })),
    });
  });
  const { port, stop } = await listenOnLoopback(server, 0);
  return { endpoint: `http://127.0.0.1:${port}`, stop };
}
