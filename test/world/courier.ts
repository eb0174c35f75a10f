/**
 * The function that publishes events, on an organization whose history is played. Writes become stream
 * records, which arrive late, twice, in any order and in any batches. Each invocation can pause or end before
 * any of its calls, and the bus can refuse events.
 */

import assert from 'node:assert/strict';
import type { DynamoDBRecord } from 'aws-lambda';
import * as v from 'valibot';
import type { ErasedTestimonial, StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { testimonialKey } from '../../functions/dynamodb/keys.ts';
import { eventDetails, type TestimonialEvent } from '../../functions/publish-events/event.ts';
import { createHandler } from '../../functions/publish-events/handler.ts';
import { currentItemsOn } from '../../functions/testimonials/current-items.ts';
import { recordOf } from '../stream-record.ts';
import { WatchedLogger } from '../watched-logs.ts';
import type { InMemoryBackend } from './in-memory-backend.ts';
import { Process } from './process.ts';

type Slot = StoredTestimonial | ErasedTestimonial | 'sealed';

/** The outcome of a call to the bus. */
export type Fate = 'taken' | 'refused' | 'answer lost' | 'half taken';
export const fates: Fate[] = ['taken', 'taken', 'taken', 'refused', 'answer lost', 'half taken'];

/** The calls that an invocation makes before it pauses, and the outcome of its calls to the bus. */
export interface InvocationPlan {
  calls: number;
  fate: Fate;
}

/** A map that reports its writes. */
class ObservedSlots extends Map<number, Slot> {
  readonly #onSet: (ordinal: number, slot: Slot, isNew: boolean) => void;

  constructor(onSet: (ordinal: number, slot: Slot, isNew: boolean) => void) {
    super();
    this.#onSet = onSet;
  }

  override set(ordinal: number, slot: Slot): this {
    this.#onSet(ordinal, slot, !this.has(ordinal));
    return super.set(ordinal, slot);
  }
}

/** An invocation that has not ended. */
interface Invocation {
  process: Process;
  fate: Fate;
}

export class SimulatedPublisher {
  /** The items at each position, one after another. */
  readonly states = new Map<number, Slot[]>();
  readonly published: TestimonialEvent[] = [];
  readonly #backend: InMemoryBackend;
  readonly #organization: string;
  readonly #written: DynamoDBRecord[] = [];
  readonly #due = new Set<DynamoDBRecord>();
  readonly #paused: Invocation[] = [];
  #falsehood: unknown;

  constructor(backend: InMemoryBackend, organization: string) {
    this.#backend = backend;
    this.#organization = organization;
    const slots = new ObservedSlots((ordinal, slot, isNew) => {
      const states = this.states.get(ordinal) ?? [];
      this.states.set(ordinal, [...states, slot]);
      const number = String(this.#written.length + 1).padStart(21, '0');
      const record = recordOf(testimonialKey(organization, ordinal), number, isNew ? 'INSERT' : 'MODIFY');
      this.#written.push(record);
      this.#due.add(record);
    });
    backend.items.tables.set(organization, slots);
  }

  /** Delivers some of all records ever written, by their numbers. */
  deliver(numbers: readonly number[], course: InvocationPlan): Promise<void> {
    const records = numbers.flatMap((number) => this.#written[number % this.#written.length] ?? []);
    return this.#invoke([...new Set(records)], course);
  }

  /** Delivers some undelivered records, the newest or the oldest first. */
  deliverDue(count: number, newestFirst: boolean, course: InvocationPlan): Promise<void> {
    const due = newestFirst ? [...this.#due].reverse() : [...this.#due];
    return this.#invoke(due.slice(0, count), course);
  }

  /** Continues a paused invocation. */
  async resume(number: number, { calls, fate }: InvocationPlan): Promise<void> {
    const paused = this.#takePaused(number);
    if (paused) await this.#run(paused, { calls: calls + 1, fate });
  }

  /** Ends a paused invocation, so that its records stay undelivered. */
  kill(number: number): void {
    this.#takePaused(number);
  }

  /** Delivers everything undelivered. */
  async settle(newestFirst: boolean): Promise<void> {
    this.#paused.length = 0;
    while (this.#due.size > 0) await this.deliverDue(7, newestFirst, { calls: 100, fate: 'taken' });
  }

  async #invoke(records: readonly DynamoDBRecord[], course: InvocationPlan): Promise<void> {
    if (records.length === 0) return;
    const { eventItems } = this.#backend;
    const process = new Process('publish events', this.#backend);
    const invocation = { process, fate: course.fate };
    const handler = createHandler({
      readItems: currentItemsOn({
        ...eventItems,
        atPositions: (...request) => process.call('atPositions', () => eventItems.atPositions(...request)),
      }),
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

  async #run(invocation: Invocation, { calls, fate }: InvocationPlan): Promise<void> {
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
    // The last events, not the first.
    const isTaken = (i: number) => i >= events.length - taken[fate];
    this.published.push(...events.filter((_, i) => isTaken(i)));
    for (const event of events) this.#check(event);
    if (fate === 'refused' || fate === 'answer lost') throw new Error(fate);
    return events.map((_, i) => (isTaken(i) ? undefined : 'InternalFailure'));
  }

  /** Keeps the first error, because the handler would take it for the bus's own. */
  #check(event: TestimonialEvent): void {
    try {
      this.#assertTrue(event);
    } catch (error) {
      this.#falsehood ??= error;
    }
  }

  /** Throws the error of the first event that never happened. */
  assertNothingFalse(): void {
    if (this.#falsehood) throw this.#falsehood;
  }

  /** Expects that the event has happened. */
  #assertTrue({ name, detail }: TestimonialEvent): void {
    // The schema allows no text, name or e-mail address.
    v.parse(eventDetails[name], detail);
    assert.ok('id' in detail, `${name} of no testimonial`);
    assert.equal(detail.organization, this.#organization);
    const states =
      [...this.states.values()].find((each) => each.some((slot) => idOf(slot) === detail.id)) ?? [];
    const at = states.findIndex((slot) => slot !== 'sealed' && slot.updateOrdinal === detail.update);
    const [before, after] = [states[at - 1], states[at]];
    assert.ok(
      after !== undefined && after !== 'sealed',
      `${name} ${detail.update} has no state that ever existed`,
    );
    if ('erased' in after) {
      assert.deepEqual([name, detail.time], ['testimonial.erased', after.time]);
      return;
    }
    const { id, status, type, rating, updatedAt: time } = after.testimonial;
    const { version, identity, organization, update } = detail;
    const expected = { version, identity, organization, id, status, type, time, update };
    assert.deepEqual(detail, { ...expected, ...(rating !== undefined && { rating }) });
    assert.ok(happened(name, before, after), `${name} never happened to ${id}`);
  }
}

/** True if the change from one state to the next matches the event's name. */
function happened(
  name: TestimonialEvent['name'],
  before: Slot | undefined,
  after: StoredTestimonial,
): boolean {
  if (name === 'testimonial.created') return after.isLoaded === undefined;
  if (before === undefined || before === 'sealed' || 'erased' in before) return false;
  const tags = ({ testimonial }: StoredTestimonial) => JSON.stringify(testimonial.tags ?? []);
  const { status } = after.testimonial;
  if (before.testimonial.status !== status) return name === `testimonial.${status}`;
  if (tags(before) !== tags(after)) return name === 'testimonial.tagged';
  // A change without an effect keeps its kind only.
  return name === (after.change === 'tags' ? 'testimonial.tagged' : `testimonial.${status}`);
}

/** Returns the id of the testimonial at a position, or of the erased one. */
export function idOf(slot: Slot): string | undefined {
  if (slot === 'sealed') return undefined;
  return 'erased' in slot ? slot.erased : slot.testimonial.id;
}
