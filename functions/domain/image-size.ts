/**
 * Reads the type and the size of an image from its bytes. The library image-size knows thirty formats, but
 * would use up the size limit of the desk's bundle.
 */
import type { Brand } from './brand.ts';

type Size = Pick<NonNullable<Brand['logo']>, 'type' | 'width' | 'height'>;

/**
 * Returns the type and the size in pixels of a PNG, JPEG or WebP image. Returns undefined for other formats,
 * and if the bytes end before the size.
 */
export function sizeOfImage(bytes: Uint8Array): Size | undefined {
  const image = Buffer.from(bytes);
  const text = (start: number, end: number) => image.toString('latin1', start, end);
  try {
    if (text(0, 8) === '\x89PNG\r\n\x1a\n' && text(12, 16) === 'IHDR') {
      return { type: 'image/png', width: image.readUInt32BE(16), height: image.readUInt32BE(20) };
    }
    if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return sizeOfWebp(image, text(12, 16));
    return text(0, 2) === '\xff\xd8' ? sizeOfJpeg(image) : undefined;
  } catch {
    // The bytes end before the size.
    return undefined;
  }
}

/** @see https://developers.google.com/speed/webp/docs/riff_container */
function sizeOfWebp(image: Buffer, chunk: string): Size | undefined {
  const type = 'image/webp';
  if (chunk === 'VP8X') {
    return { type, width: image.readUIntLE(24, 3) + 1, height: image.readUIntLE(27, 3) + 1 };
  }
  if (chunk === 'VP8L' && image[20] === 0x2f) {
    const bits = image.readUInt32LE(21);
    return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  const isFrame = chunk === 'VP8 ' && image.readUIntBE(23, 3) === 0x9d012a;
  if (!isFrame) return undefined;
  return { type, width: image.readUInt16LE(26) & 0x3fff, height: image.readUInt16LE(28) & 0x3fff };
}

/** Finds the frame header, whose markers are C0 to CF except C4, C8 and CC (ITU T.81, table B.1). */
function sizeOfJpeg(image: Buffer): Size | undefined {
  for (let at = 2; image.readUInt8(at) === 0xff; at += 2 + image.readUInt16BE(at + 2)) {
    const marker = image.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { type: 'image/jpeg', height: image.readUInt16BE(at + 5), width: image.readUInt16BE(at + 7) };
    }
  }
  return undefined;
}
