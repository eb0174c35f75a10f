/** What a function does with DynamoDB while it starts. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from './document-client.ts';
import { absentKey } from './keys.ts';

// Within Lambda's limit of 10 s for the initialization.
const openingTimeoutMs = 2000;

/**
 * Opens connections by reading nothing: a function that does so when it starts spares its first request the TLS
 * handshakes and the SDK's first run. Half a read unit each.
 */
export async function openConnections({ client, name }: Table, count: number): Promise<void> {
  const abortSignal = AbortSignal.timeout(openingTimeoutMs);
  const reads = Array.from({ length: count }, () =>
    client.send(new GetCommand({ TableName: name, Key: absentKey }), { abortSignal }),
  );
  // A table that cannot be reached is for the first request to tell.
  await Promise.allSettled(reads);
}
