/** What may wait beside the index, and what says that an update is due. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import type { ChangeMarker } from '../../../functions/domain/stores.ts';
import { noIndex } from '../../../functions/list-index/index-store.ts';
import { termsVersion } from '../../../functions/list-index/terms-version.ts';
import { faultsOf, waitingBytes, waitingOf, worthSince } from '../../../functions/list-index/waiting.ts';
import { changeMarkerKey } from '../../../functions/persistence/keys.ts';
import { testimonialItem } from '../../../functions/persistence/stored-items.ts';
import { generateTestimonials } from '../../../lib/operator/sample-data/generate-testimonials.ts';

import { markerOf, storedAt } from '../../testimonials.ts';

const at = (second: number) => `2026-01-15T10:00:${String(second).padStart(2, '0')}.000Z`;
const rules = { limits: { waitingBytes } };

const stored = (ordinal: number, { second = 0, length = 15 } = {}) =>
  storedAt(ordinal, { content: 'a'.repeat(length), createdAt: at(second), updatedAt: at(second) });
const marker = (updateOrdinal: number, ordinal: number, more: Partial<ChangeMarker> = {}) =>
  markerOf(updateOrdinal, ordinal, { time: at(0), ...more });

describe('the tail', () => {
  const worth = (bytes: number[]) =>
    worthSince(
      bytes.map((each, i) => ({ time: at(i), bytes: each })),
      rules,
    );

  test('waits while it is shorter than four read units', () => {
    expect(worth([])).toBeUndefined();
    expect(worth([8000, 8000])).toBeUndefined();
  });

  test('is worth an update since that was written which made it long, not since its oldest', () => {
    expect(worth([8000, 8000, 400, 8000])).toBe(at(2));
  });

  test('is worth an update by its changes, too', () => {
    const markers = Array.from({ length: 200 }, (_, i) => marker(i + 2, 1, { time: at(i % 60) }));
    expect(worthSince(waitingOf([stored(1)], markers, rules), rules)).toBeDefined();
  });

  test('is worth an update at once where something of it is erased', () => {
    const erasure = marker(2, 1, { time: at(5), erases: { content: 'x', author: { name: 'y' } } });
    expect(worthSince(waitingOf([stored(2)], [erasure], rules), rules)).toBe(at(5));
  });

  test('is measured as DynamoDB does, within a tenth', () => {
    const size = (item: object): number =>
      Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOf(value), 0);
    const sizeOf = (value: unknown): number => {
      if (typeof value === 'string') return Buffer.byteLength(value);
      // About one byte for two digits.
      if (typeof value === 'number') return 1 + Math.ceil(String(value).length / 2);
      const overhead = 3;
      if (Array.isArray(value)) return value.reduce((sum, each) => sum + 1 + sizeOf(each), overhead);
      return overhead + size(Object(value)) + Object.keys(Object(value)).length;
    };
    const rows = [...generateTestimonials(200)];
    const measured = rows.reduce((sum, row) => sum + size(testimonialItem('acme', row)), 0);
    const waiting = waitingOf(rows, [], rules).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(Math.abs(waiting / measured - 1)).toBeLessThan(0.1);
    const change = marker(123_456, 1234, { previousUpdateOrdinal: 120_000 });
    const { updateOrdinal, ...others } = change;
    const item = { ...changeMarkerKey('acme', updateOrdinal), ...others };
    const [its] = waitingOf([], [change], rules);
    expect(Math.abs((its?.bytes ?? 0) / size(item) - 1)).toBeLessThan(0.2);
  });
});

describe('an update is due', () => {
  const head = { ...noIndex, indexed: 10, covered: [{ updateOrdinals: [20] }] };
  const since = (tail: StoredTestimonial[], markers: ChangeMarker[] = []) =>
    faultsOf(head, { tail, markers }).dueSince;

  test('for no tail that waits until it pays', () => {
    expect(since([])).toBeUndefined();
    expect(since([stored(10), stored(11), stored(12)], [marker(23, 11)])).toBeUndefined();
  });

  test('for a tail since it is worth one, in whatever order it was read', () => {
    const tail = [
      stored(13, { second: 9, length: 8000 }),
      stored(12, { second: 4, length: 8000 }),
      stored(11, { second: 2 }),
      stored(10, { second: 1, length: 8000 }),
    ];
    expect(since(tail)).toBe(at(4));
  });

  test('for nothing that the index has by now', () => {
    expect(since([stored(9, { length: 10_000 }), stored(8, { length: 10_000 })])).toBeUndefined();
    expect(since([], [marker(20, 3)])).toBeUndefined();
  });

  test('for a change of what the index has at once, and for an erasure wherever it is', () => {
    expect(since([], [marker(21, 3, { time: at(7) }), marker(22, 4, { time: at(8) })])).toBe(at(7));
    const erases = { content: 'x', author: { name: 'y' } };
    expect(since([], [marker(21, 12, { time: at(7), erases })])).toBe(at(7));
  });

  test('whenever an index update says so, and never since an earlier time', () => {
    const rows = fc.array(fc.record({ second: fc.nat(59), length: fc.nat(9000) }), { maxLength: 12 });
    const changes = fc.array(fc.record({ second: fc.nat(59), erases: fc.boolean() }), { maxLength: 5 });
    fc.assert(
      fc.property(rows, changes, (rows, changes) => {
        const tail = rows.map((row, i) => stored(10 + i, row));
        const markers = changes.map(({ second, erases }, i) =>
          marker(100 + i, 10 + i, {
            time: at(second),
            ...(erases && { erases: { content: 'x', author: { name: 'y' } } }),
          }),
        );
        const updateIndex = worthSince(waitingOf(tail, markers, rules), rules);
        const list = since(tail.toReversed(), markers);
        expect(list === undefined).toBe(updateIndex === undefined);
        expect((list ?? '') >= (updateIndex ?? '')).toBe(true);
      }),
    );
  });
});

test('postings of other terms than those of this version are a fault', () => {
  const unindexed = { tail: [], markers: [] };
  expect(faultsOf({ ...noIndex, terms: termsVersion }, unindexed).hasOtherTerms).toBe(false);
  expect(faultsOf({ ...noIndex, terms: '0/1.0' }, unindexed).hasOtherTerms).toBe(true);
});
