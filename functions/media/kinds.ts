/**
 * The kinds of media that a testimonial can have, and their limits. Browsers and functions share this file.
 */

export const mediaKinds = ['photo', 'recording', 'poster'] as const;

/** A photo of the author, a video or audio recording, or the poster of a video. */
export type MediaKind = (typeof mediaKinds)[number];

/** The largest size of each kind, in bytes. */
export const maxBytes: Record<MediaKind, number> = {
  photo: 100 * 1024,
  recording: 100 * 1024 * 1024,
  poster: 100 * 1024,
};

/** The longest recording that a visitor can make on the page. */
export const maxRecordedSeconds = 120;

/** The width and height of a photo, in pixels. */
export const photoSide = 256;

/** The largest width of a poster, in pixels. */
export const posterWidth = 640;
