/** Recognizes MP3 files: frames of sound, often after tags (ISO/IEC 11172-3; ID3v2.4). */
import { type Reader, textOf } from './bytes.ts';

// Of layer III, in kbit/s and Hz, by the numbers in a frame's header.
const kilobits = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const lowKilobits = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const rates = [44_100, 48_000, 32_000];

// Bytes that look like a header occur anywhere; three frames that follow each other do not.
const wantedFrames = 3;

/** True if a file is MP3. */
export async function isMp3(reader: Reader): Promise<boolean> {
  let at = await endOfTag(reader);
  for (let frame = 0; frame < wantedFrames; frame += 1) {
    if (at + 4 > reader.size) return false;
    const length = lengthOfFrame(await reader.bytesAt(at, at + 4));
    if (length === 0) return false;
    at += length;
  }
  return at <= reader.size;
}

/** Returns where the tag in front of the frames ends. */
async function endOfTag(reader: Reader): Promise<number> {
  const header = await reader.bytesAt(0, Math.min(10, reader.size));
  if (header.length < 10 || !textOf(header).startsWith('ID3')) return 0;
  const size = header.subarray(6, 10).reduce((sum, digit) => sum * 128 + (digit & 0x7f), 0);
  return 10 + size;
}

/** Returns the bytes of a frame, or 0 if it is none. */
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
