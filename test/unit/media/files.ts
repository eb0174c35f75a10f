/** Files for tests of media: fixtures, and boxes and segments to build others from. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ByteSource } from '../../../functions/media/bytes.ts';

export type FileBytes = Uint8Array<ArrayBuffer>;

/** Returns a file of `test/fixtures/media`. */
export function fixture(name: string): FileBytes {
  return new Uint8Array(readFileSync(join(import.meta.dirname, '../../fixtures/media', name)));
}

export function joined(...parts: (Uint8Array | string)[]): FileBytes {
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1'))));
}

export function box(type: string, ...content: (Uint8Array | string)[]): FileBytes {
  const body = joined(...content);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(8 + body.length);
  return joined(size, type, body);
}

/** Returns an MP4 file whose `moov` box, the last one, has another box at its end. */
export function withInMoov(file: Uint8Array, added: Uint8Array): FileBytes {
  const at = Buffer.from(file).lastIndexOf('moov') - 4;
  return joined(file.subarray(0, at), box('moov', file.subarray(at + 8), added));
}

/** Returns a JPEG picture with another segment after its first one. */
export function withSegment(picture: Uint8Array, marker: number, content: string): FileBytes {
  const first = 4 + Buffer.from(picture).readUInt16BE(4);
  const header = Buffer.from([0xff, marker, 0, 0]);
  header.writeUInt16BE(2 + content.length, 2);
  return joined(picture.subarray(0, first), header, content, picture.subarray(first));
}

/** Returns an ID3v2.4 tag with a frame, such as a text that a name describes. */
export function id3(frame: string, content: string, { hasFooter = false } = {}): FileBytes {
  const size = (bytes: number) => String.fromCharCode(0, 0, bytes >> 7, bytes & 0x7f);
  const header = `\x04\0${hasFooter ? '\x10' : '\0'}${size(10 + content.length)}`;
  const body = `${frame}${size(content.length)}\0\0${content}`;
  return joined(`ID3${header}`, body, hasFooter ? `3DI${header}` : '');
}

/** Returns an MP3 file without tags. */
export function bareMp3(): FileBytes {
  const file = Buffer.from(fixture('tone.mp3'));
  return joined(file.subarray(10 + file.readUInt16BE(8)));
}

/** Returns a file that counts what is read of it. */
export function counted(
  size: number,
  read: (from: number, to: number) => Uint8Array,
): ByteSource & { reads: number; bytes: number } {
  return {
    size,
    reads: 0,
    bytes: 0,
    async read(from, to) {
      this.reads += 1;
      this.bytes += to - from;
      return read(from, to);
    },
  };
}

/** Returns bytes as a file that counts what is read of it. */
export function fileOf(bytes: Uint8Array) {
  return counted(bytes.length, (from, to) => bytes.subarray(from, to));
}
