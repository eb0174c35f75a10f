/**
 * Items that another version of the service wrote. Two tables, each with an index, a tail, an announced
 * change, an erasure, a token and an idempotency key: one of the last release, which this version continues
 * or refuses, and one of an earlier version with this layout, which it always continues. A file has a line
 * about its table, and then one for each item. `RELEASING=true npm test -- test/integration/released-table`
 * writes the first one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { indexHeadKey, testimonialKey } from '../../functions/dynamodb/keys.ts';
import { layout, OtherLayout } from '../../functions/dynamodb/stored-items.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import { planList } from '../../functions/testimonials/list-index/read/plan.ts';
import { canAnswer, termsVersion } from '../../functions/testimonials/list-index/terms-version.ts';
import { rebuildIndex } from '../../functions/testimonials/list-index/write/rebuild.ts';
import { updateIndex, wholeTail } from '../../functions/testimonials/list-index/write/update-index.ts';
import { type Difference, verifyIndex } from '../../functions/testimonials/list-index/write/verify.ts';
import { changeTestimonial } from '../../functions/testimonials/operations/change-testimonial.ts';
import { eraseTestimonial } from '../../functions/testimonials/operations/erase-testimonial.ts';
import { forgetAfterMs, settledMs } from '../../functions/timing.ts';
import { oracle } from '../../lib/check/contract/oracle.ts';
import { assertReadable } from '../../lib/local-runner/demo.ts';
import { type ApiClient, createApiClient, storesOf, testimonialBody } from '../api-client.ts';
import { position } from '../position.ts';
import { storedItems, storedTestimonials } from '../stored-items.ts';
import { createTestTable } from '../test-table.ts';
import { queries } from '../world/queries.ts';

interface ReleasedTable {
  layout: number;
  /** The time of its last write, ISO 8601. */
  at: string;
  token: string;
  items: Record<string, unknown>[];
}

const fileOf = (name: string) => new URL(`../fixtures/${name}.jsonl`, import.meta.url);
const replayed = testimonialBody({ content: 'Amazing product, created with a key' });
const key = { 'idempotency-key': 'released' };

/** Returns an item as JSON can store it. */
function withTexts(item: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(item).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  ]);
  return Object.fromEntries(members);
}

const withBytes = (_: string, value: { base64?: string } | null) =>
  value?.base64 === undefined ? value : Buffer.from(value.base64, 'base64');

if (process.env.RELEASING) {
  const { items, ...table } = await release();
  const lines = [table, ...items].map((each) => `${JSON.stringify(each)}\n`);
  writeFileSync(fileOf('released-table'), lines.join(''));
}

function read(name: string): ReleasedTable {
  const lines = readFileSync(fileOf(name), 'utf8').trimEnd().split('\n');
  const [table, ...items] = lines.map((line) => JSON.parse(line, withBytes));
  return { ...table, items };
}

/** Returns a table that this version wrote. */
async function release(): Promise<ReleasedTable> {
  const { table, token, create } = await createApiClient();
  const { testimonials, index } = storesOf(table);
  const deps = { testimonials, index, now: table.now };
  const later = (milliseconds: number) => ({ ...deps, now: () => new Date(Date.now() + milliseconds) });
  const ids: string[] = [];
  for (let i = 0; i < 9; i += 1) {
    const fields = { rating: (i % 5) + 1, tags: [i % 2 === 0 ? 'UX' : 'support'] };
    ids.push((await create(testimonialBody(fields))).body.id);
  }
  const [first = '', second = '', third = '', fourth = ''] = ids;
  await changeTestimonial(deps, 'acme', first, { status: 'approved' });
  await changeTestimonial(deps, 'acme', second, { addTags: ['featured'], removeTags: ['support'] });
  await eraseTestimonial(deps, 'acme', third);
  await updateIndex(later(settledMs + 1000), 'acme', wholeTail);
  await create(replayed, key);
  await changeTestimonial(deps, 'acme', fourth, { status: 'rejected' });
  return { layout, at: new Date().toISOString(), token, items: (await storedItems(table)).map(withTexts) };
}

async function restored({ items }: ReleasedTable): Promise<Table> {
  const table = await createTestTable();
  for (const Item of items) {
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
  }
  return table;
}

function isContinued(released: ReleasedTable): void {
  let api: ApiClient;
  let headers: Record<string, string>;
  beforeAll(async () => {
    api = await createApiClient(await restored(released));
    // An hour later.
    api.clock.offset = Date.parse(released.at) + 3_600_000 - Date.now();
    headers = { authorization: `Bearer ${released.token}` };
  });

  const stored = () => storedTestimonials(api.table);

  /** Requests every list. Only lists that need a rebuild respond 503. */
  async function expectRightLists(): Promise<void> {
    const all = await stored();
    const { terms = '' } = (await storesOf(api.table).index.readHead('acme')) ?? {};
    for (const query of queries) {
      const { filter, ...rest } = query;
      const parameters = new URLSearchParams(
        Object.entries({ ...filter, ...rest }).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]),
      );
      const { status, body } = await api.list(String(parameters), headers);
      if (!canAnswer(terms, planList(query).needs)) {
        expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'not_ready' });
        continue;
      }
      const { testimonials, total } = oracle(all, query);
      expect({ status, total: body.pagination?.total }).toEqual({ status: 200, total });
      expect(body.testimonials.map(({ id }: { id: string }) => id)).toEqual(testimonials.map(({ id }) => id));
    }
  }

  test('accepts its token and its idempotency key, and lists are right', async () => {
    await expectRightLists();
    const { status, headers: answered } = await api.create(replayed, { ...headers, ...key });
    expect({ status, replayed: answered['idempotent-replayed'] }).toEqual({ status: 201, replayed: 'true' });
  });

  test('takes creates, changes, erasures, index updates, and a rebuild if its rules are older', async () => {
    await api.create(testimonialBody({ tags: ['ux'] }), headers);
    const { testimonials, index } = storesOf(api.table);
    const start = Date.parse(released.at) + 3_600_000;
    const at = (milliseconds: number) => ({ testimonials, index, now: () => new Date(start + milliseconds) });
    const [first, , third] = (await stored()).map(({ testimonial }) => testimonial.id);
    await changeTestimonial(at(1000), 'acme', first ?? '', { addTags: ['featured'], removeTags: [] });
    await eraseTestimonial(at(1000), 'acme', third ?? '');
    for (let i = 1; i < 5; i += 1) await updateIndex(at(i * (settledMs + forgetAfterMs)), 'acme', wholeTail);
    if ((await index.readHead('acme'))?.terms !== termsVersion) {
      await rebuildIndex(at(600_000), 'acme');
    }
    expect((await index.readHead('acme'))?.terms).toBe(termsVersion);
    await expectRightLists();
    const differences: Difference[] = [];
    await verifyIndex(at(0), 'acme', (each) => differences.push(each));
    expect(differences).toEqual([]);
  });
}

function isRefused(released: ReleasedTable): void {
  test('is refused with instructions', async () => {
    await expect(assertReadable(await restored(released))).rejects.toThrow(OtherLayout);
  });
}

describe('the table of the last release', () => {
  const released = read('released-table');
  if (released.layout === layout) isContinued(released);
  else isRefused(released);
});

describe('a table of this layout', () => isContinued(read('table-of-this-layout')));

const otherLayout =
  /layout \d, and this version reads layout \d\. Export each organization .*folder \.local/s;

/** A service with one testimonial and one item of another layout. */
async function serviceWith(which: 'head' | 'testimonial', overrides: object = {}) {
  const api = await createApiClient();
  await api.create(testimonialBody());
  const { client, name } = api.table;
  const key = which === 'head' ? indexHeadKey('acme') : testimonialKey('acme', position(1));
  const item = { ...key, id: 'test_1234567890121', layout: layout - 1, content: 'An older item' };
  await client.send(new PutCommand({ TableName: name, Item: { ...item, ...overrides } }));
  return api;
}

test.each(['head', 'testimonial'] as const)(
  'a %s of another layout is refused at the start, and by each list',
  async (which) => {
    const { list, table } = await serviceWith(which);
    await expect(assertReadable(table)).rejects.toThrow(OtherLayout);
    await expect(assertReadable(table)).rejects.toThrow(otherLayout);
    expect((await list()).status).toBe(500);
  },
);

test('an item of this layout without a required attribute is refused, too', async () => {
  const { table } = await serviceWith('testimonial', { layout });
  await expect(storesOf(table).testimonials.find('acme', position(1))).rejects.toThrow(/fields\.content/);
});
