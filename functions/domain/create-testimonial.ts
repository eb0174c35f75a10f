/** Creating a testimonial, once, also when the client asks twice. */
import { createHash } from 'node:crypto';
import type { IdempotencyKeyStore, IdempotencyRecord, TestimonialStore } from './stores.ts';
import type { Testimonial, TestimonialInput } from './testimonial.ts';
import { makeTestimonialId } from './testimonial-id.ts';
import { ordinalOf } from './testimonial-order.ts';

/** An idempotency key came back with another body. */
export class IdempotencyKeyReused extends Error {
  override name = 'IdempotencyKeyReused';
}

export interface CreateDependencies {
  testimonials: TestimonialStore;
  idempotencyKeys: IdempotencyKeyStore;
  now: () => Date;
  randomInt: (min: number, max: number) => number;
}

export interface CreateRequest {
  organization: string;
  input: TestimonialInput;
  idempotencyKey?: string;
}

/**
 * Creates a testimonial by single-item writes in an order that is safe to stop after each: the counter, the
 * idempotency key, the testimonial. A stop after the first leaves a hole in the ordinals, a stop after the
 * second a key whose next use writes the testimonial.
 * @param signal aborts the writes not yet begun; without it a paused function could go on much later
 * @returns the testimonial, and whether an earlier request with the same idempotency key had created it
 * @throws {IdempotencyKeyReused} when the key stands for another body
 */
export async function createTestimonial(
  deps: CreateDependencies,
  { organization, input, idempotencyKey }: CreateRequest,
  signal?: AbortSignal,
): Promise<{ testimonial: Testimonial; replayed: boolean }> {
  const fingerprint = createHash('sha256').update(JSON.stringify(input)).digest('hex');

  // Read first, so that a replay or a refusal takes no ordinal.
  if (idempotencyKey !== undefined) {
    const earlier = await deps.idempotencyKeys.find(organization, idempotencyKey, deps.now(), signal);
    if (earlier) return replay(deps, organization, input, fingerprint, earlier, signal);
  }

  const { ordinal, createdAt } = await deps.testimonials.takeOrdinal(organization, deps.now(), {}, signal);
  const testimonial = newTestimonial(makeTestimonialId(ordinal, deps.randomInt), input, createdAt);

  if (idempotencyKey !== undefined) {
    const record = { fingerprint, testimonialId: testimonial.id, createdAt };
    const earlier = await deps.idempotencyKeys.claim(
      organization,
      idempotencyKey,
      record,
      deps.now(),
      signal,
    );
    if (earlier) return replay(deps, organization, input, fingerprint, earlier, signal);
  }

  await deps.testimonials.insert(organization, testimonial, signal);
  return { testimonial, replayed: false };
}

async function replay(
  deps: CreateDependencies,
  organization: string,
  input: TestimonialInput,
  fingerprint: string,
  earlier: IdempotencyRecord,
  signal?: AbortSignal,
) {
  if (earlier.fingerprint !== fingerprint) {
    throw new IdempotencyKeyReused('The idempotency key was used with another body');
  }
  const ordinal = ordinalOf({ id: earlier.testimonialId });
  const stored = await deps.testimonials.find(organization, ordinal, signal);
  if (stored) return { testimonial: stored, replayed: true };

  // The first request stopped between key and testimonial: finish its work. The mark comes first because
  // the index may already have passed this ordinal as a hole.
  const testimonial = newTestimonial(earlier.testimonialId, input, earlier.createdAt);
  await deps.testimonials.markChange(organization, { ordinal, time: deps.now(), kind: 'create' }, signal);
  const overtaken = await deps.testimonials.insert(organization, testimonial, signal);
  return { testimonial: overtaken ?? testimonial, replayed: true };
}

function newTestimonial(id: string, input: TestimonialInput, createdAt: string): Testimonial {
  return { id, ...input, status: 'pending', createdAt, updatedAt: createdAt };
}
