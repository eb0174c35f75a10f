import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { statuses } from '../../../functions/domain/testimonial.ts';
import { axes, comparison, sortNames } from '../../../functions/domain/testimonial-order.ts';
import {
  absentKey,
  budgetKey,
  challengeKey,
  changeMarkerKey,
  counterKey,
  erasureTextsKey,
  idempotencyKeyKey,
  indexHeadKey,
  indexRequestKey,
  type Key,
  minuteOfSpendingKey,
  ordinalOfTestimonialKey,
  organizationKey,
  organizationOfPartition,
  organizationPartition,
  type PartitionKind,
  pageIdOfPointerKey,
  pageKey,
  pagePointerKey,
  partitionKinds,
  passKey,
  passkeyKey,
  passkeyPointerKey,
  passPointerKey,
  prefixes,
  renewalRequestKey,
  secondaryIndexAttributes,
  secondaryIndexes,
  spendingKey,
  spendingPrefixes,
  statusPartition,
  testimonialKey,
  tokenKey,
  tokenPointerKey,
  updateOrdinalOfKey,
} from '../../../functions/dynamodb/keys.ts';
import { chunkOf } from '../../../functions/testimonials/list-index/bits/bitmap.ts';
import {
  facetPosting,
  isBeginning,
  nameOf,
  ordinalsTerm,
  type PostingName,
  partitionOf,
  partitionOfWords,
  summaryTerm,
} from '../../../functions/testimonials/list-index/index-terms.ts';
import {
  parsePostingSortKey,
  postingKey,
  postingPartition,
  postingSortKey,
} from '../../../functions/testimonials/table/posting-keys.ts';
import { isLike } from '../../iam/decide.ts';
import { runsOf } from '../../some-of.ts';
import { storedAt } from '../../testimonials.ts';

const organizations = fc.oneof(
  // Names that could pass for a part of another key.
  fc.constantFrom('a', 'a-key', 'key', 'token', 'counter', 'status', 'org', '0'),
  fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/),
);
const ordinals = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 999_999_999_999 }));
const budgetNames = ['general', 'published', 'desk', 'forms'] as const;
// The minutes of this century.
const minutes = fc.integer({ min: 15_778_080, max: 68_374_079 });
const hexadecimal = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
const personIds = fc.stringMatching(/^[0-9A-Za-z]{10}$/);
const pageIds = fc.stringMatching(/^[0-9A-Za-z]{22}$/);
const idempotencyKeys = fc.oneof(
  fc.constantFrom('#KEY#', '#', 'KEY', 'a#KEY#b', '#STATUS#pending', 'COUNTER'),
  fc.stringMatching(/^[!-~]{1,30}$/),
);

const generations = fc.oneof(fc.integer({ min: 1, max: 11 }), fc.nat());
const chunks = fc.oneof(fc.integer({ min: 0, max: 11 }), ordinals.map(chunkOf));
// A tag may contain anything but a comma, even the separators of a key's parts.
const terms = fc.oneof(
  fc.constantFrom('all', 'status=pending', 'rating=5', 'prefix=a', 'tag=#', 'tag=1#2', 'tag=#0000001'),
  fc.constantFrom(
    'tag=##WORD#1#a',
    'tag=a\n#TERM#2#b',
    'tag=größe',
    'tag=👍#👍',
    'tag=#KEY#k',
    'tag=a',
    'tag==a',
  ),
  // No tag has a comma.
  fc
    .string({ minLength: 1, maxLength: 50, unit: 'grapheme' })
    .filter((tag) => !tag.includes(','))
    .map((tag) => `tag=${tag}`),
);
// No word contains a number sign today, but keys would allow one.
const words = fc.oneof(
  fc.constantFrom('a', 'ab', 'amaze', 'amazing', 'a#0000001', '0000001', '製品', '👍🏽', 'term'),
  // Words begin with a letter or a digit.
  fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter((word) => /^[\p{L}\p{N}]/u.test(word)),
);
const postings: fc.Arbitrary<PostingName> = fc.oneof(
  fc.tuple(terms, fc.constantFrom(...axes)).map(([term, axis]) => facetPosting(axis, term)),
  fc
    .tuple(fc.constantFrom(...axes), fc.constantFrom('chunk' as const, 'chunks' as const))
    .map(([axis, of]) => summaryTerm(axis, of)),
  fc.constant(ordinalsTerm),
  words.map((word) => ({ kind: 'word' as const, word })),
  words.map((word) => ({ kind: 'beginning' as const, letters: Array.from(word).slice(0, 2).join('') })),
);

/** An item's kind and name, with its key. */
type Named = { name: unknown[]; key: Key };
function named<Parts extends unknown[]>(
  kind: string,
  keyOf: (...parts: Parts) => Key,
  ...parts: { [I in keyof Parts]: fc.Arbitrary<Parts[I]> }
): fc.Arbitrary<Named> {
  return fc.tuple<Parts>(...parts).map((values) => ({ name: [kind, ...values], key: keyOf(...values) }));
}
const items = fc.oneof(
  named('counter', counterKey, organizations),
  named('testimonial', testimonialKey, organizations, ordinals),
  named('marker', changeMarkerKey, organizations, ordinals),
  named('request', indexRequestKey, organizations),
  named('organization', organizationKey, organizations),
  named('head', indexHeadKey, organizations),
  named('posting', postingKey, organizations, generations, postings, chunks),
  named('token', tokenKey, hexadecimal(64)),
  named('pointer', tokenPointerKey, organizations, hexadecimal(12)),
  named('pass', passKey, hexadecimal(64)),
  named('pass pointer', passPointerKey, organizations, personIds, hexadecimal(64)),
  named('passkey', passkeyKey, hexadecimal(64)),
  named('passkey pointer', passkeyPointerKey, organizations, personIds, hexadecimal(64)),
  named('challenge', challengeKey, hexadecimal(64)),
  named('page', pageKey, pageIds),
  named('page pointer', pagePointerKey, organizations, pageIds),
  named('idempotency', idempotencyKeyKey, organizations, idempotencyKeys),
  named('budget', budgetKey, organizations),
  ...budgetNames.map((budget) =>
    named(
      `spending of ${budget}`,
      (organization, minute) => spendingKey({ organization, budget }, minute),
      organizations,
      minutes,
    ),
  ),
);

const asText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

test('different items have different keys', () => {
  fc.assert(
    fc.property(fc.array(items, { maxLength: 100, size: 'max' }), (many) => {
      const names = new Set(many.map(({ name }) => JSON.stringify(name)));
      expect(new Set(many.map(({ key }) => `${key.PK}\n${key.SK}`)).size).toBe(names.size);
    }),
    { numRuns: 500 },
  );
});

test('each organization and each of its statuses has its own partition', () => {
  fc.assert(
    fc.property(organizations, organizations, (a, b) => {
      const partitionsOf = (organization: string) => [
        organizationPartition(organization),
        ...statuses.map((status) => statusPartition(organization, status)),
      ];
      expect(new Set([...partitionsOf(a), ...partitionsOf(b)]).size).toBe(a === b ? 4 : 8);
    }),
  );
});

/** The kind of an item's partition. */
function partitionKindOf(kind: unknown): PartitionKind {
  const kinds: Record<string, PartitionKind> = {
    token: 'token',
    pass: 'pass',
    passkey: 'pass',
    challenge: 'pass',
    page: 'page',
    idempotency: 'idempotencyKey',
    posting: 'listIndex',
    organization: 'organizations',
    renewal: 'renewal',
    absent: 'absent',
    budget: 'budget',
    ...Object.fromEntries(budgetNames.map((budget) => [`spending of ${budget}`, 'budget' as const])),
  };
  return kinds[String(kind)] ?? 'organization';
}

test('the pattern of exactly one kind matches the partition key of an item', () => {
  const others = fc.constantFrom<Named>(
    { name: ['renewal'], key: renewalRequestKey },
    { name: ['absent'], key: absentKey },
  );
  fc.assert(
    fc.property(fc.oneof(items, others), ({ name: [kind], key: { PK } }) => {
      const kinds = Object.entries<{ like: string; unlike?: string }>(partitionKinds).filter(
        ([, { like, unlike }]) => isLike(PK, like) && !(unlike !== undefined && isLike(PK, unlike)),
      );
      expect(kinds.map(([name]) => name)).toEqual([partitionKindOf(kind)]);
    }),
    { numRuns: 1000 },
  );
});

test('no key is longer than DynamoDB allows', () => {
  const longOrganization = 'a'.repeat(63);
  const keys = fc.oneof(
    fc.stringMatching(/^[!-~]{255}$/).map((k) => idempotencyKeyKey(longOrganization, k)),
    // The longest tag and the longest word are of letters of four bytes.
    fc
      .constantFrom<PostingName>(facetPosting('createdAt', `tag=${'𐐨'.repeat(50)}`), {
        kind: 'word',
        word: '𐐨'.repeat(200),
      })
      .map((posting) => postingKey(longOrganization, 2 ** 31, posting, 999_999_999)),
    items.map(({ key }) => key),
  );
  fc.assert(
    fc.property(keys, ({ PK, SK }) => {
      expect(Buffer.byteLength(PK)).toBeLessThanOrEqual(2048);
      expect(Buffer.byteLength(SK)).toBeLessThanOrEqual(1024);
      expect(SK).not.toBe('');
    }),
  );
});

describe('a key gives back', () => {
  test('the ordinal, update ordinal or id that it was made of', () => {
    fc.assert(
      fc.property(ordinals, organizations, pageIds, (n, organization, id) => {
        expect(ordinalOfTestimonialKey(testimonialKey(organization, n).SK)).toBe(n);
        expect(updateOrdinalOfKey(changeMarkerKey(organization, n).SK)).toBe(n);
        expect(updateOrdinalOfKey(erasureTextsKey(organization, n).SK)).toBe(n);
        expect(pageIdOfPointerKey(pagePointerKey(organization, id).SK)).toBe(id);
      }),
    );
  });

  test('the minute of spending of any budget', () => {
    fc.assert(
      fc.property(fc.constantFrom(...budgetNames), minutes, (budget, n) => {
        expect(minuteOfSpendingKey(spendingKey({ organization: 'o', budget }, n).SK)).toBe(n);
      }),
    );
  });

  test('the posting and chunk of a posting, in its partition', () => {
    fc.assert(
      fc.property(organizations, generations, postings, chunks, (o, g, posting, chunk) => {
        const { PK, SK } = postingKey(o, g, posting, chunk);
        expect(PK).toBe(postingPartition(o, g, partitionOf(posting)));
        expect(parsePostingSortKey(partitionOf(posting), SK)).toEqual({ posting, chunk });
      }),
      { numRuns: 1000 },
    );
  });

  test('the organization of its partition, and none for a partition of another kind', () => {
    fc.assert(
      fc.property(items, ({ name: [kind, organization], key: { PK } }) => {
        const isInIt = partitionKindOf(kind) === 'organization';
        expect(organizationOfPartition(PK)).toBe(isInIt ? organization : undefined);
      }),
    );
  });
});

describe('postings', () => {
  test('of a term are in one range of sort keys, without those of any other term', () => {
    fc.assert(
      fc.property(postings, postings, chunks, (term, posting, chunk) => {
        const { PK, SK } = postingKey('o', 1, posting, chunk);
        const from = postingKey('o', 1, term, 0);
        const isWithin = SK >= from.SK && SK <= postingSortKey(term, Number.POSITIVE_INFINITY);
        expect(PK === from.PK && isWithin).toBe(nameOf(posting) === nameOf(term));
      }),
      { numRuns: runsOf(1000) },
    );
  });

  test('of words with a prefix, and no others, are in one partition with sort keys that begin with it', () => {
    const prefix = fc
      .oneof(words, fc.constantFrom('ama', 'amaz', '製品が'))
      .filter((start) => !isBeginning(start));
    fc.assert(
      fc.property(prefix, words, chunks, (start, word, chunk) => {
        // No prefix of a search contains a number sign.
        fc.pre(!start.includes('#'));
        const { PK, SK } = postingKey('o', 1, { kind: 'word', word }, chunk);
        const partition = postingPartition('o', 1, partitionOfWords(start));
        expect(PK === partition && SK.startsWith(start)).toBe(word.startsWith(start));
      }),
    );
  });
});

describe('sort keys', () => {
  test.each([
    ['testimonials order as their ordinals', testimonialKey],
    ['change markers order as the updates', changeMarkerKey],
  ])('of %s', (_, keyOf) => {
    fc.assert(
      fc.property(ordinals, ordinals, (a, b) => {
        expect(asText(keyOf('o', a).SK, keyOf('o', b).SK)).toBe(Math.sign(a - b));
      }),
    );
  });

  test('of testimonials, change markers and the head follow each other with no other item between', () => {
    // One Query reads all three.
    const from = testimonialKey('o', 0).SK;
    const to = indexHeadKey('o').SK;
    fc.assert(
      fc.property(items, ({ name: [kind], key: { SK } }) => {
        fc.pre(!['posting', 'organization'].includes(String(kind)));
        const isBetween = SK >= from && SK <= to;
        expect(isBetween).toBe(['testimonial', 'marker', 'head'].includes(String(kind)));
      }),
    );
  });

  test('of a prefix have no item of another kind in their range', () => {
    const kinds: Record<string, string> = {
      testimonial: prefixes.testimonial,
      marker: prefixes.changeMarker,
      pointer: prefixes.token,
      'pass pointer': prefixes.pass,
      'passkey pointer': prefixes.passkey,
      'page pointer': prefixes.page,
      'spending of general': spendingPrefixes.general,
      'spending of published': spendingPrefixes.published,
      'spending of desk': spendingPrefixes.desk,
      'spending of forms': spendingPrefixes.forms,
    };
    fc.assert(
      fc.property(items, ({ name: [kind], key }) => {
        // Ranges are read in the partition of an organization, which contains no posting.
        fc.pre(kind !== 'posting');
        for (const [ofKind, prefix] of Object.entries(kinds)) {
          expect(key.SK.startsWith(prefix)).toBe(kind === ofKind);
        }
      }),
    );
  });
});

describe('the attributes of secondary indexes', () => {
  const every = Object.values(secondaryIndexes).flatMap((bySort) => Object.values(bySort));
  test('are exactly the keys of the indexes', () => {
    const keyed = every.flatMap(({ partition, sort }) => [partition, sort]);
    expect(new Set([...Object.keys(secondaryIndexAttributes('o', storedAt(1))), 'PK'])).toEqual(
      new Set(keyed),
    );
  });

  test.each(sortNames)('of %s order as lists do', (sort) => {
    const rows = fc
      .tuple(fc.integer({ min: 0, max: 5 }), ordinals, ordinals)
      .map(([stars, ordinal, updateOrdinal]) =>
        storedAt(ordinal, stars === 0 ? {} : { rating: stars }, { updateOrdinal }),
      );
    const { sort: attribute } = secondaryIndexes.organization[sort];
    const sortValue = (row: StoredTestimonial) => String(secondaryIndexAttributes('o', row)[attribute]);
    fc.assert(
      fc.property(rows, rows, (a, b) => {
        expect(asText(sortValue(a), sortValue(b))).toBe(Math.sign(comparison(sort, 'asc')(a, b)));
      }),
    );
  });
});
