/** The media of a testimonial as responses show them, and the ids in their URLs. */
import { createHash } from 'node:crypto';
import { toBase62 } from '../domain/base62.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { isCheckOrganization } from '../domain/token.ts';
import type { MediaKind } from './kinds.ts';

const idLength = 22;
const digitsOfSha256 = 43;

/**
 * The ids of media that `npm run check` uploads begin with this text, so that the bucket can delete them if
 * the check was killed. Of other ids, one in 10^17 begins with it by chance.
 */
export const startOfCheckIds = 'checkcheck';

/** The path of approved media, which everyone may see. */
const publicMediaPath = '/m';

/** The media of a testimonial: URLs of this service, and a URL elsewhere that a client sent. */
export interface ShownMedia {
  photo?: { url: string; type: string };
  recording?: { url: string; type: string; bytes: number; poster?: string };
  url?: string;
}

/**
 * Returns the id of one kind of media of a testimonial. It is derived from the testimonial, so that an
 * erasure needs no list of the media.
 */
export function mediaIdOf(organization: string, testimonialId: string, kind: MediaKind): string {
  const hash = createHash('sha256').update(`${organization} ${testimonialId} ${kind}`).digest('hex');
  const start = isCheckOrganization(organization) ? startOfCheckIds : '';
  return (start + toBase62(BigInt(`0x${hash}`), digitsOfSha256)).slice(0, idLength);
}

/** True for a text in the format of a media id. */
export function isMediaId(text: string): boolean {
  return /^[0-9A-Za-z]{22}$/.test(text);
}

/**
 * Returns the media of a testimonial for a response, or undefined if it has none.
 * @param path `/desk/m` for people of the organization, who may also see unapproved media
 */
export function mediaView(
  organization: string,
  { id, media }: Pick<Testimonial, 'id' | 'media'>,
  path: string = publicMediaPath,
): ShownMedia | undefined {
  if (!media) return undefined;
  const urlOf = (kind: MediaKind) => `${path}/${mediaIdOf(organization, id, kind)}`;
  const { photo, recording, poster, url } = media;
  return {
    ...(photo && { photo: { url: urlOf('photo'), ...photo } }),
    ...(recording && {
      recording: { url: urlOf('recording'), ...recording, ...(poster && { poster: urlOf('poster') }) },
    }),
    ...(url !== undefined && { url }),
  };
}

/** Returns a testimonial with its media in the form of responses. */
export function withMediaView<Whole extends Pick<Testimonial, 'id' | 'media'>>(
  organization: string,
  testimonial: Whole,
): Omit<Whole, 'media'> & { media?: ShownMedia } {
  const { media: _, ...rest } = testimonial;
  const media = mediaView(organization, testimonial);
  return { ...rest, ...(media && { media }) };
}
