/** Tells the event bus what happened to testimonials: reads the items behind the records of the table's stream. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { forEachAtOnce } from '../concurrency.ts';
import type { EventItemStore } from '../domain/stores.ts';
import { eventAtPlace, eventOfImport, type TestimonialEvent } from './event.ts';
import { type EventBus, eventsACall } from './event-bus.ts';
import { type Written, writtenIn } from './stream-records.ts';

export interface PublishDependencies {
  eventItems: EventItemStore;
  bus: EventBus;
  logger: Logger;
}

/** What the log has of a batch. CloudWatch makes a metric of it. */
export interface EventsLine {
  /** Events that the bus took, repetitions included. */
  told: number;
}

/** A Lambda handler of the stream, as the Node.js runtime calls it. */
export type PublishLambdaHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

/** An event, and the first record of the batch that asks for it. */
interface Due {
  event: TestimonialEvent;
  sequenceNumber: string;
}

/**
 * Builds the handler. It tells in the order of the records; from the first event on that the bus does not take, the stream brings the
 * records again, and some events are told twice. An organization whose items are not read holds up no other: its records come again.
 */
export function createHandler({ eventItems, bus, logger }: PublishDependencies): PublishLambdaHandler {
  /** @returns where the stream has to go on */
  async function tell(due: readonly Due[]): Promise<string | undefined> {
    const line: EventsLine = { told: 0 };
    try {
      for (let i = 0; i < due.length; i += eventsACall) {
        const some = due.slice(i, i + eventsACall);
        const refusals = await bus.put(some.map(({ event }) => event)).catch((error: unknown) => {
          return some.map(() => String(error));
        });
        const failed = refusals.findIndex((refusal) => refusal !== undefined);
        line.told += refusals.filter((refusal) => refusal === undefined).length;
        if (failed < 0) continue;
        logger.error('The event bus does not take an event', { error: refusals[failed] });
        return some[failed]?.sequenceNumber;
      }
    } finally {
      if (line.told > 0) logger.info('Events told', { ...line });
    }
    return undefined;
  }

  /** Finds the event of each record, or where the stream has to go on for an organization whose items cannot be read. */
  async function eventsOf(organization: string, written: readonly Written[]): Promise<Found> {
    try {
      return { events: await readEvents(eventItems, organization, written) };
    } catch (error) {
      logger.error('The items behind the stream cannot be read', { organization, error: String(error) });
      return { events: new Map(), failed: written[0]?.sequenceNumber };
    }
  }

  return async ({ Records }) => {
    const written = writtenIn(Records);
    const found: Found[] = [];
    await forEachAtOnce(
      Map.groupBy(written, ({ organization }) => organization),
      async ([organization, its]) => found.push(await eventsOf(organization, its)),
    );
    const events = new Map(found.flatMap((each) => [...each.events]));
    const untold = await tell(dueOf(written, events));
    const failed = [...found.map((each) => each.failed), untold];
    return { batchItemFailures: failed.flatMap((each) => (each ? { itemIdentifier: each } : [])) };
  };
}

type Events = Map<Written, TestimonialEvent | undefined>;

/** The events of an organization's records. */
interface Found {
  events: Events;
  /** Where the stream has to go on, if the items could not be read. */
  failed?: string | undefined;
}

/** Reads each item behind an organization's records once; returns the event of each record. */
async function readEvents(
  eventItems: EventItemStore,
  organization: string,
  written: readonly Written[],
): Promise<Events> {
  const ordinals = written.flatMap((each) => ('ordinal' in each ? each.ordinal : []));
  const fingerprints = written.flatMap((each) => ('fingerprint' in each ? each.fingerprint : []));
  const places = await eventItems.atPlaces(organization, ordinals);
  const imports = await eventItems.endedImports(organization, fingerprints);
  const eventOf = (each: Written) => {
    if ('ordinal' in each) {
      const found = places.find(({ ordinal }) => ordinal === each.ordinal);
      return eventAtPlace(organization, found, each.isNew);
    }
    const ended = imports.find(({ fingerprint }) => fingerprint === each.fingerprint);
    return ended && eventOfImport(organization, ended);
  };
  return new Map(written.map((each) => [each, eventOf(each)]));
}

/** The events of some records, each once, in their order. */
function dueOf(written: readonly Written[], events: Events): Due[] {
  const due = new Map<string, Due>();
  for (const each of written) {
    const event = events.get(each);
    if (!event || due.has(event.detail.identity)) continue;
    due.set(event.detail.identity, { event, sequenceNumber: each.sequenceNumber });
  }
  return [...due.values()];
}
