/** The event bus: EventBridge's, reached with the library's own retries. */
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { callTimeoutMs, connectTimeoutMs, requestTries } from '../timing.ts';
import { eventSource, type TestimonialEvent } from './event.ts';

/** Events that one call tells, at most (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html). */
export const eventsACall = 10;

export interface EventBus {
  /**
   * Tells some events, as many as a call takes.
   * @returns for each of them, in their order, why it was not taken; undefined where it was
   */
  put(events: readonly TestimonialEvent[]): Promise<(string | undefined)[]>;
}

/** Returns the bus of a name or an ARN. */
export function eventBridgeBus(name: string): EventBus {
  const client = new EventBridgeClient({
    maxAttempts: requestTries,
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: callTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
  return {
    async put(events) {
      const Entries = events.map(({ name: DetailType, detail }) => ({
        ...{ EventBusName: name, Source: eventSource, DetailType, Detail: JSON.stringify(detail) },
      }));
      const answer = await client.send(new PutEventsCommand({ Entries }));
      // Each has its answer, at its place (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html).
      return events.map((_, i) => {
        const { EventId, ErrorCode = 'no answer' } = answer.Entries?.[i] ?? {};
        return EventId === undefined ? ErrorCode : undefined;
      });
    },
  };
}
