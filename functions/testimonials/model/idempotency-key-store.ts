/** The store of idempotency keys. */
import * as v from 'valibot';

/** Schema of the create that used an idempotency key. */
export const idempotencyRecord = v.object({
  /** HMAC-SHA-256 of the validated request body, with the key. */
  fingerprint: v.string(),
  testimonialId: v.string(),
  createdAt: v.string(),
  updateOrdinal: v.number(),
});

export type IdempotencyRecord = v.InferOutput<typeof idempotencyRecord>;

export interface IdempotencyKeyStore {
  /** Returns the record of a key unless it has expired at `now`. The read is strongly consistent. */
  find(organization: string, key: string, now: Date): Promise<IdempotencyRecord | undefined>;

  /**
   * Stores a record if the key has no valid record at `now`, or has the record of the testimonial
   * `replacing`.
   * @returns the key's record afterwards
   */
  claim(
    organization: string,
    key: string,
    record: IdempotencyRecord,
    now: Date,
    replacing?: string,
  ): Promise<IdempotencyRecord>;
}
