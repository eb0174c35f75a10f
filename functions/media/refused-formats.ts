/** The reasons to refuse a photo or a recording, with advice. Forms translate them. */

export const refusedFormats = {
  'too large': 'This file is too large: photos can have up to 100 KB, recordings up to 100 MB.',
  'not a picture': 'This is not a JPEG picture. Save it as JPEG.',
  'wrong size': 'The picture has the wrong size: photos are 256 × 256 pixels, posters at most 640 × 1280.',
  'other format':
    'Browsers cannot play this file. Send MP4 or MOV with H.264 and AAC, WebM with VP8 or VP9, MP3 or M4A.',
  hevc: 'Many browsers cannot play HEVC (H.265). Export the video as H.264; on an iPhone as “Most Compatible”.',
  'other codec':
    'Not all browsers play this codec. MP4 and MOV may contain 8-bit H.264 with AAC, MP3 or Opus; WebM may ' +
    'contain VP8 or VP9 with Opus or Vorbis.',
  damaged: 'This file is damaged or incomplete. Export it again.',
  'has location':
    'This file contains a location, or extra data that may contain one. Remove it, for example ' +
    'with: ffmpeg -i in.mp4 -map 0:v? -map 0:a? -map_metadata -1 -c copy out.mp4',
} as const;

export type RefusedFormat = keyof typeof refusedFormats;

export function isRefusedFormat(reason: string): reason is RefusedFormat {
  return Object.hasOwn(refusedFormats, reason);
}

/** The file is refused, for the reason that the message names. */
export class FileRefusal extends Error {
  override readonly name = 'FileRefusal';
  readonly format: RefusedFormat;

  constructor(format: RefusedFormat) {
    super(refusedFormats[format]);
    this.format = format;
  }
}
