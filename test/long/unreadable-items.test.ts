/** Unreadable items, edited by hand: other items and organizations are not affected. */

import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { searchStart } from '../../functions/domain/outcomes.ts';
import { unreadableLog, unreadableMessage } from '../../functions/domain/unreadable.ts';
import {
  indexHeadKey,
  type Key,
  renewalRequestKey,
  secondaryIndexes,
  testimonialKey,
} from '../../functions/dynamodb/keys.ts';
import { createHandler as createIndexHandler } from '../../functions/index-testimonials/handler.ts';
import type { TestimonialEvent } from '../../functions/publish-events/event.ts';
import { createHandler as createEventsHandler } from '../../functions/publish-events/handler.ts';
import { oldestPending } from '../../functions/serve-desk/parts/desk.ts';
import { openCurrentItems } from '../../functions/testimonials/current-items.ts';
import { indexUpdatesOn } from '../../functions/testimonials/index-updates.ts';
import { editionOf, noIndex } from '../../functions/testimonials/list-index/index-store.ts';
import { ListMemory } from '../../functions/testimonials/list-index/read/memory.ts';
import { termsVersion } from '../../functions/testimonials/list-index/terms-version.ts';
import { updateIndex, wholeTail } from '../../functions/testimonials/list-index/write/update-index.ts';
import { listsOn } from '../../functions/testimonials/lists.ts';
import { changeTestimonial } from '../../functions/testimonials/operations/change-testimonial.ts';
import { eraseTestimonial } from '../../functions/testimonials/operations/erase-testimonial.ts';
import { nextMatching } from '../../functions/testimonials/operations/find-matching.ts';
import { renewalStore } from '../../functions/testimonials/table/renewal-store.ts';
import { toStoredTestimonial } from '../../functions/testimonials/table/stored-testimonials.ts';
import { forgetAfterMs, settledMs } from '../../functions/timing.ts';
import { adminOf } from '../admin.ts';
import { createApiClient, ownPermissions, storesOf, testimonialBody } from '../api-client.ts';
import { position } from '../position.ts';
import { recordOf } from '../stream-record.ts';
import { createTestTable } from '../test-table.ts';
import { WatchedLogger } from '../watched-logs.ts';

const organizations = ['acme', 'other'] as const;
type Organization = (typeof organizations)[number];

/** Two organizations with some testimonials each. Their functions log unreadable items. */
async function service() {
  const logger = new WatchedLogger();
  const table = { ...(await createTestTable()), onUnreadable: unreadableLog(logger) };
  const api = await createApiClient(table);
  const tokens = {
    acme: await api.issue(ownPermissions, 'acme'),
    other: await api.issue(ownPermissions, 'other'),
  };
  const headers = (organization: Organization) => ({ authorization: `Bearer ${tokens[organization]}` });
  const stores = storesOf(table);
  let aheadMs = 0;
  const admin = adminOf(table, undefined, async () => updateLater('acme'));

  async function updateLater(...some: Organization[]): Promise<void> {
    aheadMs += settledMs + forgetAfterMs;
    const now = () => new Date(Date.now() + aheadMs);
    for (const organization of some.length > 0 ? some : organizations)
      await updateIndex({ ...stores, now }, organization, wholeTail);
  }

  async function create(organization: Organization, key?: string): Promise<string> {
    const sent = testimonialBody({ tags: ['ux'] });
    const idempotency = key === undefined ? {} : { 'idempotency-key': key };
    const { status, body } = await api.create(sent, { ...headers(organization), ...idempotency });
    expect(status).toBe(201);
    return body.id;
  }

  const item = async (key: Key) =>
    (await table.client.send(new GetCommand({ TableName: table.name, Key: key }))).Item ?? {};

  return {
    api,
    table,
    stores,
    logger,
    admin,
    create,
    updateLater,
    item,

    /** Sets an attribute of an item or a member of its maps, by its path, or removes it. */
    async edit(key: Key, path: string, value?: unknown): Promise<void> {
      const names = path.split('.');
      const attribute = names.map((name) => `#${name}`).join('.');
      const command = {
        TableName: table.name,
        Key: key,
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ...(value === undefined
          ? { UpdateExpression: `REMOVE ${attribute}` }
          : { UpdateExpression: `SET ${attribute} = :v`, ExpressionAttributeValues: { ':v': value } }),
      };
      await table.client.send(new UpdateCommand(command));
    },

    /** Returns the ids and the total of a list. */
    async listed(organization: Organization, query = 'order=asc'): Promise<{ ids: string[]; total: number }> {
      const { status, body } = await api.list(query, headers(organization));
      expect({ organization, query, status, body }).toMatchObject({ status: 200 });
      const ids = body.testimonials.map(({ id }: { id: string }) => id);
      return { ids, total: body.pagination.total };
    },

    call: (method: 'GET' | 'PATCH' | 'DELETE', id: string, body?: unknown) =>
      api.call({
        routeKey: `${method} /v1/testimonials/{id}`,
        pathParameters: { id },
        headers: { ...headers('acme'), ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),

    /** Returns the ids in the published events of some records, and the records that come again. */
    async tell(...keys: Key[]) {
      const told: TestimonialEvent[] = [];
      const bus = {
        async put(events: readonly TestimonialEvent[]) {
          told.push(...events);
          return events.map(() => undefined);
        },
      };
      const handle = createEventsHandler({ readItems: openCurrentItems(table), bus, logger });
      const { batchItemFailures } = await handle({ Records: keys.map((key, i) => recordOf(key, i + 1)) });
      return { told: told.map(({ detail }) => ('id' in detail ? detail.id : '')), batchItemFailures };
    },

    /** Returns the log lines of unreadable items. */
    unreadable: () =>
      logger.lines.flatMap(({ message, level, PK, SK, attribute, ...always }) => {
        if (message !== unreadableMessage) return [];
        expect(Object.keys(always).toSorted()).toEqual(['sampling_rate', 'service', 'timestamp']);
        return [{ level, PK, SK, attribute }];
      }),
  };
}

const key = testimonialKey('acme', position(2));
const logged = [{ level: 'ERROR', ...key, attribute: 'fields.rating' }];
const named = `Cannot read a testimonial, PK ${key.PK}, SK ${key.SK}: fields.rating is missing or not valid`;

let made: Awaited<ReturnType<typeof service>>;
let ids: string[];
let others: string[];
beforeEach(async () => {
  made = await service();
  const { create } = made;
  ids = [await create('acme'), await create('acme', 'k2'), await create('acme')];
  others = [await create('other')];
});
const corrupt = () => made.edit(key, 'fields.rating', '5');
const rest = () => ids.filter((_, i) => i !== 1);
const bad = () => ids[1] ?? '';

describe('events', () => {
  test('are left out for a wrong kind of change, a wrong layout, and a wrong erased testimonial', async () => {
    const keys = [1, 2, 3].map((n) => testimonialKey('acme', position(n)));
    const [first, second, third] = keys;
    if (!first || !second || !third) throw new Error('There are three');
    await made.edit(first, 'change', 'other');
    await made.edit(second, 'layout', 4);
    expect((await made.call('DELETE', ids[2] ?? '')).status).toBe(204);
    await made.edit(third, 'time', 5);
    const all = [...keys, testimonialKey('other', position(1))];
    expect(await made.tell(...all)).toEqual({ told: others, batchItemFailures: [] });
    const attributes = made.unreadable().map(({ attribute }) => attribute);
    expect(attributes.toSorted()).toEqual(['change', 'layout', 'time']);
  });

  test('of other organizations are published if the items of one cannot be read, and only its records are repeated', async () => {
    const { table, logger } = made;
    const readItems = openCurrentItems(table);
    const told: string[] = [];
    const handle = createEventsHandler({
      readItems: (organization, changes) =>
        organization === 'acme' ? Promise.reject(new Error('unreached')) : readItems(organization, changes),
      bus: {
        async put(events) {
          told.push(...events.map(({ detail }) => detail.organization));
          return events.map(() => undefined);
        },
      },
      logger,
    });
    const keys = [testimonialKey('acme', position(1)), testimonialKey('other', position(1))];
    const { batchItemFailures } = await handle({ Records: keys.map((each, i) => recordOf(each, i + 1)) });
    expect({ told, batchItemFailures }).toEqual({
      told: ['other'],
      batchItemFailures: [{ itemIdentifier: '1' }],
    });
  });
});

describe('a list', () => {
  test('leaves an unreadable testimonial out of indexed pages, and logs it once; the total counts it until the next rebuild', async () => {
    await made.updateLater();
    await corrupt();
    for (const query of [
      'order=asc',
      'status=pending&order=asc',
      'sort=updatedAt&order=asc',
      'tags=ux&order=asc',
      'search=amazing&order=asc',
    ]) {
      expect(await made.listed('acme', query)).toEqual({ ids: rest(), total: 3 });
    }
    expect(made.unreadable()).toEqual(logged);
    await made.admin('index', 'rebuild', '--organization', 'acme');
    expect(await made.listed('acme')).toEqual({ ids: rest(), total: 2 });
  });

  test('ignores numbers beyond JavaScript’s precision', async () => {
    const { table } = made;
    await table.client.send(
      new UpdateItemCommand({
        TableName: table.name,
        Key: { PK: { S: key.PK }, SK: { S: key.SK } },
        UpdateExpression: 'SET more = :more',
        ExpressionAttributeValues: { ':more': { N: '12345678901234567890.5' } },
      }),
    );
    expect(await made.listed('acme')).toEqual({ ids, total: 3 });
  });

  test('of pending testimonials finds the next readable one', async () => {
    const { stores, updateLater, edit } = made;
    await updateLater();
    await edit(testimonialKey('acme', position(1)), 'fields.rating', '5');
    await corrupt();
    const next = (passed: string[]) => oldestPending(listsOn(() => stores)('acme'), {}, passed);
    expect((await next([])).testimonial?.id).toBe(ids[2]);
    expect((await next([ids[2] ?? ''])).testimonial).toBeUndefined();
  });

  test('that a command steps through page by page continues after it', async () => {
    const { stores, updateLater, create } = made;
    const more = [];
    for (let i = 0; i < 50; i += 1) more.push(await create('acme'));
    await updateLater();
    await corrupt();
    const last = more.at(-1) ?? '';
    const head = (await stores.index.readHead('acme')) ?? noIndex;
    const until = new Date(Date.now() + 60_000).toISOString();
    const shown = { filter: {}, edition: editionOf(head), until };
    const deps = { ...stores, memory: new ListMemory() };
    const step = await nextMatching(deps, 'acme', shown, searchStart, ({ id }) => id === last);
    expect(step?.matching.map(({ id }) => id)).toEqual([last]);
  });
});

describe('the list index', () => {
  test('is updated without an unreadable testimonial, and contains it after a repair of the item and the index', async () => {
    await corrupt();
    await made.updateLater();
    expect((await made.stores.index.readHead('acme'))?.indexed).toBe(position(4));
    expect(await made.listed('acme')).toEqual({ ids: rest(), total: 2 });
    await made.edit(key, 'fields.rating', 5);
    const { code, stdout } = await made.admin('index', 'verify', '--organization', 'acme', '--repair');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(': 0 differences') });
    expect(await made.listed('acme')).toEqual({ ids, total: 3 });
  });

  test('covers a change to an unreadable testimonial', async () => {
    const { stores, updateLater } = made;
    await updateLater();
    const now = () => new Date(Date.now() + 60_000);
    await changeTestimonial({ ...stores, now }, 'acme', bad(), { status: 'approved' });
    await corrupt();
    for (let i = 0; i < 8; i += 1) await updateLater();
    expect((await Array.fromAsync(stores.testimonials.changeMarkers('acme'))).flat()).toEqual([]);
    expect(await made.listed('acme')).toEqual({ ids: rest(), total: 2 });
  });

  test('is renewed after a deployment for every organization with a readable head', async () => {
    const { stores, table, logger, updateLater, edit } = made;
    await updateLater();
    await edit(indexHeadKey('acme'), 'indexed', 'x');
    await edit(indexHeadKey('other'), 'terms', termsVersion.replace(/\/.*/, '/1.0'));
    const renewals = renewalStore(table);
    const handle = createIndexHandler({
      updates: indexUpdatesOn({ ...stores, renewals, now: table.now }),
      now: table.now,
      logger,
    });
    await handle({});
    const { batchItemFailures } = await handle({ Records: [recordOf(renewalRequestKey, 1)] });
    expect(batchItemFailures).toEqual([]);
    expect((await stores.index.readHead('other'))?.building).toBeDefined();
    expect(made.unreadable()).toEqual([{ level: 'ERROR', ...indexHeadKey('acme'), attribute: 'indexed' }]);
    expect((await made.listed('other')).ids).toEqual(others);
  });
});

describe('the commands', () => {
  test.each(['status', 'verify', 'rebuild'])(
    'index %s --all continues with the other organizations, and names the failure',
    async (command) => {
      const { admin, edit, updateLater, api, create } = made;
      await updateLater();
      await api.issue(ownPermissions, 'third');
      await create('acme');
      await corrupt();
      await edit(indexHeadKey('other'), 'indexed', 'x');
      const { code, stdout, stderr } = await admin('index', command, '--all');
      expect(code).toBe(1);
      expect(stdout).toMatch(/^acme: .*^third: /ms);
      expect(stdout).not.toContain('other');
      const { PK, SK } = indexHeadKey('other');
      expect(stderr).toContain(
        `other: Cannot read an index head, PK ${PK}, SK ${SK}: indexed is missing or not valid\n`,
      );
      if (command !== 'status') expect(stderr).toContain(`${named}. It is left out.\n`);
    },
  );

  test('show names the attribute; a change by ids and an export take all others, and name it in the error', async () => {
    await corrupt();
    const shown = await made.admin('testimonial', 'show', '--organization', 'acme', bad());
    expect(shown).toEqual({ code: 1, stdout: '', stderr: `${named}\n` });
    const ids = [bad(), ...rest()];
    const changed = await made.admin('testimonial', 'approve', '--organization', 'acme', ...ids);
    const stdout = rest()
      .map((id) => `${id} approved\n`)
      .join('');
    expect(changed).toEqual({ code: 1, stdout, stderr: `${named}. ${bad()} is left out.\n` });
    const exported = await made.admin('export', '--organization', 'acme');
    const lines = exported.stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(rest());
    expect(exported).toMatchObject({ code: 1, stderr: `${named}. It is left out.\n` });
  });

  test('erase removes an unreadable testimonial in the index by its id', async () => {
    await made.updateLater();
    await made.edit(key, 'fields.content', 5);
    const erase = ['testimonial', 'erase', '--organization', 'acme', '--yes', bad()];
    const { code, stdout, stderr } = await made.admin(...erase);
    // Some of its words may remain in the index.
    expect({ code, stdout }).toEqual({ code: 1, stdout: `${bad()} erased\n` });
    expect(stderr).not.toContain('left out');
    expect(stderr).toMatch(
      new RegExp(`${bad()} was unreadable, .* run: .* index verify --organization acme --repair\\n`),
    );
    const { PK, SK, erased, ...more } = await made.item(key);
    expect({ PK, SK, erased }).toEqual({ ...key, erased: bad() });
    expect(Object.keys(more).toSorted()).toEqual(['time', 'updateOrdinal']);
    expect(await made.listed('acme')).toEqual({ ids: rest(), total: 2 });
    expect((await made.admin('index', 'verify', '--organization', 'acme', '--repair')).code).toBe(0);
    expect(await made.tell(key)).toEqual({ told: [bad()], batchItemFailures: [] });
  });
});

describe('over HTTP', () => {
  test('its create can be repeated with its key, and it can be erased, but not shown or changed', async () => {
    await corrupt();
    const before = await made.item(key);
    expect(await made.create('acme', 'k2')).toBe(bad());
    expect((await made.call('GET', bad())).status).toBe(500);
    expect((await made.call('PATCH', bad(), { status: 'approved' })).status).toBe(500);
    // Another id does not erase it.
    expect((await made.call('DELETE', `test_999999999999${position(2)}`)).status).toBe(404);
    expect(await made.item(key)).toEqual(before);
    expect((await made.listed('acme')).total).toBe(2);
    const [first, second] = [await made.call('DELETE', bad()), await made.call('DELETE', bad())];
    expect([first.status, second.status]).toEqual([204, 204]);
    expect(first.headers).toMatchObject({ 'words-may-remain': 'true' });
    expect(second.headers).not.toHaveProperty('words-may-remain');
    expect((await made.item(key)).erased).toBe(bad());
    expect((await made.call('GET', bad())).status).toBe(404);
  });

  test('an erasure pauses, someone repairs the testimonial, and the erasure erases it like any other', async () => {
    const { rating } = (await made.item(key)).fields;
    await corrupt();
    const { eraseUnreadable } = made.stores.testimonials;
    let pauses = 0;
    const testimonials: typeof made.stores.testimonials = {
      ...made.stores.testimonials,
      async eraseUnreadable(...args) {
        pauses += 1;
        await made.edit(key, 'fields.rating', rating);
        await made.updateLater();
        return eraseUnreadable(...args);
      },
    };
    const deps = { testimonials, now: () => new Date() };
    expect(await eraseTestimonial(deps, 'acme', bad())).toMatchObject({ before: { id: bad() } });
    expect(pauses).toBe(1);
    expect((await made.item(key)).erased).toBe(bad());
    expect((await made.listed('acme')).total).toBe(2);
    await made.updateLater();
    await made.updateLater();
    expect((await made.admin('index', 'verify', '--organization', 'acme')).code).toBe(0);
  });
});

const wrong: unknown[] = [7, 'wrong', true, null, ['x'], { x: 1 }, new Uint8Array([1]), new Set(['x'])];
const kindOf = (value: unknown) => (value === null ? 'null' : Object.prototype.toString.call(value));
// DynamoDB refuses other types there.
const keyAttributes = ['PK', 'SK', 'statusPartition'].concat(
  Object.values(secondaryIndexes.organization).map(({ sort }) => sort),
);

test.each([...wrong, undefined].map((version) => [kindOf(version), version] as const))(
  'a testimonial whose version is %s is erased in one try',
  async (_, version) => {
    const { create, item, table, call, stores } = await service();
    const id = await create('acme');
    const { version: __, ...others } = await item(testimonialKey('acme', position(1)));
    const Item = { ...others, ...(version !== undefined && { version }) };
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
    expect((await call('DELETE', id)).status).toBe(204);
    expect(await stores.testimonials.wasErased('acme', id)).toBe(true);
  },
);

test('a testimonial with any wrong, missing or additional attribute does not affect the others', async () => {
  const edits = fc.record({
    isIndexed: fc.boolean(),
    which: fc.nat(),
    value: fc.option(fc.constantFrom(...wrong), { nil: undefined }),
    kind: fc.constantFrom('existing', 'in fields', 'in fields', 'in author', 'extra', 'extra in fields'),
  });
  await fc.assert(
    fc.asyncProperty(edits, async ({ isIndexed, which, value, kind }) => {
      const { create, updateLater, listed, item, table, tell, call, unreadable, admin } = await service();
      const made = [await create('acme'), await create('acme', 'k2'), await create('acme')];
      const theirs = [await create('other')];
      if (isIndexed) await updateLater();

      const stored = await item(key);
      const author: Record<string, unknown> = { ...stored.fields.author };
      const fields: Record<string, unknown> = { ...stored.fields, author };
      const edited: Record<string, unknown> = { ...stored, fields };
      const target = kind === 'in author' ? author : kind.endsWith('in fields') ? fields : edited;
      const names = Object.keys(target)
        .filter((name) => !['PK', 'SK'].includes(name))
        .toSorted();
      const attribute = kind.startsWith('extra') ? 'another' : (names[which % names.length] ?? '');
      fc.pre(
        value === undefined ||
          (!keyAttributes.includes(attribute) && kindOf(value) !== kindOf(target[attribute])),
      );
      if (value === undefined) delete target[attribute];
      else target[attribute] = value;
      await table.client.send(new PutCommand({ TableName: table.name, Item: edited }));

      const readable = isReadable(edited);
      const left = made.filter((_, i) => i !== 1 || readable);
      const expectOthers = async () => {
        for (const query of ['', 'status=pending', 'search=amazing', 'tags=ux', 'sort=rating']) {
          const { ids: found } = await listed('acme', query);
          expect(found.filter((id) => id !== made[1]).toSorted()).toEqual([made[0], made[2]].toSorted());
          if (!readable) expect(found).not.toContain(made[1]);
        }
        expect(await listed('other')).toEqual({ ids: theirs, total: 1 });
      };
      await expectOthers();
      expect((await listed('acme')).ids).toEqual(left);
      const keys = [1, 2, 3].map((n) => testimonialKey('acme', position(n)));
      const { told, batchItemFailures } = await tell(...keys, testimonialKey('other', position(1)));
      expect(batchItemFailures).toEqual([]);
      expect(told).toEqual([...left, ...theirs]);
      await updateLater();
      await expectOthers();
      const exported = await admin('export', '--organization', 'acme');
      expect(exported.code).toBe(readable ? 0 : 1);
      expect(exported.stdout.trimEnd().split('\n')).toHaveLength(left.length);
      expect((await admin('index', 'status', '--all')).stdout).toMatch(/^acme: .*^other: /ms);
      expect((await call('DELETE', made[1] ?? '')).status).toBe(204);
      await expectOthers();
      await updateLater();
      await expectOthers();
      expect(unreadable()).toHaveLength(readable ? 0 : 1);
    }),
    { numRuns: Number(process.env.UNREADABLE_RUNS ?? 6), endOnFailure: true },
  );
});

function isReadable(item: Record<string, unknown>): boolean {
  try {
    return toStoredTestimonial(item).length > 0;
  } catch {
    return false;
  }
}
