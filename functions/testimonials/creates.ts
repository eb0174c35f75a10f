/**
 * Creates testimonials. A create may stop after any of its calls and be repeated; docs/protocol.md says why
 * nothing is lost.
 */
import { randomInt as anyInt } from 'node:crypto';
import type { MediaClaim, RequestContext } from '../domain/outcomes.ts';
import type { Testimonial, TestimonialInput } from '../domain/testimonial.ts';
import { abortable, type Table } from '../dynamodb/table.ts';
import {
  type CreateDependencies,
  type CreateStores,
  createTestimonial,
  logPositionTaken,
} from './operations/create-testimonial.ts';
import { newPostings } from './operations/new-postings.ts';
import { idempotencyKeyStore } from './table/idempotency-key-store.ts';
import { testimonialStore } from './table/testimonial-store.ts';

interface CreateOptions {
  idempotencyKey?: string;
  /** The page id of the form that it was sent with, where the person gave consent. */
  form?: string;
  /** Where it came from, if a person at the desk adds it. */
  source?: string;
  /** The photo and the recording that it claims. */
  media?: MediaClaim;
}

export interface Creates {
  /**
   * Creates a testimonial, once for each idempotency key.
   * @returns the testimonial, and whether an earlier request with the same key began to create it
   * @throws {IdempotencyKeyReused}
   */
  create(
    input: TestimonialInput,
    options?: CreateOptions,
  ): Promise<{ testimonial: Testimonial; replayed: boolean }>;
}

/** Opens the creates of a request to an organization. */
export type OpenCreates = (organization: string, request?: RequestContext) => Creates;

interface Opening extends Partial<Pick<CreateDependencies, 'now' | 'randomInt'>> {
  /** Receives the error of a position that is taken. */
  log?: Parameters<typeof logPositionTaken>[0];
}

/**
 * Opens the creates of a table, once for each process.
 * @param opening by default the time is the database's; `rememberedSeconds`: how long an idempotency key is
 * remembered, a day by default
 */
export function openCreates(
  table: Table,
  { rememberedSeconds, ...opening }: Opening & { rememberedSeconds?: number } = {},
): OpenCreates {
  const storesOf = (signal?: AbortSignal) => {
    const ours = abortable(table, signal);
    return {
      testimonials: testimonialStore(ours),
      idempotencyKeys: idempotencyKeyStore(ours, rememberedSeconds),
    };
  };
  return createsOn(storesOf, { now: table.now, ...opening });
}

/** Does the same on any stores. */
export function createsOn(
  storesOf: (signal?: AbortSignal) => CreateStores,
  { now, randomInt = anyInt, log }: Opening & Pick<CreateDependencies, 'now'>,
): OpenCreates {
  const postingsOf = newPostings(now);
  return (organization, { signal, payFor } = {}) => ({
    create(input, { form, ...options } = {}) {
      const deps = {
        ...storesOf(signal),
        now,
        randomInt,
        beforeWrite: async () => payFor?.(postingsOf(organization, { ...input, status: 'pending' })),
        ...(log && { onPositionTaken: logPositionTaken(log) }),
      };
      const request = { organization, input, ...options, ...(form !== undefined && { form }) };
      return createTestimonial(deps, request);
    },
  });
}
