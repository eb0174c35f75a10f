/**
 * The media of testimonials in a bucket, at keys that follow from the ids of the testimonials.
 *
 * A create copies uploads to these keys as drafts before it stores the testimonial, and keeps the copies
 * afterwards. So a stop anywhere leaves uploads and drafts, which the bucket deletes within two days.
 */
import type { StoredMedia } from '../domain/testimonial.ts';
import { type Bucket, type BucketObject, ObjectChanged } from './bucket.ts';
import { type MediaKind, mediaKinds } from './kinds.ts';
import { mediaIdOf } from './media-view.ts';
import type { ReadMethod } from './signing.ts';

export type Media = ReturnType<typeof mediaIn>;

/** An object of the bucket, and the testimonial that it belongs to. */
export interface FoundMedia extends BucketObject {
  organization: string;
  testimonial: string;
  kind: MediaKind;
  key: string;
}

export function mediaIn(bucket: Bucket) {
  return {
    bucket,

    /** Returns the media with the id of a URL, and whose they are; undefined if there are none. */
    async find(mediaId: string): Promise<FoundMedia | undefined> {
      const key = `m/${mediaId}`;
      const object = await bucket.find(key);
      const { organization, testimonial, kind } = object?.metadata ?? {};
      const known = mediaKinds.find((each) => each === kind);
      if (!object || !organization || !testimonial || !known) return undefined;
      return { ...object, organization, testimonial, kind: known, key };
    },

    /** Makes the copies of a stored testimonial last. May be repeated. */
    async keep(organization: string, id: string, media: StoredMedia): Promise<void> {
      await forEachKind(async (kind) => {
        if (media[kind]) await bucket.keep(keyOfMedia(organization, id, kind));
      });
    },

    /**
     * Deletes the copies of a testimonial, and before them the uploads, so that no running create can copy
     * them again. May be repeated.
     */
    async remove(organization: string, id: string): Promise<void> {
      await forEachKind(async (kind) => {
        const key = keyOfMedia(organization, id, kind);
        const upload = (await bucket.find(key))?.metadata.upload;
        if (upload) await bucket.remove(upload);
        // Even if it was not found, because a missing right looks like a missing object.
        await bucket.remove(key);
      });
    },
  };
}

/** Returns the key of the bytes of a testimonial. */
export function keyOfMedia(organization: string, id: string, kind: MediaKind): string {
  return `m/${mediaIdOf(organization, id, kind)}`;
}

/**
 * Runs `work` for all kinds at once.
 * @throws the first error, once all have ended: no call runs longer than its request
 */
export async function forEachKind(work: (kind: MediaKind) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(mediaKinds.map(work));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** A response of a function with media, or that leads to them. */
interface MediaResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded?: boolean;
}

/** A request for media. */
interface MediaRequest {
  method: ReadMethod;
  /** The ETag that the browser has. */
  seen: string | undefined;
  caching: Record<string, string>;
}

/**
 * Returns the response with a picture, or one that leads a player to the bucket for five minutes. Undefined
 * if the picture was erased meanwhile.
 */
export async function mediaResponse(
  bucket: Bucket,
  { key, kind, bytes, type, etag }: FoundMedia,
  { method, seen, caching }: MediaRequest,
): Promise<MediaResponse | undefined> {
  const headers = { ...caching, 'x-content-type-options': 'nosniff' };
  if (kind === 'recording') {
    const location = await bucket.signUrl(key, method);
    // No cache may lead a player to a URL that only shows the headers.
    const ofHead = method === 'HEAD' && { 'cache-control': 'no-store' };
    return { statusCode: 302, headers: { ...headers, ...ofHead, location }, body: '' };
  }
  if (seen === etag) return { statusCode: 304, headers: { ...headers, etag }, body: '' };
  const picture = await bucket.read(key, { from: 0, to: bytes, etag }).catch((error: unknown) => {
    if (error instanceof ObjectChanged) return undefined;
    throw error;
  });
  if (!picture) return undefined;
  return {
    statusCode: 200,
    headers: { ...headers, etag, 'content-type': type },
    body: Buffer.from(picture).toString('base64'),
    isBase64Encoded: true,
  };
}
