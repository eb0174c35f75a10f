/** Publishes events about testimonials. It reads the items that the records of the table's stream name. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { EventItemStore } from '../domain/stores.ts';
import { isOfCheck } from '../domain/token.ts';
import {
  fingerprintOfImportKey,
  isImportKey,
  isTestimonialKey,
  ordinalOfTestimonialKey,
} from '../persistence/keys.ts';
import { byOrganization, type ItemRecord, itemRecords } from '../testimonials/table/stream-records.ts';
import { forEachAtOnce } from '../timing.ts';
import { eventAtPosition, eventOfImport, type TestimonialEvent } from './event.ts';
import { type EventBus, eventsPerCall } from './event-bus.ts';

interface PublishDependencies {
  eventItems: EventItemStore;
  bus: EventBus;
  logger: Logger;
}

/** The log line of a batch. CloudWatch derives a metric from it. */
export interface EventsLine {
  /** Events that the bus accepted, including repetitions. */
  published: number;
}

/** A record and its event. */
type Due = [ItemRecord, TestimonialEvent];

/**
 * Builds the handler. It publishes in the order of the records. If the bus rejects an event, the stream
 * repeats the records from that one on, so some events are published twice. If the items of an organization
 * cannot be read, the stream repeats its records, and the events of other organizations are published.
 * Nothing is published about the organizations of a check.
 */
export function createHandler({ eventItems, bus, logger }: PublishDependencies) {
  /** @returns the record from which the stream must repeat, if any */
  async function publish(due: readonly Due[]): Promise<ItemRecord | undefined> {
    const line: EventsLine = { published: 0 };
    let failed: ItemRecord | undefined;
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
    const items = itemRecords(Records).filter(({ organization }) => !isOfCheck(organization));
    const events = new Map<ItemRecord, TestimonialEvent>();
    const failures: (ItemRecord | undefined)[] = [];
    await forEachAtOnce(byOrganization(items), async ([organization, records]) => {
      try {
        for (const due of await readEvents(eventItems, organization, records)) events.set(...due);
      } catch (error) {
        logger.error('The items of stream records cannot be read', { organization, error: String(error) });
        failures.push(records[0]);
      }
    });
    const due = new Map<string, Due>();
    for (const item of items) {
      const event = events.get(item);
      if (event && !due.has(event.detail.identity)) due.set(event.detail.identity, [item, event]);
    }
    failures.push(await publish([...due.values()]));
    return {
      batchItemFailures: failures.flatMap((item) => (item ? { itemIdentifier: item.sequenceNumber } : [])),
    };
  };
}

/** Reads each item of an organization's records once, and returns the records that have an event. */
async function readEvents(
  eventItems: EventItemStore,
  organization: string,
  records: readonly ItemRecord[],
): Promise<Due[]> {
  const sortKeys = records.map(({ sortKey }) => sortKey);
  const ordinals = sortKeys.filter(isTestimonialKey).map(ordinalOfTestimonialKey);
  const fingerprints = sortKeys.filter(isImportKey).map(fingerprintOfImportKey);
  const testimonials = await eventItems.atPositions(organization, ordinals);
  const imports = await eventItems.endedImports(organization, fingerprints);
  const eventOf = ({ sortKey, isNew }: ItemRecord) => {
    if (isTestimonialKey(sortKey)) {
      const stored = testimonials.find(({ ordinal }) => ordinal === ordinalOfTestimonialKey(sortKey));
      return eventAtPosition(organization, stored, isNew);
    }
    const ended = imports.find(({ fingerprint }) => fingerprint === fingerprintOfImportKey(sortKey));
    return ended && eventOfImport(organization, ended);
  };
  return records.flatMap((record): Due[] => {
    const event = eventOf(record);
    return event ? [[record, event]] : [];
  });
}
