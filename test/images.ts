/** Small images of one color, by their format. */
import { crc32, deflateSync } from 'node:zlib';

/** Returns a black PNG, with a comment of so many bytes. */
export function png(width: number, height: number, padding = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const chunks = [
    chunk('IHDR', header),
    ...(padding > 0 ? [chunk('tEXt', Buffer.alloc(padding, 'x'))] : []),
    chunk('IDAT', deflateSync(Buffer.alloc(height * (1 + 3 * width)))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}

/** One pixel. */
export const webp = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=', 'base64');
/** The beginnings of a lossless WebP of 3 × 2 pixels and of one with further features of 300 × 200. */
export const webpLossless = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAkAAAAcQEf0PRET/Aw==', 'base64');
export const webpExtended = Buffer.concat([
  Buffer.from('RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0', 'latin1'),
  Buffer.from([0x2b, 0x01, 0x00, 0xc7, 0x00, 0x00]),
]);
export const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
/** The beginning of a JPEG of 16 × 9 pixels: its frame header. */
export const jpeg = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc0001108000900100301220002110103110100ffd9',
  'hex',
);
export const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>',
);
