/** The uploads that a create claims, which it verifies by their bytes and copies. */
import type { MediaClaim } from '../domain/outcomes.ts';
import type { StoredMedia, TestimonialType } from '../domain/testimonial.ts';
import { type Bucket, ObjectChanged } from './bucket.ts';
import type { MediaKind } from './kinds.ts';
import { forEachKind, keyOfMedia, mediaIn } from './media.ts';
import { recognize } from './recognize.ts';
import { UploadRefused, type Uploads } from './uploads.ts';

export interface ClaimRequest {
  organization: string;
  uploads: Uploads;
  /** A URL of media elsewhere. */
  url?: string | undefined;
  /** The type that the recording must have; any type by default. */
  type?: TestimonialType;
  /** The recordings that the form asks for; all by default. */
  acceptedKinds?: readonly string[];
}

interface Upload {
  key: string;
  etag: string;
  bytes: number;
  type: string;
  medium?: 'video' | 'audio';
}

type VerifiedUploads = ReadonlyMap<MediaKind, Upload>;

/** Returns the media claim of a create. Reads nothing before the create needs it. */
export function uploadClaimOf(bucket: Bucket, request: ClaimRequest): MediaClaim {
  const { organization, uploads, url } = request;
  const { keep, remove } = mediaIn(bucket);
  let verified: Promise<VerifiedUploads> | undefined;
  const verifiedOnce = () => {
    verified ??= verifyAll(bucket, request);
    return verified;
  };
  return {
    named: { ...uploads, ...(url !== undefined && { url }) },

    async verify() {
      const all = await verifiedOnce();
      const type = all.get('recording')?.medium;
      return { media: factsOf(all, url), ...(type && { type }) };
    },

    async copy(id) {
      const all = await verifiedOnce();
      let areOurs = true;
      await forEachKind(async (kind) => {
        const upload = all.get(kind);
        if (upload && !(await copy(bucket, { organization, id, kind }, upload))) areOurs = false;
      });
      return areOurs;
    },

    isGone: (error) => error instanceof UploadRefused && ['missing', 'changed'].includes(error.reason),

    async hasOthers(id) {
      let hasOthers = false;
      await forEachKind(async (kind) => {
        const upload = uploads[kind] && (await bucket.find(uploads[kind]));
        if (!upload) return;
        const copied = (await bucket.find(keyOfMedia(organization, id, kind)))?.metadata.etag;
        if (copied !== undefined && copied !== inMetadata(upload.etag)) hasOthers = true;
      });
      return hasOthers;
    },

    async keep(id, media) {
      await keep(organization, id, media);
      await forEachKind(async (kind) => {
        if (media[kind] && uploads[kind]) await bucket.remove(uploads[kind]);
      });
    },

    async discard(id) {
      await forEachKind(async (kind) => {
        if (uploads[kind] !== undefined) await bucket.remove(keyOfMedia(organization, id, kind));
      });
    },

    remove: (id) => remove(organization, id),
  };
}

async function verifyAll(
  bucket: Bucket,
  { uploads, type, acceptedKinds }: ClaimRequest,
): Promise<VerifiedUploads> {
  const all = new Map<MediaKind, Upload>();
  await forEachKind(async (kind) => {
    const key = uploads[kind];
    if (key === undefined) return;
    const upload = await unlessChanged(kind, verify(bucket, kind, key));
    const { medium } = upload;
    if (medium && type !== undefined && medium !== type) throw new UploadRefused(kind, 'other type');
    if (medium && acceptedKinds && !acceptedKinds.includes(medium))
      throw new UploadRefused(kind, 'not asked for');
    all.set(kind, upload);
  });
  if (all.has('poster') && all.get('recording')?.medium !== 'video') {
    throw new UploadRefused('poster', 'needs a video');
  }
  return all;
}

/** Verifies the bytes of an upload. */
async function verify(bucket: Bucket, kind: MediaKind, key: string): Promise<Upload> {
  const object = await bucket.find(key);
  if (!object) throw new UploadRefused(kind, 'missing');
  const { bytes, etag } = object;
  const read = (from: number, to: number) => bucket.read(key, { from, to, etag });
  const recognized = await recognize(kind, { size: bytes, read });
  if ('refused' in recognized) throw new UploadRefused(kind, recognized.refused);
  const { type, medium, hasLocation } = recognized;
  if (hasLocation) throw new UploadRefused(kind, 'has location');
  return { key, etag, bytes, type, ...(medium && { medium }) };
}

/** Copies an upload as a draft. Returns false if a copy with other bytes exists. */
async function copy(
  bucket: Bucket,
  { organization, id, kind }: { organization: string; id: string; kind: MediaKind },
  { key: from, etag, type }: Upload,
): Promise<boolean> {
  const to = keyOfMedia(organization, id, kind);
  const copied = inMetadata(etag);
  const metadata = { organization, testimonial: id, kind, upload: from, etag: copied };
  const isCopied = await unlessChanged(kind, bucket.copyAsDraft({ from, to, etag, type, metadata }));
  return isCopied || (await bucket.find(to))?.metadata.etag === copied;
}

/** S3 sends ETags in quotes, and metadata without. */
const inMetadata = (etag: string) => etag.replaceAll('"', '');

/** @throws {UploadRefused} if the bytes have changed since they were verified */
async function unlessChanged<Result>(kind: MediaKind, call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof ObjectChanged ? new UploadRefused(kind, 'changed') : error;
  }
}

function factsOf(all: VerifiedUploads, url: string | undefined): StoredMedia {
  const [photo, recording, poster] = [all.get('photo'), all.get('recording'), all.get('poster')];
  return {
    ...(photo && { photo: { type: photo.type } }),
    ...(recording && { recording: { type: recording.type, bytes: recording.bytes } }),
    ...(poster && { poster: { type: poster.type } }),
    ...(url !== undefined && { url }),
  };
}
