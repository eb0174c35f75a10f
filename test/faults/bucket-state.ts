/** Reads and restores the objects of a bucket, and lets two days pass. */
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { type MediaKind, mediaKinds } from '../../functions/media/kinds.ts';
import { keyOfMedia } from '../../functions/media/media.ts';
import type { ObjectFacts, ObjectStore } from '../../lib/local-runner/object-store.ts';
import type { TestBucket } from '../media-bucket.ts';

type StoredObject = NonNullable<Awaited<ReturnType<ObjectStore['get']>>>;

export type BucketState = readonly StoredObject[];

export async function bucketState({ store }: TestBucket): Promise<BucketState> {
  const all = await Promise.all((await store.list()).map(({ key }) => store.get(key)));
  return all.filter((each) => each !== undefined);
}

export async function restoreBucket({ store, clock }: TestBucket, wanted: BucketState): Promise<void> {
  clock.aheadMs = 0;
  for (const { key } of await store.list()) await store.remove(key);
  for (const { facts, body } of wanted) await store.put(facts, body);
}

const twoDaysMs = 2 * 24 * 60 * 60 * 1000;

/** Lets the lifecycle rules of the bucket work for two days. */
export async function passTwoDays({ clock, expire }: TestBucket): Promise<void> {
  clock.aheadMs += twoDaysMs;
  await expire();
}

/** Returns the keys that testimonials of an organization name, sorted. */
export function keysNamed(stored: readonly StoredTestimonial[], organization: string): string[] {
  return stored
    .flatMap(({ testimonial: { id, media = {} } }) => {
      const has = (kind: MediaKind) => media[kind] !== undefined;
      return mediaKinds.filter(has).map((kind) => keyOfMedia(organization, id, kind));
    })
    .sort();
}

/** Returns the keys of the objects that no lifecycle rule deletes, sorted. */
export function keysKept(objects: readonly ObjectFacts[]): string[] {
  return objects
    .filter(({ key, tags }) => key.startsWith('m/') && tags.draft === undefined)
    .map(({ key }) => key)
    .sort();
}
