/** Reads MP3 files: frames of sound, often between tags (ISO/IEC 11172-3; ID3v2.4; ID3v1; APEv2). */
import { latin1Text, type Reader } from './bytes.ts';

// Layer III, in kbit/s and Hz, indexed by the numbers in a frame's header.
const kilobits = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const lowKilobits = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const rates = [44_100, 48_000, 32_000];

// Bytes that look like a header occur anywhere. Three consecutive frames do not.
const wantedFrames = 3;

// Some encoders write zeros before the first frame.
const maxZeros = 64 * 1024;

interface ByteRange {
  body: number;
  to: number;
}

interface Mp3 {
  sound: ByteRange;
  /** The tags before and after the sound. */
  tags: ByteRange[];
}

/** Returns the parts of a file, or undefined if the file is not MP3. */
export async function readMp3(reader: Reader): Promise<Mp3 | undefined> {
  const tags: ByteRange[] = [];
  let body = 0;
  for (let to = await endOfTag(reader, body); to > body; to = await endOfTag(reader, body)) {
    tags.push({ body, to });
    body = to;
  }
  body = await endOfZeros(reader, body);
  const endOfFrames = await endOfFirstFrames(reader, body);
  if (endOfFrames === undefined) return undefined;
  let to = reader.size;
  for (
    let from = await startOfTag(reader, to);
    from < to && from >= endOfFrames;
    from = await startOfTag(reader, to)
  ) {
    tags.push({ body: from, to });
    to = from;
  }
  return { sound: { body, to }, tags };
}

/** Returns the end of the frames that identify a file as MP3, or undefined if there are too few. */
async function endOfFirstFrames(reader: Reader, from: number): Promise<number | undefined> {
  let at = from;
  for (let frame = 0; frame < wantedFrames; frame += 1) {
    if (at + 4 > reader.size) return undefined;
    const length = lengthOfFrame(await reader.bytesAt(at, at + 4));
    if (length === 0) return undefined;
    at += length;
  }
  return at <= reader.size ? at : undefined;
}

/** Returns the end of a tag before the frames, or `from` if there is none. */
async function endOfTag(reader: Reader, from: number): Promise<number> {
  if (from + 10 > reader.size) return from;
  const header = await reader.bytesAt(from, from + 10);
  if (!latin1Text(header).startsWith('ID3')) return from;
  const footer = (header[5] ?? 0) & 0x10 ? 10 : 0;
  return from + 10 + sizeOfTag(header) + footer;
}

/** Returns the size in the header or the footer of an ID3 tag, which includes neither. */
function sizeOfTag(header: Uint8Array): number {
  return header.subarray(6, 10).reduce((sum, digit) => sum * 128 + (digit & 0x7f), 0);
}

async function endOfZeros(reader: Reader, from: number): Promise<number> {
  if (from >= reader.size) return from;
  const bytes = await reader.bytesAt(from, Math.min(reader.size, from + maxZeros));
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return from + Math.max(0, zeros);
}

/** Returns the start of a tag after the frames, or `to` if there is none. */
async function startOfTag(reader: Reader, to: number): Promise<number> {
  if (to < 128) return to;
  const bytes = await reader.bytesAt(to - 128, to);
  const text = latin1Text(bytes);
  if (text.startsWith('TAG')) return to - 128;
  if (text.startsWith('3DI', 118)) return to - 20 - sizeOfTag(bytes.subarray(118));
  if (!text.startsWith('APETAGEX', 96)) return to;
  const footer = new DataView(bytes.buffer, bytes.byteOffset + 96);
  const header = footer.getUint32(20, true) >= 2 ** 31 ? 32 : 0;
  return to - footer.getUint32(12, true) - header;
}

/** Returns the length of a frame in bytes, or 0 if the bytes are not a frame header. */
function lengthOfFrame([first = 0, second = 0, third = 0]: Uint8Array): number {
  // All bits of the sync word, and layer III.
  if (first !== 0xff || (second & 0xe6) !== 0xe2) return 0;
  const version = (second >> 3) & 3; // 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5
  const rate = rates[(third >> 2) & 3];
  const kilobit = (version === 3 ? kilobits : lowKilobits)[third >> 4];
  if (version === 1 || !rate || !kilobit) return 0;
  const divisor = { 3: 1, 2: 2, 0: 4 }[version] ?? 1;
  const samples = version === 3 ? 1152 : 576;
  return Math.floor((samples * kilobit * 125) / (rate / divisor)) + ((third >> 1) & 1);
}
