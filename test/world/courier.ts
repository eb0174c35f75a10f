/**
 * The function that tells events, on an organization whose history is played: what is written becomes records, which come late,
 * twice, in any order and in any batches; each invocation can pause or end before any of its calls, and the bus can refuse.
 */
import assert from 'node:assert/strict';
import type { DynamoDBRecord } from 'aws-lambda';
import * as v from 'valibot';
import type { ErasedTestimonial, StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { testimonialKey } from '../../functions/persistence/keys.ts';
import { eventDetails, type TestimonialEvent } from '../../functions/publish-events/event.ts';
import { createHandler } from '../../functions/publish-events/handler.ts';
import { recordOf } from '../stream-record.ts';
import { WatchedLogger } from '../watched-logs.ts';
import type { InMemoryBackend } from './in-memory-backend.ts';
import { Process } from './process.ts';

type Place = StoredTestimonial | ErasedTestimonial | 'sealed';

/** What becomes of a call to the bus. */
export type Fate = 'taken' | 'refused' | 'answer lost' | 'half taken';
export const fates: Fate[] = ['taken', 'taken', 'taken', 'refused', 'answer lost', 'half taken'];

/** How an invocation goes on: the calls that it makes before it pauses, and what becomes of those to the bus. */
export interface Course {
  calls: number;
  fate: Fate;
}

/** A map that tells what is set. */
class ObservedPlaces extends Map<number, Place> {
  readonly #onSet: (ordinal: number, place: Place, isNew: boolean) => void;

  constructor(onSet: (ordinal: number, place: Place, isNew: boolean) => void) {
    super();
    this.#onSet = onSet;
  }

  override set(ordinal: number, place: Place): this {
    this.#onSet(ordinal, place, !this.has(ordinal));
    return super.set(ordinal, place);
  }
}

/** An invocation of the function that was not taken to its end. */
interface Invocation {
  process: Process;
  fate: Fate;
}

export class Courier {
  /** What stood at each place, in turn. */
  readonly states = new Map<number, Place[]>();
  readonly told: TestimonialEvent[] = [];
  readonly #backend: InMemoryBackend;
  readonly #organization: string;
  readonly #written: DynamoDBRecord[] = [];
  readonly #due = new Set<DynamoDBRecord>();
  readonly #paused: Invocation[] = [];
  #falsehood: unknown;

  constructor(backend: InMemoryBackend, organization: string) {
    this.#backend = backend;
    this.#organization = organization;
    const places = new ObservedPlaces((ordinal, place, isNew) => {
      const states = this.states.get(ordinal) ?? [];
      this.states.set(ordinal, [...states, place]);
      const number = String(this.#written.length + 1).padStart(21, '0');
      const record = recordOf(testimonialKey(organization, ordinal), number, isNew ? 'INSERT' : 'MODIFY');
      this.#written.push(record);
      this.#due.add(record);
    });
    backend.items.tables.set(organization, places);
  }

  /** Delivers some of all records ever written, in this order; each number stands for one of them. */
  deliver(numbers: readonly number[], course: Course): Promise<void> {
    const records = numbers.flatMap((number) => this.#written[number % this.#written.length] ?? []);
    return this.#invoke([...new Set(records)], course);
  }

  /** Delivers some of those that were not, the newest or the oldest first. */
  deliverDue(count: number, newestFirst: boolean, course: Course): Promise<void> {
    const due = newestFirst ? [...this.#due].reverse() : [...this.#due];
    return this.#invoke(due.slice(0, count), course);
  }

  /** Lets one that is paused make the call that it pauses before, and go on. */
  async resume(number: number, { calls, fate }: Course): Promise<void> {
    const paused = this.#takePaused(number);
    if (paused) await this.#run(paused, { calls: calls + 1, fate });
  }

  /** Ends an invocation where it is: what it was given is not done. */
  kill(number: number): void {
    this.#takePaused(number);
  }

  /** Delivers until nothing is due. */
  async settle(newestFirst: boolean): Promise<void> {
    this.#paused.length = 0;
    while (this.#due.size > 0) await this.deliverDue(7, newestFirst, { calls: 100, fate: 'taken' });
  }

  async #invoke(records: readonly DynamoDBRecord[], course: Course): Promise<void> {
    if (records.length === 0) return;
    const { eventItems } = this.#backend;
    const process = new Process('tell events', this.#backend);
    const invocation = { process, fate: course.fate };
    const handler = createHandler({
      eventItems: {
        ...eventItems,
        atPlaces: (...asked) => process.call('atPlaces', () => eventItems.atPlaces(...asked)),
      },
      bus: { put: (events) => process.call('put', async () => this.#put(events, invocation.fate)) },
      logger: new WatchedLogger(),
    });
    process.begin(async () => {
      const { batchItemFailures } = await handler({ Records: [...records] });
      const number = batchItemFailures[0]?.itemIdentifier;
      const failed = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === number);
      for (const record of failed < 0 ? records : records.slice(0, failed)) this.#due.delete(record);
    });
    await this.#run(invocation, course);
  }

  async #run(invocation: Invocation, { calls, fate }: Course): Promise<void> {
    invocation.fate = fate;
    await invocation.process.run(calls);
    if (!invocation.process.hasEnded) this.#paused.push(invocation);
  }

  #takePaused(number: number): Invocation | undefined {
    return this.#paused.splice(number % Math.max(this.#paused.length, 1), 1)[0];
  }

  #put(events: readonly TestimonialEvent[], fate: Fate): (string | undefined)[] {
    const taken = {
      taken: events.length,
      refused: 0,
      'answer lost': events.length,
      'half taken': events.length / 2,
    };
    // Not the first, but any.
    const isTaken = (i: number) => i >= events.length - taken[fate];
    this.told.push(...events.filter((_, i) => isTaken(i)));
    for (const event of events) this.#notice(event);
    if (fate === 'refused' || fate === 'answer lost') throw new Error(fate);
    return events.map((_, i) => (isTaken(i) ? undefined : 'InternalFailure'));
  }

  /** The handler takes what is thrown here for the bus's own error. */
  #notice(event: TestimonialEvent): void {
    try {
      this.#assertTrue(event);
    } catch (error) {
      this.#falsehood ??= error;
    }
  }

  /** Throws the first event that never happened. */
  assertNothingFalse(): void {
    if (this.#falsehood) throw this.#falsehood;
  }

  /** It has happened, as the event says. */
  #assertTrue({ name, detail }: TestimonialEvent): void {
    // Which has nothing else: no text, no name, no address.
    v.parse(eventDetails[name], detail);
    assert.ok('id' in detail, `${name} of no testimonial`);
    assert.equal(detail.organization, this.#organization);
    const states =
      [...this.states.values()].find((each) => each.some((place) => idOf(place) === detail.id)) ?? [];
    const at = states.findIndex((place) => place !== 'sealed' && place.updateOrdinal === detail.update);
    const [before, found] = [states[at - 1], states[at]];
    assert.ok(
      found !== undefined && found !== 'sealed',
      `${name} ${detail.update} is of no state that ever was`,
    );
    if ('erased' in found) {
      assert.deepEqual([name, detail.time], ['testimonial.erased', found.time]);
      return;
    }
    const { id, status, type, rating, updatedAt: time } = found.testimonial;
    const { version, identity, organization, update } = detail;
    const said = { version, identity, organization, id, status, type, time, update };
    assert.deepEqual(detail, { ...said, ...(rating !== undefined && { rating }) });
    assert.ok(happened(name, before, found), `${name} never happened to ${id}`);
  }
}

/** Whether the step from one state to the next is what an event is named after; a creation is older than any. */
function happened(
  name: TestimonialEvent['name'],
  before: Place | undefined,
  after: StoredTestimonial,
): boolean {
  if (name === 'testimonial.created') return after.isLoaded === undefined;
  if (before === undefined || before === 'sealed' || 'erased' in before) return false;
  const tags = ({ testimonial }: StoredTestimonial) => JSON.stringify(testimonial.tags ?? []);
  const { status } = after.testimonial;
  if (before.testimonial.status !== status) return name === `testimonial.${status}`;
  if (tags(before) !== tags(after)) return name === 'testimonial.tagged';
  // A change that left all as it was: its kind alone was meant.
  return name === (after.change === 'tags' ? 'testimonial.tagged' : `testimonial.${status}`);
}

/** The id of the testimonial at a place, or of the erased one. */
export function idOf(place: Place): string | undefined {
  if (place === 'sealed') return undefined;
  return 'erased' in place ? place.erased : place.testimonial.id;
}
