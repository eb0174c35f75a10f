/**
 * Works on the recording of a submission, which the table's stream and the bucket's lifecycle rules follow.
 */
import assert from 'node:assert/strict';
import { IdempotencyKeyReused, type StreamChange } from '../../functions/domain/outcomes.ts';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import type { TestimonialInput } from '../../functions/domain/testimonial.ts';
import { testimonialKey } from '../../functions/dynamodb/keys.ts';
import { keepMedia } from '../../functions/index-testimonials/keep-media.ts';
import { keyOfMedia, mediaIn } from '../../functions/media/media.ts';
import { uploadClaimOf } from '../../functions/media/upload-claim.ts';
import { keyOfFormUpload, UploadRefused } from '../../functions/media/uploads.ts';
import { currentItemsOn } from '../../functions/testimonials/current-items.ts';
import type { Backend } from './backend.ts';
import type { InMemoryBackend, Items } from './in-memory-backend.ts';
import { bytesOfFrames } from './memory-bucket.ts';
import type { Work, World } from './world.ts';

/** The key of the submission, and of the form that uploads its recording. */
const submission = 'submission';
export const uploadKey = keyOfFormUpload('page', submission, 'recording');

const input: TestimonialInput = {
  content: 'amaz',
  author: { name: 'amaz', email: 'amaz@example.com' },
  type: 'text',
};

/** The stores of media. */
function mediaStoresOf({ bucket, eventItems, stream }: Backend) {
  assert.ok(bucket && eventItems && stream);
  return { bucket, eventItems, stream };
}

/**
 * Sends the submission, and expects its recording to last once it is stored.
 * @param mayRefuse true if others erase it or replace its upload
 */
export const submit = (world: World, { mayRefuse }: { mayRefuse: boolean }): Work => ({
  name: 'create',
  async run(stores, now) {
    const { bucket } = mediaStoresOf(stores);
    const { organization } = world;
    const media = uploadClaimOf(bucket, { organization, uploads: { recording: uploadKey } });
    try {
      const { testimonial } = await world
        .on(stores, now)
        .create(input, { idempotencyKey: submission, media });
      expectAcknowledged(world, testimonial.id);
    } catch (error) {
      const isRefused = error instanceof UploadRefused || error instanceof IdempotencyKeyReused;
      if (!(mayRefuse && isRefused)) throw error;
    }
  },
});

/** Uploads another recording with the same signed form. */
export const uploadAgain = (frames: number): Work => ({
  name: 'upload',
  run: (stores) => mediaStoresOf(stores).bucket.upload(uploadKey, frames),
});

/** Erases the testimonial of the submission, if there is one. */
export const eraseSubmitted = (world: World): Work => ({
  name: 'erase',
  async run(stores, now) {
    const record = await stores.idempotencyKeys.find(world.organization, submission, now());
    if (record) await world.works.erase(record.testimonialId).run(stores, now);
  },
});

/** Does what the index function does for media after the writes that the stream has not delivered yet. */
export const followStream = (organization: string): Work => ({
  name: 'stream',
  async run(stores) {
    const { bucket, eventItems, stream } = mediaStoresOf(stores);
    const writes = await stream.pending(organization);
    const changes = writes.map(({ ordinal, isNew }): StreamChange => {
      const sortKey = testimonialKey(organization, ordinal).SK;
      return { organization, sortKey, isNew, isRewrite: !isNew, sequenceNumber: String(ordinal) };
    });
    const keeping = { media: mediaIn(bucket), currentItems: currentItemsOn(eventItems) };
    const errors: unknown[] = [];
    await keepMedia(keeping, { error: (...line) => errors.push(line) }, changes);
    assert.deepEqual(errors, []);
    await stream.deliver(organization, writes);
  },
});

/** An acknowledged submission has its recording, unless it was erased meanwhile. */
function expectAcknowledged({ backend, organization }: World, id: string): void {
  const { items, stored } = backend as InMemoryBackend; // the explorer has no other
  if (!stored(organization).some(({ testimonial }) => testimonial.id === id)) return;
  const object = items.objects.get(keyOfMedia(organization, id, 'recording'));
  assert.deepEqual(object && { isDraft: object.isDraft }, { isDraft: false }, 'an acknowledged recording');
}

/**
 * Expects each stored testimonial to have the recording that its facts describe, and no recording that lasts
 * without a testimonial, once the stream has delivered its erasure.
 */
export function expectMediaNow({ items, stored }: InMemoryBackend, organization: string): void {
  const named = recordingsOf(stored(organization), organization);
  for (const [key, bytes] of named) {
    const { frames = 0 } = items.objects.get(key) ?? {};
    assert.equal(bytesOfFrames(frames), bytes, `the recording of a testimonial at ${key}`);
  }
  for (const [key, { isDraft, metadata }] of items.objects) {
    if (isDraft || !key.startsWith('m/') || named.has(key)) continue;
    const isLeft = isErasureDelivered(items, organization, String(metadata.testimonial));
    assert.equal(isLeft, false, `a recording without a testimonial at ${key}`);
  }
}

/** Returns true if the stream has delivered the erasure of a testimonial. */
function isErasureDelivered({ tables, delivered }: Items, organization: string, id: string): boolean {
  const erased = tables
    .get(organization)
    ?.entries()
    .find(([, item]) => item !== 'sealed' && 'erased' in item && item.erased === id);
  return erased !== undefined && delivered.get(organization)?.get(erased[0]) === 'erased';
}

/** Expects exactly the recordings of stored testimonials, after the stream and two days. */
export async function expectMediaForGood(backend: InMemoryBackend, organization: string): Promise<void> {
  const { items } = backend;
  if (items.objects.size > 0) await followStream(organization).run(backend, () => new Date(0));
  for (const [key, { isDraft }] of items.objects) if (isDraft) items.objects.delete(key);
  expectMediaNow(backend, organization);
  expectNoOthers(backend, organization);
}

/** Expects the same immediately, once all work has finished. */
export async function expectNothingLeft(backend: InMemoryBackend, organization: string): Promise<void> {
  const copy = backend.clone();
  await followStream(organization).run(copy, () => new Date(0));
  expectNoOthers(copy, organization);
}

function expectNoOthers({ items, stored }: InMemoryBackend, organization: string): void {
  assert.deepEqual(
    [...items.objects.keys()].filter((key) => key.startsWith('m/')).sort(),
    [...recordingsOf(stored(organization), organization).keys()].sort(),
    'recordings in the end',
  );
}

/** Returns the sizes of the recordings that testimonials name, by their keys. */
function recordingsOf(stored: readonly StoredTestimonial[], organization: string): Map<string, number> {
  return new Map(
    stored.flatMap(({ testimonial: { id, media } }) =>
      media?.recording ? [[keyOfMedia(organization, id, 'recording'), media.recording.bytes] as const] : [],
    ),
  );
}
