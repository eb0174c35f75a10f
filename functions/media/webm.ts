/** Reads WebM files: nested elements (RFC 8794, RFC 9559). */
import { latin1Text, type Reader } from './bytes.ts';
import { FileRefusal } from './refused-formats.ts';

interface Element {
  id: number;
  body: number;
  to: number;
}

interface Webm {
  medium: 'video' | 'audio';
  /** The elements with metadata. */
  metadata: Element[];
}

const ids = {
  header: 0x1a45dfa3,
  documentType: 0x4282,
  segment: 0x18538067,
  cluster: 0x1f43b675,
  tags: 0x1254c367,
  /** The positions of other elements, from the start of the segment. */
  index: 0x114d9b74,
  entry: 0x4dbb,
  entryId: 0x53ab,
  entryPosition: 0x53ac,
  tracks: 0x1654ae6b,
  track: 0xae,
  codec: 0x86,
  /** Compression and encryption, which WebM does not allow. */
  encodings: 0x6d80,
};

const codecs: Record<string, 'video' | 'audio' | undefined> = {
  V_VP8: 'video',
  V_VP9: 'video',
  A_OPUS: 'audio',
  A_VORBIS: 'audio',
};

/** True if a file begins like a WebM or Matroska file. */
export function isWebm(start: Uint8Array): boolean {
  return latin1Text(start.subarray(0, 4)) === '\x1a\x45\xdf\xa3';
}

/**
 * Reads the tracks of a file. Looks for metadata before the first cluster of pictures or sounds, at the
 * positions in the index, and after the cluster up to half of the allowed reads. Nothing can be found after a
 * cluster of unknown size, such as MediaRecorder makes.
 * @throws {FileRefusal} if the file is damaged, or browsers cannot play it
 */
export async function readWebm(reader: Reader): Promise<Webm> {
  const [header, segment] = await firstTwo(elementsIn(reader, 0, reader.size));
  if (header?.id !== ids.header || segment?.id !== ids.segment) throw new FileRefusal('damaged');
  for await (const { id, body, to } of elementsIn(reader, header.body, header.to)) {
    if (id === ids.documentType && latin1Text(await reader.bytesAt(body, to)) !== 'webm') {
      throw new FileRefusal('other format');
    }
  }
  const kinds = new Set<'video' | 'audio'>();
  const metadata: Element[] = [];
  let cluster: Element | undefined;
  for await (const element of elementsIn(reader, segment.body, segment.to)) {
    if (element.id === ids.tags) metadata.push(element);
    if (element.id === ids.index) {
      for (const tags of await tagsOfIndex(reader, element, segment)) metadata.push(tags);
    }
    if (element.id === ids.tracks) {
      for await (const track of elementsIn(reader, element.body, element.to)) {
        if (track.id === ids.track) kinds.add(await kindOf(reader, track));
      }
    }
    if (element.id === ids.cluster) {
      cluster = element;
      break;
    }
  }
  if (kinds.size === 0 || !cluster) throw new FileRefusal('damaged');
  const later = elementsIn(reader, cluster.to, segment.to);
  for await (const element of reader.untilHalfRead(later)) {
    if (element.id === ids.tags) metadata.push(element);
  }
  return { medium: kinds.has('video') ? 'video' : 'audio', metadata };
}

/** Returns the tags that the index lists. */
async function tagsOfIndex(reader: Reader, index: Element, segment: Element): Promise<Element[]> {
  const found: Element[] = [];
  for await (const entry of elementsIn(reader, index.body, index.to)) {
    let [named, position] = [0, 0];
    if (entry.id !== ids.entry) continue;
    for await (const { id, body, to } of elementsIn(reader, entry.body, entry.to)) {
      if (id === ids.entryId) named = numberOf(await reader.bytesAt(body, to));
      if (id === ids.entryPosition) position = numberOf(await reader.bytesAt(body, to));
    }
    const at = segment.body + position;
    if (named !== ids.tags || at >= segment.to) continue;
    const [tags] = await firstTwo(elementsIn(reader, at, segment.to));
    if (tags?.id === ids.tags) found.push(tags);
  }
  return found;
}

/** @throws {FileRefusal} if browsers cannot play the track */
async function kindOf(reader: Reader, track: Element): Promise<'video' | 'audio'> {
  let codec = '';
  for await (const { id, body, to } of elementsIn(reader, track.body, track.to)) {
    if (id === ids.codec) codec = latin1Text(await reader.bytesAt(body, to));
    if (id === ids.encodings) throw new FileRefusal('other codec');
  }
  const kind = codecs[codec];
  if (!kind) throw new FileRefusal(codec.startsWith('V_MPEGH') ? 'hevc' : 'other codec');
  return kind;
}

async function firstTwo(elements: AsyncGenerator<Element>): Promise<Element[]> {
  const found: Element[] = [];
  for await (const element of elements) {
    found.push(element);
    if (found.length === 2) break;
  }
  return found;
}

/** Yields the elements between two positions. An element of unknown size reaches to the end. */
async function* elementsIn(reader: Reader, from: number, end: number): AsyncGenerator<Element> {
  for (let at = from; at < end; ) {
    const header = await reader.bytesAt(at, Math.min(at + 12, end));
    const idLength = lengthOf(header[0]);
    const sizeLength = lengthOf(header[idLength]);
    const body = at + idLength + sizeLength;
    if (idLength > 4 || idLength + sizeLength > header.length) throw new FileRefusal('damaged');
    const digits = header.subarray(idLength, idLength + sizeLength);
    const [first = 0, ...others] = digits;
    const size = numberOf([first - 2 ** (8 - sizeLength), ...others]);
    const to = isUnknown(digits) ? end : body + size;
    if (to > end) throw new FileRefusal('damaged');
    yield { id: numberOf(header.subarray(0, idLength)), body, to };
    at = to;
  }
}

/** Returns the length of a number, given its first byte: one more than the leading zeros. */
function lengthOf(first = 0): number {
  return Math.clz32(first) - 23;
}

/** True if all bits after the length marker are set. */
function isUnknown(digits: Uint8Array): boolean {
  return digits.every((digit, index) => digit === (index > 0 ? 0xff : 2 ** (9 - digits.length) - 1));
}

function numberOf(digits: Iterable<number>): number {
  return [...digits].reduce((sum, digit) => sum * 256 + digit, 0);
}
