/**
 * The single table. No other module builds a key or names an attribute of one.
 *
 * | Item            | PK                         | SK                     | Notes                                     |
 * |-----------------|----------------------------|------------------------|-------------------------------------------|
 * | Organization    | ORGANIZATIONS              | <org>                  | each that had a token, import or person   |
 * | Counter         | ORG#<org>                  | COUNTER                | lastOrdinal, lastUpdateOrdinal, lastTime, |
 * |                 |                            |                        | firstTime: when the first place was taken,|
 * |                 |                            |                        | but for an erasure: the end of the past   |
 * |                 |                            |                        | load: the one that has the first places   |
 * | Testimonial     | ORG#<org>                  | TESTIMONIAL#<o>        | the truth; carries the index keys below;  |
 * |                 |                            |                        | content, or longContent above 2 KB        |
 * | Sealed place    | ORG#<org>                  | TESTIMONIAL#<o>        | no testimonial, for ever; has no more     |
 * | Erased          | ORG#<org>                  | TESTIMONIAL#<o>        | erased: its id, for ever; when; no more   |
 * | Change marker   | ORG#<org>                  | TESTIMONIAL_CHANGE#<u> | o, p, v, t, f: changeMarkerAttributes     |
 * | Erasure's texts | ORG#<org>#ERASURES         | ERASURE#<u>            | until its words are out of the list index |
 * | Import          | ORG#<org>                  | IMPORT#<sha-256>       | how far the import of a file is           |
 * | Import's places | ORG#<org>                  | IMPORT_POSITIONS#<n>   | name, parts: which places it has taken;   |
 * |                 |                            |                        | keptLines: lines that an undo has left    |
 * | … parts         | ORG#<org>                  | … #<sha-256>#<part>    | b: places and times, of import number <n> |
 * | Index head      | ORG#<org>                  | TESTIMONIAL_INDEX      | what the postings have; docs/adr/0006     |
 * | Update request  | ORG#<org>                  | INDEX_REQUEST          | at; calls the index function              |
 * | Renewal request | RENEWAL                    | INDEX_REQUEST          | the same for all organizations: id, from  |
 * | Posting, facet  | ORG#<org>#<g>#FACET#<a>#<t>| <chunk>                | b: bits of one facet in 65,536 places     |
 * | … of texts      | ORG#<org>#<g>#TEXTS#<a>#<n>| <digest>#<chunk>       | b; of a facet as tag=ux, n follows from it |
 * | Posting, word   | ORG#<org>#<g>#WORDS#<n>    | <word>#<chunk>         | b; n follows from the first two letters   |
 * | … beginning     | ORG#<org>#<g>#WORDS#<n>    | =<letters>#<chunk>     | b                                         |
 * | … hidden        | as those of texts          | !…#<chunk>             | b; of what is masked for everyone         |
 * | Summary         | ORG#<org>#<g>#SUMMARY#<a>#…| <chunk>                | b: counts of a chunk, or of many          |
 * | Ordinals        | ORG#<org>#<g>#ORDINALS     | <chunk>                | b: ordinals by update ordinal             |
 * | Token pointer   | ORG#<org>                  | TOKEN#<id>             | hash; lists an organization's tokens      |
 * | Token           | TOKEN#<sha-256>            | TOKEN                  | what a request's token is looked up by    |
 * | Person          | ORG#<org>                  | PERSON#<id>            | who moderates at the desk                 |
 * | Pass            | DESK#<sha-256>             | PASS                   | invitation or session of a person; ttl    |
 * | Idempotency key | ORG#<org>#KEY#<sha-256>    | KEY                    | ttl: seconds since the epoch, 24 h        |
 * | Budget          | ORG#<org>#BUDGET           | BUDGET                 | the organization's own, in nanodollars    |
 * | Spending        | ORG#<org>#BUDGET           | MINUTE#<UTC>           | spent, requests: in a minute; ttl, 1 h    |
 * | … by published  | ORG#<org>#BUDGET           | PUBLISHED#<UTC>        | the same, of tokens in web pages          |
 * | … by desk       | ORG#<org>#BUDGET           | DESK#<UTC>             | the same, of the desk                     |
 *
 * <o> is a testimonial's ordinal, <u> the ordinal of an update, <g> the generation of the list index, <a> an axis:
 * createdAt for places by ordinal, updatedAt by update ordinal; <t> is a common facet (functions/list-index/index-terms.ts).
 * Change markers and head sort right after the testimonials: one Query reads the newest testimonials and both
 * (docs/adr/0004). A posting's e is the epoch of the step that wrote it; a summary's e counts its writes, and s is the
 * highest epoch of what it counts.
 *
 * Six sparse secondary indexes hold the testimonials, without long contents: per organization (PK) and per organization and status
 * (statusPartition), each sorted by the numbers of a sort (functions/domain/testimonial-order.ts).
 */

import { createHash } from 'node:crypto';
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { BudgetName, Payer } from '../domain/stores.ts';
import type { Status } from '../domain/testimonial.ts';
import {
  type Ordinal,
  type Sort,
  sortNames,
  sortPosition,
  type UpdateOrdinal,
} from '../domain/testimonial-order.ts';
import type { Posting, PostingRef } from '../list-index/index-store.ts';
import { type PostingPartition, type PostingTerm, partitionOf } from '../list-index/index-terms.ts';
import { budgetMinuteMs } from '../timing.ts';

/** The table's own key attributes. */
export const tableKey = { partition: 'PK', sort: 'SK' } as const;

/** The attributes that a testimonial's content stands in: a long one is in no secondary index. */
export const contentAttributes = { short: 'content', long: 'longContent' } as const;

/** The attributes that secondary indexes have beside keys: all that a list needs of a testimonial, but for a long content. */
export const projectedAttributes: readonly string[] = [
  ...['id', contentAttributes.short, 'author', 'rating', 'type', 'status', 'tags', 'createdAt', 'updatedAt'],
  ...['updateOrdinal', 'previousUpdateOrdinal', 'version', 'writtenAt', 'layout'],
];

/** The attribute by which an erased testimonial is known. */
export const erasedAttribute = 'erased';

/** The attribute from which DynamoDB's TTL deletes expired items. */
export const ttlAttribute = 'ttl';

const statusPartitionAttribute = 'statusPartition';
const sortAttribute = (sort: Sort) => `${sort}Sort`;

/** A secondary index: its name and its key attributes. */
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

/** A type and not an interface: the SDK takes it as a record. */
export type Key = {
  PK: string;
  SK: string;
};

/** Sort-key prefixes of item kinds. */
export const prefixes = {
  testimonial: 'TESTIMONIAL#',
  changeMarker: 'TESTIMONIAL_CHANGE#',
  erasure: 'ERASURE#',
  token: 'TOKEN#',
  person: 'PERSON#',
  import: 'IMPORT#',
  spending: 'MINUTE#',
  spendingByPublished: 'PUBLISHED#',
  spendingByDesk: 'DESK#',
} as const;

/** The sort key of an organization's index update request. */
export const indexRequestSortKey = 'INDEX_REQUEST';

/**
 * The patterns of each kind of partition keys, as a policy of IAM compares them: `*` is any text. Each key in the table is
 * of one kind.
 */
export const partitionKinds = {
  /** The names of all organizations. */
  organizations: { like: 'ORGANIZATIONS' },
  /** An organization's testimonials, counter, change markers, index head, imports, token pointers, people. */
  organization: { like: 'ORG#*', unlike: 'ORG#*#*' },
  /** Its postings, summaries and blocks of ordinals. */
  listIndex: { like: 'ORG#*#*#*', unlike: 'ORG#*#KEY#*' },
  idempotencyKey: { like: 'ORG#*#KEY#*' },
  /** The texts of its erasures whose words may still be in the list index. */
  erasure: { like: 'ORG#*#ERASURES' },
  /** Its budget, and what it spent. */
  budget: { like: 'ORG#*#BUDGET' },
  renewal: { like: 'RENEWAL' },
  token: { like: 'TOKEN#*' },
  /** What lets a browser in at the desk. */
  pass: { like: 'DESK#*' },
  /** No item: what is read to open a connection. */
  absent: { like: 'ABSENT' },
} as const satisfies Record<string, { like: string; unlike?: string }>;

export type PartitionKind = keyof typeof partitionKinds;

/** Sorts after every key with the same prefix. */
export const afterPrefix = '\u{10ffff}';

export const organizationKey = (organization: string): Key => ({ PK: 'ORGANIZATIONS', SK: organization });

export const organizationPartition = (organization: string) => `ORG#${organization}`;

const inOrganization = (organization: string, SK: string): Key => ({
  PK: organizationPartition(organization),
  SK,
});

/** The organization whose testimonials or erasures are in this partition, or undefined for any other partition. */
export function organizationOfPartition(partition: string): string | undefined {
  return /^ORG#([^#]+)(#ERASURES)?$/.exec(partition)?.[1];
}

export function statusPartition(organization: string, status: Status): string {
  return `${organizationPartition(organization)}#STATUS#${status}`;
}

export const counterKey = (organization: string) => inOrganization(organization, 'COUNTER');

export const testimonialKey = (organization: string, ordinal: Ordinal) =>
  inOrganization(organization, `${prefixes.testimonial}${padded(ordinal)}`);

/** Whether a sort key is that of a testimonial or of a sealed place. */
export const isTestimonialKey = (sortKey: string) => sortKey.startsWith(prefixes.testimonial);

/** The ordinal in the sort key of a testimonial or of a sealed place. */
export const ordinalOfTestimonialKey = (sortKey: string) =>
  Number(sortKey.slice(prefixes.testimonial.length));

/** The attributes by which the secondary indexes find a testimonial. */
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

/** A place of a sort, as a secondary index is sorted by it. */
export function sortKeyOf(place: readonly number[]): string {
  return place.map(padded).join('#');
}

/** @param updateOrdinal the change's */
export const changeMarkerKey = (organization: string, updateOrdinal: UpdateOrdinal) =>
  inOrganization(organization, `${prefixes.changeMarker}${padded(updateOrdinal)}`);

/** The attributes of a change marker. Short: each list reads the markers of the last seconds. */
export const changeMarkerAttributes = {
  ordinal: 'o',
  previousUpdateOrdinal: 'p',
  version: 'v',
  time: 't',
  formerFacets: 'f',
} as const;

export const erasurePartition = (organization: string) => `${organizationPartition(organization)}#ERASURES`;

/** @param updateOrdinal the erasure's */
export const erasureTextsKey = (organization: string, updateOrdinal: UpdateOrdinal): Key => ({
  PK: erasurePartition(organization),
  SK: `${prefixes.erasure}${padded(updateOrdinal)}`,
});

export const isChangeMarkerKey = (sortKey: string) => sortKey.startsWith(prefixes.changeMarker);

/** The place in the order of updates in the sort key of a change marker or of an erasure's texts. */
export const updateOrdinalOfKey = (sortKey: string) => Number(sortKey.slice(sortKey.indexOf('#') + 1));

export const indexHeadKey = (organization: string) => inOrganization(organization, 'TESTIMONIAL_INDEX');

/** @param fingerprint of a file and of how it is read, SHA-256 */
export const importJobKey = (organization: string, fingerprint: string) =>
  inOrganization(organization, `${prefixes.import}${fingerprint}`);

export const isImportKey = (sortKey: string) => sortKey.startsWith(prefixes.import);

/** The fingerprint in the sort key of an import. */
export const fingerprintOfImportKey = (sortKey: string) => sortKey.slice(prefixes.import.length);

/** @param number of an import among those that took places; all of them where it is absent */
export function importPositionsKey(
  organization: string,
  number?: number,
  of?: { fingerprint: string; part: number },
): Key {
  const name = `IMPORT_POSITIONS#${number === undefined ? '' : padded(number)}`;
  return inOrganization(organization, of ? `${name}#${of.fingerprint}#${padded(of.part)}` : name);
}

export const indexRequestKey = (organization: string) => inOrganization(organization, indexRequestSortKey);

/** The key of the request to make all list indexes anew. */
export const renewalRequestKey: Key = { PK: 'RENEWAL', SK: indexRequestSortKey };

/** The attributes of a posting. Short: a query for a prefix reads thousands of these items. */
export const postingAttributes = { bits: 'b', epoch: 'e', step: 's' } as const;

/** The partition key of some postings. */
export function postingPartition(
  organization: string,
  generation: number,
  partition: PostingPartition,
): string {
  return `${organizationPartition(organization)}#${generation}#${nameOfPartition(partition)}`;
}

function nameOfPartition(partition: PostingPartition): string {
  switch (partition.kind) {
    case 'facet':
      return `FACET#${partition.axis}#${partition.term}`;
    case 'facets of texts':
      return `TEXTS#${partition.axis}#${partition.number}`;
    case 'words':
      return `WORDS#${partition.number}`;
    case 'summary':
      return `SUMMARY#${partition.axis}#${partition.of}`;
    case 'ordinals':
      return 'ORDINALS';
  }
}

export function postingKey(
  organization: string,
  generation: number,
  posting: PostingTerm,
  chunk: number,
): Key {
  return {
    PK: postingPartition(organization, generation, partitionOf(posting)),
    SK: postingSortKey(posting, chunk),
  };
}

/** The sort key of a chunk of a posting; of the chunk Infinity, one after all of its chunks. */
export function postingSortKey(posting: PostingTerm, chunk: number): string {
  return `${sortKeyPrefix(posting)}${chunkSortKey(chunk)}`;
}

// No word begins with them, and no digest. What is hidden sorts before all others of its partition.
const beginningSign = '=';
const hiddenSign = '!';

/** The prefix of the sort keys of a posting's chunks. */
function sortKeyPrefix(posting: PostingTerm): string {
  switch (posting.kind) {
    case 'facet of texts':
      return `${signOf(posting)}${posting.digest}#`;
    case 'word':
      return `${wordSortKey(posting.word, posting)}#`;
    case 'beginning':
      return `${signOf(posting)}${beginningSign}${posting.letters}#`;
    default:
      return '';
  }
}

/** The prefix of the sort keys of all words that begin with a prefix. */
export function wordSortKey(prefix: string, options: { isHidden?: true } = {}): string {
  return `${signOf(options)}${prefix}`;
}

function signOf({ isHidden }: { isHidden?: true }): string {
  return isHidden ? hiddenSign : '';
}

/** The item of a chunk of a posting. */
export function postingItem(
  organization: string,
  generation: number,
  { posting, chunk }: PostingRef,
  { bytes, epoch, step }: Posting,
) {
  return {
    ...postingKey(organization, generation, posting, chunk),
    [postingAttributes.bits]: bytes,
    [postingAttributes.epoch]: epoch,
    ...(step !== undefined && { [postingAttributes.step]: step }),
  };
}

// Nine digits: a trillion update ordinals lie in half a billion blocks.
function chunkSortKey(chunk: number): string {
  return Number.isFinite(chunk) ? String(chunk).padStart(chunkDigits, '0') : afterChunks;
}

const chunkDigits = 9;
const afterChunks = ':';

/** The posting and chunk that a sort key in a partition of postings stands for. */
export function parsePostingSortKey(
  partition: PostingPartition,
  sortKey: string,
): { posting: PostingTerm; chunk: number } {
  const name = sortKey.slice(0, -chunkDigits - 1);
  return { posting: postingNamed(partition, name), chunk: Number(sortKey.slice(-chunkDigits)) };
}

function postingNamed(partition: PostingPartition, signed: string): PostingTerm {
  const isHidden = signed.startsWith(hiddenSign);
  const name = isHidden ? signed.slice(hiddenSign.length) : signed;
  const options = isHidden ? ({ isHidden } as const) : {};
  switch (partition.kind) {
    case 'facets of texts':
      return { kind: 'facet of texts', axis: partition.axis, digest: name, ...options };
    case 'words':
      return name.startsWith(beginningSign)
        ? { kind: 'beginning', letters: name.slice(beginningSign.length), ...options }
        : { kind: 'word', word: name, ...options };
    default:
      return partition;
  }
}

export const tokenKey = (hash: string): Key => ({ PK: `TOKEN#${hash}`, SK: 'TOKEN' });

export const tokenPointerKey = (organization: string, tokenId: string) =>
  inOrganization(organization, `${prefixes.token}${tokenId}`);

/** @param id the person's */
export const personKey = (organization: string, id: string) =>
  inOrganization(organization, `${prefixes.person}${id}`);

/** @param hash of an invitation's or a session's secret */
export const passKey = (hash: string): Key => ({ PK: `DESK#${hash}`, SK: 'PASS' });

/** Names no item: reading it opens a connection. */
export const absentKey: Key = { PK: 'ABSENT', SK: 'ABSENT' };

export function idempotencyKeyKey(organization: string, key: string): Key {
  // It may be somebody's e-mail address, which an erasure would not find here.
  const hash = createHash('sha256').update(key).digest('hex');
  return { PK: `${organizationPartition(organization)}#KEY#${hash}`, SK: 'KEY' };
}

// Apart from what requests read and write: these are written by every running function, every second.
const budgetPartition = (organization: string) => `${organizationPartition(organization)}#BUDGET`;

export const budgetKey = (organization: string): Key => ({ PK: budgetPartition(organization), SK: 'BUDGET' });

const spendingPrefixes: Record<BudgetName, string> = {
  general: prefixes.spending,
  published: prefixes.spendingByPublished,
  desk: prefixes.spendingByDesk,
};

type SpendingPayer = Pick<Payer, 'organization' | 'budget'>;

/** @param minute since the epoch */
export function spendingKey({ organization, budget }: SpendingPayer, minute: number): Key {
  const utc = new Date(minute * budgetMinuteMs).toISOString().slice(0, 'YYYY-MM-DDTHH:mm'.length);
  return { PK: budgetPartition(organization), SK: `${spendingPrefixes[budget]}${utc}` };
}

/** The minute since the epoch in the sort key of what was spent. */
export function minuteOfSpendingKey(sortKey: string): number {
  return Date.parse(`${sortKey.slice(sortKey.indexOf('#') + 1)}Z`) / budgetMinuteMs;
}

// 12 digits: the ordinals of a trillion testimonials sort as text.
function padded(number: number): string {
  return String(number).padStart(12, '0');
}
