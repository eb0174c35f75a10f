/** Emulates the part of EventBridge that functions use: receives their events. */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono/tiny';
import * as v from 'valibot';
import { serveOnLoopback } from '../serve-on-loopback.ts';

const putEvents = v.object({
  Entries: v.array(
    v.object({ EventBusName: v.string(), Source: v.string(), DetailType: v.string(), Detail: v.string() }),
  ),
});

/** An event of a PutEvents request. */
export type BusEntry = v.InferOutput<typeof putEvents>['Entries'][number];

/** Starts a server that supports PutEvents, and passes each event on. */
export async function startEventBus(
  onEvent: (entry: BusEntry) => void,
): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  const app = new Hono().post('/', async (c) => {
    const { success, output } = v.safeParse(putEvents, await c.req.json().catch(() => undefined));
    if (c.req.header('x-amz-target') !== 'AWSEvents.PutEvents' || !success) {
      return c.json(
        { __type: 'ValidationException', message: 'The local service supports PutEvents only.' },
        400,
      );
    }
    for (const entry of output.Entries) onEvent(entry);
    return c.json({
      FailedEntryCount: 0,
      Entries: output.Entries.map(() => ({ EventId: randomUUID() })),
    });
  });
  const { port, stop } = await serveOnLoopback(0, () => app);
  return { endpoint: `http://127.0.0.1:${port}`, stop };
}
