/** Reads MP4, M4A and MOV files: nested boxes (ISO/IEC 14496-12; QuickTime File Format). */
import { latin1Text, type Reader } from './bytes.ts';
import { FileRefusal } from './refused-formats.ts';

/** A box from its header to its end. Its content begins at `body`. */
export interface Box {
  type: string;
  from: number;
  body: number;
  to: number;
}

interface Mp4 {
  medium: 'video' | 'audio';
  /** The boxes with metadata, such as the location and the device. */
  metadata: Box[];
  /** The tracks with other data than picture and sound, such as the locations of an action camera. */
  dataTracks: Box[];
}

const describing = ['udta', 'meta', 'uuid'];
// Time codes, and hints for servers.
const harmless = ['tmcd', 'hint'];

/** True if a file begins like an MP4 or MOV file. */
export function isMp4(start: Uint8Array): boolean {
  return /^....(?:ftyp|moov|mdat|wide|free|skip|pnot)/s.test(latin1Text(start));
}

/**
 * Reads the tracks of a file and finds its metadata. A fragmented file, such as MediaRecorder makes, can have
 * hundreds of fragments. The search for metadata after the first fragment stops at half of the allowed reads.
 * @throws {FileRefusal} if the file is damaged, or browsers cannot play it
 */
export async function readMp4(reader: Reader): Promise<Mp4> {
  const metadata: Box[] = [];
  const top: Box[] = [];
  let firstFragment: Box | undefined;
  for await (const box of boxesIn(reader, 0, reader.size)) {
    if (box.type === 'moof') {
      firstFragment = box;
      break;
    }
    top.push(box);
    if (describing.includes(box.type)) metadata.push(box);
  }
  const [moov, another] = top.filter(({ type }) => type === 'moov');
  if (!moov || another || !(firstFragment || top.some(({ type }) => type === 'mdat'))) {
    throw new FileRefusal('damaged');
  }
  const kinds = new Set<'video' | 'audio'>();
  const dataTracks: Box[] = [];
  for await (const box of boxesIn(reader, moov.body, moov.to)) {
    if (describing.includes(box.type)) metadata.push(box);
    if (box.type !== 'trak') continue;
    const track = await readTrack(reader, box);
    if (track.handler === 'vide') kinds.add('video');
    else if (track.handler === 'soun') kinds.add('audio');
    else if (!harmless.includes(track.handler)) {
      dataTracks.push(box);
      continue;
    }
    // Spreading the boxes of a hostile file would exceed the number of arguments of a call.
    for (const each of track.metadata) metadata.push(each);
  }
  if (kinds.size === 0) throw new FileRefusal('damaged');
  if (firstFragment) {
    const later = boxesIn(reader, firstFragment.to, reader.size);
    for await (const box of reader.untilHalfRead(later)) {
      if (describing.includes(box.type)) metadata.push(box);
    }
  }
  return { medium: kinds.has('video') ? 'video' : 'audio', metadata, dataTracks };
}

/** Yields the boxes between two positions. */
async function* boxesIn(reader: Reader, from: number, end: number): AsyncGenerator<Box> {
  for (let at = from; at + 8 <= end; ) {
    const header = await reader.view(at, Math.min(at + 16, end));
    const short = header.getUint32(0);
    const isLong = short === 1 && header.byteLength === 16;
    // The size 0 means that the box reaches to the end.
    const size = short === 0 ? end - at : isLong ? Number(header.getBigUint64(8)) : short;
    const body = at + (isLong ? 16 : 8);
    const to = at + size;
    if (to < body || to > end) throw new FileRefusal('damaged');
    yield { type: typeAt(header, 4), from: at, body, to };
    at = to;
  }
}

/** Returns the first box at a path of types, such as the sample table of a track. */
export async function boxAt(reader: Reader, { body, to }: Box, ...path: string[]): Promise<Box | undefined> {
  const [type, ...rest] = path;
  for await (const box of boxesIn(reader, body, to)) {
    if (box.type === type) return rest.length === 0 ? box : boxAt(reader, box, ...rest);
  }
  return undefined;
}

/** @throws {FileRefusal} if browsers cannot play the track */
async function readTrack(reader: Reader, track: Box): Promise<{ handler: string; metadata: Box[] }> {
  const metadata: Box[] = [];
  for await (const box of boxesIn(reader, track.body, track.to)) {
    if (describing.includes(box.type)) metadata.push(box);
  }
  const hdlr = await boxAt(reader, track, 'mdia', 'hdlr');
  if (!hdlr) throw new FileRefusal('damaged');
  const handler = typeAt(await reader.view(hdlr.body, Math.min(hdlr.body + 12, hdlr.to)), 8);
  if (handler === 'vide' || handler === 'soun') {
    const stsd = await boxAt(reader, track, 'mdia', 'minf', 'stbl', 'stsd');
    let isDescribed = false;
    if (stsd && stsd.to - stsd.body > 8) {
      for await (const entry of boxesIn(reader, stsd.body + 8, stsd.to)) {
        const reason = refusalOf(entry.type, await reader.bytesAt(entry.body, entry.to));
        if (reason) throw new FileRefusal(reason);
        isDescribed = true;
      }
    }
    if (!isDescribed) throw new FileRefusal('damaged');
  }
  return { handler, metadata };
}

/** Returns the reason that browsers cannot play samples of a type. */
function refusalOf(type: string, description: Uint8Array): 'hevc' | 'other codec' | undefined {
  if (players[type]?.(description)) return undefined;
  return /^(?:hvc|hev|dvh)1$/.test(type) ? 'hevc' : 'other codec';
}

/** The types of samples that browsers play, each with a check of the sample's description. */
const players: Record<string, ((description: Uint8Array) => boolean) | undefined> = {
  avc1: isH264,
  avc3: isH264,
  mp4a: isAac,
  Opus: () => true,
};

/** True for 8-bit pictures: the profiles Baseline, Main and High (ISO/IEC 14496-15, 5.3.3). */
function isH264(description: Uint8Array): boolean {
  const profile = description[latin1Text(description).indexOf('avcC') + 5];
  return latin1Text(description).includes('avcC') && [66, 77, 100].includes(profile ?? 0);
}

/**
 * True for AAC and MP3, according to the object type in the descriptor of the decoder (ISO/IEC 14496-1,
 * 7.2.6.6).
 */
function isAac(description: Uint8Array): boolean {
  const found = latin1Text(description).indexOf('esds');
  if (found < 0) return false;
  const stream = endOfLength(description, found + 9);
  const flags = description[stream + 2] ?? 0;
  const url = stream + 3 + (flags & 0x80 ? 2 : 0);
  const decoder = url + (flags & 0x40 ? 1 + (description[url] ?? 0) : 0) + (flags & 0x20 ? 2 : 0);
  const objectType = description[endOfLength(description, decoder + 1)] ?? 0;
  return description[decoder] === 4 && [0x40, 0x66, 0x67, 0x68, 0x69, 0x6b].includes(objectType);
}

/**
 * Returns the end of a descriptor's length. All bytes of the length except the last have the highest bit set.
 */
function endOfLength(bytes: Uint8Array, from: number): number {
  let at = from;
  while ((bytes[at] ?? 0) & 0x80) at += 1;
  return at + 1;
}

function typeAt(view: DataView, at: number): string {
  if (view.byteLength < at + 4) throw new FileRefusal('damaged');
  return latin1Text(new Uint8Array(view.buffer, view.byteOffset + at, 4));
}
