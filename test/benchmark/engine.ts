/** The service's own lists, on the embedded DynamoDB in a thread of its own. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import type { IndexHead } from '../../functions/list-index/index-store.ts';
import type { RowPlan } from '../../functions/list-index/read/plan.ts';
import { ListMemory, listTestimonials } from '../../functions/operations/list-testimonials.ts';
import { costMeter } from '../../functions/persistence/cost-meter.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { openTable, type Table } from '../../functions/persistence/table.ts';
import { ensureTable } from '../../lib/local-runner/dynamodb.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import type { TemplateTable } from '../../lib/local-runner/template.ts';
import { knowing } from '../world/known-heads.ts';
import { partitionMeter } from './partition-meter.ts';

export const organization = 'bench';

export interface EmbeddedDynamoDb {
  endpoint: string;
  /** Opens a client of its own. */
  open(): Table;
  stop(): Promise<unknown>;
}

/** Starts an embedded DynamoDB with an empty table. */
export async function startDynamoDb(definition: TemplateTable): Promise<EmbeddedDynamoDb> {
  const worker = new Worker(new URL('./dynamodb-worker.ts', import.meta.url));
  const [endpoint]: string[] = await once(worker, 'message');
  const clients: Table[] = [];
  if (!endpoint) throw new Error('The embedded DynamoDB did not start');
  await ensureTable(endpoint, { ...definition, name: 'bench' });
  return {
    endpoint,
    open() {
      // The machine may be busy: no call is given up.
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

export type Engine = ReturnType<typeof engine>;

/** The engine as in a function that knows the head and has answered no list, or has answered all those that `again` was asked. */
export function engine(database: EmbeddedDynamoDb) {
  const table = database.open();
  const meter = costMeter(table.client);
  const partitions = partitionMeter(table.client);
  const stores = { testimonials: testimonialStore(table), index: indexStore(table) };
  let head: IndexHead | undefined;
  let rows: RowPlan['by'] = 'nothing';
  const list = async (query: ListQuery, memory: ListMemory) => {
    meter.reset();
    partitions.reset();
    const answer = await listTestimonials({ ...stores, memory }, organization, query);
    head = memory.of(organization).head;
    rows = answer.explanation.rows.by;
    return { ids: answer.testimonials.map(({ id }) => id), total: answer.total };
  };
  const remembering = new ListMemory();
  return {
    list: (query: ListQuery) => list(query, knowing(head ? [[organization, head]] : [])),
    /** Answers as the same function does that was asked before. */
    again: (query: ListQuery) => list(query, remembering),
    /** The cost of the last list. */
    cost: meter.cost,
    rows: () => rows,
    mostUnits: partitions.mostUnits,
  };
}
