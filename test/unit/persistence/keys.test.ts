import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import {
  changeMarkerKey,
  changeMarkersFrom,
  counterKey,
  idempotencyKeyKey,
  indexAttributes,
  indexes,
  type Key,
  ordinalOfChangeMarker,
  organizationPartition,
  prefixes,
  statusPartition,
  testimonialKey,
  tokenKey,
  tokenPointerKey,
} from '../../../functions/persistence/keys.ts';

const organizations = fc.oneof(
  // Names that could pass for a part of another key.
  fc.constantFrom('a', 'a-key', 'key', 'token', 'counter', 'status', 'org', '0'),
  fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/),
);
const ordinals = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 999_999_999_999 }));
const times = fc.date({
  min: new Date('1970-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});
const hexadecimal = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
const idempotencyKeys = fc.oneof(
  fc.constantFrom('#KEY#', '#', 'KEY', 'a#KEY#b', '#STATUS#pending', 'COUNTER'),
  fc.stringMatching(/^[!-~]{1,30}$/),
);

/** An item's kind and what names it, with its key. */
type Named = { name: unknown[]; key: Key };
const items: fc.Arbitrary<Named> = fc.oneof(
  organizations.map((o) => ({ name: ['counter', o], key: counterKey(o) })),
  fc
    .tuple(organizations, ordinals)
    .map(([o, n]) => ({ name: ['testimonial', o, n], key: testimonialKey(o, n) })),
  fc
    .tuple(organizations, times, ordinals)
    .map(([o, t, n]) => ({ name: ['change', o, t.getTime(), n], key: changeMarkerKey(o, t, n) })),
  hexadecimal(64).map((h) => ({ name: ['token', h], key: tokenKey(h) })),
  fc
    .tuple(organizations, hexadecimal(12))
    .map(([o, h]) => ({ name: ['pointer', o, h], key: tokenPointerKey(o, h) })),
  fc
    .tuple(organizations, idempotencyKeys)
    .map(([o, k]) => ({ name: ['idempotency', o, k], key: idempotencyKeyKey(o, k) })),
);

const testimonial = (ordinal: number, fields: Partial<Testimonial> = {}): Testimonial => ({
  id: `test_123456789012${ordinal}`,
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text',
  status: 'pending',
  createdAt: '2026-01-15T10:30:00.000Z',
  updatedAt: '2026-01-15T10:30:00.000Z',
  ...fields,
});

const asText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

test('two items have the same key only when they are the same item', () => {
  fc.assert(
    fc.property(items, items, (a, b) => {
      expect(JSON.stringify(a.key) === JSON.stringify(b.key)).toBe(
        JSON.stringify(a.name) === JSON.stringify(b.name),
      );
    }),
    { numRuns: 3000 },
  );
});

test('many items together have as many keys', () => {
  fc.assert(
    fc.property(fc.array(items, { maxLength: 60 }), (many) => {
      const names = new Set(many.map(({ name }) => JSON.stringify(name)));
      expect(new Set(many.map(({ key }) => `${key.PK}\n${key.SK}`)).size).toBe(names.size);
    }),
  );
});

test('a partition of one organization and status is no other partition', () => {
  fc.assert(
    fc.property(organizations, organizations, (a, b) => {
      const partitions = [
        ...statuses.map((status) => statusPartition(a, status)),
        ...statuses.map((status) => statusPartition(b, status)),
        organizationPartition(a),
        organizationPartition(b),
      ];
      expect(new Set(partitions).size).toBe(a === b ? 4 : 8);
    }),
  );
});

test('every key is ASCII and within what DynamoDB allows', () => {
  const longest = fc.stringMatching(/^[!-~]{255}$/).map((k) => idempotencyKeyKey('a'.repeat(63), k));
  fc.assert(
    fc.property(
      fc.oneof(
        items.map(({ key }) => key),
        longest,
      ),
      ({ PK, SK }) => {
        expect(`${PK}${SK}`).toMatch(/^[!-~]+$/);
        expect(PK.length).toBeLessThanOrEqual(2048);
        expect(SK.length).toBeLessThanOrEqual(1024);
      },
    ),
  );
});

describe('sort keys', () => {
  test('of testimonials order as their ordinals', () => {
    fc.assert(
      fc.property(ordinals, ordinals, (a, b) => {
        expect(asText(testimonialKey('o', a).SK, testimonialKey('o', b).SK)).toBe(Math.sign(a - b));
      }),
    );
  });

  test('of change markers order as their times, then as their ordinals', () => {
    const closeTimes = fc.oneof(times, fc.constant(new Date(0)));
    fc.assert(
      fc.property(closeTimes, ordinals, closeTimes, ordinals, (timeA, a, timeB, b) => {
        expect(asText(changeMarkerKey('o', timeA, a).SK, changeMarkerKey('o', timeB, b).SK)).toBe(
          Math.sign(timeA.getTime() - timeB.getTime()) || Math.sign(a - b),
        );
      }),
    );
  });

  test('a change marker is in the range of its time and not in a later one', () => {
    fc.assert(
      fc.property(times, times, ordinals, (time, from, ordinal) => {
        expect(changeMarkerKey('o', time, ordinal).SK >= changeMarkersFrom(from)).toBe(
          time.getTime() >= from.getTime(),
        );
      }),
    );
  });

  test('the ordinal of a change marker is the one it was made with', () => {
    fc.assert(
      fc.property(times, ordinals, (time, ordinal) => {
        expect(ordinalOfChangeMarker(changeMarkerKey('o', time, ordinal).SK)).toBe(ordinal);
      }),
    );
  });

  test('no item of another kind lies in the range of a prefix', () => {
    const kinds: Record<string, string> = {
      testimonial: prefixes.testimonial,
      change: prefixes.change,
      pointer: prefixes.token,
    };
    fc.assert(
      fc.property(items, ({ name: [kind], key }) => {
        for (const [ofKind, prefix] of Object.entries(kinds)) {
          expect(key.SK.startsWith(prefix)).toBe(kind === ofKind);
        }
      }),
    );
  });
});

describe('index attributes', () => {
  const { createdAt, updatedAt, rating } = indexes.organization;
  const sortValue = (attribute: string, row: Testimonial) => String(indexAttributes('o', row)[attribute]);

  test('are exactly those that the six indexes are keyed by', () => {
    const keyed = Object.values(indexes)
      .flatMap((bySort) => Object.values(bySort))
      .flatMap(({ partition, sort }) => [partition, sort]);
    expect(new Set([...Object.keys(indexAttributes('o', testimonial(1))), 'PK'])).toEqual(new Set(keyed));
  });

  test('name each index once', () => {
    const names = Object.values(indexes).flatMap((bySort) => Object.values(bySort).map(({ name }) => name));
    expect(new Set(names).size).toBe(6);
  });

  test('put a testimonial into the partition of its status', () => {
    for (const status of statuses) {
      expect(indexAttributes('o', testimonial(1, { status }))).toMatchObject({
        statusPartition: statusPartition('o', status),
      });
    }
  });

  test('of createdAt order as the ordinals', () => {
    fc.assert(
      fc.property(ordinals, ordinals, (a, b) => {
        expect(
          asText(sortValue(createdAt.sort, testimonial(a)), sortValue(createdAt.sort, testimonial(b))),
        ).toBe(Math.sign(a - b));
      }),
    );
  });

  test('of updatedAt order as the times, then as the ordinals', () => {
    const closeTimes = fc.oneof(times, fc.constant(new Date(0)));
    fc.assert(
      fc.property(closeTimes, ordinals, closeTimes, ordinals, (timeA, a, timeB, b) => {
        const rowA = testimonial(a, { updatedAt: timeA.toISOString() });
        const rowB = testimonial(b, { updatedAt: timeB.toISOString() });
        expect(asText(sortValue(updatedAt.sort, rowA), sortValue(updatedAt.sort, rowB))).toBe(
          Math.sign(timeA.getTime() - timeB.getTime()) || Math.sign(a - b),
        );
      }),
    );
  });

  test('of rating order unrated first, then as the ratings, then as the ordinals', () => {
    const ratings = fc.integer({ min: 0, max: 5 });
    const rated = (ordinal: number, stars: number) =>
      testimonial(ordinal, stars === 0 ? {} : { rating: stars });
    fc.assert(
      fc.property(ratings, ordinals, ratings, ordinals, (starsA, a, starsB, b) => {
        expect(
          asText(sortValue(rating.sort, rated(a, starsA)), sortValue(rating.sort, rated(b, starsB))),
        ).toBe(Math.sign(starsA - starsB) || Math.sign(a - b));
      }),
    );
  });
});
