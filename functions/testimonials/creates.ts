/**
 * Creates testimonials. A create may stop after any of its calls and be repeated; docs/protocol.md says why
 * nothing is lost.
 */
import { randomInt as anyInt } from 'node:crypto';
import type { RequestContext } from '../domain/outcomes.ts';
import type { Testimonial, TestimonialInput } from '../domain/testimonial.ts';
import { abortable, type Table } from '../dynamodb/table.ts';
import {
  type CreateDependencies,
  type CreateOptions,
  type CreateStores,
  createTestimonial,
  type ErrorLog,
  logPositionTaken,
} from './operations/create-testimonial.ts';
import { unpaidPostings } from './operations/unpaid-postings.ts';
import { idempotencyKeyStore } from './table/idempotency-key-store.ts';
import { testimonialStore } from './table/testimonial-store.ts';

export type { ErrorLog };

export interface Creates {
  /**
   * Creates a testimonial, once for each idempotency key.
   * @returns the testimonial, and whether an earlier request with the same key began to create it
   * @throws {IdempotencyKeyReused} if the key was used with another body, or its testimonial was erased
   */
  create(
    input: TestimonialInput,
    options?: CreateOptions,
  ): Promise<{ testimonial: Testimonial; replayed: boolean }>;
}

/** Returns the create operation for one organization and request. */
export type OpenCreates = (organization: string, request?: RequestContext) => Creates;

interface CreatesOptions {
  /** The database's time by default. */
  now?: CreateDependencies['now'];
  randomInt?: CreateDependencies['randomInt'];
  /** Receives the error of a position that another testimonial occupies. */
  log?: ErrorLog;
  /** The lifetime of an idempotency key; a day by default. */
  rememberedSeconds?: number;
}

/** Opens creates on a table, once for each process. */
export function openCreates(
  table: Table,
  { rememberedSeconds, now = table.now, ...options }: CreatesOptions = {},
): OpenCreates {
  const storesOf = (signal?: AbortSignal) => {
    const requestTable = abortable(table, signal);
    return {
      testimonials: testimonialStore(requestTable),
      idempotencyKeys: idempotencyKeyStore(requestTable, rememberedSeconds),
    };
  };
  return createsOn(storesOf, { now, ...options });
}

/** Like `openCreates`, on any stores. */
export function createsOn(
  storesOf: (signal?: AbortSignal) => CreateStores,
  { now, randomInt = anyInt, log }: Omit<CreatesOptions, 'rememberedSeconds'> & { now: () => Date },
): OpenCreates {
  const takeUnpaid = unpaidPostings(now);
  return (organization, { signal, payFor } = {}) => ({
    create(input, options = {}) {
      const deps = {
        ...storesOf(signal),
        now,
        randomInt,
        charge: async () => payFor?.(takeUnpaid(organization, { ...input, status: 'pending' })),
        ...(log && { onPositionTaken: logPositionTaken(log) }),
      };
      return createTestimonial(deps, { organization, input, ...options });
    },
  });
}
