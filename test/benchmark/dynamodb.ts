/** The embedded DynamoDB of the benchmark, and an organization whose testimonials are indexed. */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { firstPosition } from '../../functions/domain/testimonial-order.ts';
import { batchPut } from '../../functions/dynamodb/items.ts';
import { openTable, type Table } from '../../functions/dynamodb/table.ts';
import { noIndex } from '../../functions/testimonials/list-index/index-store.ts';
import { rebuildIndex } from '../../functions/testimonials/list-index/write/rebuild.ts';
import { indexStore } from '../../functions/testimonials/table/index-store.ts';
import { testimonialItem } from '../../functions/testimonials/table/stored-testimonials.ts';
import { testimonialStore } from '../../functions/testimonials/table/testimonial-store.ts';
import { ensureTable, startEmbeddedDynamoDb } from '../../lib/local-runner/dynamodb.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import type { TemplateTable } from '../../lib/local-runner/template.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';

export const organization = 'bench';
const rowsTogether = 10_000;

export interface BenchDynamoDb {
  /** Opens a client of its own. */
  open(): Table;
  stop(): Promise<unknown>;
}

/**
 * Starts a DynamoDB with an empty table, in a worker, so that its processor time does not count as the
 * function's.
 */
export async function startDynamoDb(definition: TemplateTable): Promise<BenchDynamoDb> {
  const worker = new Worker(new URL(import.meta.url));
  const [endpoint]: string[] = await once(worker, 'message');
  const clients: Table[] = [];
  if (!endpoint) throw new Error('The embedded DynamoDB did not start');
  await ensureTable(endpoint, { ...definition, name: 'bench' });
  return {
    open() {
      // Without time limits: the machine may be busy.
      const config = { ...localClientConfig(endpoint), requestHandler: {} };
      const table = openTable('bench', { patience: 'background', config });
      clients.push(table);
      return table;
    },
    stop: () => {
      for (const { client } of clients) client.destroy();
      return worker.terminate();
    },
  };
}

/** Stores `count` generated testimonials and builds their list index. */
export async function loadIndexed(
  table: Table,
  count: number,
  progress: (step: string) => void,
): Promise<void> {
  const items: ReturnType<typeof testimonialItem>[] = [];
  const store = async () => batchPut(table, items.splice(0));
  let stored = 0;
  for (const testimonial of generateTestimonials(count)) {
    items.push(testimonialItem(organization, testimonial));
    stored += 1;
    if (items.length < rowsTogether) continue;
    await store();
    progress(`${stored} testimonials stored`);
  }
  await store();
  const stores = { testimonials: testimonialStore(table), index: indexStore(table) };
  await stores.testimonials.reserveOrdinals(organization, new Date('2026-01-01T00:00:00.000Z'), count);
  const next = firstPosition + count;
  await stores.index.replaceHead(organization, { ...noIndex, indexed: next, updated: next });
  const indexed = (testimonials: number) => progress(`${testimonials} testimonials indexed`);
  await rebuildIndex({ ...stores, now: table.now }, organization, { progress: indexed });
}

if (!isMainThread) {
  const { endpoint } = await startEmbeddedDynamoDb(':memory:', 0);
  parentPort?.postMessage(endpoint);
}
