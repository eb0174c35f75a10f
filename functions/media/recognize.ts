/**
 * Recognizes photos and recordings by their bytes. Forms and the service run the same code: a form refuses a
 * file before the upload, and the service refuses a file that was uploaded without a form.
 */
import { type ByteSource, latin1Text, Reader } from './bytes.ts';
import { isJpeg, readJpeg } from './jpeg.ts';
import { type MediaKind, maxBytes, photoSide, posterWidth } from './kinds.ts';
import { readMp3 } from './mp3.ts';
import { isMp4, readMp4 } from './mp4.ts';
import { FileRefusal, type RefusedFormat } from './refused-formats.ts';
import { isWebm, readWebm } from './webm.ts';

interface Recognized {
  /** The media type under which the file is stored. */
  type: 'image/jpeg' | 'video/mp4' | 'video/webm' | 'audio/mp4' | 'audio/mpeg' | 'audio/webm';
  /** Absent for pictures. */
  medium?: 'video' | 'audio';
  /** True if the file contains its location, or has metadata or tracks that may contain it. */
  hasLocation: boolean;
}

// Larger metadata counts as metadata with a location.
const maxMetadata = 1024 * 1024;

// In this order: iPhones, 3GPP phones, QuickTime, XMP, GoPro and Matroska.
const placeMarks = /\xa9xyz|loci\0{4}|ISO6709|GPSL|GPMF|LOCATION/;

// In tags of MP3: a field for the location, coordinates (ISO 6709), and pictures, which may contain both.
const tagMarks =
  /(?:location|Location|LOCATION)\0|GPSLatitude|[+-]\d\d\.\d+[+-]\d{3}\.\d|APIC.{6}[^ -~]|PIC.{4}(?:JPG|PNG)|Cover Art/s;

/**
 * Returns the format of a file, or the reason that it is refused. Reads at most 64 times and 4 MB, even if a
 * file is hostile.
 * @throws only the errors of reading the bytes
 */
export async function recognize(
  kind: MediaKind,
  bytes: ByteSource,
): Promise<Recognized | { refused: RefusedFormat }> {
  try {
    if (bytes.size > maxBytes[kind]) throw new FileRefusal('too large');
    const reader = new Reader(bytes);
    return kind === 'recording' ? await recording(reader) : await picture(kind, reader);
  } catch (error) {
    if (error instanceof FileRefusal) return { refused: error.format };
    throw error;
  }
}

async function picture(kind: 'photo' | 'poster', reader: Reader): Promise<Recognized> {
  const bytes = await reader.bytesAt(0, reader.size);
  if (!isJpeg(bytes)) throw new FileRefusal('not a picture');
  const { width, height, metadata } = readJpeg(bytes);
  const isPhoto = width === photoSide && height === photoSide;
  const isPoster = width > 0 && width <= posterWidth && height > 0 && height <= 2 * posterWidth;
  if (!(kind === 'photo' ? isPhoto : isPoster)) throw new FileRefusal('wrong size');
  return { type: 'image/jpeg', hasLocation: metadata.length > 0 };
}

async function recording(reader: Reader): Promise<Recognized> {
  const start = await reader.bytesAt(0, Math.min(8, reader.size));
  if (isMp4(start)) {
    const { medium, metadata, dataTracks } = await readMp4(reader);
    const hasLocation = dataTracks.length > 0 || (await namesPlace(reader, metadata));
    return { type: `${medium}/mp4`, medium, hasLocation };
  }
  if (isWebm(start)) {
    const { medium, metadata } = await readWebm(reader);
    return { type: `${medium}/webm`, medium, hasLocation: await namesPlace(reader, metadata) };
  }
  const mp3 = await readMp3(reader);
  if (mp3)
    return {
      type: 'audio/mpeg',
      medium: 'audio',
      hasLocation: await namesPlace(reader, mp3.tags, tagMarks),
    };
  throw new FileRefusal('other format');
}

async function namesPlace(
  reader: Reader,
  parts: { body: number; to: number }[],
  marks = placeMarks,
): Promise<boolean> {
  for (const { body, to } of parts) {
    if (to - body > maxMetadata) return true;
    const text = latin1Text(await reader.bytesAt(body, to));
    // UTF-16 has a zero between letters.
    if (marks.test(text) || marks.test(text.replace(/([^\0])\0/g, '$1'))) return true;
  }
  return false;
}
