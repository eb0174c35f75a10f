import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Change } from '../../../functions/domain/stores.ts';
import { statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import { chunkOf } from '../../../functions/list-index/bitmap.ts';
import type { PostingTerm } from '../../../functions/list-index/index-terms.ts';
import {
  changeMarkerKey,
  chunkOfPosting,
  counterKey,
  idempotencyKeyKey,
  indexAttributes,
  indexes,
  indexHeadKey,
  type Key,
  ordinalOfTestimonialKey,
  organizationOfPartition,
  organizationPartition,
  parseChangeMarker,
  parsePostingKey,
  postingKey,
  prefixes,
  statusPartition,
  termPartition,
  testimonialKey,
  tokenKey,
  tokenPointerKey,
  wordPartition,
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

const changes: fc.Arbitrary<Change> = fc.record({
  time: times,
  ordinal: ordinals,
  kind: fc.constantFrom('create' as const, 'status' as const),
});
const generations = fc.oneof(fc.integer({ min: 1, max: 11 }), fc.nat());
const chunks = fc.oneof(fc.integer({ min: 0, max: 11 }), ordinals.map(chunkOf));
// A tag may hold anything but a comma, also what separates the parts of a key.
const terms = fc.oneof(
  fc.constantFrom('all', 'status=pending', 'rating=5', 'prefix=a', 'tag=#', 'tag=1#2', 'tag=#0000001'),
  fc.constantFrom(
    'tag=##WORD#1#a',
    'tag=a\n#TERM#2#b',
    'tag=größe',
    'tag=👍#👍',
    'tag=#KEY#k',
    'prefix=製品',
  ),
  fc.string({ minLength: 1, maxLength: 50, unit: 'grapheme' }).map((tag) => `tag=${tag}`),
);
// No word has a number sign today; keys would bear one.
const words = fc.oneof(
  fc.constantFrom('a', 'ab', 'amaze', 'amazing', 'a#0000001', '0000001', '製品', '👍🏽', 'term'),
  fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
);
const postings: fc.Arbitrary<PostingTerm> = fc.oneof(
  terms.map((term) => ({ term })),
  words.map((word) => ({ word })),
);

/** An item's kind and what names it, with its key. */
type Named = { name: unknown[]; key: Key };
const items: fc.Arbitrary<Named> = fc.oneof(
  organizations.map((o) => ({ name: ['counter', o], key: counterKey(o) })),
  fc
    .tuple(organizations, ordinals)
    .map(([o, n]) => ({ name: ['testimonial', o, n], key: testimonialKey(o, n) })),
  fc.tuple(organizations, changes).map(([o, change]) => ({
    name: ['change', o, change.time.getTime(), change.ordinal, change.kind],
    key: changeMarkerKey(o, change),
  })),
  organizations.map((o) => ({ name: ['head', o], key: indexHeadKey(o) })),
  fc.tuple(organizations, generations, postings, chunks).map(([o, g, posting, chunk]) => ({
    name: ['posting', o, g, posting, chunk],
    key: postingKey(o, g, posting, chunk),
  })),
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

test('every key is within what DynamoDB allows', () => {
  const longOrganization = 'a'.repeat(63);
  const longest = fc.oneof(
    fc.stringMatching(/^[!-~]{255}$/).map((k) => idempotencyKeyKey(longOrganization, k)),
    // The longest tag and the longest word, of letters of four bytes.
    fc.constant(postingKey(longOrganization, 2 ** 31, { term: `tag=${'𐐨'.repeat(50)}` }, 9_999_999)),
    fc.constant(postingKey(longOrganization, 2 ** 31, { word: '𐐨'.repeat(200) }, 9_999_999)),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        items.map(({ key }) => key),
        longest,
      ),
      ({ PK, SK }) => {
        expect(Buffer.byteLength(PK)).toBeLessThanOrEqual(2048);
        expect(Buffer.byteLength(SK)).toBeLessThanOrEqual(1024);
        expect(SK).not.toBe('');
      },
    ),
  );
});

test('every key but those of terms and words is ASCII', () => {
  fc.assert(
    fc.property(items, ({ name: [kind], key: { PK, SK } }) => {
      fc.pre(kind !== 'posting');
      expect(`${PK}${SK}`).toMatch(/^[!-~]+$/);
    }),
  );
});

describe('what was put into a key comes out of it:', () => {
  test('the change of a change marker', () => {
    fc.assert(
      fc.property(organizations, changes, (o, change) => {
        expect(parseChangeMarker(changeMarkerKey(o, change).SK)).toEqual(change);
      }),
    );
  });

  test('the posting of a posting key', () => {
    fc.assert(
      fc.property(
        organizations,
        generations,
        postings,
        chunks,
        (organization, generation, posting, chunk) => {
          expect(parsePostingKey(postingKey(organization, generation, posting, chunk))).toEqual({
            organization,
            generation,
            posting,
            chunk,
          });
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('the chunk of a posting key', () => {
    fc.assert(
      fc.property(postings, chunks, (posting, chunk) => {
        expect(chunkOfPosting(postingKey('o', 1, posting, chunk).SK)).toBe(chunk);
      }),
    );
  });

  test('the ordinal of a testimonial', () => {
    fc.assert(
      fc.property(ordinals, (ordinal) => {
        expect(ordinalOfTestimonialKey(testimonialKey('o', ordinal).SK)).toBe(ordinal);
      }),
    );
  });

  test('the organization of a partition, and none of any other partition', () => {
    fc.assert(
      fc.property(items, ({ name: [kind, organization], key: { PK } }) => {
        const itsOwn = !['token', 'idempotency', 'posting'].includes(String(kind));
        expect(organizationOfPartition(PK)).toBe(itsOwn ? organization : undefined);
      }),
    );
  });

  test('only postings are parsed as postings', () => {
    fc.assert(
      fc.property(items, ({ name: [kind], key }) => {
        expect(parsePostingKey(key) !== undefined).toBe(kind === 'posting');
      }),
    );
  });
});

describe('postings', () => {
  test('of one term are in its partition, those of any other term are not', () => {
    fc.assert(
      fc.property(terms, postings, chunks, (term, posting, chunk) => {
        const { PK } = postingKey('o', 1, posting, chunk);
        expect(PK === termPartition('o', 1, term)).toBe('term' in posting && posting.term === term);
      }),
    );
  });

  test('of just the words that begin with a prefix are in one partition with sort keys that begin with it', () => {
    const prefix = fc.oneof(words, fc.constantFrom('ama', 'amaz', '製'));
    fc.assert(
      fc.property(prefix, words, chunks, (start, word, chunk) => {
        // No prefix that is asked for has a number sign.
        fc.pre(!start.includes('#'));
        const { PK, SK } = postingKey('o', 1, { word }, chunk);
        expect(PK === wordPartition('o', 1, start) && SK.startsWith(start)).toBe(word.startsWith(start));
      }),
    );
  });

  test('of a term lie, for every ordinal there can be, between 0 and the colon', () => {
    // By this range all chunks of a term are read.
    fc.assert(
      fc.property(terms, ordinals, (term, ordinal) => {
        const { SK } = postingKey('o', 1, { term }, chunkOf(ordinal));
        expect(SK >= '0' && SK < ':').toBe(true);
      }),
      { examples: [['all', 999_999_999_999]] },
    );
  });
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
    const close = fc.tuple(closeTimes, changes).map(([time, change]) => ({ ...change, time }));
    fc.assert(
      fc.property(close, close, (a, b) => {
        fc.pre(a.time.getTime() !== b.time.getTime() || a.ordinal !== b.ordinal);
        expect(asText(changeMarkerKey('o', a).SK, changeMarkerKey('o', b).SK)).toBe(
          Math.sign(a.time.getTime() - b.time.getTime()) || Math.sign(a.ordinal - b.ordinal),
        );
      }),
    );
  });

  test('of a create come before those of a change of status in the same millisecond', () => {
    fc.assert(
      fc.property(times, ordinals, (time, ordinal) => {
        const create = changeMarkerKey('o', { time, ordinal, kind: 'create' });
        const status = changeMarkerKey('o', { time, ordinal, kind: 'status' });
        expect(asText(create.SK, status.SK)).toBe(-1);
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
        // Ranges are read in the partition of an organization, where no posting is.
        fc.pre(kind !== 'posting');
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
