/**
 * Creates, finds, changes and erases testimonials. Every verb may stop after any of its calls and be repeated; docs/protocol.md says
 * why nothing is lost.
 */
import { randomInt as anyInt } from 'node:crypto';
import type { Testimonial, TestimonialInput } from '../domain/testimonial.ts';
import type { TestimonialChange } from '../domain/testimonial-change.ts';
import { Unreadable } from '../domain/unreadable.ts';
import { attemptEach, findRecords } from '../operations/attempts.ts';
import { changeTestimonial } from '../operations/change-testimonial.ts';
import {
  type CreateDependencies,
  type CreateStores,
  createTestimonial,
  logPositionTaken,
} from '../operations/create-testimonial.ts';
import { eraseTestimonial } from '../operations/erase-testimonial.ts';
import { findTestimonial } from '../operations/find-testimonial.ts';
import { newPostings } from '../operations/new-postings.ts';
import { idempotencyKeyStore } from '../persistence/dynamodb-idempotency-key-store.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { abortable, type Table } from '../persistence/table.ts';
import type {
  Changed,
  ChangeOptions,
  Condition,
  Erased,
  RequestContext,
  Seen,
  Tally,
  TestimonialRecord,
} from './testimonials.ts';

interface CreateOptions {
  idempotencyKey?: string;
  /** The page id of the form that it was sent with, where the person gave consent. */
  form?: string;
  /** Where it came from, if a person at the desk adds it. */
  source?: string;
}

interface ManyOptions extends Pick<ChangeOptions, 'by'> {
  /** Called after each attempt. */
  onOutcome?: (seen: Seen, outcome: Changed | Erased) => void;
}

/** The writes of one request to an organization. */
export interface Writes {
  /**
   * Creates a testimonial, once for each idempotency key.
   * @returns the testimonial, and whether an earlier request with the same key began to create it
   * @throws {IdempotencyKeyReused}
   */
  create(
    input: TestimonialInput,
    options?: CreateOptions,
  ): Promise<{ testimonial: Testimonial; replayed: boolean }>;

  /**
   * Reads a testimonial; returns undefined if there is none with this id.
   * @throws {Unreadable}
   */
  find(id: string): Promise<TestimonialRecord | undefined>;

  /**
   * Returns the testimonials that exist and can be read, in the order of the ids.
   * @param options `consistent: false` may return older states, at half the cost
   */
  findMany(ids: readonly string[], options?: { consistent?: boolean }): Promise<TestimonialRecord[]>;

  /**
   * Changes a testimonial and moves its `updatedAt` forward. If nothing changes, it succeeds even if `ifUpdatedAt` is older.
   * @throws {Unreadable}
   */
  change(id: string, to: TestimonialChange, options?: ChangeOptions): Promise<Changed>;

  /**
   * Erases a testimonial. No later list shows it, and its id is never used again.
   * @throws {Unreadable} if `ifUpdatedAt` is present and the testimonial cannot be read
   */
  erase(id: string, options?: Condition): Promise<Erased>;

  /**
   * Changes or erases each testimonial, unless somebody changed it since it was seen. An unreadable one is erased as it is, because
   * nobody can look at it again. Starts no further attempt after an error.
   */
  changeMany(seen: readonly Seen[], to: TestimonialChange | 'erase', options?: ManyOptions): Promise<Tally>;
}

/** Opens the writes of a request. */
export type OpenWrites = (organization: string, request?: RequestContext) => Writes;

interface Opening extends Partial<Pick<CreateDependencies, 'now' | 'randomInt'>> {
  /** Receives the error of a position that is taken. */
  log?: { error: (message: string, details: Record<string, string | number>) => void };
}

/**
 * Opens the writes of a table, once for each process.
 * @param opening by default the time is the database's; `rememberedSeconds`: how long an idempotency key is remembered, a day by default
 */
export function openWrites(
  table: Table,
  { rememberedSeconds, ...opening }: Opening & { rememberedSeconds?: number } = {},
): OpenWrites {
  const storesOf = (signal?: AbortSignal) => {
    const requestTable = signal ? abortable(table, signal) : table;
    return {
      testimonials: testimonialStore(requestTable),
      idempotencyKeys: idempotencyKeyStore(requestTable, rememberedSeconds),
    };
  };
  return writesOn(storesOf, { now: table.now, ...opening });
}

/** Does the same on any stores. */
export function writesOn(
  storesOf: (signal?: AbortSignal) => CreateStores,
  { now, randomInt = anyInt, log }: Opening & Pick<CreateDependencies, 'now'>,
): OpenWrites {
  // Shared by the requests of a process, each of which pays for the postings that no other paid for.
  const postingsOf = newPostings(now);
  return (organization, { signal, payFor } = {}) => {
    const { testimonials, idempotencyKeys } = storesOf(signal);
    const deps = {
      ...{ testimonials, now },
      ...(payFor && {
        beforeWrite: (testimonial: Testimonial, write: 'change' | 'erasure') =>
          payFor(postingsOf(organization, testimonial, write)),
      }),
    };

    async function eraseSeen({ id, updatedAt }: Seen): Promise<Erased> {
      try {
        return await eraseTestimonial(deps, organization, id, { ifUpdatedAt: updatedAt });
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        return eraseTestimonial(deps, organization, id);
      }
    }

    return {
      create(input, { form, ...options } = {}) {
        const request = { organization, input, ...options, ...(form !== undefined && { page: form }) };
        const beforeWrite = async () => payFor?.(postingsOf(organization, { ...input, status: 'pending' }));
        const onPositionTaken = log && logPositionTaken(log);
        return createTestimonial(
          {
            testimonials,
            idempotencyKeys,
            now,
            randomInt,
            beforeWrite,
            ...(onPositionTaken && { onPositionTaken }),
          },
          request,
        );
      },
      find: (id) => findTestimonial(testimonials, organization, id),
      findMany: (ids, options) => findRecords(testimonials, organization, ids, options),
      change: (id, to, options) => changeTestimonial(deps, organization, id, to, options),
      erase: (id, options) => eraseTestimonial(deps, organization, id, options),
      changeMany: (seen, to, { by, onOutcome = () => {} } = {}) =>
        attemptEach(seen, async () => async (each) => {
          const outcome =
            to === 'erase'
              ? await eraseSeen(each)
              : await changeTestimonial(deps, organization, each.id, to, {
                  ifUpdatedAt: each.updatedAt,
                  ...(by && { by }),
                });
          onOutcome(each, outcome);
          return outcome;
        }),
    };
  };
}
