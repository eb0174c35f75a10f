/** The service's own lists, with the cost of the last one. */
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { costMeter } from '../../functions/dynamodb/cost-meter.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import type { IndexHead } from '../../functions/testimonials/list-index/index-store.ts';
import type { RowPlan } from '../../functions/testimonials/list-index/read/plan.ts';
import { ListMemory, listTestimonials } from '../../functions/testimonials/operations/list-testimonials.ts';
import { indexStore } from '../../functions/testimonials/table/index-store.ts';
import { testimonialStore } from '../../functions/testimonials/table/testimonial-store.ts';
import { memoryWithHeads } from '../world/known-heads.ts';
import { type BenchDynamoDb, organization } from './dynamodb.ts';

export type Engine = ReturnType<typeof engine>;

export function engine(database: BenchDynamoDb) {
  const table = database.open();
  const meter = costMeter(table.client);
  const partitions = partitionMeter(table);
  const stores = { testimonials: testimonialStore(table), index: indexStore(table) };
  let head: IndexHead | undefined;
  let rows: RowPlan['by'] = 'nothing';
  const list = async (query: ListQuery, memory: ListMemory) => {
    meter.reset();
    partitions.reset();
    const response = await listTestimonials({ ...stores, memory }, organization, query);
    head = memory.get(organization).head;
    rows = response.explanation.rows.by;
    return { ids: response.testimonials.map(({ id }) => id), total: response.total };
  };
  const remembering = new ListMemory();
  return {
    /** Lists in a function that knows the index head and nothing else. */
    list: (query: ListQuery) => list(query, memoryWithHeads(head ? [[organization, head]] : [])),
    /** Lists in one function that remembers its earlier lists. */
    again: (query: ListQuery) => list(query, remembering),
    cost: meter.cost,
    rows: () => rows,
    mostUnits: partitions.mostUnits,
  };
}

interface Read {
  IndexName?: string;
  Key?: { PK: string };
  ExpressionAttributeValues?: Record<string, unknown>;
  RequestItems?: Record<string, { Keys?: { PK: string }[] }>;
}

/** Counts the read units of each partition. The items of a batch count alike. */
function partitionMeter({ client }: Table) {
  let units = new Map<string, number>();
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { IndexName = '', Key, ExpressionAttributeValues, RequestItems = {} } = args.input as Read; // lists only read
      const keys = Key ? [Key] : Object.values(RequestItems).flatMap(({ Keys = [] }) => Keys);
      const partitions =
        keys.length > 0 ? keys.map(({ PK }) => PK) : [ExpressionAttributeValues?.[':partition']];
      const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: Consumed | Consumed[] };
      const total = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
      for (const partition of partitions) {
        const name = `${IndexName} ${partition}`;
        units.set(name, (units.get(name) ?? 0) + total / partitions.length);
      }
      return result;
    },
    // After the cost meter, which asks DynamoDB for the units.
    { step: 'initialize', priority: 'low' },
  );
  return {
    reset: () => {
      units = new Map();
    },
    /** Returns the units of the partition that was read most since the reset. */
    mostUnits: () => Math.max(0, ...units.values()),
  };
}

type Consumed = { CapacityUnits?: number };
