/** Loads testimonials and their index into a table. */
import { type ChunkBits, chunkOf, emptyChunk, offsetOf, setBit } from '../../functions/list-index/bitmap.ts';
import { noIndex } from '../../functions/list-index/index-store.ts';
import { type PostingTerm, partitionOf, postingTermsOf } from '../../functions/list-index/index-terms.ts';
import { encodePosting } from '../../functions/list-index/posting-codec.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialItem, testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { directoryKey, postingAttributes, postingKey } from '../../functions/persistence/keys.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { generateTestimonials } from '../../lib/sample-data/generate-testimonials.ts';
import { bulkPut } from './bulk-put.ts';

/**
 * Fills an organization with `count` generated testimonials. The postings are those that folding or a rebuild
 * would make, computed at once.
 */
export async function loadIndexed(
  table: Table,
  organization: string,
  count: number,
  progress: (step: string) => void,
): Promise<void> {
  const postings = new Map<string, { posting: PostingTerm; chunks: Map<number, ChunkBits | number[]> }>();
  const take = (posting: PostingTerm, ordinal: number) => {
    const key = 'term' in posting ? `=${posting.term}` : posting.word;
    const entry = postings.get(key) ?? { posting, chunks: new Map<number, ChunkBits | number[]>() };
    postings.set(key, entry);
    const chunk = chunkOf(ordinal);
    const bits = entry.chunks.get(chunk);
    // Rare terms as lists: a million bitmaps of 8 KB would not fit.
    if (bits === undefined) entry.chunks.set(chunk, [offsetOf(ordinal)]);
    else if (!Array.isArray(bits)) setBit(bits, offsetOf(ordinal));
    else if (bits.push(offsetOf(ordinal)) > 1000) entry.chunks.set(chunk, toBits(bits));
  };
  function* testimonials() {
    for (const stored of generateTestimonials(count)) {
      for (const posting of postingTermsOf(stored.testimonial)) take(posting, stored.ordinal);
      yield testimonialItem(organization, stored);
    }
  }
  await bulkPut(table, testimonials(), (written) => progress(`${written} testimonials`));

  function* items() {
    for (const { posting, chunks } of postings.values()) {
      for (const [chunk, bits] of chunks) {
        const encoded = encodePosting(Array.isArray(bits) ? toBits(bits) : bits);
        yield {
          ...postingKey(organization, 1, posting, chunk),
          [postingAttributes.bits]: encoded,
          [postingAttributes.epoch]: 0,
        };
      }
    }
    const partitions = [...postings.values()].map(({ posting }) => partitionOf(posting));
    const entries = new Map(
      partitions.map((partition) => [JSON.stringify(partition), directoryKey(organization, 1, partition)]),
    );
    yield* entries.values();
  }
  await bulkPut(table, items(), (written) => progress(`${written} postings`));
  const index = indexStore(table);
  await index.replaceHead(organization, { ...noIndex, indexed: count + 1 });
  await testimonialStore(table).takeOrdinals(organization, new Date('2026-01-01T00:00:00.000Z'), count);
}

function toBits(offsets: number[]): ChunkBits {
  const bits = emptyChunk();
  for (const offset of offsets) setBit(bits, offset);
  return bits;
}
