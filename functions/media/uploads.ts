/** Uploads: their keys, and the reasons that a create refuses them. */
import type { MediaKind } from './kinds.ts';
import { type RefusedFormat, refusedFormats } from './refused-formats.ts';

/** The keys of uploads, by kind. */
export type Uploads = Partial<Record<MediaKind, string>>;

/** Returns the key of an upload with a form. */
export function keyOfFormUpload(page: string, key: string, kind: MediaKind): string {
  return `in/f/${page}/${key}/${kind}`;
}

/** Returns the key of an upload with a token. */
export function keyOfApiUpload(organization: string, upload: string, kind: MediaKind): string {
  return `in/a/${organization}/${upload}/${kind}`;
}

/** The media types for which an upload can be signed, by kind. The bytes are checked afterwards. */
export const uploadTypes: Record<MediaKind, readonly string[]> = {
  photo: ['image/jpeg'],
  recording: [
    'video/mp4',
    'video/quicktime',
    'video/webm',
    'audio/mp4',
    'audio/x-m4a',
    'audio/mpeg',
    'audio/webm',
  ],
  poster: ['image/jpeg'],
};

/** The reasons to refuse an upload, besides its format. */
const refusedUploads = {
  missing: 'There is no such upload. The service keeps uploads for at least a day. Upload the file again.',
  changed: 'The upload was replaced while it was read. Send the request again.',
  used: 'The upload belongs to another testimonial. Upload the file again.',
  'not asked for': 'This form does not ask for this kind of file.',
  'needs a video': 'A poster needs a video recording.',
  'other type': 'Set the type to the type of the recording: video or audio.',
} as const;

export type RefusedUpload = RefusedFormat | keyof typeof refusedUploads;

/** An upload cannot be claimed. The message gives the reason. */
export class UploadRefused extends Error {
  override name = 'UploadRefused';
  readonly kind: MediaKind;
  readonly reason: RefusedUpload;

  constructor(kind: MediaKind, reason: RefusedUpload) {
    super({ ...refusedFormats, ...refusedUploads }[reason]);
    this.kind = kind;
    this.reason = reason;
  }
}
