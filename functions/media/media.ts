/**
 * The media of testimonials in a bucket, under keys that are derived from the ids of the testimonials.
 *
 * A create copies uploads to these keys as drafts before it stores the testimonial, and keeps the copies
 * afterwards. A create that stops leaves only uploads and drafts, which the bucket deletes within two days.
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

    /**
     * Returns the media with the id from a URL, and the testimonial that they belong to. Returns undefined if
     * they do not exist.
     */
    async find(mediaId: string): Promise<FoundMedia | undefined> {
      const key = `m/${mediaId}`;
      const object = await bucket.find(key);
      const { organization, testimonial, kind } = object?.metadata ?? {};
      const known = mediaKinds.find((each) => each === kind);
      if (!object || !organization || !testimonial || !known) return undefined;
      return { ...object, organization, testimonial, kind: known, key };
    },

    /** Keeps the copies of a stored testimonial for good. May be repeated. */
    async keep(organization: string, id: string, media: StoredMedia): Promise<void> {
      await forEachKind(async (kind) => {
        if (media[kind]) await bucket.keep(keyOfMedia(organization, id, kind));
      });
    },

    /**
     * Deletes the uploads and then the copies of a testimonial, in this order, so that a running create
     * cannot copy them again. May be repeated.
     */
    async remove(organization: string, id: string): Promise<void> {
      await forEachKind(async (kind) => {
        const key = keyOfMedia(organization, id, kind);
        const upload = (await bucket.find(key))?.metadata.upload;
        if (upload) await bucket.remove(upload);
        // Also removes a recording that was not found: without a right, S3 reports an object as missing.
        await bucket.remove(key);
      });
    },
  };
}

/** Returns the key of one kind of media of a testimonial. */
export function keyOfMedia(organization: string, id: string, kind: MediaKind): string {
  return `m/${mediaIdOf(organization, id, kind)}`;
}

/**
 * Runs `work` for all kinds at once.
 * @throws the first error, after all running work has ended, so that no call outlives its request
 */
export async function forEachKind(work: (kind: MediaKind) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(mediaKinds.map(work));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** A response with a picture, or a redirect to a recording in the bucket. */
interface MediaResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded?: boolean;
}

interface MediaRequest {
  method: ReadMethod;
  /** The ETag of the browser's copy. */
  seen: string | undefined;
  caching: Record<string, string>;
}

/**
 * Returns the response with a picture, or a redirect to a recording in the bucket whose URL works for five
 * minutes. Returns undefined if the picture was erased in the meantime.
 */
export async function mediaResponse(
  bucket: Bucket,
  { key, kind, bytes, type, etag }: FoundMedia,
  { method, seen, caching }: MediaRequest,
): Promise<MediaResponse | undefined> {
  const headers = { ...caching, 'x-content-type-options': 'nosniff' };
  if (kind === 'recording') {
    const location = await bucket.signUrl(key, method);
    // A cache must not redirect a player to a URL that only returns headers.
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
