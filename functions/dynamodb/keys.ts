/**
 * The keys and attribute names of the single table. No other module builds a key, except for postings
 * (functions/testimonials/table/posting-keys.ts).
 *
 * | Item             | PK                          | SK                      | Notes                        |
 * |------------------|-----------------------------|-------------------------|------------------------------|
 * | Organization     | ORGANIZATIONS               | <org>                   | added with its first token,  |
 * |                  |                             |                         | person, page, import or seed |
 * | Counter          | ORG#<org>                   | COUNTER                 | lastOrdinal,                 |
 * |                  |                             |                         | lastUpdateOrdinal, lastTime; |
 * |                  |                             |                         | firstTime: the end of the    |
 * |                  |                             |                         | history; load: the load with |
 * |                  |                             |                         | the first positions          |
 * | Testimonial      | ORG#<org>                   | TESTIMONIAL#<o>         | has the keys of the          |
 * |                  |                             |                         | secondary indexes; fields;   |
 * |                  |                             |                         | longFields above 2 KB        |
 * | Sealed position  | ORG#<org>                   | TESTIMONIAL#<o>         | keys only: never a           |
 * |                  |                             |                         | testimonial                  |
 * | Erased           | ORG#<org>                   | TESTIMONIAL#<o>         | erased: the id;              |
 * |                  |                             |                         | updateOrdinal, time          |
 * | Change marker    | ORG#<org>                   | TESTIMONIAL_CHANGE#<u>  | o, p, v, t, f:               |
 * |                  |                             |                         | changeMarkerAttributes       |
 * | Erasure's texts  | ORG#<org>#ERASURES          | ERASURE#<u>             | until their terms are out of |
 * |                  |                             |                         | the index                    |
 * | Import           | ORG#<org>                   | IMPORT#<sha-256>        | the progress of a file's     |
 * |                  |                             |                         | import                       |
 * | Import positions | ORG#<org>                   | IMPORT_POSITIONS#<n>    | name, parts; keptLines after |
 * |                  |                             |                         | an undo                      |
 * | … parts          | ORG#<org>                   | … #<sha-256>#<part>     | b: positions and times of    |
 * |                  |                             |                         | import <n>                   |
 * | Index head       | ORG#<org>                   | TESTIMONIAL_INDEX       | the state of the list index; |
 * |                  |                             |                         | `index-store.ts`             |
 * | Update request   | ORG#<org>                   | INDEX_REQUEST           | at; starts the index         |
 * |                  |                             |                         | function                     |
 * | Renewal request  | RENEWAL                     | INDEX_REQUEST           | id, from, at; of all list    |
 * |                  |                             |                         | indexes                      |
 * | Posting, facet   | ORG#<org>#<g>#FACET#<a>#<t> | <chunk>                 | b: the bits of 65,536        |
 * |                  |                             |                         | positions                    |
 * | … of texts       | ORG#<org>#<g>#TEXTS#<a>#<n> | <digest>#<chunk>        | b; of facets like tag=ux; n  |
 * |                  |                             |                         | is derived                   |
 * | Posting, word    | ORG#<org>#<g>#WORDS#<n>     | <word>#<chunk>          | b; n is derived from the     |
 * |                  |                             |                         | first two letters            |
 * | … beginning      | ORG#<org>#<g>#WORDS#<n>     | =<letters>#<chunk>      | b                            |
 * | … hidden         | as the three above          | !…#<chunk>              | b; of texts that are masked  |
 * |                  |                             |                         | in public                    |
 * | Summary          | ORG#<org>#<g>#SUMMARY#<a>#… | <chunk>                 | b: the counts of one chunk,  |
 * |                  |                             |                         | or of 64                     |
 * | Ordinals         | ORG#<org>#<g>#ORDINALS      | <chunk>                 | b: ordinals by update        |
 * |                  |                             |                         | ordinal                      |
 * | Token pointer    | ORG#<org>                   | TOKEN#<id>              | hash; lists an               |
 * |                  |                             |                         | organization's tokens        |
 * | Token            | TOKEN#<sha-256>             | TOKEN                   | read once a minute           |
 * | Person           | ORG#<org>                   | PERSON#<id>             | moderates at the desk        |
 * | Pass pointer     | ORG#<org>                   | PASS#<person>#<sha-256> | lists the passes of a        |
 * |                  |                             |                         | person; ttl                  |
 * | Pass             | DESK#<sha-256>              | PASS                    | an invitation, a session or  |
 * |                  |                             |                         | a feed; ttl                  |
 * | Passkey pointer  | ORG#<org>                   | PASSKEY#<person>#<…>    | lists the passkeys of a      |
 * |                  |                             |                         | person                       |
 * | Passkey          | DESK#<sha-256>              | PASSKEY                 | by its credential's id       |
 * | Challenge        | DESK#<sha-256>              | CHALLENGE               | for one use of a passkey;    |
 * |                  |                             |                         | ttl                          |
 * | Brand            | ORG#<org>                   | BRAND                   | name, accent, logo; shown on |
 * |                  |                             |                         | pages                        |
 * | Page pointer     | ORG#<org>                   | PAGE#<id>               | lists an organization's      |
 * |                  |                             |                         | pages                        |
 * | Page             | PAGE#<id>                   | PAGE                    | a form or a wall             |
 * | Idempotency key  | ORG#<org>#KEY#<sha-256>     | KEY                     | ttl, 24 h; 30 days for a     |
 * |                  |                             |                         | form's                       |
 * | Budget           | ORG#<org>#BUDGET            | BUDGET                  | its own, a minute and a day, |
 * |                  |                             |                         | nanodollars                  |
 * | Spending         | ORG#<org>#BUDGET            | MINUTE#<UTC>            | spent, requests, in one      |
 * |                  |                             |                         | minute; ttl, 25 h            |
 * | … published      | ORG#<org>#BUDGET            | PUBLISHED#<UTC>         | the same for walls and       |
 * |                  |                             |                         | tokens in web pages          |
 * | … desk           | ORG#<org>#BUDGET            | DESK#<UTC>              | the same for the desk        |
 * | … forms          | ORG#<org>#BUDGET            | FORMS#<UTC>             | the same for forms           |
 *
 * <o> is an ordinal, <u> an update ordinal, <g> the generation of the list index, <a> an axis, <t> a common
 * facet (functions/testimonials/list-index/index-terms.ts). Change markers and the head sort directly after
 * the testimonials, so that one query reads the newest testimonials and both (ADR 26). A posting's e is the
 * epoch of the step that wrote it. A summary's e counts its writes, and its s is the highest epoch of its
 * testimonials. A ttl is in seconds since 1970.
 *
 * Six sparse secondary indexes store copies of the testimonials, without long contents: three per
 * organization (PK) and three per organization and status (statusPartition), each sorted by the numbers of a
 * sort (functions/domain/testimonial-order.ts).
 */

import { createHash } from 'node:crypto';
import type { BudgetName, Payer } from '../domain/payer.ts';
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { Status } from '../domain/testimonial.ts';
import {
  type Ordinal,
  type Sort,
  sortNames,
  sortPosition,
  type UpdateOrdinal,
} from '../domain/testimonial-order.ts';
import { budgetMinuteMs } from '../timing.ts';

/** The table's own key attributes. */
export const tableKey = { partition: 'PK', sort: 'SK' } as const;

/**
 * The attributes of secondary indexes besides keys: everything that a list reads, except long fields. A new
 * field is a member of `fields`, so that no index changes.
 */
export const projectedAttributes: readonly string[] = [
  'id',
  'fields',
  'isPartial',
  'updateOrdinal',
  'previousUpdateOrdinal',
  'version',
  'writtenAt',
  'layout',
];

/** Contains the id of an erased testimonial. */
export const erasedAttribute = 'erased';

/** The attribute with the time after which DynamoDB deletes an item (TTL). */
export const ttlAttribute = 'ttl';

const statusPartitionAttribute = 'statusPartition';
const sortAttribute = (sort: Sort) => `${sort}Sort`;

export interface SecondaryIndex {
  name: string;
  partition: string;
  sort: string;
}

/** The secondary indexes, two for each sort, named by access pattern: `by-organization-created-at`. */
export const secondaryIndexes = {
  organization: indexesOf('organization', tableKey.partition),
  status: indexesOf('status', statusPartitionAttribute),
};

function indexesOf(prefix: string, partition: string): Record<Sort, SecondaryIndex> {
  const entries = sortNames.map((sort) => {
    const words = sort.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [sort, { name: `by-${prefix}-${words}`, partition, sort: sortAttribute(sort) }];
  });
  return Object.fromEntries(entries);
}

/** A type instead of an interface, because the SDK requires a record. */
export type Key = {
  PK: string;
  SK: string;
};

/** Sort-key prefixes by kind of item. */
export const prefixes = {
  testimonial: 'TESTIMONIAL#',
  changeMarker: 'TESTIMONIAL_CHANGE#',
  erasure: 'ERASURE#',
  token: 'TOKEN#',
  person: 'PERSON#',
  pass: 'PASS#',
  passkey: 'PASSKEY#',
  page: 'PAGE#',
  import: 'IMPORT#',
} as const;

/** The sort key of a request for an index update, or for a renewal of all indexes. */
export const indexRequestSortKey = 'INDEX_REQUEST';

/**
 * Patterns of partition keys for IAM policies, in which `*` matches any text. Each key in the table matches
 * exactly one kind.
 */
export const partitionKinds = {
  /** The names of all organizations. */
  organizations: { like: 'ORGANIZATIONS' },
  /**
   * An organization's testimonials, counter, change markers, index head, brand, imports, people, and pointers
   * to tokens, passes, passkeys and pages.
   */
  organization: { like: 'ORG#*', unlike: 'ORG#*#*' },
  /** The organization's postings, summaries and blocks of ordinals. */
  listIndex: { like: 'ORG#*#*#*', unlike: 'ORG#*#KEY#*' },
  idempotencyKey: { like: 'ORG#*#KEY#*' },
  /** The texts of the organization's erasures. */
  erasure: { like: 'ORG#*#ERASURES' },
  /** The organization's budget and spending. */
  budget: { like: 'ORG#*#BUDGET' },
  renewal: { like: 'RENEWAL' },
  token: { like: 'TOKEN#*' },
  /** Passes, passkeys and challenges. */
  pass: { like: 'DESK#*' },
  page: { like: 'PAGE#*' },
  /** The partition of `absentKey`. */
  absent: { like: 'ABSENT' },
} as const satisfies Record<string, { like: string; unlike?: string }>;

export type PartitionKind = keyof typeof partitionKinds;

/** Sorts after every key with the same prefix. */
export const afterPrefix = '\u{10ffff}';

/** A key without an item. Reading it opens a connection. */
export const absentKey: Key = { PK: 'ABSENT', SK: 'ABSENT' };

export const organizationKey = (organization: string): Key => ({ PK: 'ORGANIZATIONS', SK: organization });

export const organizationPartition = (organization: string) => `ORG#${organization}`;

const inOrganization = (organization: string, SK: string): Key => ({
  PK: organizationPartition(organization),
  SK,
});

/**
 * Returns the organization of a partition of testimonials or erasures, or undefined for any other partition.
 */
export function organizationOfPartition(partition: string): string | undefined {
  return /^ORG#([^#]+)(#ERASURES)?$/.exec(partition)?.[1];
}

export const statusPartition = (organization: string, status: Status) =>
  `${organizationPartition(organization)}#STATUS#${status}`;

/** Returns the attributes by which the secondary indexes find a testimonial. */
export function secondaryIndexAttributes(
  organization: string,
  stored: StoredTestimonial,
): Record<string, string> {
  return {
    [statusPartitionAttribute]: statusPartition(organization, stored.testimonial.status),
    ...Object.fromEntries(
      sortNames.map((sort) => [sortAttribute(sort), sortKeyOf(sortPosition(sort, stored))]),
    ),
  };
}

/** Returns the sort key of a position in a secondary index. */
export function sortKeyOf(position: readonly number[]): string {
  return position.map(padded).join('#');
}

export const counterKey = (organization: string) => inOrganization(organization, 'COUNTER');

/** Returns the key of a testimonial, a sealed position or an erased testimonial. */
export const testimonialKey = (organization: string, ordinal: Ordinal) =>
  inOrganization(organization, `${prefixes.testimonial}${padded(ordinal)}`);

export const isTestimonialKey = (sortKey: string) => sortKey.startsWith(prefixes.testimonial);

export const ordinalOfTestimonialKey = (sortKey: string) =>
  Number(sortKey.slice(prefixes.testimonial.length));

export const changeMarkerKey = (organization: string, updateOrdinal: UpdateOrdinal) =>
  inOrganization(organization, `${prefixes.changeMarker}${padded(updateOrdinal)}`);

export const isChangeMarkerKey = (sortKey: string) => sortKey.startsWith(prefixes.changeMarker);

/**
 * The attributes of a change marker. The names are short, because each list reads the markers of the last
 * seconds.
 */
export const changeMarkerAttributes = {
  ordinal: 'o',
  previousUpdateOrdinal: 'p',
  version: 'v',
  time: 't',
  formerFacets: 'f',
} as const;

export const erasurePartition = (organization: string) => `${organizationPartition(organization)}#ERASURES`;

export const erasureTextsKey = (organization: string, updateOrdinal: UpdateOrdinal): Key => ({
  PK: erasurePartition(organization),
  SK: `${prefixes.erasure}${padded(updateOrdinal)}`,
});

/** Returns the update ordinal in the sort key of a change marker or of an erasure's texts. */
export const updateOrdinalOfKey = (sortKey: string) => Number(sortKey.slice(sortKey.indexOf('#') + 1));

export const indexHeadKey = (organization: string) => inOrganization(organization, 'TESTIMONIAL_INDEX');

/** @param name SHA-256 of a file and of the options of its import; after an undo, also the attempt */
export const importKey = (organization: string, name: string) =>
  inOrganization(organization, `${prefixes.import}${name}`);

export const isImportKey = (sortKey: string) => sortKey.startsWith(prefixes.import);

export const nameOfImportKey = (sortKey: string) => sortKey.slice(prefixes.import.length);

/**
 * @param number of an import that reserved positions; if absent, the sort key is the prefix of all of them
 */
export function importPositionsKey(
  organization: string,
  number?: number,
  of?: { name: string; part: number },
): Key {
  const sortKey = `IMPORT_POSITIONS#${number === undefined ? '' : padded(number)}`;
  return inOrganization(organization, of ? `${sortKey}#${of.name}#${padded(of.part)}` : sortKey);
}

export const indexRequestKey = (organization: string) => inOrganization(organization, indexRequestSortKey);

/** The key of the request to renew all list indexes. */
export const renewalRequestKey: Key = { PK: 'RENEWAL', SK: indexRequestSortKey };

export const tokenKey = (hash: string): Key => ({ PK: `TOKEN#${hash}`, SK: 'TOKEN' });

export const tokenPointerKey = (organization: string, tokenId: string) =>
  inOrganization(organization, `${prefixes.token}${tokenId}`);

export const personKey = (organization: string, personId: string) =>
  inOrganization(organization, `${prefixes.person}${personId}`);

/** @param hash of the secret of an invitation, a session or a feed */
export const passKey = (hash: string): Key => ({ PK: `DESK#${hash}`, SK: 'PASS' });

/**
 * @param hash of the secret of an invitation, a session or a feed; if absent, the sort key is the prefix of
 * all passes of the person
 */
export const passPointerKey = (organization: string, personId: string, hash = '') =>
  inOrganization(organization, `${prefixes.pass}${personId}#${hash}`);

/** @param hash of the credential's id */
export const passkeyKey = (hash: string): Key => ({ PK: `DESK#${hash}`, SK: 'PASSKEY' });

/** @param hash of the credential's id; if absent, the sort key is the prefix of all passkeys of the person */
export const passkeyPointerKey = (organization: string, personId: string, hash = '') =>
  inOrganization(organization, `${prefixes.passkey}${personId}#${hash}`);

/** @param hash of the challenge */
export const challengeKey = (hash: string): Key => ({ PK: `DESK#${hash}`, SK: 'CHALLENGE' });

/** Returns the hash in the sort key of a pointer to a pass or a passkey. */
export const hashOfPassPointerKey = (sortKey: string) => sortKey.slice(sortKey.lastIndexOf('#') + 1);

export const brandKey = (organization: string) => inOrganization(organization, 'BRAND');

export const pageKey = (id: string): Key => ({ PK: `${prefixes.page}${id}`, SK: 'PAGE' });

export const pagePointerKey = (organization: string, id: string) =>
  inOrganization(organization, `${prefixes.page}${id}`);

/** Returns the id of the page in the sort key of its pointer. */
export const pageIdOfPointerKey = (sortKey: string) => sortKey.slice(prefixes.page.length);

export function idempotencyKeyKey(organization: string, key: string): Key {
  // Hashed, because a client may use an e-mail address as its key, which an erasure would not find here.
  const hash = createHash('sha256').update(key).digest('hex');
  return { PK: `${organizationPartition(organization)}#KEY#${hash}`, SK: 'KEY' };
}

// A separate partition, because every running function writes to it every second.
const budgetPartition = (organization: string) => `${organizationPartition(organization)}#BUDGET`;

export const budgetKey = (organization: string): Key => ({ PK: budgetPartition(organization), SK: 'BUDGET' });

/** Sort-key prefixes of spending by budget. */
export const spendingPrefixes: Record<BudgetName, string> = {
  general: 'MINUTE#',
  published: 'PUBLISHED#',
  desk: 'DESK#',
  forms: 'FORMS#',
};

/** @param minute since 1970 */
export function spendingKey(
  { organization, budget }: Pick<Payer, 'organization' | 'budget'>,
  minute: number,
): Key {
  const utc = new Date(minute * budgetMinuteMs).toISOString().slice(0, 'YYYY-MM-DDTHH:mm'.length);
  return { PK: budgetPartition(organization), SK: `${spendingPrefixes[budget]}${utc}` };
}

/** Returns the minute since 1970 in the sort key of spending. */
export function minuteOfSpendingKey(sortKey: string): number {
  return Date.parse(`${sortKey.slice(sortKey.indexOf('#') + 1)}Z`) / budgetMinuteMs;
}

// 12 digits: the ordinals of a trillion testimonials sort as text.
function padded(number: number): string {
  return String(number).padStart(12, '0');
}
