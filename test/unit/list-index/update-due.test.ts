/** When an index update is due. */
import { describe, expect, test } from '@jest/globals';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { changeMarkerKey } from '../../../functions/dynamodb/keys.ts';
import { noIndex } from '../../../functions/testimonials/list-index/index-store.ts';
import { dueSince, tailDueSince } from '../../../functions/testimonials/list-index/update-due.ts';
import type { ChangeMarker } from '../../../functions/testimonials/model/testimonial-store.ts';
import { testimonialItem } from '../../../functions/testimonials/table/stored-testimonials.ts';
import { generateTestimonials } from '../../../lib/operator/sample-data/generate-testimonials.ts';
import { markerOf, storedAt } from '../../testimonials.ts';

const at = (second: number) => `2026-01-15T10:00:${String(second).padStart(2, '0')}.000Z`;

const stored = (ordinal: number, { second = 0, length = 15 } = {}) =>
  storedAt(ordinal, { content: 'a'.repeat(length), createdAt: at(second), updatedAt: at(second) });
const marker = (updateOrdinal: number, ordinal: number, more: Partial<ChangeMarker> = {}) =>
  markerOf(updateOrdinal, ordinal, { time: at(0), ...more });

describe('the tail', () => {
  /** A testimonial of a little more than 4,000 bytes. */
  const long = (second: number) => stored(second, { second, length: 3900 });

  test('is due since the item that made it four read units long, not since its oldest', () => {
    expect(tailDueSince({ tail: [1, 2, 3].map(long), markers: [] })).toBeUndefined();
    expect(tailDueSince({ tail: [5, 3, 1, 4, 2].map(long), markers: [] })).toBe(at(4));
  });

  test('is also due because of its changes', () => {
    const markers = Array.from({ length: 200 }, (_, i) => marker(i + 2, 1, { time: at(i % 60) }));
    expect(tailDueSince({ tail: [stored(1)], markers })).toBeDefined();
  });

  test('is measured as DynamoDB measures it, within a tenth', () => {
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
    const tail = [...generateTestimonials(200)];
    const measured = tail.reduce((sum, row) => sum + size(testimonialItem('acme', row)), 0);
    expect(tailDueSince({ tail, markers: [] }, 0.9 * measured)).toBeDefined();
    expect(tailDueSince({ tail, markers: [] }, 1.1 * measured)).toBeUndefined();
    const change = marker(123_456, 1234, { previousUpdateOrdinal: 120_000 });
    const { updateOrdinal, ...others } = change;
    const ofChange = size({ ...changeMarkerKey('acme', updateOrdinal), ...others });
    expect(tailDueSince({ tail: [], markers: [change] }, 0.8 * ofChange)).toBeDefined();
    expect(tailDueSince({ tail: [], markers: [change] }, 1.2 * ofChange)).toBeUndefined();
  });
});

describe('an update is due', () => {
  const head = { ...noIndex, indexed: 10, covered: [{ updateOrdinals: [20] }] };
  const since = (tail: StoredTestimonial[], markers: ChangeMarker[] = []) =>
    dueSince(head, { tail, markers });

  test('for a tail only once it is long enough', () => {
    expect(since([stored(10), stored(11), stored(12)], [marker(23, 11)])).toBeUndefined();
    expect(since([13, 12, 11].map((ordinal) => stored(ordinal, { second: 4, length: 8000 })))).toBe(at(4));
  });

  test('for nothing that is already indexed', () => {
    expect(since([stored(9, { length: 10_000 }), stored(8, { length: 10_000 })])).toBeUndefined();
    expect(since([], [marker(20, 3)])).toBeUndefined();
  });

  test('for a change of an indexed testimonial at once', () => {
    expect(since([], [marker(21, 3, { time: at(7) }), marker(22, 4, { time: at(8) })])).toBe(at(7));
    expect(since([], [marker(21, 12, { time: at(7) })])).toBeUndefined();
  });
});
