import { describe, expect, test } from '@jest/globals';
import { firstPosition } from '../../../../functions/domain/testimonial-order.ts';
import { Bitmap, chunkOf } from '../../../../functions/testimonials/list-index/bits/bitmap.ts';
import { noIndex } from '../../../../functions/testimonials/list-index/index-store.ts';
import { Correction, type Unindexed } from '../../../../functions/testimonials/list-index/read/correct.ts';
import { ungrouped } from '../../../../functions/testimonials/list-index/read/plan.ts';
import { markerOf, storedAt } from '../../../testimonials.ts';

const head = { ...noIndex, indexed: 70_001, updated: 80_000, history: { createdAt: 0, updatedAt: 0 } };

const row = (ordinal: number, updateOrdinal: number, previousUpdateOrdinal?: number) =>
  storedAt(
    ordinal,
    {},
    { updateOrdinal, ...(previousUpdateOrdinal !== undefined && { previousUpdateOrdinal }) },
  );

const tail = [row(70_002, 80_001), row(70_001, 80_010, 80_000)];
// It was changed again after its marker was read.
const changed = [row(5, 80_005, 79_999)];
const unindexed: Unindexed = {
  tail,
  changed,
  matchingUnindexed: [...tail, ...changed],
  markers: [markerOf(79_999, 5), markerOf(80_000, 70_001, { previousUpdateOrdinal: 79_000 })],
  isTailUnwritten: false,
};
const all = Bitmap.of([4, 5, 6, 70_000, 70_001, 70_002, 79_000, 79_999, 80_000, 80_001, 80_005, 80_010]);

describe('on the axis of creation', () => {
  const correction = new Correction('createdAt', head, unindexed);
  const nothing = new Correction('createdAt', head, { ...unindexed, matchingUnindexed: [] });

  test('removes unindexed testimonials below the end, and ignores every bit from the end on', () => {
    expect(nothing.apply(all.clone(), ungrouped, 0).ordinals()).toEqual([4, 6, 70_000]);
  });

  test('adds matching unindexed testimonials in their group', () => {
    expect(correction.apply(all.clone(), ungrouped, 0).ordinals()).toEqual([4, 5, 6, 70_000, 70_001, 70_002]);
    const groups = { terms: [[], []], groupOf: () => 1 };
    expect(correction.apply(new Bitmap(), groups, 0).ordinals()).toEqual([]);
    expect(correction.apply(new Bitmap(), groups, 1, 0).ordinals()).toEqual([5]);
  });

  test('counts by bits in the chunks of the tail and of changes, even if no unindexed testimonial matches', () => {
    expect([0, 1].map((chunk) => nothing.kindOf(chunk))).toEqual(['uncounted', 'uncounted']);
    const none = { tail: [], changed: [], markers: [], isTailUnwritten: false, matchingUnindexed: [] };
    const sure = new Correction('createdAt', head, none);
    expect([0, 1].map((chunk) => sure.kindOf(chunk))).toEqual(['counted', 'counted']);
    expect(sure.chunks).toEqual(new Set());
  });

  test('counts the chunk of a tail without bits by its summary, and adds the tail', () => {
    const apart = new Correction('createdAt', head, { ...unindexed, isTailUnwritten: true });
    expect([0, 1].map((chunk) => apart.kindOf(chunk))).toEqual(['uncounted', 'added to']);
    expect(apart.chunks).toEqual(new Set([0, 1]));
    const groups = { terms: [[], []], groupOf: () => 1 };
    expect([0, 1].map((group) => apart.countUnindexed(1, groups, group))).toEqual([0, 2]);
  });

  test('expects no bits in a chunk above the end', () => {
    expect([0, 1, 2].map((chunk) => correction.kindOf(chunk))).toEqual(['uncounted', 'uncounted', 'above']);
    const empty = new Correction('createdAt', noIndex, unindexed);
    expect(empty.kindOf(chunkOf(firstPosition))).toBe('above');
  });
});

describe('on the axis of updates', () => {
  test('masks every position that an unindexed testimonial has, had or can get (rule 17)', () => {
    const nothing = new Correction('updatedAt', head, { ...unindexed, matchingUnindexed: [] });
    expect(nothing.apply(all.clone(), ungrouped, 0).ordinals()).toEqual([4, 6, 70_000, 70_001, 70_002]);
  });

  test('adds matching unindexed testimonials at their current positions', () => {
    const correction = new Correction('updatedAt', head, unindexed);
    expect(correction.apply(new Bitmap(), ungrouped, 0).ordinals()).toEqual([80_001, 80_005, 80_010]);
  });
});
