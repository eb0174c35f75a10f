/** Reads JPEG pictures: segments that each begin with a marker (ITU-T T.81, annex B). */
import { FileRefusal } from './refused-formats.ts';

interface Segment {
  marker: number;
  from: number;
  to: number;
}

const [startOfImage, endOfImage, startOfScan, comment] = [0xd8, 0xd9, 0xda, 0xfe];
// Baseline, extended and progressive pictures with Huffman codes, which every browser shows.
const frames = [0xc0, 0xc1, 0xc2];

/** True if a file begins like a JPEG picture. */
export function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === startOfImage && bytes[2] === 0xff;
}

/**
 * Reads the size of a picture, and finds the segments with metadata: Exif, XMP, IPTC and comments, but not
 * color profiles.
 * @throws {FileRefusal} if the picture is damaged, or is followed by other bytes
 */
export function readJpeg(bytes: Uint8Array): { width: number; height: number; metadata: Segment[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const metadata: Segment[] = [];
  let size: { width: number; height: number } | undefined;
  for (let at = 2; at + 2 <= bytes.length; ) {
    const marker = view.getUint8(at + 1);
    if (view.getUint8(at) !== 0xff) break;
    // Any number of these bytes may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === endOfImage) {
      if (!size || at + 2 !== bytes.length) break;
      return { ...size, metadata };
    }
    const to = at + 4 <= bytes.length ? at + 2 + view.getUint16(at + 2) : Number.POSITIVE_INFINITY;
    if (to > bytes.length || to < at + 4) break;
    if (frames.includes(marker) && to >= at + 9) {
      size ??= { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    if (describes(marker)) metadata.push({ marker, from: at, to });
    at = marker === startOfScan ? endOfScan(bytes, to) : to;
  }
  throw new FileRefusal('damaged');
}

/** True for comments and application data, except JFIF, color profiles and Adobe's color transform. */
function describes(marker: number): boolean {
  const application = marker - 0xe0;
  return marker === comment || (application >= 0 && application < 16 && ![0, 2, 14].includes(application));
}

/**
 * Returns the position of the next marker. In a scan, a byte 0xff that begins no marker is followed by 0 or
 * by the number of a restart.
 */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  return bytes.length;
}
