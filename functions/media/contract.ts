/** Schemas of media in the requests and responses of the API. */
import * as v from 'valibot';
import { mediaUrl, testimonial } from '../domain/testimonial.ts';

const path = (description: string) =>
  v.pipe(v.string(), v.regex(/^\/m\/[0-9A-Za-z]{22}$/), v.description(description));

const type = v.pipe(v.string(), v.description('Media type, such as `image/jpeg` or `video/mp4`.'));

export const mediaInResponse = v.pipe(
  v.object({
    photo: v.exactOptional(
      v.pipe(
        v.object({ url: path('Path of the photo: 256 × 256 pixels.'), type }),
        v.description('A photo of the author.'),
      ),
    ),
    recording: v.exactOptional(
      v.pipe(
        v.object({
          url: path('Path of the recording. It redirects to a URL that works for five minutes.'),
          type,
          bytes: v.pipe(v.number(), v.integer(), v.description('Size of the recording.')),
          poster: v.exactOptional(path('Path of the picture that a video shows before it plays.')),
        }),
        v.description('A video or audio recording.'),
      ),
    ),
    url: v.exactOptional(mediaUrl),
  }),
  v.description(
    'Photos and recordings, in a deployment with the context value `media=true`. Paths are relative to the ' +
      'API; only those of approved testimonials respond.',
  ),
);

/** Schema of a testimonial in a response. */
export const shownTestimonial = v.object({
  ...testimonial.entries,
  media: v.exactOptional(mediaInResponse),
});

/** Schema of the response with a form that uploads a file. */
export const createdUpload = v.object({
  upload: v.pipe(
    v.string(),
    v.regex(/^[0-9A-Za-z]{22}$/),
    v.description('The id of the upload. Send it as `media.photo`, `media.recording` or `media.poster`.'),
  ),
  url: v.pipe(v.string(), v.description('The URL to post the file to, as multipart/form-data.')),
  fields: v.pipe(
    v.record(v.string(), v.string()),
    v.description('The fields to send before `file`, in this order. The form works for 30 minutes.'),
  ),
});
