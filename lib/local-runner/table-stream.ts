/** The stream that the embedded DynamoDB does not have, a record of each write that changed an item, and the functions that it feeds. */
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { indexRequestKey } from '../../functions/persistence/keys.ts';
import { localRegion, withTable } from './connection.ts';
import type { ItemWrite, RunningDynamoDb } from './dynamodb.ts';
import { EventSourceMapping } from './event-source-mapping.ts';
import type { LocalFunction } from './local-function.ts';
import type { ServiceTemplate, TemplateTable } from './template.ts';

/** Takes the next record of a shard, whose records are in the order of their writes. */
export type TakeRecord = (record: DynamoDBRecord, shardId: string) => void;

// As many as a new table on demand has partitions. A partition key is in one of them, by its hash.
const shards = 4;

export class TableStream {
  readonly #table: TemplateTable;
  readonly #take: TakeRecord;
  #sequence = 0;

  constructor(table: TemplateTable, take: TakeRecord) {
    this.#table = table;
    this.#take = take;
  }

  /** Makes a record of a write; one to another table, or that changed nothing, has none. */
  write({ tableName, before, after }: ItemWrite): void {
    const { name, definition } = this.#table;
    const item = after ?? before;
    if (tableName !== name || !item || isDeepStrictEqual(before, after)) return;
    const names = definition.KeySchema.map(({ AttributeName }) => AttributeName);
    // An item that is stored has its keys, of a type that keys can have.
    const keys = Object.fromEntries(names.map((each) => [each, item[each] as AttributeValue]));
    this.add(!before ? 'INSERT' : after ? 'MODIFY' : 'REMOVE', keys);
  }

  /** Hands on a record of an item with these keys. */
  add(eventName: 'INSERT' | 'MODIFY' | 'REMOVE', keys: Record<string, AttributeValue>): void {
    this.#sequence += 1;
    const record = keysOnlyRecord(eventName, keys, String(this.#sequence).padStart(21, '0'));
    const { KeySchema } = this.#table.definition;
    const partition = KeySchema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '';
    this.#take(record, `shardId-${crc32(JSON.stringify(keys[partition]) ?? '') % shards}`);
  }
}

/** Makes a record of a KEYS_ONLY stream, as Lambda passes it on. */
export function keysOnlyRecord(
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE',
  keys: Record<string, AttributeValue>,
  sequenceNumber: string,
): DynamoDBRecord {
  return {
    eventID: sequenceNumber,
    eventName,
    eventSource: 'aws:dynamodb',
    eventVersion: '1.1',
    awsRegion: localRegion,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
      Keys: keys,
      SequenceNumber: sequenceNumber,
      StreamViewType: 'KEYS_ONLY',
    },
  };
}

/**
 * Starts every event source mapping of the template. The stream begins now: an update of each organization's index is asked for
 * once, which finds what was written before.
 * @param log is told what goes wrong later, in one line each
 * @returns ends them, at once
 */
export async function startEventSources(
  { template, dynamoDb }: { template: ServiceTemplate; dynamoDb: RunningDynamoDb },
  functions: Map<string, LocalFunction>,
  log: (message: string) => void,
): Promise<() => Promise<void>> {
  const { watch, endpoint } = dynamoDb;
  if (!watch) {
    log(`Writes to ${endpoint} are not seen here: no index is updated, and no event is told.`);
    return async () => {};
  }
  const mappings = template.eventSources.map((definition) => {
    const { functionId } = definition;
    return new EventSourceMapping({
      definition,
      invoke: async (event) => functions.get(functionId)?.invoke(event),
      onError: (message) => log(`${template.functions.get(functionId)?.name}: ${message}`),
    });
  });
  const stream = new TableStream(template.table, (record, shardId) => {
    for (const mapping of mappings) mapping.take(record, shardId);
  });
  watch((write) => stream.write(write));
  for (const organization of await withTable(endpoint, (table) => organizationStore(table).list())) {
    const { PK, SK } = indexRequestKey(organization);
    stream.add('MODIFY', { PK: { S: PK }, SK: { S: SK } });
  }
  return async () => {
    for (const mapping of mappings) mapping.stop();
  };
}
