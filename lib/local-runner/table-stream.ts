/** The stream that the embedded DynamoDB does not have, a record of each write that changed an item, and the functions that it feeds. */
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { indexRequestKey } from '../../functions/persistence/keys.ts';
import type { ItemWrite, RunningDynamoDb } from './dynamodb.ts';
import { EventSourceMapping } from './event-source-mapping.ts';
import { localRegion, withTable } from './settings.ts';
import type { ServiceTemplate, TemplateTable } from './template.ts';

/** Takes the next record of a shard, whose records are in the order of their writes. */
export type TakeRecord = (record: DynamoDBRecord, shardId: string) => void;

// As many as a new table on demand has partitions. A partition key is in one of them, by its hash.
const shards = 4;

/** Makes the records of a table's stream, and hands them on in the order of the writes. */
export function tableStream({ name, definition }: TemplateTable, take: TakeRecord) {
  // The partition key is the first.
  const names = definition.KeySchema.map(({ AttributeName }) => AttributeName);
  let sequence = 0;
  /** Hands on a record of an item with these keys. */
  const add = (eventName: EventName, keys: Record<string, AttributeValue>) => {
    sequence += 1;
    const record = keysOnlyRecord(eventName, keys, String(sequence).padStart(21, '0'));
    take(record, `shardId-${crc32(JSON.stringify(keys[String(names[0])])) % shards}`);
  };
  /** Makes a record of a write; one to another table, or that changed nothing, has none. */
  const write = ({ tableName, before, after }: ItemWrite) => {
    const item = after ?? before;
    if (tableName !== name || !item || isDeepStrictEqual(before, after)) return;
    // An item that is stored has its keys, of a type that keys can have.
    const keys = Object.fromEntries(names.map((each) => [each, item[each] as AttributeValue]));
    add(!before ? 'INSERT' : after ? 'MODIFY' : 'REMOVE', keys);
  };
  return { add, write };
}

type EventName = 'INSERT' | 'MODIFY' | 'REMOVE';

/** Makes a record of a KEYS_ONLY stream, as Lambda passes it on. */
export function keysOnlyRecord(
  eventName: EventName,
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
 * @param options `invoking` gives what invokes a function; `log` is told what goes wrong later, in one line each
 * @returns ends them, at once
 */
export async function startEventSources(options: {
  template: ServiceTemplate;
  dynamoDb: RunningDynamoDb;
  invoking: (functionId: string) => (event: unknown) => Promise<unknown>;
  log: (message: string) => void;
}): Promise<() => void> {
  const { template, invoking, log } = options;
  const { watch, endpoint } = options.dynamoDb;
  if (!watch) {
    log(`Writes to ${endpoint} are not seen here: no index is updated, and no event is told.`);
    return () => {};
  }
  const mappings = template.eventSources.map((definition) => {
    const name = template.functions.get(definition.functionId)?.name;
    const onError = (message: string) => log(`${name}: ${message}`);
    return new EventSourceMapping({ definition, invoke: invoking(definition.functionId), onError });
  });
  const stream = tableStream(template.table, (record, shardId) => {
    for (const mapping of mappings) mapping.take(record, shardId);
  });
  watch(stream.write);
  for (const organization of await withTable(endpoint, (table) => organizationStore(table).list())) {
    const { PK, SK } = indexRequestKey(organization);
    stream.add('MODIFY', { PK: { S: PK }, SK: { S: SK } });
  }
  return () => {
    for (const mapping of mappings) mapping.stop();
  };
}
