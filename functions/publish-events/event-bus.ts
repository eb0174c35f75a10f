/** The EventBridge event bus. The SDK retries its calls. */
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { clientOptions } from '../timing.ts';
import { eventSource, type TestimonialEvent } from './event.ts';

/** Maximum events per call (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html). */
export const eventsPerCall = 10;

export interface EventBus {
  /**
   * Publishes at most `eventsPerCall` events.
   * @returns the reason of each event's rejection, in order; undefined if the bus accepted it
   */
  put(events: readonly TestimonialEvent[]): Promise<(string | undefined)[]>;
}

/** @param name the bus's name or ARN */
export function eventBridgeBus(name: string): EventBus {
  const client = new EventBridgeClient(clientOptions);
  return {
    async put(events) {
      const Entries = events.map(({ name: DetailType, detail }) => ({
        EventBusName: name,
        Source: eventSource,
        DetailType,
        Detail: JSON.stringify(detail),
      }));
      const result = await client.send(new PutEventsCommand({ Entries }));
      // The result has one entry per event, in the same order
      // (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html).
      return events.map((_, i) => {
        const { EventId, ErrorCode = 'no response' } = result.Entries?.[i] ?? {};
        return EventId === undefined ? ErrorCode : undefined;
      });
    },
  };
}
