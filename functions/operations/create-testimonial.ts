/** Creating a testimonial, once even if the client repeats the request. */
import { createHash } from 'node:crypto';
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { Closed, IdempotencyKeyStore, IdempotencyRecord, TestimonialStore } from '../domain/stores.ts';
import type { Testimonial, TestimonialInput } from '../domain/testimonial.ts';
import { makeTestimonialId, ordinalOf } from '../domain/testimonial-id.ts';
import { unlessUnreadable } from '../domain/unreadable.ts';

/** An idempotency key was used before: with another body, or for a testimonial that was erased since. */
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
  /** Called if a position from the counter holds another testimonial: the counter is wrong, or something wrote past it. */
  onPositionTaken?: (organization: string, ordinal: number) => void;
  /** Awaited before a testimonial is written, unless an earlier request began to create it. If it fails, nothing is written. */
  beforeWrite?: () => Promise<void>;
}

/**
 * Creates a testimonial by three writes: the counter, the idempotency key, the testimonial. The function may stop or pause after any of
 * them. After the first, a position stays free. After the second, the next request with the key writes the testimonial. If an index
 * update sealed the free position, or another testimonial holds it, the create takes a new one.
 * @returns the testimonial, and whether an earlier request with the same idempotency key began to create it
 * @throws {IdempotencyKeyReused}
 */
export async function createTestimonial(
  deps: CreateDependencies,
  {
    organization,
    input,
    idempotencyKey: key,
  }: { organization: string; input: TestimonialInput; idempotencyKey?: string },
): Promise<{ testimonial: Testimonial; replayed: boolean }> {
  const { testimonials, idempotencyKeys, now, randomInt, onPositionTaken = () => {}, beforeWrite } = deps;
  const fingerprint = createHash('sha256').update(JSON.stringify(input)).digest('hex');
  // Read first, so that a repeated or rejected request takes no position.
  let record = key === undefined ? undefined : await idempotencyKeys.find(organization, key, now());
  // The id whose position was sealed or taken.
  let lost: string | undefined;
  for (;;) {
    if (record && record.testimonialId !== lost) {
      if (record.fingerprint !== fingerprint) {
        throw new IdempotencyKeyReused('another body');
      }
      const stored = await finish(testimonials, organization, input, record);
      if (stored === 'erased') throw new IdempotencyKeyReused('erased');
      if (stored === 'taken') onPositionTaken(organization, ordinalOf(record.testimonialId));
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
    // An earlier try stored it without a response, and it was erased since.
    if (stored === 'erased') return { testimonial: made.testimonial, replayed: false };
    lost = testimonialId;
    if (stored === 'taken') onPositionTaken(organization, ordinal);
    else if (stored !== 'sealed') return { testimonial: stored.testimonial, replayed: false };
  }
}

/** Returns the testimonial of a record. Writes it if its request stopped early, or returns the original if it is unreadable. */
async function finish(
  testimonials: TestimonialStore,
  organization: string,
  input: TestimonialInput,
  record: IdempotencyRecord,
): Promise<StoredTestimonial | Closed> {
  const ordinal = ordinalOf(record.testimonialId);
  const stored = await testimonials.find(organization, ordinal).catch(unlessUnreadable);
  if (stored?.testimonial.id === record.testimonialId) return stored;
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
