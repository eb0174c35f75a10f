/** The stream that the embedded DynamoDB lacks, with a record for each write that changed an item. */
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { organizationStore } from '../../functions/accounts/dynamodb-organization-store.ts';
import { indexRequestKey } from '../../functions/dynamodb/keys.ts';
import type { ItemWrite, RunningDynamoDb } from './dynamodb.ts';
import { eventSourceMapping } from './event-source-mapping.ts';
import { localRegion, withTable } from './settings.ts';
import type { ServiceTemplate, TemplateTable } from './template.ts';

/** Receives the records of a shard in the order of their writes. */
export type OnRecord = (record: DynamoDBRecord, shardId: string) => void;

// A new table on demand has four partitions. The hash of a partition key selects one.
const shards = 4;

/** Makes the records of a table's stream: `write` from a write, `add` from the keys of an item. */
export function tableStream({ name, definition }: TemplateTable, onRecord: OnRecord) {
  // The partition key is the first.
  const names = definition.KeySchema.map(({ AttributeName }) => AttributeName);
  let sequence = 0;
  const add = (eventName: EventName, keys: Record<string, AttributeValue>) => {
    sequence += 1;
    const record = keysOnlyRecord(eventName, keys, String(sequence).padStart(21, '0'));
    onRecord(record, `shardId-${crc32(JSON.stringify(keys[String(names[0])])) % shards}`);
  };
  /** Ignores writes to other tables, and writes that changed nothing. */
  const write = ({ tableName, before, after }: ItemWrite) => {
    const item = after ?? before;
    if (tableName !== name || !item || isDeepStrictEqual(before, after)) return;
    // A stored item always contains its keys.
    const keys = Object.fromEntries(names.map((each) => [each, item[each] as AttributeValue]));
    add(!before ? 'INSERT' : after ? 'MODIFY' : 'REMOVE', keys);
  };
  return { add, write };
}

type EventName = 'INSERT' | 'MODIFY' | 'REMOVE';

/** Returns a record of a KEYS_ONLY stream, in Lambda's format. */
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
 * Starts the event source mappings of the template. The stream begins now, so each organization gets an index
 * update for earlier writes.
 * @param options `invoking` returns a function that invokes the Lambda function with this id; `log` receives
 * errors, one line each
 * @returns a function that stops the mappings at once
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
    log(`Writes to ${endpoint} are not visible here, so there are no index updates and no events.`);
    return () => {};
  }
  const mappings = template.eventSources.map((definition) => {
    const name = template.functions.get(definition.functionId)?.name;
    const onError = (message: string) => log(`${name}: ${message}`);
    return eventSourceMapping({ definition, invoke: invoking(definition.functionId), onError });
  });
  const stream = tableStream(template.table, (record, shardId) => {
    for (const mapping of mappings) mapping.add(record, shardId);
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
