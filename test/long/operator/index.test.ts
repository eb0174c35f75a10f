/** `index status`, `index rebuild` and `index verify`. */
import { beforeAll, expect, test } from '@jest/globals';
import { organizationStore } from '../../../functions/accounts/dynamodb-organization-store.ts';
import { makeTestimonialId } from '../../../functions/domain/testimonial-id.ts';
import { axes } from '../../../functions/domain/testimonial-order.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import {
  chunkOf,
  emptyChunk,
  offsetOf,
  setBit,
} from '../../../functions/testimonials/list-index/bits/bitmap.ts';
import {
  decodePosting,
  encodePosting,
} from '../../../functions/testimonials/list-index/bits/posting-codec.ts';
import { cells, encodeSummary } from '../../../functions/testimonials/list-index/bits/summary.ts';
import { noIndex } from '../../../functions/testimonials/list-index/index-store.ts';
import {
  facetPosting,
  partitions,
  summaryTerm,
} from '../../../functions/testimonials/list-index/index-terms.ts';
import { termsVersion } from '../../../functions/testimonials/list-index/terms-version.ts';
import { eraseTestimonial } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { indexStore } from '../../../functions/testimonials/table/index-store.ts';
import { testimonialStore } from '../../../functions/testimonials/table/testimonial-store.ts';
import { adminOf } from '../../admin.ts';
import { createApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { position } from '../../position.ts';
import { createTestTable } from '../../test-table.ts';
import { otherTerms } from '../../world/world.ts';
import { generateTestimonials } from '../../zipf/generate-testimonials.ts';

const organization = 'indexed';
const count = 12;
let table: Table;
let admin: ReturnType<typeof adminOf>;
beforeAll(async () => {
  table = await createTestTable();
  // The wait for old lists before a rebuild removes postings.
  admin = adminOf(table, undefined, async () => {});
  const store = testimonialStore(table);
  for (const stored of generateTestimonials(count)) await store.insert(organization, stored);
  await store.reserveOrdinals(organization, new Date(), count);
});

test('status shows the progress of the index', async () => {
  const { code, stdout } = await admin('index', 'status', '--organization', organization);
  expect(code).toBe(0);
  expect(stdout).toBe(
    `${organization}: ${count} testimonials and 0 changes not indexed yet; last indexed position: ${position(0).toLocaleString('en')}\n`,
  );
});

test('rebuild indexes a new organization, and verify finds no difference', async () => {
  const rebuilt = await admin('index', 'rebuild', '--organization', organization);
  expect(rebuilt).toMatchObject({
    code: 0,
    stdout: `${organization}: 0 testimonials and 0 changes not indexed yet; last indexed position: ${position(count).toLocaleString('en')}\n`,
  });
  const verified = await admin('index', 'verify', '--organization', organization);
  expect(verified.code).toBe(0);
  expect(verified.stdout).toMatch(/^12 testimonials and [\d,]+ postings compared: 0 differences$/m);
});

test('status names an index of another version, and rebuild --all rebuilds it', async () => {
  await organizationStore(table).add(organization);
  const index = indexStore(table);
  const head = await index.readHead(organization);
  await index.replaceHead(organization, { ...(head ?? noIndex), terms: '0/1.0' });
  const status = await admin('index', 'status', '--all');
  expect(status.stdout).toMatch(
    /^indexed: .*; another version built this index\. .* run: npm .* index rebuild --organization indexed$/m,
  );
  const rebuilt = await admin('index', 'rebuild', '--all');
  expect(rebuilt.code).toBe(0);
  expect(rebuilt.stdout).not.toContain('another version');
  expect(await index.readHead(organization)).toMatchObject({ generation: 3, terms: termsVersion });
  const rest = await Promise.all(partitions.map((each) => index.hasPostings(organization, 2, each)));
  expect(rest).not.toContain(true);
});

test('status says if only a newer version can update the index or continue its rebuild', async () => {
  const index = indexStore(table);
  const head = (await index.readHead(organization)) ?? noIndex;
  const { newer: terms } = otherTerms;
  const building = {
    generation: 4,
    terms,
    indexed: position(5),
    updated: position(1),
    epoch: 1,
    until: Date.now(),
  };
  const left = await index.replaceHead(organization, { ...head, terms, building });
  const status = await admin('index', 'status', '--organization', organization);
  expect(status.stdout).toContain(
    '; a newer version built this index, and only that version can update it. If no update comes for 10 minutes',
  );
  expect(status.stdout).toMatch(
    /; a newer version is rebuilding it, up to position [\d,]+\. If it stops for 4 minutes, this version starts its own rebuild$/m,
  );
  await index.replaceHead(organization, { ...head, revision: left?.revision ?? 0 });
});

test('verify names each bit and each summary that differs, on both axes, without control characters, and fails', async () => {
  const index = indexStore(table);
  const all = (await Array.fromAsync(testimonialStore(table).from(organization, 0))).flat();
  const wrong = all.find(({ testimonial }) => testimonial.status !== 'rejected');
  const places = { createdAt: wrong?.ordinal ?? 0, updatedAt: wrong?.updateOrdinal ?? 0 };
  const surplus = [
    ...axes.map((axis) => ({ posting: facetPosting(axis, 'status=rejected'), at: places[axis] })),
    { posting: { kind: 'word', word: '\u202Etxet' } as const, at: places.createdAt },
  ];
  for (const { posting, at } of surplus) {
    const ref = { posting, chunk: chunkOf(position(1)) };
    const [before] = await index.readPostings(organization, 3, [ref]);
    const bits = before ? decodePosting(before.bytes) : emptyChunk();
    setBit(bits, offsetOf(at));
    await index.writePosting(organization, 3, ref, { bytes: encodePosting(bits), fence: 9 });
  }
  const ref = { posting: summaryTerm('updatedAt', 'chunks'), chunk: 0 };
  const bytes = encodeSummary(cells.map(() => 1));
  await index.writePosting(organization, 3, ref, { bytes, fence: 9 });
  const { code, stdout } = await admin('index', 'verify', '--organization', organization);
  expect(code).toBe(1);
  expect(stdout.split('\n').map((line) => line.trim())).toEqual(
    expect.arrayContaining([
      `wrong: {"kind":"facet","axis":"createdAt","term":"status=rejected"} at ${places.createdAt}`,
      `wrong: {"kind":"facet","axis":"updatedAt","term":"status=rejected"} at ${places.updatedAt}`,
      `wrong: {"kind":"word","word":"\uFFFDtxet"} at ${places.createdAt}`,
      // A summary that differs from its postings, and one that is not the sum of its chunks.
      `wrong: {"kind":"summary","axis":"createdAt","of":"chunk"} at ${chunkOf(position(1))}`,
      'wrong: {"kind":"summary","axis":"updatedAt","of":"chunks"} at 0',
    ]),
  );
});

test('verify --repair removes every difference', async () => {
  for (const args of [['--repair'], []]) {
    expect(await admin('index', 'verify', '--organization', organization, ...args)).toMatchObject({
      code: 0,
    });
  }
});

/** A table with testimonials and without an index, as in a backup, and the command on it. */
async function unindexed(reserved: number) {
  const other = await createTestTable();
  const store = testimonialStore(other);
  for (const stored of generateTestimonials(count)) await store.insert(organization, stored);
  await store.reserveOrdinals(organization, new Date(), reserved);
  await organizationStore(other).add(organization);
  const verify = (...args: string[]) => adminOf(other, undefined, async () => {})('index', 'verify', ...args);
  return { store, verify };
}

test('verify --repair raises a counter that is behind', async () => {
  const { store, verify } = await unindexed(count - 2);
  const before = await verify('--all');
  expect(before.code).toBe(1);
  expect(before.stdout).toContain(`${organization}: 0 testimonials and 0 postings compared: 3 differences\n`);
  expect(before.stdout).toContain(
    `beyond the counter: the testimonial at ${position(count).toLocaleString('en')} in the order of createdAt`,
  );
  expect(await verify('--organization', organization, '--repair')).toMatchObject({ code: 0 });
  expect(await store.readCounter(organization)).toMatchObject({
    ordinal: position(count),
    updateOrdinal: position(count),
  });
  expect(await verify('--all')).toMatchObject({ code: 0 });
});

test('verify --repair builds an index whose head was lost, with imported history', async () => {
  const { store, verify } = await unindexed(count);
  const [first] = (await Array.fromAsync(store.from(organization, 0))).flat();
  if (!first) throw new Error('There are some');
  const id = makeTestimonialId(100, (min) => min);
  const time = '2001-01-01T00:00:00.000Z';
  const testimonial = { ...first.testimonial, id, createdAt: time, updatedAt: time };
  await store.insert(organization, { ...first, ordinal: 100, updateOrdinal: 100, testimonial });
  expect(await verify('--organization', organization, '--repair')).toMatchObject({ code: 0 });
  expect(await verify('--organization', organization)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${count + 1} testimonials and `),
  });
});

test('status needs one organization or --all', async () => {
  expect(await admin('index', 'status')).toMatchObject({
    code: 1,
    stderr: 'Add --organization <name> or --all.\n',
  });
});

test('status counts erased testimonials whose words are still in the index', async () => {
  const { table: own, create } = await createApiClient();
  const { body } = await create(testimonialBody());
  await eraseTestimonial({ testimonials: storesOf(own).testimonials, now: own.now }, 'acme', body.id);
  const { stdout } = await adminOf(own)('index', 'status', '--organization', 'acme');
  expect(stdout).toContain('words of 1 erased testimonial not yet removed');
});
