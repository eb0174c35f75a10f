/**
 * Reads parts of a file from any source. Limits the number of reads and bytes, because the file may be
 * hostile.
 */
import { FileRefusal } from './refused-formats.ts';

/** A file in the browser, or an object of the bucket. */
export interface ByteSource {
  size: number;
  /** Returns the bytes from `from` to before `to`, or fewer at the end of the file. */
  read(from: number, to: number): Promise<Uint8Array>;
}

// Neighbouring headers need one read.
const windowBytes = 64 * 1024;
const maxReads = 64;
const maxBytes = 4 * 1024 * 1024;

export class Reader {
  readonly size: number;
  readonly #bytes: ByteSource;
  #window: { from: number; data: Uint8Array } = { from: 0, data: new Uint8Array() };
  #reads = 0;
  #read = 0;

  constructor(bytes: ByteSource) {
    this.#bytes = bytes;
    this.size = bytes.size;
  }

  /**
   * Returns the bytes from `from` to before `to`.
   * @throws {FileRefusal} if the file ends before `to`, or requires more reads or bytes than allowed
   */
  async bytesAt(from: number, to: number): Promise<Uint8Array> {
    if (!(from <= to && to <= this.size)) throw new FileRefusal('damaged');
    const { from: start, data } = this.#window;
    if (from < start || to > start + data.length) await this.#open(from, to);
    const taken = this.#window.data.subarray(from - this.#window.from, to - this.#window.from);
    if (taken.length < to - from) throw new FileRefusal('damaged');
    return taken;
  }

  /** Like `bytesAt`, as a `DataView`. */
  async view(from: number, to: number): Promise<DataView> {
    const { buffer, byteOffset, length } = await this.bytesAt(from, to);
    return new DataView(buffer, byteOffset, length);
  }

  /**
   * Yields parts of the file until half of the allowed reads or bytes are used. The other half is for the
   * content of the parts. Also ends, without an error, at an incomplete part.
   */
  async *untilHalfRead<Part>(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
    try {
      for await (const part of parts) {
        yield part;
        if (2 * this.#reads >= maxReads || 2 * this.#read >= maxBytes) return;
      }
    } catch (error) {
      if (!(error instanceof FileRefusal)) throw error;
    }
  }

  async #open(from: number, to: number): Promise<void> {
    const until = Math.min(this.size, Math.max(to, from + windowBytes));
    this.#reads += 1;
    this.#read += until - from;
    if (this.#reads > maxReads || this.#read > maxBytes) throw new FileRefusal('damaged');
    this.#window = { from, data: await this.#bytes.read(from, until) };
  }
}

/** Returns the bytes as text, one character each. */
export function latin1Text(bytes: Uint8Array): string {
  let text = '';
  // A call accepts a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return text;
}
