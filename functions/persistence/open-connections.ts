/** Connections to DynamoDB that are opened before there is anything to do. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { absentKey } from './keys.ts';
import { abortable, type Table } from './table.ts';

// Within Lambda's limit of 10 s for the initialization.
const openingTimeoutMs = 2000;

/**
 * Opens connections by reading nothing: a function that does so when it starts spares its first request the TLS
 * handshakes and the SDK's first run. Half a read unit each.
 */
export async function openConnections(table: Table, count: number): Promise<void> {
  const opening = abortable(table, AbortSignal.timeout(openingTimeoutMs));
  // A table that cannot be reached is for the first request to tell.
  await Promise.allSettled(Array.from({ length: count }, () => learnTime(opening)));
}

/** Reads nothing; from then on the table's clock is the database's. */
export async function learnTime({ client, name, options }: Table): Promise<void> {
  await client.send(new GetCommand({ TableName: name, Key: absentKey }), options);
}
