/** The connection to DynamoDB. */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** A table and the client to reach it with. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
}

/**
 * Opens a table. Throttled, failed and slow calls are tried up to four times with exponential back-off; a call
 * that does not answer within 1.5 s counts as failed, so that all tries fit into a function's 10 s.
 */
export function openTable(name: string, config: DynamoDBClientConfig = {}): Table {
  const client = new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 1500, throwOnRequestTimeout: true },
    ...config,
  });
  return { client: DynamoDBDocumentClient.from(client), name };
}

/** The options of a call that `signal` aborts. */
export function abortable(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal ? { abortSignal: signal } : {};
}
