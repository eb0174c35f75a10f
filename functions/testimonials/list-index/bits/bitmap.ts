/** Sets of positions, as bitmaps in chunks of 65,536. */
import type { Direction } from '../../../domain/testimonial-order.ts';

export const chunkSize = 65_536;

const bitsPerWord = 32;
const wordsPerChunk = chunkSize / bitsPerWord;

/** The bits of one chunk; bit i stands for the chunk's i-th position. */
export type ChunkBits = Uint32Array<ArrayBuffer>;

export function emptyChunk(): ChunkBits {
  return new Uint32Array(wordsPerChunk);
}

export function chunkOf(ordinal: number): number {
  return Math.floor(ordinal / chunkSize);
}

export function offsetOf(ordinal: number): number {
  return ordinal % chunkSize;
}

export function setBit(bits: ChunkBits, offset: number): void {
  bits[offset >>> 5] = word(bits, offset >>> 5) | (1 << (offset & 31));
}

export function clearBit(bits: ChunkBits, offset: number): void {
  bits[offset >>> 5] = word(bits, offset >>> 5) & ~(1 << (offset & 31));
}

function hasBit(bits: ChunkBits, offset: number): boolean {
  return (word(bits, offset >>> 5) & (1 << (offset & 31))) !== 0;
}

export function countBits(bits: ChunkBits): number {
  let count = 0;
  for (let i = 0; i < bits.length; i += 1) {
    const value = word(bits, i);
    // Most words of most postings are empty.
    if (value !== 0) count += popCount(value);
  }
  return count;
}

/** A set of positions. Methods that change it also return it. */
export class Bitmap {
  readonly #chunks = new Map<number, ChunkBits>();

  static of(ordinals: Iterable<number>): Bitmap {
    const bitmap = new Bitmap();
    for (const ordinal of ordinals) bitmap.add(ordinal);
    return bitmap;
  }

  /** Returns the bits of a chunk, which the caller may change. */
  chunk(number: number): ChunkBits {
    const existing = this.#chunks.get(number);
    if (existing) return existing;
    const bits = emptyChunk();
    this.#chunks.set(number, bits);
    return bits;
  }

  /** Takes over the bits of a chunk. */
  put(number: number, bits: ChunkBits): this {
    this.#chunks.set(number, bits);
    return this;
  }

  add(ordinal: number): this {
    setBit(this.chunk(chunkOf(ordinal)), offsetOf(ordinal));
    return this;
  }

  delete(ordinal: number): this {
    const bits = this.#chunks.get(chunkOf(ordinal));
    if (bits) clearBit(bits, offsetOf(ordinal));
    return this;
  }

  has(ordinal: number): boolean {
    const bits = this.#chunks.get(chunkOf(ordinal));
    return bits !== undefined && hasBit(bits, offsetOf(ordinal));
  }

  clone(): Bitmap {
    return new Bitmap().or(this);
  }

  or(other: Bitmap): this {
    for (const [number, added] of other.#chunks) {
      const bits = this.chunk(number);
      for (let i = 0; i < wordsPerChunk; i += 1) bits[i] = word(bits, i) | word(added, i);
    }
    return this;
  }

  and(other: Bitmap): this {
    for (const [number, bits] of this.#chunks) {
      const kept = other.#chunks.get(number);
      if (!kept) this.#chunks.delete(number);
      else for (let i = 0; i < wordsPerChunk; i += 1) bits[i] = word(bits, i) & word(kept, i);
    }
    return this;
  }

  andNot(other: Bitmap): this {
    for (const [number, bits] of this.#chunks) {
      const removed = other.#chunks.get(number);
      if (removed) for (let i = 0; i < wordsPerChunk; i += 1) bits[i] = word(bits, i) & ~word(removed, i);
    }
    return this;
  }

  /** Removes `ordinal` and every higher one. */
  truncate(ordinal: number): this {
    const border = chunkOf(ordinal);
    for (const number of this.#chunks.keys()) if (number > border) this.#chunks.delete(number);
    const bits = this.#chunks.get(border);
    if (bits) {
      const offset = offsetOf(ordinal);
      bits[offset >>> 5] = word(bits, offset >>> 5) & ((1 << (offset & 31)) - 1);
      bits.fill(0, (offset >>> 5) + 1);
    }
    return this;
  }

  count(): number {
    let count = 0;
    for (const bits of this.#chunks.values()) count += countBits(bits);
    return count;
  }

  /** Returns the numbers of all chunks that were added, ascending. */
  chunkNumbers(): number[] {
    return [...this.#chunks.keys()].sort((a, b) => a - b);
  }

  ordinals(): number[] {
    const options = { skip: 0, take: Number.POSITIVE_INFINITY, direction: 'asc' } as const;
    return this.chunkNumbers().flatMap((number) => selectInChunk(this.chunk(number), number, options));
  }
}

/** Returns up to `take` positions of a chunk in a direction, after skipping `skip`. */
export function selectInChunk(
  bits: ChunkBits,
  chunk: number,
  { skip, take, direction }: { skip: number; take: number; direction: Direction },
): number[] {
  const selected: number[] = [];
  let toSkip = skip;
  for (let i = 0; i < wordsPerChunk && selected.length < take; i += 1) {
    const index = direction === 'asc' ? i : wordsPerChunk - 1 - i;
    let rest = word(bits, index);
    if (rest === 0) continue;
    const inWord = popCount(rest);
    if (inWord <= toSkip) {
      toSkip -= inWord;
      continue;
    }
    while (rest !== 0 && selected.length < take) {
      // Math.clz32 finds the highest bit; x & -x leaves the lowest.
      const bit = 31 - Math.clz32(direction === 'asc' ? rest & -rest : rest);
      rest &= ~(1 << bit);
      if (toSkip > 0) toSkip -= 1;
      else selected.push(chunk * chunkSize + index * bitsPerWord + bit);
    }
  }
  return selected;
}

// Within its bounds a typed array has no holes.
function word(bits: ChunkBits, index: number): number {
  return bits[index] ?? 0;
}

/** Counts the set bits of a 32-bit word (Warren, Hacker's Delight, 5-1). */
function popCount(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
