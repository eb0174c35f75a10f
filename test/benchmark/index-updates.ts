/** Measures indexing: what it writes, how fast it is, and that nobody waits for another, on a store that takes its time. */
import { setTimeout as wait } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { limits } from '../../functions/domain/testimonial.ts';
import { createHandler } from '../../functions/index-testimonials/handler.ts';
import type { IndexStore } from '../../functions/list-index/index-store.ts';
import { formerFacetsOf } from '../../functions/list-index/index-terms.ts';
import { type CostMeter, costMeter } from '../../functions/persistence/cost-meter.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { renewalStore } from '../../functions/persistence/dynamodb-renewal-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { testimonialKey } from '../../functions/persistence/keys.ts';
import { changeMarkerItem, testimonialItem } from '../../functions/persistence/stored-items.ts';
import { openTable, type Table } from '../../functions/persistence/table.ts';
import { batchingWindowMs } from '../../functions/timing.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import { Dice } from '../../lib/operator/sample-data/generate-testimonials.ts';
import { recordOf } from '../stream-record.ts';
import { chineseText, generateTestimonials } from '../zipf/generate-testimonials.ts';
import { bulkPut } from './bulk-put.ts';
import { type EmbeddedDynamoDb, organization } from './engine.ts';

/** How long each call to the store takes at least, in milliseconds. */
export const storeMs = 5;

export const writeCommands = ['PutItemCommand', 'UpdateItemCommand', 'BatchWriteItemCommand'];
export const readCommands = ['BatchGetItemCommand', 'GetItemCommand', 'QueryCommand'];

/** What index updates cost together. */
interface IndexingCost {
  invocations: number;
  /** The time of all invocations, in milliseconds. */
  billedMs: number;
  writes: number;
  writeUnits: number;
  readUnits: number;
}

export interface IndexUpdateCost extends IndexingCost {
  size: number;
  what: string;
  /** Testimonials or changes indexed together. */
  together: number;
}

/** What the index function does on a store that takes its time, invoked as the stream does, until nothing is left. */
class IndexFunction {
  readonly #table: Table;
  readonly #written: CostMeter;
  readonly #read: CostMeter;
  readonly #logger = new Logger({ logLevel: 'SILENT' });
  /** Time that passed without being waited for. */
  #shiftMs = 0;
  #invocations = 0;
  #billedMs = 0;
  failures = 0;
  /** When the index update of each organization began, in milliseconds. */
  readonly begun = new Map<string, number>();

  constructor(database: EmbeddedDynamoDb) {
    const config = localClientConfig(database.endpoint);
    const table = openTable('bench', { patience: 'background', config });
    const { requestHandler } = table.client.config;
    const handle = requestHandler.handle.bind(requestHandler);
    requestHandler.handle = async (...args) => {
      const [answer] = await Promise.all([handle(...args), wait(storeMs)]);
      return answer;
    };
    this.#table = table;
    this.#written = costMeter(table.client, writeCommands);
    this.#read = costMeter(table.client, readCommands);
    this.#logger.error = () => {
      this.failures += 1;
    };
  }

  /** Updates the index until nothing asks for it any more. */
  async updateIndex(organizations: string[]): Promise<this> {
    for (let due = organizations; due.length > 0; ) {
      this.#shiftMs += batchingWindowMs;
      const begin = performance.now();
      due = await this.#invoke(due);
      this.#billedMs += performance.now() - begin;
      this.#invocations += 1;
      if (this.failures > 0) throw new Error(`Indexing ${organizations.join()} failed`);
    }
    return this;
  }

  /** What was done since this was asked last. */
  cost(): IndexingCost {
    const [invocations, billedMs] = [this.#invocations, this.#billedMs];
    const { units: writeUnits, requests: writes } = this.#written.cost();
    const { units: readUnits } = this.#read.cost();
    for (const meter of [this.#written, this.#read]) meter.reset();
    [this.#invocations, this.#billedMs] = [0, 0];
    return { invocations, billedMs, writes, writeUnits, readUnits };
  }

  /** Returns the organizations that ask for another index update. */
  async #invoke(organizations: string[]): Promise<string[]> {
    const due = new Set<string>();
    const begin = performance.now();
    const stored = indexStore(this.#table);
    const index: IndexStore = {
      ...stored,
      requestIndexUpdate: async (name, now) => {
        due.add(name);
        return stored.requestIndexUpdate(name, now);
      },
      readHead: (name) => {
        if (!this.begun.has(name)) this.begun.set(name, performance.now() - begin);
        return stored.readHead(name);
      },
    };
    const handler = createHandler({
      testimonials: testimonialStore(this.#table),
      index,
      renewals: renewalStore(this.#table),
      now: () => new Date(this.#table.now().getTime() + this.#shiftMs),
      logger: this.#logger,
    });
    const event = { Records: organizations.map((name, i) => recordOf(testimonialKey(name, 1), i)) };
    const { batchItemFailures } = await handler(event);
    this.failures += batchItemFailures.length;
    return [...due];
  }

  end(): void {
    this.#table.client.destroy();
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
    const { ordinal, version, updateOrdinal: previousUpdateOrdinal } = row;
    const places = { ordinal, version, updateOrdinal, previousUpdateOrdinal };
    const marker = { ...places, time, ...formerFacetsOf(row.testimonial) };
    items.push(changeMarkerItem(organization, marker));
    const testimonial = { ...row.testimonial, status: 'rejected' as const };
    items.push(testimonialItem(organization, { ...row, testimonial, updateOrdinal, version: version + 1 }));
  }
  await bulkPut(table, items);
}

/** How many creates come one after another, each with an invocation of its own: most wait, and one updates many. */
const oneByOne = 100;

/** Indexes what comes one by one, and some together, on top of the loaded organization. */
export async function measureIndexUpdates(
  database: EmbeddedDynamoDb,
  size: number,
  most: number,
): Promise<IndexUpdateCost[]> {
  const fn = new IndexFunction(database);
  const table = database.open();
  const results: IndexUpdateCost[] = [];
  const rows: StoredTestimonial[] = [];
  const alone = Math.min(oneByOne, most);
  for (let i = 0; i < alone; i += 1) {
    rows.push(...(await add(table, organization, 1, { seed: size + i })));
    await fn.updateIndex([organization]);
  }
  results.push({ size, what: 'creates, one by one', together: alone, ...fn.cost() });
  const together = await add(table, organization, most, { seed: size + most });
  const measure = async (what: string, count: number) => {
    await fn.updateIndex([organization]);
    results.push({ size, what, together: count, ...fn.cost() });
  };
  await measure('creates', most);
  await change(table, rows.slice(0, 1));
  await measure('a change of status', 1);
  await change(table, together);
  await measure('changes of status', most);
  fn.end();
  return results;
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
  const together = (await fn.updateIndex(['chinese'])).cost();
  const alone = Math.min(oneByOne, most);
  for (let i = 0; i < alone; i += 1) {
    await add(table, 'chinese', 1, { seed: i, write });
    await fn.updateIndex(['chinese']);
  }
  const singles = fn.cost();
  fn.end();
  return [
    { size: 0, what, together: most, ...together },
    { size: most, what: `${what}, one by one`, together: alone, ...singles },
  ];
}

export interface IndexUpdateLoad {
  what: string;
  /** What it came to, in words and figures. */
  result: string;
}

/** Indexes what is hard: many organizations, a hostile one, a long backlog, many changes. */
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
    const { billedMs } = (await fn.updateIndex(names)).cost();
    return `${number(fn.failures)} fail; ${number(billedMs / 1000)} s`;
  });

  await run(
    `${number(hostile)} creates of 10,000 characters of different words, beside 20 ordinary organizations`,
    async (fn) => {
      await add(table, 'hostile', hostile, { seed: 0, write: differentWords() });
      const others = Array.from({ length: 20 }, (_, i) => `beside-${i}`);
      for (const [i, name] of others.entries()) await add(table, name, 2, { seed: i });
      const { writes } = (await fn.updateIndex(['hostile', ...others])).cost();
      const last = Math.max(...others.map((name) => fn.begun.get(name) ?? Number.POSITIVE_INFINITY));
      return `the last of the others begins after ${number(last)} ms; ${number(writes)} writes`;
    },
  );

  await run(`a backlog of ${number(backlog)} short testimonials (5 to 15 words)`, async (fn) => {
    await add(table, 'backlog', backlog, { seed: 7, words: [5, 15] });
    const { billedMs, writes } = (await fn.updateIndex(['backlog'])).cost();
    const perSecond = backlog / (billedMs / 1000);
    return `${number(perSecond)} a second, ${(writes / backlog).toFixed(2)} writes each`;
  });

  await run(`${number(changes)} settled changes of status`, async (fn) => {
    const rows = (await Array.fromAsync(testimonialStore(table).from(organization, 0))).flat();
    await change(table, rows.slice(0, changes));
    const { billedMs, writes } = (await fn.updateIndex([organization])).cost();
    return `${number(changes / (billedMs / 1000))} a second, ${(writes / changes).toFixed(2)} writes each`;
  });
  return loads;
}

/** Texts as long as they may be, none of whose words is in another. */
function differentWords(): () => string {
  const wordLength = 5;
  const wordsAText = Math.floor(limits.content.max / (wordLength + 1));
  let words = 0;
  const word = () => {
    words += 1;
    return words.toString(36).padStart(wordLength, 'x');
  };
  return () => Array.from({ length: wordsAText }, word).join(' ');
}
