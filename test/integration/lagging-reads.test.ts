/**
 * Reads that ask for no consistency bring what was there some seconds ago, as those of DynamoDB may. Whatever the stores answer by is
 * right all the same, and each read that asks for consistency needs it: without it, something here is wrong.
 */
import { randomInt } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { hashSecret } from '../../functions/domain/token.ts';
import { takingAll, updateIndex } from '../../functions/list-index/write/update-index.ts';
import { issueToken } from '../../functions/operations/issue-token.ts';
import { budgetSettings, budgetStore } from '../../functions/persistence/dynamodb-budget-store.ts';
import { deskStore } from '../../functions/persistence/dynamodb-desk-store.ts';
import { eventItemStore } from '../../functions/persistence/dynamodb-event-item-store.ts';
import { organizationStore, renewalStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { tokenReader, tokenStore } from '../../functions/persistence/dynamodb-token-store.ts';
import { deleteItem } from '../../functions/persistence/items.ts';
import { indexHeadKey } from '../../functions/persistence/keys.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { settledMs } from '../../functions/timing.ts';
import { leavesWords } from '../../lib/operator/erase/erase-testimonials.ts';
import { importJobStore } from '../../lib/operator/import/import-store.ts';
import { findUndoable } from '../../lib/operator/import/undo-import.ts';
import { storesOf } from '../api-client.ts';
import { fileOf } from '../file-of.ts';
import { InCircles, LaggingTable, type Read } from '../lagging-table.ts';
import { createImportWorld, type ImportWorld } from '../world/import-world.ts';
import { oracle } from '../world/oracle.ts';
import { approved, approvedAmazing, base, byUpdate, input, queries, zebra, zebras } from '../world/races.ts';
import { createWorld, type World } from '../world/world.ts';

// As long as a row may be late that lists read without consistency.
const lagMs = settledMs - 1000;

interface Service {
  table: Table;
  /** On the table whose reads lag. */
  world: ImportWorld;
  /** What is there. */
  truth: World;
}

interface Scenario {
  name: string;
  holds: (service: Service) => Promise<void>;
}

/** Plays a scenario on a table of its own; returns the consistent reads that it sent. */
async function play({ holds }: Scenario, without?: Read): Promise<Set<Read>> {
  let now = () => 0;
  const { table, exact, seen } = await LaggingTable.create(() => now(), lagMs, without);
  const world = await createImportWorld({ backend: { ...storesOf(table), jobs: importJobStore(table) } });
  now = () => world.clock.time;
  await holds({ table, world, truth: await createWorld(storesOf(exact)) });
  return seen;
}

const few = [base, approvedAmazing, byUpdate(approved), ...zebras.slice(0, 1)];
const all = [...queries, ...zebras.slice(0, 3)];

/** Lists, of a function that knows nothing and of one that goes on. */
async function expectRight({ world, truth }: Service, asked = all): Promise<void> {
  const stored = await truth.stored();
  for (const query of asked) {
    const expected = { query, ...oracle(stored, query) };
    for (const cache of ['none', 'warm'] as const) {
      expect({ query, ...(await world.list(query, { cache })) }).toEqual(expected);
    }
  }
}

/** One index update, which is not begun again. */
const update = ({ world }: Service) => updateIndex({ ...world.backend, now: world.now }, 'acme', takingAll);

const lines = [input, zebra].map((each) => JSON.stringify(each)).join('\n');

// The long ones first.
const scenarios: Scenario[] = [
  {
    name: 'lists are right after each create, change and erasure, and after each index update and rebuild at once',
    async holds(service) {
      const { world } = service;
      const right = () => expectRight(service);
      const first = await world.create(input);
      const second = await world.create(zebra);
      await right();
      expect(await world.setStatus(first.id, 'approved')).toBe(true);
      await right();
      expect(await world.erase(second.id)).toBe(true);
      await right();
      expect(await update(service)).toMatchObject({ left: true });
      world.advance(settledMs + 1000);
      const third = await world.create(zebra);
      await update(service);
      await right();
      expect(await world.change(third.id, { addTags: ['ux'] })).toBe(true);
      await right();
      world.advance(settledMs + 1000);
      await update(service);
      await right();
      expect(await world.setStatus(third.id, 'approved')).toBe(true);
      await right();
      // Within the lag.
      await update(service);
      expect(await world.rebuild()).toMatchObject({ generation: 2 });
      await right();
      expect(await world.differences()).toEqual([]);
    },
  },
  {
    name: 'an import is listed once it has ended, and its undo takes all of it away; then the file is as new',
    async holds(service) {
      const { world, table, truth } = service;
      const file = await fileOf(`${lines}\n`, 'lines.ndjson');
      expect(await world.import({ file })).toMatchObject({ good: 2 });
      await expectRight(service, few);
      const [[, job] = []] = [...(await world.imports())];
      expect(job).toMatchObject({ state: 'ended', count: 2 });
      const hash = job && 'hash' in job ? String(job.hash) : '';
      const { name = '' } = (await findUndoable({ jobs: world.backend.jobs }, 'acme', { hash })) ?? {};
      expect(await eventItemStore(table).endedImports('acme', [name])).toEqual([
        { fingerprint: name, count: 2 },
      ]);
      const [one] = await truth.stored();
      await world.erase(one?.testimonial.id ?? '');
      expect(await world.undo(file)).toMatchObject({ erased: 1, gone: 1 });
      await expectRight(service, few);
      await world.import({ file });
      await expectRight(service, few);
    },
  },
  {
    name: 'an index update takes what two others in a row have written, and no word of an erased one is left',
    async holds(service) {
      const { world } = service;
      for (const each of [input, zebra, input]) {
        const { id } = await world.create(each);
        world.advance(settledMs - lagMs);
        if (each === zebra) await world.erase(id);
      }
      world.advance(settledMs);
      const options = { limits: { ...takingAll.limits, places: 1 } };
      await updateIndex({ ...world.backend, now: world.now }, 'acme', options);
      const { testimonials } = world.backend;
      expect((await Array.fromAsync(testimonials.erasureTexts('acme'))).flat()).toEqual([]);
      await expectRight(service, few);
      expect(await world.differences()).toEqual([]);
    },
  },
  {
    name: 'an index whose head was lost begins in a generation that has no postings',
    async holds(service) {
      const { world, table } = service;
      await world.create(input);
      world.advance(settledMs + 1000);
      await update(service);
      await deleteItem(table, indexHeadKey('acme'));
      await update(service);
      expect(await service.truth.head()).toMatchObject({ generation: 2 });
    },
  },
  {
    name: 'an operator is told that words of an erasure that was just made are still there',
    async holds(service) {
      const { world } = service;
      const { id } = await world.create(zebra);
      world.advance(settledMs + 1000);
      await update(service);
      await world.erase(id);
      expect(await leavesWords({ ...world.backend, now: world.now }, 'acme')).toBe(true);
    },
  },
  {
    name: 'each testimonial has a place that was counted',
    async holds({ world }) {
      await world.create(input);
      world.advance(settledMs);
      await world.create(input);
      expect(await world.differences()).toEqual([]);
    },
  },
  {
    name: 'an index update tells of what has not settled',
    async holds(service) {
      const { world } = service;
      const { id } = await world.create(input);
      world.advance(settledMs + 1000);
      expect(await update(service)).toMatchObject({ testimonials: 1, left: false });
      await world.setStatus(id, 'approved');
      expect(await update(service)).toMatchObject({ changes: 0, left: true });
    },
  },
  {
    name: 'a create that is repeated is answered by its key',
    async holds({ world }) {
      const first = await world.create(input, 'key');
      expect(await world.backend.idempotencyKeys.find('acme', 'key', world.now())).toBeDefined();
      expect(await world.create(input, 'key')).toEqual(first);
    },
  },
  {
    name: 'an event tells the last state',
    async holds({ world, table }) {
      const { id } = await world.create(input);
      const ordinal = ordinalOf(id);
      await world.setStatus(id, 'approved');
      const found = await eventItemStore(table).atPlaces('acme', [ordinal]);
      expect(found).toMatchObject([{ testimonial: { status: 'approved' }, change: 'status' }]);
    },
  },
  {
    name: 'the log of erasures has what was just erased',
    async holds({ world }) {
      const { id } = await world.create(input);
      const ordinal = ordinalOf(id);
      await world.erase(id);
      expect(await world.backend.testimonials.findErased('acme', [ordinal])).toEqual([id]);
    },
  },
  {
    name: 'a token works once it is issued, and neither it nor its organization is forgotten; once revoked, it does not',
    async holds({ world: { now }, table }) {
      const [tokens, organizations] = [tokenStore(table), organizationStore(table)];
      const permissions = ['testimonials:read' as const];
      const deps = { tokens, organizations, now, randomInt };
      const token = await issueToken(deps, { organization: 'acme', permissions });
      const find = () => tokenReader(table)(hashSecret(token));
      expect(await find()).toMatchObject({ organization: 'acme' });
      const [{ id } = { id: '' }] = await tokens.list('acme');
      expect(await tokens.revoke(id)).toBe(true);
      expect(await find()).toBeUndefined();
      expect(await tokens.list('acme')).toEqual([]);
      expect(await organizations.list()).toEqual(['acme']);
      const renewals = renewalStore(table);
      expect(await Array.fromAsync(renewals.organizations(''))).toEqual(['acme']);
      await renewals.begin(now());
      expect(await renewals.read()).toMatchObject({ from: '' });
    },
  },
  {
    name: 'a person of a desk and their session are there at once, and gone at once',
    async holds({ table }) {
      const desks = deskStore(table);
      const [organization, at] = ['acme', '2026-01-15T10:00:00.000Z'];
      const person = { organization, id: 'abc', name: 'Ann', mayErase: false, invitedAt: at };
      const pass = {
        ...{ hash: 'session', kind: 'session' as const, organization, person: 'abc' },
        ...{ createdAt: at, expiresAt: '2026-02-15T10:00:00.000Z' },
      };
      await desks.addPerson(person);
      await desks.addPass(pass);
      expect([await desks.findPerson('acme', 'abc'), await desks.listPeople('acme')]).toEqual([
        person,
        [person],
      ]);
      expect(await desks.findPass('session')).toEqual(pass);
      await desks.removePerson('acme', 'abc');
      await desks.removePass('session');
      expect([await desks.findPerson('acme', 'abc'), await desks.listPeople('acme')]).toEqual([
        undefined,
        [],
      ]);
      expect(await desks.findPass('session')).toBeUndefined();
    },
  },
  {
    name: 'a budget counts from the moment it is set, and what was spent from the moment it was',
    async holds({ table }) {
      const [budgets, settings] = [budgetStore(table), budgetSettings(table)];
      await settings.setBudget('acme', 100);
      expect(await budgets.findBudget('acme')).toBe(100);
      const payer = { organization: 'acme', budget: 'general' as const, share: 1 };
      await budgets.addSpending(payer, 7, { spent: 60, requests: 1, budget: 100 });
      expect(await budgets.findSpending(payer, 7)).toMatchObject({ spent: 60 });
      expect(await settings.listSpending(payer, 7, 8)).toMatchObject([{ spent: 60 }]);
    },
  },
];

/** What each scenario reads, by its name. */
const seenIn = new Map<string, Set<Read>>();

describe('on a table whose reads lag', () => {
  test.each(scenarios)('$name', async (scenario) => {
    seenIn.set(scenario.name, await play(scenario));
  });
});

const reads: Read[] = [
  'BatchGet IMPORT',
  'BatchGet TESTIMONIAL',
  'BatchGet TESTIMONIAL: erased',
  'BatchGet posting',
  'Get BUDGET',
  'Get COUNTER',
  'Get INDEX_REQUEST',
  'Get IMPORT',
  'Get KEY',
  'Get MINUTE',
  'Get PASS',
  'Get PERSON',
  'Get TESTIMONIAL',
  'Get TESTIMONIAL_INDEX',
  'Get TOKEN',
  'Query ERASURES',
  'Query IMPORT',
  'Query IMPORT_POSITIONS',
  'Query MINUTE',
  'Query ORGANIZATIONS',
  'Query PERSON',
  'Query TESTIMONIAL',
  'Query TESTIMONIAL to TESTIMONIAL_INDEX',
  'Query TESTIMONIAL_CHANGE',
  'Query TOKEN',
  'Query partition of postings',
  'Query posting',
];

describe('a consistent read', () => {
  test('is sent by a scenario, each of them, and no other is sent', () => {
    const all = new Set([...seenIn.values()].flatMap((each) => [...each]));
    expect([...all].sort()).toEqual(reads.toSorted());
  });

  test.each(reads)('is needed: %s', async (read) => {
    const concerned = scenarios.toReversed().filter(({ name }) => seenIn.get(name)?.has(read));
    for (const scenario of concerned) {
      const wrong = await play(scenario, read).catch((error: unknown) => error);
      // A wrong answer, and not one that never comes.
      if (wrong instanceof Error && !(wrong instanceof InCircles)) return;
    }
    throw new Error(`Nothing is wrong without the consistency of ${read}`);
  });
});
