/**
 * Removes the metadata of a picture or a recording that may contain a location or a device. Picture and sound
 * stay.
 */
import { type ByteSource, Reader } from './bytes.ts';
import { readJpeg } from './jpeg.ts';
import { readMp3 } from './mp3.ts';
import { type Box, boxAt, readMp4 } from './mp4.ts';

interface Range {
  from: number;
  to: number;
}

/** Returns a file of the browser as the `ByteSource` that `recognize` reads. */
export function bytesOf(file: Blob): ByteSource {
  return {
    size: file.size,
    read: async (from, to) => new Uint8Array(await file.slice(from, to).arrayBuffer()),
  };
}

/**
 * Returns a JPEG picture without Exif, XMP, IPTC and comments. Browsers may add such segments to a canvas'
 * picture.
 */
export async function withoutMetadata(picture: Blob): Promise<Blob> {
  const { metadata } = readJpeg(new Uint8Array(await picture.arrayBuffer()));
  let at = 0;
  const parts: Blob[] = [];
  for (const { from, to } of metadata) {
    parts.push(picture.slice(at, from));
    at = to;
  }
  return new Blob([...parts, picture.slice(at)], { type: picture.type });
}

/**
 * Returns an MP4 or MOV file without metadata, and without tracks other than picture and sound. Their boxes
 * become `free` boxes of zeros, so that everything else keeps its position. The rotation stays, because it is
 * in another box.
 */
export async function removeLocation(file: Blob): Promise<Blob> {
  const reader = new Reader(bytesOf(file));
  const { metadata, dataTracks } = await readMp4(reader);
  const boxes = [...metadata, ...dataTracks];
  const zeros: Range[] = boxes.map(({ body, to }) => ({ from: body, to }));
  for (const track of dataTracks) {
    for (const samples of await samplesOf(reader, file, track)) zeros.push(samples);
  }
  const free = new TextEncoder().encode('free');
  return patched(file, [
    ...boxes.map(({ from }) => ({ from: from + 4, bytes: free })),
    ...zeros.map(({ from, to }) => ({ from, bytes: new Uint8Array(Math.max(0, to - from)) })),
  ]);
}

/** Returns an MP3 file without its tags. */
export async function withoutTags(file: Blob): Promise<Blob> {
  const mp3 = await readMp3(new Reader(bytesOf(file)));
  return mp3 ? file.slice(mp3.sound.body, mp3.sound.to, file.type) : file;
}

/**
 * Returns the ranges of the file that contain the samples of a track: chunks, each with a number of samples.
 */
async function samplesOf(reader: Reader, file: Blob, track: Box): Promise<Range[]> {
  const tables = await boxAt(reader, track, 'mdia', 'minf', 'stbl');
  if (!tables) return [];
  const table = async (type: string) => {
    const box = await boxAt(reader, tables, type);
    return box && new DataView(await file.slice(box.body, box.to).arrayBuffer());
  };
  const [sizes, counts] = [await table('stsz'), await table('stsc')];
  const [short, long] = [await table('stco'), await table('co64')];
  const offsets = short ?? long;
  if (!sizes || !counts || !offsets) return [];
  const ranges: Range[] = [];
  let sample = 0;
  let entry = 0;
  for (let chunk = 0; chunk < offsets.getUint32(4); chunk += 1) {
    const from = short ? short.getUint32(8 + 4 * chunk) : Number(offsets.getBigUint64(8 + 8 * chunk));
    // An entry applies to all chunks before the first chunk of the next entry.
    const next = entry + 1;
    if (next < counts.getUint32(4) && counts.getUint32(8 + 12 * next) <= chunk + 1) entry = next;
    let to = from;
    for (let left = counts.getUint32(12 + 12 * entry); left > 0 && sample < sizes.getUint32(8); left -= 1) {
      to += sizes.getUint32(4) || sizes.getUint32(12 + 4 * sample);
      sample += 1;
    }
    ranges.push({ from, to: Math.min(to, file.size) });
  }
  return ranges;
}

/** Returns a file with other bytes at the given positions. */
function patched(file: Blob, patches: { from: number; bytes: Uint8Array<ArrayBuffer> }[]): Blob {
  const parts: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  let at = 0;
  for (const { from, bytes } of patches.toSorted((a, b) => a.from - b.from)) {
    if (from < at || bytes.length === 0) continue;
    parts.push(file.slice(at, from), bytes);
    at = from + bytes.length;
  }
  return new Blob([...parts, file.slice(at)], { type: file.type });
}
