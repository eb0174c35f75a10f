/** Requests for a form that uploads a file. */
import * as v from 'valibot';
import { mediaUrl, plainObject, testimonialInput } from '../domain/testimonial.ts';
import { type MediaKind, maxBytes, mediaKinds } from './kinds.ts';
import { uploadTypes } from './uploads.ts';

const bytesRule = 'must be the size of the file in bytes, an integer from 1';

const fields = v.object({
  kind: v.pipe(
    v.picklist(mediaKinds, `must be one of ${mediaKinds.join(', ')}`),
    v.description('Kind of the file.'),
  ),
  type: v.pipe(
    v.string('must be a string'),
    v.description(
      'Media type of the file, such as `image/jpeg` or `video/mp4`. The bytes decide the stored type.',
    ),
  ),
  bytes: v.pipe(
    v.number(bytesRule),
    v.integer(bytesRule),
    v.minValue(1, bytesRule),
    v.description('Size of the file. The form accepts exactly this size.'),
  ),
});

/** A file that a client wants to upload. */
export type UploadRequest = v.InferOutput<typeof fields>;

/** The broken rules that depend on the kind. */
const brokenRules = ({ kind, type, bytes }: UploadRequest) => [
  ...(uploadTypes[kind].includes(type) ? [] : [['type', `must be one of ${uploadTypes[kind].join(', ')}`]]),
  ...(bytes <= maxBytes[kind]
    ? []
    : [['bytes', `must be at most ${maxBytes[kind].toLocaleString('en')} bytes for a ${kind}`]]),
];

/** Schema of the body of a request. */
export const uploadRequest = v.pipe(
  fields,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value;
    for (const [key = '', message = ''] of brokenRules(input)) {
      const value = input[key as keyof UploadRequest]; // of the rules above
      addIssue({ message, path: [{ type: 'object', origin: 'value', input, key, value }] });
    }
  }),
);

const uploadId = v.exactOptional(
  v.pipe(
    v.string('must be a string'),
    v.regex(/^[0-9A-Za-z]{22}$/, 'must be the id of an upload: 22 letters and digits'),
    v.description('The `upload` of a response to `POST /v1/uploads` for this kind.'),
  ),
);

/** Schema of the media in the body of a create. */
export const claimedMedia = v.pipe(
  v.unknown(),
  plainObject('must be an object with photo, recording, poster or url'),
  v.object({ photo: uploadId, recording: uploadId, poster: uploadId, url: v.exactOptional(mediaUrl) }),
  v.description(
    'Photos and recordings: uploads, or a URL elsewhere. Supported only with the context value `media=true`; ' +
      'otherwise ignored.',
  ),
);

/** Schema of the body of a create in a deployment with media. */
export const inputWithMedia = v.object({
  ...testimonialInput.entries,
  media: v.exactOptional(claimedMedia),
});

export type InputWithMedia = v.InferOutput<typeof inputWithMedia>;

/** Returns the kinds of uploads for the setting `ask` of a form. */
export function kindsAskedFor(ask: readonly string[]): readonly MediaKind[] {
  const hasRecording = ask.includes('video') || ask.includes('audio');
  return [
    ...(ask.includes('photo') ? (['photo'] as const) : []),
    ...(hasRecording ? (['recording'] as const) : []),
    ...(ask.includes('video') ? (['poster'] as const) : []),
  ];
}
