/** Publishes events about testimonials. Reads the items that the records of the table's stream name. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { forEachAtOnce } from '../concurrency.ts';
import type { StreamChange } from '../domain/outcomes.ts';
import { isCheckOrganization } from '../domain/token.ts';
import type { ReadCurrentItems } from '../testimonials/current-items.ts';
import { byOrganization, changesIn } from '../testimonials/stream.ts';
import { eventOf, type TestimonialEvent } from './event.ts';
import { type EventBus, eventsPerCall } from './event-bus.ts';

interface PublishDependencies {
  readItems: ReadCurrentItems;
  bus: EventBus;
  logger: Logger;
}

/** The log line of a batch. CloudWatch derives a metric from it. */
export interface EventsLine {
  /** The number of events that the bus accepted, including repetitions. */
  published: number;
}

type Due = [StreamChange, TestimonialEvent];

/**
 * Builds the handler. It publishes in the order of the records. If the bus rejects an event, the stream
 * repeats the records from that one on, so some events are published twice. If the items of an organization
 * cannot be read, the stream repeats that organization's records; the events of others are published. Checks'
 * organizations have no events.
 */
export function createHandler({ readItems, bus, logger }: PublishDependencies) {
  /** @returns the change from whose record the stream must repeat, if any */
  async function publish(due: readonly Due[]): Promise<StreamChange | undefined> {
    const line: EventsLine = { published: 0 };
    let failed: StreamChange | undefined;
    for (let i = 0; i < due.length && !failed; i += eventsPerCall) {
      const batch = due.slice(i, i + eventsPerCall);
      const refusals = await bus.put(batch.map(([, event]) => event)).catch((error: unknown) => {
        return batch.map(() => String(error));
      });
      line.published += refusals.filter((refusal) => refusal === undefined).length;
      const position = refusals.findIndex((refusal) => refusal !== undefined);
      failed = batch[position]?.[0];
      if (failed) logger.error('The event bus rejected an event', { error: refusals[position] });
    }
    if (line.published > 0) logger.info('Events published', { ...line });
    return failed;
  }

  return async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const changes = changesIn(Records).filter(({ organization }) => !isCheckOrganization(organization));
    const items: Awaited<ReturnType<ReadCurrentItems>> = new Map();
    const failures: (StreamChange | undefined)[] = [];
    await forEachAtOnce(byOrganization(changes), async ([organization, ownChanges]) => {
      try {
        for (const [change, item] of await readItems(organization, ownChanges)) items.set(change, item);
      } catch (error) {
        logger.error('The items of stream records cannot be read', { organization, error: String(error) });
        failures.push(ownChanges[0]);
      }
    });
    const due = new Map<string, Due>();
    for (const change of changes) {
      const item = items.get(change);
      const event = item && eventOf(change.organization, item, change.isNew);
      if (event && !due.has(event.detail.identity)) due.set(event.detail.identity, [change, event]);
    }
    failures.push(await publish([...due.values()]));
    return {
      batchItemFailures: failures.flatMap((change) =>
        change ? { itemIdentifier: change.sequenceNumber } : [],
      ),
    };
  };
}
