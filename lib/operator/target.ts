/** The DynamoDB on which the operator's command line works. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { LoadRefused } from '../../functions/domain/loads.ts';
import { organizationPartition, secondaryIndexes } from '../../functions/dynamodb/keys.ts';
import { openTable, synchronizeClock, type TableOptions } from '../../functions/dynamodb/table.ts';
import { endpointOf, localClientConfig, localTableName, readSettings } from '../local-runner/settings.ts';
import { refusalText } from './import/command-texts.ts';
import { IncompleteLists, type Operator, operatorOf } from './session.ts';
import type { ProgramIo } from './terminal/program-io.ts';

export interface TargetOptions {
  /** A table on AWS, reached with your AWS credentials and region. */
  table?: string;
  /** A DynamoDB other than the running local service's. */
  endpoint?: string;
}

/** Returns the URL of a DynamoDB and the setting that names it, or undefined for a table on AWS. */
function endpointOfTarget({ table, endpoint }: TargetOptions, variables: NodeJS.ProcessEnv) {
  if (endpoint !== undefined) return { url: endpoint, setting: '--endpoint' };
  if (table !== undefined) return undefined;
  const settings = readSettings(variables);
  const setting = settings.DYNAMODB_ENDPOINT === undefined ? 'DYNAMODB_PORT' : 'DYNAMODB_ENDPOINT';
  return { url: endpointOf(settings), setting };
}

/** Opens the table after a first contact with its endpoint, runs the work, and closes the table. */
export async function withOperator<Result>(
  options: TargetOptions,
  io: Pick<ProgramIo, 'variables' | 'contactMs' | 'clock'> & Pick<TableOptions, 'onUnreadable'>,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  const { variables, contactMs, clock, onUnreadable } = io;
  const name = options.table ?? localTableName;
  const endpoint = endpointOfTarget(options, variables);
  if (endpoint) await firstContact(name, endpoint, contactMs);
  const config = endpoint ? localClientConfig(endpoint.url) : {};
  const table = openTable(name, { patience: 'background', config, ...(onUnreadable && { onUnreadable }) });
  try {
    await synchronizeClock(table);
    return await work(operatorOf(table, clock));
  } finally {
    table.client.destroy();
  }
}

// Short, because an operator waits. Later calls retry for longer.
const firstContactMs = 5000;

const otherTargetsAdvice = 'or choose a table on AWS with --table or another DynamoDB with --endpoint.';

// The errors of a query on a table or an index that does not exist.
const absentErrors = ['ResourceNotFoundException', 'ValidationException'];

/**
 * Queries one row of a secondary index that only tables of this service have, without retries.
 * @throws if no DynamoDB responds, or if it does not have this service's table
 */
async function firstContact(
  name: string,
  { url, setting }: { url: string; setting: string },
  limitMs = firstContactMs,
): Promise<void> {
  if (!/^https?:\/\/./.test(url))
    throw new Error(`${setting} must be a URL like http://127.0.0.1:8000, not ${url}.`);
  const requestHandler = { requestTimeout: limitMs, throwOnRequestTimeout: true };
  const { client } = openTable(name, {
    config: { ...localClientConfig(url), maxAttempts: 1, requestHandler },
  });
  const { name: index, partition } = secondaryIndexes.organization.createdAt;
  const query = new QueryCommand({
    TableName: name,
    IndexName: index,
    KeyConditionExpression: '#partition = :partition',
    ExpressionAttributeNames: { '#partition': partition },
    ExpressionAttributeValues: { ':partition': organizationPartition('absent') },
    Limit: 1,
  });
  const result = await client.send(query).catch((error: Error) => error);
  client.destroy();
  if (!(result instanceof Error) && result.Items) return;
  const error = result instanceof Error ? result : new Error('The response has no items.');
  if (absentErrors.includes(error.name))
    throw new Error(
      `The DynamoDB at ${url} has no table ${name} of this service. Check ${setting}, ${otherTargetsAdvice}`,
    );
  // Other servers cause errors of the SDK or of the HTTP parser.
  if (reasonUnreached(error) !== undefined || /Exception$|^InternalServerError$/.test(error.name))
    throw error;
  throw new Error(
    `${url} is not a DynamoDB: another program may use that port. Check ${setting}, ${otherTargetsAdvice}`,
  );
}

const brokenConnection = ['ECONNRESET', 'EPIPE'];
const noConnection = ['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'];

/** Returns the reason that a DynamoDB was not reached; undefined for any other error. */
function reasonUnreached(error: NodeJS.ErrnoException): string | undefined {
  const { name, code = '', message } = error;
  // The SDK also uses the name TimeoutError for broken connections.
  if (name === 'AbortError' || (name === 'TimeoutError' && !brokenConnection.includes(code)))
    return 'no response in time';
  return [...brokenConnection, ...noConnection].includes(code) ? message || code : undefined;
}

/** Returns an error as one line with advice. */
export function explain(error: unknown, options: TargetOptions, variables: NodeJS.ProcessEnv): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof LoadRefused) return refusalText(error.refusal);
  if (error instanceof IncompleteLists) return error.message;
  const unreached = reasonUnreached(error);
  if (unreached !== undefined) {
    const endpoint = endpointOfTarget(options, variables);
    if (!endpoint)
      return `DynamoDB on AWS cannot be reached (${unreached}). Check the network and AWS_REGION.`;
    const { url, setting } = endpoint;
    return 'code' in error && error.code === 'ECONNREFUSED'
      ? `Nothing listens at ${url}. Start the service with npm start, ${otherTargetsAdvice}`
      : `${url} does not respond (${unreached}). Check the program there and ${setting}, ${otherTargetsAdvice}`;
  }
  if (error.name === 'ResourceNotFoundException') {
    return `There is no table ${options.table ?? localTableName}. Use --table with the TableName that cdk deploy printed.`;
  }
  if (error.name === 'CredentialsProviderError' || error.message === 'Region is missing') {
    return `AWS is not set up (${error.message}). Set AWS_PROFILE and AWS_REGION, or omit --table to use the local service.`;
  }
  // Commander quotes values, which can contain line breaks, before its suggestion.
  if (error.name === 'CommanderError') return error.message.replaceAll('\n', ' ');
  return error.message.split('\n', 1)[0] || error.name;
}
