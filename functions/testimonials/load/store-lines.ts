/**
 * Stores the lines of a load, each at a position that any process can find again. Line indices here are
 * stored indices (check-lines.ts).
 */
import { createHash } from 'node:crypto';
import { forEachAtOnce } from '../../concurrency.ts';
import { type LoadLine, LoadRefused } from '../../domain/loads.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { makeTestimonialId } from '../../domain/testimonial-id.ts';
import type { TestimonialStore } from '../model/testimonial-store.ts';
import type { Claim } from './claim.ts';
import type { AppendedRecord, Block, PlacedRecord } from './load-record.ts';
import { type AxisNumbers, byLine, keepsIds, type LineOrders, ordinalOfLine } from './positions.ts';

export interface StoreLinesDependencies {
  testimonials: TestimonialStore;
  now: () => Date;
  /** Called with the number of lines stored. */
  onStored: (done: number) => void;
  linesPerBlock?: number | undefined;
  signal: AbortSignal;
}

interface LinePosition {
  ordinal: number;
  updateOrdinal: number;
  /** The `createdAt` for lines without one, ISO 8601. */
  time: string;
  /** The id of the line, if it is kept. */
  id?: string | undefined;
}

// Each block costs one write of the record, and an undo closes the rest of the last block.
const minLinesPerBlock = 1000;

/**
 * Stores lines at the positions reserved for them, block by block in the order of creation, and raises the
 * high-water mark before each block (rule 36). A testimonial that was erased since stays erased.
 */
export async function storePlaced(
  deps: StoreLinesDependencies,
  claim: Claim,
  initial: PlacedRecord,
  orders: LineOrders,
  positions: AxisNumbers,
): Promise<PlacedRecord> {
  const { linesPerBlock = minLinesPerBlock } = deps;
  const { lines, order } = orders;
  const ordinals = byLine(order.createdAt, positions.createdAt);
  const updateOrdinals = byLine(order.updatedAt, positions.updatedAt);
  const keeps = keepsIds(orders, positions);
  const positionsOf = (index: number) => {
    const id = keeps && lines[index] && ordinalOfLine(lines[index]) > 0 ? lines[index].id : undefined;
    const position = { ordinal: ordinals[index] ?? 0, updateOrdinal: updateOrdinals[index] ?? 0 };
    return [{ ...position, time: initial.time, id }];
  };
  let record = initial;
  for (let i = 0; i < lines.length; i += linesPerBlock) {
    const indices = order.createdAt.slice(i, i + linesPerBlock);
    const highWater = i + indices.length;
    if (record.highWater < highWater) record = await claim.save({ ...record, highWater });
    const sent = i < initial.highWater ? await storedAmong(deps, claim, indices, positionsOf) : noIndices;
    const others = indices.filter((index) => !sent.has(index));
    const [refused] = await put(deps, claim, lines, others, positionsOf);
    if (refused === undefined) continue;
    // Also proves that this process still has the claim.
    await claim.save(record);
    const { organization } = claim;
    throw new LoadRefused({ why: 'position taken', organization, position: ordinals[refused] ?? 0 });
  }
  return record;
}

// All blocks have to fit into the item of the record.
const maxBlocks = 1000;

/**
 * Stores lines after all other testimonials, in their order. A testimonial that was erased since stays
 * erased.
 */
export async function storeAppended(
  deps: StoreLinesDependencies,
  claim: Claim,
  initial: AppendedRecord,
  lines: readonly LoadLine[],
): Promise<AppendedRecord> {
  const { testimonials, now, linesPerBlock = minLinesPerBlock } = deps;
  let record = initial;
  // Reserves positions just before it uses them, because index updates seal free positions one by one.
  const reserveBlock = async (indices: readonly number[]): Promise<Block> => {
    const count = indices.length;
    const [line = 0] = indices;
    const last = await testimonials.reserveOrdinals(claim.organization, now(), count);
    const block = {
      line,
      count,
      time: last.time,
      ...((indices.at(-1) ?? 0) - line >= count && { lines: [...indices] }),
      ordinal: last.ordinal - count + 1,
      updateOrdinal: last.updateOrdinal - count + 1,
    };
    record = await claim.save({ ...record, blocks: [...record.blocks, block] });
    return block;
  };
  const size = Math.max(linesPerBlock, Math.ceil(lines.length / maxBlocks));
  const positionsInEarlierBlocks = (index: number) => positionsInBlocks(initial.blocks, index);
  const sent = await storedAmong(deps, claim, [...lines.keys()], positionsInEarlierBlocks);
  const others = lines.keys().filter((index) => !sent.has(index));
  let unstored = await put(deps, claim, lines, others, positionsInEarlierBlocks);
  while (unstored.length > 0) {
    const sealed: number[] = [];
    for (let i = 0; i < unstored.length; i += size) {
      const indices = unstored.slice(i, i + size);
      const block = await reserveBlock(indices);
      sealed.push(...(await put(deps, claim, lines, indices, (index) => positionsInBlocks([block], index))));
    }
    // An index update sealed these positions before the lines arrived.
    unstored = sealed;
  }
  return record;
}

function positionsInBlocks(blocks: readonly Block[], index: number): LinePosition[] {
  return blocks.flatMap(({ line, count, lines, time, ...first }) => {
    const i = lines ? lines.indexOf(index) : index - line;
    if (i < 0 || i >= count) return [];
    return { ordinal: first.ordinal + i, updateOrdinal: first.updateOrdinal + i, time };
  });
}

const noIndices: ReadonlySet<number> = new Set();
// Testimonials read at once.
const pageLength = 500;

/**
 * Returns the indices of the lines that an earlier process has stored. Finding them is cheaper than storing
 * them again.
 */
async function storedAmong(
  { testimonials, onStored, signal }: StoreLinesDependencies,
  claim: Claim,
  indices: readonly number[],
  positionsOf: (index: number) => LinePosition[],
): Promise<ReadonlySet<number>> {
  const lineAt = new Map(
    indices.flatMap((index) =>
      positionsOf(index).map(({ ordinal, id = idOfLine(claim.name, index, ordinal) }) => [
        ordinal,
        { index, id },
      ]),
    ),
  );
  const found = new Set<number>();
  const ordinals = [...lineAt.keys()];
  for (let i = 0; i < ordinals.length; i += pageLength) {
    signal.throwIfAborted();
    await claim.renew();
    const stored = await testimonials.findMany(claim.organization, ordinals.slice(i, i + pageLength));
    for (const { ordinal, testimonial } of stored) {
      const line = lineAt.get(ordinal);
      if (line?.id === testimonial.id) found.add(line.index);
    }
  }
  claim.done += found.size;
  if (found.size > 0) onStored(claim.done);
  return found;
}

/**
 * Stores several lines at once, each at the first of its positions that is neither sealed nor occupied.
 * @returns the indices of lines without such a position, ascending
 */
async function put(
  { testimonials, now, onStored, signal }: StoreLinesDependencies,
  claim: Claim,
  lines: readonly LoadLine[],
  indices: Iterable<number>,
  positionsOf: (index: number) => LinePosition[],
): Promise<number[]> {
  const unstored: number[] = [];
  async function* indicesInOrder() {
    for (const index of indices) {
      signal.throwIfAborted();
      await claim.renew();
      yield index;
    }
  }
  await forEachAtOnce(indicesInOrder(), async (index) => {
    const line = lines[index];
    if (!line) return;
    for (const position of positionsOf(index)) {
      const id = position.id ?? idOfLine(claim.name, index, position.ordinal);
      const testimonial = storedLine(line, position, now(), id);
      const stored = await testimonials.insert(claim.organization, testimonial);
      if (stored === 'sealed' || stored === 'occupied') continue;
      claim.done += 1;
      // Otherwise another process has stored the line.
      if (stored !== 'erased' && stored.writtenAt === testimonial.writtenAt) claim.stored += 1;
      return onStored(claim.done);
    }
    unstored.push(index);
  });
  return unstored.sort((a, b) => a - b);
}

/**
 * Returns the id of a line at a position. It is the same in every process, so that each process recognizes
 * the lines of its load.
 * @param name the name of the load
 */
export function idOfLine(name: string, index: number, ordinal: number): string {
  const digits = createHash('sha256').update(`${name} ${index}`).digest().readUIntBE(0, 6);
  return makeTestimonialId(ordinal, (min, max) => min + (digits % (max - min)));
}

export function storedLine(
  { consent, id: _, update: __, ...line }: LoadLine,
  { ordinal, updateOrdinal, time }: LinePosition,
  now: Date,
  id: string,
): StoredTestimonial {
  const { status = 'pending', createdAt, updatedAt = createdAt, ...input } = line;
  const isoTime = (milliseconds: number | undefined) =>
    milliseconds === undefined ? time : new Date(milliseconds).toISOString();
  const testimonial = { ...input, id, status, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
  return {
    testimonial,
    ordinal,
    updateOrdinal,
    version: 1,
    isLoaded: true,
    writtenAt: now.toISOString(),
    ...(consent && { consent: { page: consent.page, at: isoTime(consent.at) } }),
  };
}
