/** Creates a testimonial, only once even if the client repeats the request. */
import { createHmac } from 'node:crypto';
import { IdempotencyKeyReused, type MediaClaim, positionTakenMessage } from '../../domain/outcomes.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { StoredMedia, Testimonial, TestimonialInput } from '../../domain/testimonial.ts';
import { makeTestimonialId, ordinalOf } from '../../domain/testimonial-id.ts';
import { unlessUnreadable } from '../../domain/unreadable.ts';
import type { IdempotencyKeyStore, IdempotencyRecord } from '../model/idempotency-key-store.ts';
import type { InsertFailure, TestimonialStore } from '../model/testimonial-store.ts';

export interface CreateStores {
  testimonials: TestimonialStore;
  idempotencyKeys: IdempotencyKeyStore;
}

export interface CreateDependencies extends CreateStores {
  now: () => Date;
  randomInt: (min: number, max: number) => number;
  /**
   * Called if a new position holds another testimonial, which means that the counter is wrong or was
   * bypassed.
   */
  onPositionTaken?: (organization: string, ordinal: number) => void;
  /**
   * Charges the organization's budget before each attempt, but not for a repeated request. Postings that are
   * already paid for cost nothing. If it rejects, nothing is written.
   */
  charge?: () => Promise<void>;
}

/** Receives an error, with its details. */
export interface ErrorLog {
  error: (message: string, details: Record<string, string | number>) => void;
}

/** Returns a function that logs an occupied position. */
export function logPositionTaken(log: ErrorLog) {
  return (organization: string, ordinal: number) =>
    log.error(positionTakenMessage, { organization, ordinal });
}

export interface CreateOptions {
  idempotencyKey?: string;
  /** The page id of the form that sent it, where the person gave consent. */
  form?: string | undefined;
  /** The origin, if a person at the desk adds the testimonial. */
  source?: string;
  /** The photo and the recording that it claims. */
  media?: MediaClaim;
  /**
   * True for forms: sending the key again with another body replaces the earlier body, as long as that is not
   * stored.
   */
  isCorrectable?: true;
}

interface CreateRequest extends CreateOptions {
  organization: string;
  input: TestimonialInput;
}

interface CreateResult {
  testimonial: Testimonial;
  replayed: boolean;
}

/** An id and a position for a testimonial. If there is an idempotency key, it names them. */
interface ReservedId {
  record: IdempotencyRecord;
  /** False if another request with the key began it. */
  isOwn: boolean;
}

/**
 * Creates a testimonial with up to three writes: the counter, the idempotency key if there is one, and the
 * testimonial. It begins with the attempt that the key names, if an earlier request made one.
 *
 * | If | Then |
 * |---|---|
 * | the function stops after the counter | a position stays free |
 * | it stops after the key | the next request with the key writes the testimonial |
 * | an index update has sealed the position, or another testimonial holds it | the next attempt begins |
 * | a corrected form follows a text that is not stored | the position of the earlier text is sealed |
 *
 * Media are verified before the first write and copied before the testimonial is written. Afterwards the
 * copies are kept for good; the index function does this, too, in case this function stops before. If a
 * request fails because its uploads are gone, it checks once more whether another request has stored the
 * testimonial.
 * @returns the testimonial, and whether an earlier request with the same idempotency key began to create it
 * @throws {IdempotencyKeyReused}
 */
export async function createTestimonial(
  deps: CreateDependencies,
  request: CreateRequest,
): Promise<CreateResult> {
  const { organization, input, media, idempotencyKey: key } = request;
  // A keyed hash, because a plain hash of an erased text could be used to confirm a guess. The key is not
  // stored.
  const fingerprint = createHmac('sha256', key ?? '')
    .update(JSON.stringify(media ? { ...input, media: media.named } : input))
    .digest('hex');
  try {
    return await attemptUntilStored(deps, request, fingerprint);
  } catch (error) {
    if (key === undefined || !media?.isGone(error)) throw error;
    // Another request with this key may have stored the testimonial in the meantime, and deleted the uploads.
    const record = await deps.idempotencyKeys.find(organization, key, deps.now());
    const isSame = record?.fingerprint === fingerprint;
    const stored = isSame && (await findAndKeep(deps.testimonials, request, record));
    if (!stored) throw error;
    return { testimonial: stored.testimonial, replayed: true };
  }
}

/** Makes attempts, one after the other, until one of them stores the testimonial. */
async function attemptUntilStored(
  deps: CreateDependencies,
  request: CreateRequest,
  fingerprint: string,
): Promise<CreateResult> {
  const { organization, media, idempotencyKey: key } = request;
  const { testimonials, idempotencyKeys, now, randomInt, onPositionTaken = () => {}, charge } = deps;
  /**
   * Reserves a position, and claims the key for it. A concurrent request may have claimed it first.
   * @param failedId the id of the last attempt, which the key names until now
   */
  const newAttempt = async (failedId?: string): Promise<ReservedId> => {
    await media?.verify();
    await charge?.();
    const { ordinal, updateOrdinal, time } = await testimonials.reserveOrdinals(organization, now());
    const testimonialId = makeTestimonialId(ordinal, randomInt);
    const own = { fingerprint, testimonialId, createdAt: time, updateOrdinal };
    if (key === undefined) return { record: own, isOwn: true };
    const record = await idempotencyKeys.claim(organization, key, own, now(), failedId);
    return { record, isOwn: record.testimonialId === testimonialId };
  };
  const firstAttempt = async (): Promise<ReservedId> => {
    // Read first, so that a repeated or rejected request reserves no position.
    const earlier = key === undefined ? undefined : await idempotencyKeys.find(organization, key, now());
    if (!earlier) return newAttempt();
    const isReplaced =
      earlier.fingerprint !== fingerprint && (await closeEarlier(testimonials, request, earlier));
    return isReplaced ? newAttempt(earlier.testimonialId) : { record: earlier, isOwn: false };
  };
  let attempt = await firstAttempt();
  for (;;) {
    const { record, isOwn } = attempt;
    if (record.fingerprint !== fingerprint) throw new IdempotencyKeyReused('another body');
    const outcome = await (isOwn ? write : finishEarlier)(testimonials, request, record);
    if (typeof outcome !== 'string') return { testimonial: outcome.testimonial, replayed: !isOwn };
    if (outcome === 'erased') {
      if (!isOwn) throw new IdempotencyKeyReused('erased');
      // The SDK repeated an insert whose response was lost, and the testimonial was erased in between. The
      // create did succeed.
      const { testimonial } = newTestimonial(request, record, await media?.verify());
      return { testimonial, replayed: false };
    }
    if (outcome === 'occupied') onPositionTaken(organization, ordinalOf(record.testimonialId));
    // An erasure does not know the ids of failed attempts.
    await media?.discard(record.testimonialId);
    attempt = await newAttempt(record.testimonialId);
  }
}

/**
 * Makes sure that an earlier form is never stored, so that its correction can replace it.
 * @returns false if it was stored, or cannot be corrected
 */
async function closeEarlier(
  testimonials: TestimonialStore,
  { organization, media, isCorrectable }: CreateRequest,
  { testimonialId: id }: IdempotencyRecord,
): Promise<boolean> {
  if (!isCorrectable) return false;
  const isThis = (row: StoredTestimonial | undefined) => row?.testimonial.id === id;
  // Read first, so that a refused request writes nothing.
  const ordinal = ordinalOf(id);
  if (isThis(await testimonials.find(organization, ordinal).catch(unlessUnreadable))) return false;
  if (await testimonials.findReadableParts(organization, id)) return false;
  if (isThis(await testimonials.sealPosition(organization, ordinal))) return false;
  // The item of an erased testimonial closes its position, too.
  if (await testimonials.wasErased(organization, id)) return false;
  await media?.discard(id);
  return true;
}

/**
 * Returns a record's testimonial if it is stored, and keeps its media for good.
 * @throws {IdempotencyKeyReused} if an upload has been replaced
 */
async function findAndKeep(
  testimonials: TestimonialStore,
  { organization, media }: CreateRequest,
  { testimonialId: id }: IdempotencyRecord,
): Promise<StoredTestimonial | undefined> {
  const stored = await testimonials.find(organization, ordinalOf(id)).catch(unlessUnreadable);
  if (stored?.testimonial.id !== id) return undefined;
  if (await media?.hasOthers(id)) throw new IdempotencyKeyReused('another body');
  await media?.keep(id, stored.testimonial.media ?? {});
  return stored;
}

/**
 * Returns the testimonial of a record, or stores it if the earlier request stopped. An unreadable testimonial
 * is returned as this request describes it, without media. The uploads of an erased or unreadable testimonial
 * are gone, so they are not verified.
 */
async function finishEarlier(
  testimonials: TestimonialStore,
  request: CreateRequest,
  record: IdempotencyRecord,
): Promise<StoredTestimonial | InsertFailure> {
  const stored = await findAndKeep(testimonials, request, record);
  if (stored) return stored;
  const { organization, media } = request;
  const { testimonialId: id } = record;
  if (media && (await testimonials.wasErased(organization, id))) return 'erased';
  if (media && (await testimonials.findReadableParts(organization, id)))
    return newTestimonial(request, record);
  return write(testimonials, request, record);
}

/** Stores a record's testimonial if its position is free. Keeps its media for good before it returns. */
async function write(
  testimonials: TestimonialStore,
  request: CreateRequest,
  record: IdempotencyRecord,
): Promise<StoredTestimonial | InsertFailure> {
  const { organization, media } = request;
  const { testimonialId: id } = record;
  const facts = await media?.verify();
  // If copies of other bytes exist under this id, the facts would not match them. Sealing makes the insert
  // below fail, and the next attempt gets another id. If the other attempt has already stored its
  // testimonial, the insert returns that testimonial.
  const hasOthers = media && !(await media.copy(id));
  if (hasOthers) await testimonials.sealPosition(organization, ordinalOf(id));
  const outcome = await testimonials.insert(organization, newTestimonial(request, record, facts));
  if (hasOthers && typeof outcome !== 'string') throw new IdempotencyKeyReused('another body');
  if (outcome === 'erased') await media?.remove(id);
  if (typeof outcome !== 'string') await media?.keep(id, outcome.testimonial.media ?? {});
  return outcome;
}

function newTestimonial(
  { input, form, source }: CreateRequest,
  { testimonialId, createdAt, updateOrdinal }: IdempotencyRecord,
  { type = input.type, media }: { type?: Testimonial['type']; media?: StoredMedia } = {},
): StoredTestimonial {
  return {
    testimonial: {
      id: testimonialId,
      ...input,
      type,
      ...(media && { media }),
      status: 'pending',
      createdAt,
      updatedAt: createdAt,
    },
    ordinal: ordinalOf(testimonialId),
    updateOrdinal,
    version: 1,
    writtenAt: createdAt,
    // The record's time, so that a request that finishes an earlier one stores the same consent.
    ...(form !== undefined && { consent: { page: form, at: createdAt } }),
    ...(source !== undefined && { source }),
  };
}
