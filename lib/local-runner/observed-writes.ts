/** The stream that the embedded DynamoDB does not have: its writes, observed where it stores items. */
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { organizationOfPartition, tableKey } from '../../functions/persistence/keys.ts';
import type { ItemWrite, RunningDynamoDb } from './dynamodb.ts';
import type { RecordFilter } from './record-filter.ts';
import { keysOnlyRecord, type RecordSource, type TakeRecords } from './record-source.ts';
import type { TemplateTable } from './template.ts';
import type { UndeliveredOrganizations } from './undelivered-organizations.ts';

export interface ObservedWritesOptions {
  watch: NonNullable<RunningDynamoDb['watch']>;
  table: TemplateTable;
  undelivered: UndeliveredOrganizations;
  /** Reads the keys of the items that an organization's records are about. */
  keysOf: (organization: string) => Promise<Record<string, AttributeValue>[]>;
  /** How many shards the stream has: a partition key is in one of them, by its hash. */
  shards: number;
}

/** Makes a record of each write that changed an item. */
export class ObservedWrites implements RecordSource {
  readonly #options: ObservedWritesOptions;
  #sequence = 0;
  #stopWatching = () => {};

  constructor(options: ObservedWritesOptions) {
    this.#options = options;
  }

  /** Hands on first what was left undelivered when the service ended. */
  async start(accepts: RecordFilter, take: TakeRecords): Promise<void> {
    const { watch, undelivered, keysOf } = this.#options;
    const left = undelivered.names();
    this.#stopWatching = watch((write) => {
      const record = this.#recordOf(write);
      if (!record || !accepts(record)) return undefined;
      // Before the write: if the process ends before the function had it, the next start looks after it.
      undelivered.add(organizationsOf([record]));
      return () => take([record], this.#shardOf(record));
    });
    for (const organization of left) {
      const records = (await keysOf(organization))
        .map((keys) => keysOnlyRecord('INSERT', keys, this.#nextSequence()))
        .filter(accepts);
      undelivered.add(organizationsOf(records));
      // Its records stand for it now.
      undelivered.remove([organization]);
      for (const record of records) take([record], this.#shardOf(record));
    }
  }

  processed(records: readonly DynamoDBRecord[]): void {
    this.#options.undelivered.remove(organizationsOf(records));
  }

  stop(): void {
    this.#stopWatching();
  }

  #recordOf({ tableName, before, after }: ItemWrite): DynamoDBRecord | undefined {
    const { name, definition } = this.#options.table;
    const item = after ?? before;
    if (tableName !== name || !item || isDeepStrictEqual(before, after)) return undefined;
    const names = definition.KeySchema.map(({ AttributeName }) => AttributeName);
    // An item that is stored has its keys, of a type that keys can have.
    const keys = Object.fromEntries(names.map((each) => [each, item[each] as AttributeValue]));
    const eventName = !before ? 'INSERT' : after ? 'MODIFY' : 'REMOVE';
    return keysOnlyRecord(eventName, keys, this.#nextSequence());
  }

  #shardOf({ dynamodb }: DynamoDBRecord): { id: string } {
    const { definition } = this.#options.table;
    const partition = definition.KeySchema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '';
    const hash = crc32(JSON.stringify(dynamodb?.Keys?.[partition]) ?? '');
    return { id: `shardId-${hash % this.#options.shards}` };
  }

  #nextSequence(): string {
    this.#sequence += 1;
    return String(this.#sequence).padStart(21, '0');
  }
}

function organizationsOf(records: readonly DynamoDBRecord[]): string[] {
  return records.flatMap(
    ({ dynamodb }) => organizationOfPartition(dynamodb?.Keys?.[tableKey.partition]?.S ?? '') ?? [],
  );
}
