/** Measures indexing: what it writes, how fast it is, and that nobody waits for another, on a store that takes its time. */
import { setTimeout as wait } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { createHandler } from '../../functions/index-testimonials/handler.ts';
import type { IndexStore } from '../../functions/list-index/index-store.ts';
import { type CostMeter, costMeter } from '../../functions/persistence/cost-meter.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { renewalStore } from '../../functions/persistence/dynamodb-renewal-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { changeMarkerKey, testimonialKey } from '../../functions/persistence/keys.ts';
import { testimonialItem } from '../../functions/persistence/stored-items.ts';
import { openTable, type Table } from '../../functions/persistence/table.ts';
import { batchingWindowMs } from '../../functions/timing.ts';
import { localClientConfig } from '../../lib/local-runner/connection.ts';
import { Dice } from '../../lib/operator/sample-data/generate-testimonials.ts';
import { chineseText, generateTestimonials } from '../zipf/generate-testimonials.ts';
import { bulkPut } from './bulk-put.ts';
import { type EmbeddedDynamoDb, organization } from './engine.ts';

/** How long each call to the store takes at least, in milliseconds. */
export const storeMs = 5;

export const writeCommands = ['PutItemCommand', 'UpdateItemCommand', 'BatchWriteItemCommand'];
export const readCommands = ['BatchGetItemCommand', 'GetItemCommand', 'QueryCommand'];

export interface IndexUpdateCost {
  size: number;
  what: string;
  /** Testimonials or changes indexed together. */
  together: number;
  invocations: number;
  /** The time of all invocations, in milliseconds. */
  billedMs: number;
  writes: number;
  writeUnits: number;
  readUnits: number;
}

/** What the index function does on a store that takes its time, invoked as the stream does, until nothing is left. */
class IndexFunction {
  readonly #table: Table;
  readonly #written: CostMeter;
  readonly #read: CostMeter;
  /** Time that passed without being waited for. */
  #shiftMs = 0;
  failures = 0;
  /** When the index update of each organization began, in milliseconds. */
  readonly begun = new Map<string, number>();

  constructor(database: EmbeddedDynamoDb) {
    const table = openTable('bench', {
      patience: 'background',
      config: localClientConfig(database.endpoint),
    });
    const { requestHandler } = table.client.config;
    const handle = requestHandler.handle.bind(requestHandler);
    requestHandler.handle = async (...args) => {
      const [answer] = await Promise.all([handle(...args), wait(storeMs)]);
      return answer;
    };
    this.#table = table;
    this.#written = costMeter(table.client, writeCommands);
    this.#read = costMeter(table.client, readCommands);
  }

  /** Folds until nothing asks for it any more. */
  async updateIndex(
    organizations: string[],
    what: { size: number; what: string; together: number },
  ): Promise<IndexUpdateCost> {
    for (const meter of [this.#written, this.#read]) meter.reset();
    let billedMs = 0;
    let invocations = 0;
    for (let due = organizations; due.length > 0; ) {
      this.#shiftMs += batchingWindowMs;
      const begin = performance.now();
      due = await this.#invoke(due);
      billedMs += performance.now() - begin;
      invocations += 1;
    }
    const { units: writeUnits, requests: writes } = this.#written.cost();
    return { ...what, invocations, billedMs, writes, writeUnits, readUnits: this.#read.cost().units };
  }

  /** Returns the organizations that ask for another index update. */
  async #invoke(organizations: string[]): Promise<string[]> {
    const due = new Set<string>();
    const index: IndexStore = {
      ...indexStore(this.#table),
      requestIndexUpdate: async (name, now) => {
        due.add(name);
        return indexStore(this.#table).requestIndexUpdate(name, now);
      },
    };
    const begin = performance.now();
    const { readHead } = index;
    index.readHead = (name) => {
      if (!this.begun.has(name)) this.begun.set(name, performance.now() - begin);
      return readHead(name);
    };
    const handler = createHandler({
      testimonials: testimonialStore(this.#table),
      index,
      renewals: renewalStore(this.#table),
      now: () => new Date(this.#table.now().getTime() + this.#shiftMs),
      logger: new FailureCount(() => {
        this.failures += 1;
      }),
    });
    const event: DynamoDBStreamEvent = {
      Records: organizations.map((name, i) => ({
        dynamodb: {
          Keys: { PK: { S: testimonialKey(name, 1).PK }, SK: { S: testimonialKey(name, 1).SK } },
          SequenceNumber: String(i),
        },
      })),
    };
    const { batchItemFailures } = await handler(event);
    this.failures += batchItemFailures.length;
    return [...due];
  }

  end(): void {
    this.#table.client.destroy();
  }
}

/** Counts the errors, and prints nothing. */
class FailureCount extends Logger {
  readonly #add: () => void;
  constructor(add: () => void) {
    super({ logLevel: 'SILENT' });
    this.#add = add;
  }
  override error(): void {
    this.#add();
  }
}

const created = new Date('2026-01-01T00:00:00.000Z');

/** Stores generated testimonials on top of what is there. */
async function add(
  table: Table,
  name: string,
  count: number,
  { write, ...options }: { seed: number; words?: [number, number]; write?: () => string },
): Promise<StoredTestimonial[]> {
  const { ordinal, updateOrdinal } = await testimonialStore(table).takeOrdinals(name, created, count);
  const firstOrdinal = ordinal - count + 1;
  const firstUpdateOrdinal = updateOrdinal - count + 1;
  const made = [...generateTestimonials(count, { firstOrdinal, firstUpdateOrdinal, ...options })];
  if (write) for (const { testimonial } of made) testimonial.content = write();
  await bulkPut(
    table,
    made.map((stored) => testimonialItem(name, stored)),
  );
  return made;
}

/** Changes the status of testimonials, as many changes would leave them. */
async function change(table: Table, rows: StoredTestimonial[]): Promise<void> {
  const store = testimonialStore(table);
  const time = created.toISOString();
  const items: Record<string, unknown>[] = [];
  for (const row of rows) {
    const { updateOrdinal } = await store.takeUpdateOrdinal(organization, created);
    const { ordinal, version } = row;
    const marker = { ordinal, version, time };
    items.push({ ...changeMarkerKey(organization, updateOrdinal), ...marker });
    const testimonial = { ...row.testimonial, status: 'rejected' as const };
    items.push(testimonialItem(organization, { ...row, testimonial, updateOrdinal, version: version + 1 }));
  }
  await bulkPut(table, items);
}

/** How many creates come one after another, each with an invocation of its own: most wait, and one updates many. */
const oneByOne = 100;

/** Folds what comes one by one, and some together, on top of the loaded organization. */
export async function measureIndexUpdates(
  database: EmbeddedDynamoDb,
  size: number,
  most: number,
): Promise<IndexUpdateCost[]> {
  const fn = new IndexFunction(database);
  const table = database.open();
  const results: IndexUpdateCost[] = [];
  const rows: StoredTestimonial[] = [];
  const singles = await eachAlone(fn, organization, Math.min(oneByOne, most), async (i) => {
    rows.push(...(await add(table, organization, 1, { seed: size + i })));
  });
  results.push({ ...singles, size, what: 'creates, one by one' });
  const together = await add(table, organization, most, { seed: size + most });
  results.push(await fn.updateIndex([organization], { size, what: 'creates', together: most }));
  await change(table, rows.slice(0, 1));
  results.push(await fn.updateIndex([organization], { size, what: 'a change of status', together: 1 }));
  await change(table, together);
  results.push(await fn.updateIndex([organization], { size, what: 'changes of status', together: most }));
  fn.end();
  return results;
}

/** Adds testimonials one after another, each indexed before the next is added. */
async function eachAlone(
  fn: IndexFunction,
  name: string,
  count: number,
  addOne: (nth: number) => Promise<unknown>,
): Promise<IndexUpdateCost> {
  const costs: IndexUpdateCost[] = [];
  for (let i = 0; i < count; i += 1) {
    await addOne(i);
    costs.push(await fn.updateIndex([name], { size: 0, what: '', together: 1 }));
  }
  return sumOf(costs);
}

/** The letters of a Chinese testimonial. Each pair of neighbours is a word there, and few are in many texts. */
export const chineseLetters = 300;

/** Indexes an organization whose testimonials are Chinese: the first together, others one by one. */
export async function measureIndexUpdatesOfChinese(
  database: EmbeddedDynamoDb,
  most: number,
): Promise<IndexUpdateCost[]> {
  const fn = new IndexFunction(database);
  const table = database.open();
  const dice = new Dice(27);
  const write = () => chineseText(chineseLetters, dice);
  const what = `Chinese testimonials of ${chineseLetters} letters`;
  await add(table, 'chinese', most, { seed: 27, write });
  const together = await fn.updateIndex(['chinese'], { size: 0, what, together: most });
  const singles = await eachAlone(fn, 'chinese', Math.min(oneByOne, most), (i) =>
    add(table, 'chinese', 1, { seed: i, write }),
  );
  fn.end();
  return [together, { ...singles, size: most, what: `${what}, one by one` }];
}

function sumOf([first, ...others]: IndexUpdateCost[]): IndexUpdateCost {
  if (!first) throw new Error('Nothing was indexed');
  const sum = { ...first };
  for (const each of others)
    for (const name of ['together', 'invocations', 'billedMs', 'writes', 'writeUnits', 'readUnits'] as const)
      sum[name] += each[name];
  return sum;
}

export interface IndexUpdateLoad {
  what: string;
  /** What it came to, in words and figures. */
  result: string;
}

/** Folds what is hard: many organizations, a hostile one, a long backlog, many changes. */
export async function measureIndexUpdateLoads(
  database: EmbeddedDynamoDb,
  scale: { organizations: number; backlog: number; changes: number; hostile: number },
): Promise<IndexUpdateLoad[]> {
  const table = database.open();
  const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });
  const loads: IndexUpdateLoad[] = [];
  const run = async (what: string, work: (fn: IndexFunction) => Promise<string>) => {
    const fn = new IndexFunction(database);
    loads.push({ what, result: await work(fn) });
    fn.end();
  };

  const { organizations, backlog, changes, hostile } = scale;
  await run(`a batch of ${number(organizations)} organizations, two testimonials each`, async (fn) => {
    const names = Array.from({ length: organizations }, (_, i) => `many-${i}`);
    for (const [i, name] of names.entries()) await add(table, name, 2, { seed: i });
    const { billedMs } = await fn.updateIndex(names, { size: 0, what: '', together: 2 * organizations });
    return `${number(fn.failures)} fail; ${number(billedMs / 1000)} s`;
  });

  await run(
    `${number(hostile)} creates of 10,000 characters of different words, beside 20 ordinary organizations`,
    async (fn) => {
      await addHostile(table, 'hostile', hostile);
      const others = Array.from({ length: 20 }, (_, i) => `beside-${i}`);
      for (const [i, name] of others.entries()) await add(table, name, 2, { seed: i });
      const { writes } = await fn.updateIndex(['hostile', ...others], { size: 0, what: '', together: 0 });
      const last = Math.max(...others.map((name) => fn.begun.get(name) ?? Number.POSITIVE_INFINITY));
      return `the last of the others begins after ${number(last)} ms; ${number(writes)} writes`;
    },
  );

  await run(`a backlog of ${number(backlog)} short testimonials (5 to 15 words)`, async (fn) => {
    await add(table, 'backlog', backlog, { seed: 7, words: [5, 15] });
    const { billedMs, writes } = await fn.updateIndex(['backlog'], { size: 0, what: '', together: backlog });
    const perSecond = backlog / (billedMs / 1000);
    return `${number(perSecond)} a second, ${(writes / backlog).toFixed(2)} writes each`;
  });

  await run(`${number(changes)} settled changes of status`, async (fn) => {
    const rows = (await Array.fromAsync(testimonialStore(table).from(organization, 0))).flat();
    await change(table, rows.slice(0, changes));
    const { billedMs, writes } = await fn.updateIndex([organization], {
      size: 0,
      what: '',
      together: changes,
    });
    return `${number(changes / (billedMs / 1000))} a second, ${(writes / changes).toFixed(2)} writes each`;
  });
  return loads;
}

/** Testimonials as long as they may be, none of whose words is in another. */
async function addHostile(table: Table, name: string, count: number): Promise<void> {
  const store = testimonialStore(table);
  const wordLength = 5;
  let words = 0;
  const word = () => {
    words += 1;
    return `${words.toString(36).padStart(wordLength, 'x')} `;
  };
  for (let i = 0; i < count; i += 1) {
    const { ordinal, updateOrdinal, time } = await store.takeOrdinals(name, created);
    const content = Array.from({ length: Math.floor(10_000 / (wordLength + 1)) }, word)
      .join('')
      .trim();
    await store.insert(name, {
      testimonial: {
        id: `test_123456789012${ordinal}`,
        content,
        author: { name: 'Mallory', email: 'mallory@example.com' },
        type: 'text',
        status: 'pending',
        createdAt: time,
        updatedAt: time,
      },
      ordinal,
      updateOrdinal,
      version: 1,
      writtenAt: time,
    });
  }
}
