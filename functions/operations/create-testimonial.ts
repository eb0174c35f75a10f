/** Creating a testimonial, once, also when the client asks twice. */
import { createHash } from 'node:crypto';
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { Closed, IdempotencyKeyStore, IdempotencyRecord, TestimonialStore } from '../domain/stores.ts';
import type { Testimonial, TestimonialInput } from '../domain/testimonial.ts';
import { makeTestimonialId, ordinalOf } from '../domain/testimonial-id.ts';
import { unlessUnreadable } from '../domain/unreadable.ts';

/** An idempotency key came back with another body, or for a testimonial that was erased. */
export class IdempotencyKeyReused extends Error {
  override name = 'IdempotencyKeyReused';
  readonly reason: 'another body' | 'erased';

  constructor(reason: 'another body' | 'erased') {
    super(
      reason === 'erased' ? 'The testimonial was erased' : 'The idempotency key was used with another body',
    );
    this.reason = reason;
  }
}

export interface CreateStores {
  testimonials: TestimonialStore;
  idempotencyKeys: IdempotencyKeyStore;
}

export interface CreateDependencies extends CreateStores {
  now: () => Date;
  randomInt: (min: number, max: number) => number;
  /** Told of a place that was given and is another's: the counter lies, or something wrote past it. */
  onPlaceTaken?: (organization: string, ordinal: number) => void;
  /** Awaited before a testimonial is written that no earlier request began to create: nothing is when it fails. */
  beforeWrite?: () => Promise<void>;
}

/**
 * Creates a testimonial by single-item writes in an order that is safe to stop after each, or to pause there for any
 * time: the counter, the idempotency key, the testimonial. A stop after the first leaves a free place, a stop after
 * the second a key whose next use writes the testimonial. A place that the list index passed while it was free is
 * sealed; the create then takes another, as it does where another testimonial stands at the place that it was given.
 * @returns the testimonial, and whether it was another request with the same idempotency key that began to create it
 * @throws {IdempotencyKeyReused} when the key stands for another body, or for a testimonial that was erased
 */
export async function createTestimonial(
  deps: CreateDependencies,
  {
    organization,
    input,
    idempotencyKey: key,
  }: { organization: string; input: TestimonialInput; idempotencyKey?: string },
): Promise<{ testimonial: Testimonial; replayed: boolean }> {
  const { testimonials, idempotencyKeys, now, randomInt, onPlaceTaken = () => {}, beforeWrite } = deps;
  const fingerprint = createHash('sha256').update(JSON.stringify(input)).digest('hex');
  // Read first, so that a replay or a refusal takes no place.
  let record = key === undefined ? undefined : await idempotencyKeys.find(organization, key, now());
  // The id whose place is known not to be had.
  let lost: string | undefined;
  for (;;) {
    if (record && record.testimonialId !== lost) {
      if (record.fingerprint !== fingerprint) {
        throw new IdempotencyKeyReused('another body');
      }
      const stored = await finish(testimonials, organization, input, record);
      if (stored === 'erased') throw new IdempotencyKeyReused('erased');
      if (stored === 'taken') onPlaceTaken(organization, ordinalOf(record.testimonialId));
      else if (stored !== 'sealed') return { testimonial: stored.testimonial, replayed: true };
    }

    await beforeWrite?.();
    const { ordinal, updateOrdinal, time } = await testimonials.takeOrdinals(organization, now());
    const testimonialId = makeTestimonialId(ordinal, randomInt);
    const own = { fingerprint, testimonialId, createdAt: time, updateOrdinal };
    if (key !== undefined) {
      record = await idempotencyKeys.claim(organization, key, own, now(), record?.testimonialId);
      if (record.testimonialId !== testimonialId) continue;
    }
    const made = newTestimonial(input, own);
    const stored = await testimonials.insert(organization, made);
    // It was stored before, by a try whose answer was lost, and erased since.
    if (stored === 'erased') return { testimonial: made.testimonial, replayed: false };
    lost = testimonialId;
    if (stored === 'taken') onPlaceTaken(organization, ordinal);
    else if (stored !== 'sealed') return { testimonial: stored.testimonial, replayed: false };
  }
}

/** The testimonial of a record, written now if its request stopped before; as it was created where it cannot be read any more. */
async function finish(
  testimonials: TestimonialStore,
  organization: string,
  input: TestimonialInput,
  record: IdempotencyRecord,
): Promise<StoredTestimonial | Closed> {
  const ordinal = ordinalOf(record.testimonialId);
  const found = await testimonials.find(organization, ordinal).catch(unlessUnreadable);
  if (found?.testimonial.id === record.testimonialId) return found;
  return testimonials.insert(organization, newTestimonial(input, record));
}

function newTestimonial(
  input: TestimonialInput,
  { testimonialId, createdAt, updateOrdinal }: IdempotencyRecord,
): StoredTestimonial {
  return {
    testimonial: { id: testimonialId, ...input, status: 'pending', createdAt, updatedAt: createdAt },
    ordinal: ordinalOf(testimonialId),
    updateOrdinal,
    version: 1,
    writtenAt: createdAt,
  };
}
