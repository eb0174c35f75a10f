/** The stream that the embedded DynamoDB does not have: its clients' writes, observed at its HTTP server. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import * as v from 'valibot';
import { organizationOfPartition, tableKey } from '../../functions/persistence/keys.ts';
import type { RecordFilter } from './record-filter.ts';
import { keysOnlyRecord, type RecordSource, type TakeRecords } from './record-source.ts';
import type { TemplateTable } from './template.ts';
import type { UndeliveredOrganizations } from './undelivered-organizations.ts';

// Other attributes of an item can be of any type; they are left out.
const item = v.record(v.string(), v.unknown());
const keyValue = v.object({
  S: v.optional(v.string()),
  N: v.optional(v.string()),
  B: v.optional(v.string()),
});

const writeRequests = {
  PutItem: v.object({ TableName: v.string(), Item: item }),
  UpdateItem: v.object({ TableName: v.string(), Key: item }),
  DeleteItem: v.object({ TableName: v.string(), Key: item }),
  BatchWriteItem: v.object({
    RequestItems: v.record(
      v.string(),
      v.array(
        v.object({
          PutRequest: v.optional(v.object({ Item: item })),
          DeleteRequest: v.optional(v.object({ Key: item })),
        }),
      ),
    ),
  }),
};

interface Write {
  tableName: string;
  kind: 'put' | 'delete';
  item: Record<string, unknown>;
}

export interface ObservedWritesOptions {
  server: Server;
  table: TemplateTable;
  undelivered: UndeliveredOrganizations;
  /** Reads the keys of the items that an organization's records are about. */
  keysOf: (organization: string) => Promise<Record<string, AttributeValue>[]>;
  /** How many shards the stream has: a partition key is in one of them, by its hash. */
  shards: number;
}

/**
 * Makes a record of each write that succeeded. An answer does not tell a new item from a changed one, so both
 * are an INSERT: a function sees more of them than on AWS, which folding, being idempotent, does not mind.
 */
export class ObservedWrites implements RecordSource {
  readonly #options: ObservedWritesOptions;
  #sequence = 0;
  #stopped = false;
  #observe = (_request: IncomingMessage, _response: ServerResponse) => {};

  constructor(options: ObservedWritesOptions) {
    this.#options = options;
  }

  /** Hands on first what was left undelivered when the service ended. */
  async start(accepts: RecordFilter, takeOfShard: TakeRecords): Promise<void> {
    const { server, undelivered, keysOf } = this.#options;
    const take = (records: readonly DynamoDBRecord[]) => {
      for (const [id, ofShard] of this.#byShard(records)) takeOfShard(ofShard, { id });
    };
    const left = undelivered.names();
    this.#observe = (request, response) => this.#watch(request, response, { accepts, take });
    server.on('request', this.#observe);
    for (const organization of left) {
      const records = (await keysOf(organization))
        .map((keys) => keysOnlyRecord('INSERT', keys, this.#nextSequence()))
        .filter(accepts);
      undelivered.add(organizationsOf(records));
      // Its records stand for it now.
      undelivered.remove([organization]);
      take(records);
    }
  }

  processed(records: readonly DynamoDBRecord[]): void {
    this.#options.undelivered.remove(organizationsOf(records));
  }

  stop(): void {
    this.#stopped = true;
    this.#options.server.off('request', this.#observe);
  }

  #watch(
    request: IncomingMessage,
    response: ServerResponse,
    { accepts, take }: { accepts: RecordFilter; take: (records: readonly DynamoDBRecord[]) => void },
  ): void {
    const { undelivered } = this.#options;
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    if (!isWrite(operation)) return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const records = this.#recordsOf(operation, Buffer.concat(chunks).toString()).filter(accepts);
      if (records.length === 0) return;
      // Before the write: if the process, or the client's connection, ends before the answer, the next start
      // looks after them.
      undelivered.add(organizationsOf(records));
      response.on('finish', () => {
        if (this.#stopped) return;
        if (response.statusCode === 200) take(records);
        else undelivered.remove(organizationsOf(records));
      });
    });
  }

  #recordsOf(operation: keyof typeof writeRequests, body: string): DynamoDBRecord[] {
    const { table } = this.#options;
    return writesOf(operation, body)
      .filter(({ tableName }) => tableName === table.name)
      .flatMap((write) => {
        const keys = v.safeParse(
          v.object(
            Object.fromEntries(
              table.definition.KeySchema.map(({ AttributeName }) => [AttributeName, keyValue]),
            ),
          ),
          write.item,
        );
        if (!keys.success) return [];
        // Valibot types an absent attribute as undefined; in parsed JSON it is not there.
        const found = keys.output as Record<string, AttributeValue>;
        return keysOnlyRecord(write.kind === 'put' ? 'INSERT' : 'REMOVE', found, this.#nextSequence());
      });
  }

  #byShard(records: readonly DynamoDBRecord[]): Map<string, DynamoDBRecord[]> {
    const partitionKey = this.#options.table.definition.KeySchema.find(({ KeyType }) => KeyType === 'HASH');
    return Map.groupBy(records, ({ dynamodb }) => {
      const value = dynamodb?.Keys?.[partitionKey?.AttributeName ?? ''];
      return `shardId-${crc32(JSON.stringify(value)) % this.#options.shards}`;
    });
  }

  #nextSequence(): string {
    this.#sequence += 1;
    return String(this.#sequence).padStart(21, '0');
  }
}

function isWrite(operation: string): operation is keyof typeof writeRequests {
  return Object.hasOwn(writeRequests, operation);
}

/** The writes that a request asks for; none when DynamoDB will refuse it as malformed. */
function writesOf(operation: keyof typeof writeRequests, body: string): Write[] {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), writeRequests[operation]), body);
  if (!parsed.success) return [];
  const request = parsed.output;
  if ('RequestItems' in request) {
    return Object.entries(request.RequestItems).flatMap(([tableName, requests]) =>
      requests.flatMap(({ PutRequest, DeleteRequest }): Write[] => [
        ...(PutRequest ? [{ tableName, kind: 'put' as const, item: PutRequest.Item }] : []),
        ...(DeleteRequest ? [{ tableName, kind: 'delete' as const, item: DeleteRequest.Key }] : []),
      ]),
    );
  }
  const { TableName: tableName } = request;
  if ('Item' in request) return [{ tableName, kind: 'put', item: request.Item }];
  return [{ tableName, kind: operation === 'DeleteItem' ? 'delete' : 'put', item: request.Key }];
}

function organizationsOf(records: readonly DynamoDBRecord[]): string[] {
  return records.flatMap(
    ({ dynamodb }) => organizationOfPartition(dynamodb?.Keys?.[tableKey.partition]?.S ?? '') ?? [],
  );
}
