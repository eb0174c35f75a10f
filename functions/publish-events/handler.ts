/** Publishes events about testimonials: reads the items that the records of the table's stream name. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { forEachAtOnce } from '../concurrency.ts';
import type { EventItemStore } from '../domain/stores.ts';
import {
  fingerprintOfImportKey,
  isImportKey,
  isTestimonialKey,
  ordinalOfTestimonialKey,
} from '../persistence/keys.ts';
import { byOrganization, type ItemRecord, itemRecords } from '../persistence/stream-records.ts';
import { eventAtPosition, eventOfImport, type TestimonialEvent } from './event.ts';
import { type EventBus, eventsACall } from './event-bus.ts';

export interface PublishDependencies {
  eventItems: EventItemStore;
  bus: EventBus;
  logger: Logger;
}

/** The log line of a batch. CloudWatch makes a metric of it. */
export interface EventsLine {
  /** Events that the bus accepted, including repetitions. */
  published: number;
}

export type PublishLambdaHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

/** An event, and the first record of the batch that causes it. */
interface Due {
  event: TestimonialEvent;
  sequenceNumber: string;
}

/**
 * Builds the handler. It publishes in the order of the records. If the bus rejects an event, the stream repeats the records from that
 * one on, so some events are published twice. If the items of an organization cannot be read, the stream repeats its records, and
 * the events of other organizations are published.
 */
export function createHandler({ eventItems, bus, logger }: PublishDependencies): PublishLambdaHandler {
  /** @returns the record that the stream has to repeat from, if any */
  async function publish(due: readonly Due[]): Promise<string | undefined> {
    const line: EventsLine = { published: 0 };
    try {
      for (let i = 0; i < due.length; i += eventsACall) {
        const batch = due.slice(i, i + eventsACall);
        const refusals = await bus.put(batch.map(({ event }) => event)).catch((error: unknown) => {
          return batch.map(() => String(error));
        });
        const failed = refusals.findIndex((refusal) => refusal !== undefined);
        line.published += refusals.filter((refusal) => refusal === undefined).length;
        if (failed < 0) continue;
        logger.error('The event bus rejected an event', { error: refusals[failed] });
        return batch[failed]?.sequenceNumber;
      }
    } finally {
      if (line.published > 0) logger.info('Events published', { ...line });
    }
    return undefined;
  }

  /** Returns the event of each record of an organization, or the record to repeat from if its items cannot be read. */
  async function eventsOf(organization: string, written: readonly ItemRecord[]): Promise<Outcome> {
    try {
      return { events: await readEvents(eventItems, organization, written) };
    } catch (error) {
      logger.error('The items behind the stream cannot be read', { organization, error: String(error) });
      return { events: new Map(), failed: written[0]?.sequenceNumber };
    }
  }

  return async ({ Records }) => {
    const written = itemRecords(Records);
    const outcomes: Outcome[] = [];
    await forEachAtOnce(byOrganization(written), async ([organization, records]) =>
      outcomes.push(await eventsOf(organization, records)),
    );
    const events = new Map(outcomes.flatMap((outcome) => [...outcome.events]));
    const failed = [...outcomes.map((outcome) => outcome.failed), await publish(dueOf(written, events))];
    return { batchItemFailures: failed.flatMap((number) => (number ? { itemIdentifier: number } : [])) };
  };
}

type Events = Map<ItemRecord, TestimonialEvent | undefined>;

interface Outcome {
  events: Events;
  /** The record that the stream has to repeat from, if the items could not be read. */
  failed?: string | undefined;
}

/** Reads each item of an organization's records once, and returns the event of each record. */
async function readEvents(
  eventItems: EventItemStore,
  organization: string,
  written: readonly ItemRecord[],
): Promise<Events> {
  const sortKeys = written.map(({ sortKey }) => sortKey);
  const ordinals = sortKeys.filter(isTestimonialKey).map(ordinalOfTestimonialKey);
  const fingerprints = sortKeys.filter(isImportKey).map(fingerprintOfImportKey);
  const places = await eventItems.atPlaces(organization, ordinals);
  const imports = await eventItems.endedImports(organization, fingerprints);
  const eventOf = ({ sortKey, isNew }: ItemRecord) => {
    if (isTestimonialKey(sortKey)) {
      const stored = places.find(({ ordinal }) => ordinal === ordinalOfTestimonialKey(sortKey));
      return eventAtPosition(organization, stored, isNew);
    }
    const ended = imports.find(({ fingerprint }) => fingerprint === fingerprintOfImportKey(sortKey));
    return ended && eventOfImport(organization, ended);
  };
  return new Map(written.map((record) => [record, eventOf(record)]));
}

/** Returns the events of records in their order, without repetitions. */
function dueOf(written: readonly ItemRecord[], events: Events): Due[] {
  const due = new Map<string, Due>();
  for (const record of written) {
    const event = events.get(record);
    if (!event || due.has(event.detail.identity)) continue;
    due.set(event.detail.identity, { event, sequenceNumber: record.sequenceNumber });
  }
  return [...due.values()];
}
