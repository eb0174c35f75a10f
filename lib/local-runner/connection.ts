/** How to reach a local DynamoDB, which takes any credentials, and the table there. */
import { openTable, type Table } from '../../functions/persistence/table.ts';

export const localTableName = 'testimonials';

/** Where a local DynamoDB believes to be. */
export const localRegion = 'us-east-1';

/** The configuration of an SDK client for a local DynamoDB. */
export function localClientConfig(endpoint: string) {
  return {
    endpoint,
    region: localRegion,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
}

/** The variables by which a function uses the table of a local DynamoDB. */
export function variablesFor(endpoint: string): Record<string, string> {
  const { credentials } = localClientConfig(endpoint);
  return {
    TABLE_NAME: localTableName,
    AWS_REGION: localRegion,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}

/** Does work with the table, whose connections are closed afterwards. */
export async function withTable<Result>(
  endpoint: string,
  work: (table: Table) => Promise<Result>,
): Promise<Result> {
  // The functions log what cannot be read; the start of the service goes on.
  const table = openTable(localTableName, { onUnreadable: () => {}, config: localClientConfig(endpoint) });
  try {
    return await work(table);
  } finally {
    table.client.destroy();
  }
}
