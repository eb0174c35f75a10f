/** What a step of an index update decides, as values. */
import { describe, expect, test } from '@jest/globals';
import type { ChangeMarker } from '../../../../functions/domain/stores.ts';
import { noIndex } from '../../../../functions/list-index/index-store.ts';
import {
  judge,
  Markers,
  type Rules,
  stepLimits,
} from '../../../../functions/list-index/write/update-decisions.ts';
import { markerOf, storedAt } from '../../../testimonials.ts';

const at = (second: number) => `2026-01-15T10:00:${String(second).padStart(2, '0')}.000Z`;
/** What was written until the 30th second has settled. */
const rules: Rules = { settledBefore: Date.parse(at(30)), limits: { ...stepLimits, places: 2 } };

const stored = (ordinal: number, { second = 0, version = 1 } = {}) =>
  storedAt(ordinal, { createdAt: at(second), updatedAt: at(second) }, { version });
const marker = (updateOrdinal: number, ordinal: number, more: Partial<ChangeMarker> = {}) =>
  markerOf(updateOrdinal, ordinal, { time: at(0), ...more });

describe('a testimonial that was read', () => {
  test.each([
    ['has no marker: it is put', stored(1), [], { do: 'put', former: { updates: [], tags: [] } }],
    [
      'has a marker whose change was made: it is put, and out of its former place',
      stored(1, { version: 2 }),
      [marker(7, 1)],
      { do: 'put', former: { updates: [1, 7], tags: [[]] } },
    ],
    ['has a marker whose change can still arrive: it is sealed', stored(1), [marker(7, 1)], { do: 'seal' }],
    [
      'has two markers of one version, of which one change can still arrive: it is sealed',
      stored(1, { version: 2 }),
      [marker(7, 1), marker(8, 1, { version: 2 })],
      { do: 'seal' },
    ],
    ['changed just now: it is left', stored(1, { second: 31 }), [], { do: 'leave', since: at(31) }],
    [
      'was to be erased, which did not happen: its place by that stays empty',
      stored(1, { version: 2 }),
      [marker(7, 1, { erases: { content: 'x', author: { name: 'y' } } })],
      { do: 'put', former: { updates: [1], tags: [[]] } },
    ],
  ])('%s', (_, row, markers, verdict) => {
    expect(judge(row, markers, rules)).toEqual(verdict);
  });
});

describe('of the change markers', () => {
  const head = { ...noIndex, indexed: 10, covered: [{ updateOrdinals: [20] }] };

  test('a step takes up those that have settled and are not covered, as many as it may', () => {
    const found = [marker(20, 1), marker(21, 2), marker(22, 2), marker(23, 3, { time: at(1) })];
    const { taken, left, isFull } = new Markers(head, rules).see(found);
    expect([...taken]).toEqual([[2, [found[1], found[2]]]]);
    expect({ left, isFull }).toEqual({ left: at(1), isFull: false });
  });

  test('one that has not settled is left', () => {
    const { taken, left } = new Markers(head, rules).see([marker(21, 2, { time: at(31) })]);
    expect({ taken: taken.size, left }).toEqual({ taken: 0, left: at(31) });
  });

  test('those of the tail do not take the room of the others, nor count as left', () => {
    const ofTail = [marker(21, 10), marker(22, 10), marker(23, 11), marker(24, 12, { time: at(31) })];
    const { taken, left, leftOfTail } = new Markers(head, rules).see([...ofTail, marker(25, 2)]);
    expect([...taken.keys()]).toEqual([10, 2]);
    expect({ left, leftOfTail }).toEqual({ left: undefined, leftOfTail: at(0) });
  });
});
