/** Which DynamoDB the operator's command line works against. */
import { openTable, type Table } from '../../functions/persistence/table.ts';
import { localClientConfig, localTableName } from '../local-runner/connection.ts';
import { endpointOf, readSettings } from '../local-runner/settings.ts';

export interface TargetOptions {
  /** A table on AWS, reached with the ambient credentials and region. */
  table?: string;
  /** Another DynamoDB than the running local service's. */
  endpoint?: string;
}

/**
 * Opens the table to work on: the running local service's by default, with `table` alone that table on AWS,
 * with `endpoint` a table at that DynamoDB.
 */
export function openTarget({ table, endpoint }: TargetOptions, variables: NodeJS.ProcessEnv): Table {
  if (table !== undefined && endpoint === undefined) return openTable(table, { patience: 'background' });
  if (endpoint !== undefined && !/^https?:\/\/./.test(endpoint)) {
    throw new Error(`--endpoint must be a URL like http://127.0.0.1:8000, not ${endpoint}.`);
  }
  const target = endpoint ?? endpointOf(readSettings(variables));
  return openTable(table ?? localTableName, { patience: 'background', config: localClientConfig(target) });
}

/** Says what to do about an error, in one line. */
export function explain(
  error: unknown,
  { table, endpoint }: TargetOptions,
  variables: NodeJS.ProcessEnv,
): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ECONNREFUSED') {
    const where = endpoint ?? endpointOf(readSettings(variables));
    return `No DynamoDB answers at ${where}: start the service with npm start, or name a table on AWS with --table or another DynamoDB with --endpoint.`;
  }
  if (code === 'ENOENT' && 'path' in error) return `There is no file or folder ${error.path}.`;
  if (code === 'EEXIST' && 'path' in error) return `${error.path} exists: name another, or move it away.`;
  if (error.name === 'ResourceNotFoundException') {
    return `There is no table ${table ?? localTableName}: name the one that cdk deploy printed as TableName with --table.`;
  }
  if (error.name === 'CredentialsProviderError' || error.message === 'Region is missing') {
    return `AWS is not set up (${error.message}): set AWS_PROFILE and AWS_REGION, or leave out --table for the local service.`;
  }
  // What Commander quotes can have lines, and behind them it says what was meant.
  if (error.name === 'CommanderError') return error.message.replaceAll('\n', ' ');
  return error.message.split('\n', 1)[0] || error.name;
}
