/** Which DynamoDB the operator's command line works against. At an endpoint anything else may listen, or nothing. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { organizationPartition, secondaryIndexes } from '../../functions/persistence/keys.ts';
import { learnTime } from '../../functions/persistence/open-connections.ts';
import { openTable, type TableOptions } from '../../functions/persistence/table.ts';
import { endpointOf, localClientConfig, localTableName, readSettings } from '../local-runner/settings.ts';
import { type Operator, operatorOf } from './session.ts';
import type { ProgramIo } from './terminal/program-io.ts';

export interface TargetOptions {
  /** A table on AWS, reached with the ambient credentials and region. */
  table?: string;
  /** Another DynamoDB than the running local service's. */
  endpoint?: string;
}

/**
 * The address of a DynamoDB, and what it was set by: the running local service's by default; none with `table` alone, which is on AWS.
 */
function endpointOfTarget({ table, endpoint }: TargetOptions, variables: NodeJS.ProcessEnv) {
  if (endpoint !== undefined) return { url: endpoint, setting: '--endpoint' };
  if (table !== undefined) return undefined;
  const settings = readSettings(variables);
  const setting = settings.DYNAMODB_ENDPOINT === undefined ? 'DYNAMODB_PORT' : 'DYNAMODB_ENDPOINT';
  return { url: endpointOf(settings), setting };
}

/** Does work on the table, once it is known to be reached, and closes it. */
export async function withOperator<Result>(
  options: TargetOptions,
  {
    variables,
    contactMs,
    clock,
    onUnreadable,
  }: Pick<ProgramIo, 'variables' | 'contactMs' | 'clock'> & Pick<TableOptions, 'onUnreadable'>,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  const name = options.table ?? localTableName;
  const endpoint = endpointOfTarget(options, variables);
  if (endpoint) await firstContact(name, endpoint, contactMs);
  const config = endpoint ? localClientConfig(endpoint.url) : {};
  const table = openTable(name, { patience: 'background', config, ...(onUnreadable && { onUnreadable }) });
  try {
    await learnTime(table);
    return await work(operatorOf(table, clock));
  } finally {
    table.client.destroy();
  }
}

// Whoever typed the command waits. Later calls are tried again for longer: then it is known to be one, and busy.
const longestMs = 5000;

const others = 'or name a table on AWS with --table or another DynamoDB with --endpoint.';

// How a DynamoDB refuses to read what its tables do not have.
const notThere = ['ResourceNotFoundException', 'ValidationException'];

/**
 * Reads next to nothing by a secondary index, which no other program's table has; once.
 * @param limitMs how long that may take
 * @throws where no DynamoDB answers, or one of another program, which has no table of this name or one of other keys and indexes;
 *   and what went wrong on the way
 */
async function firstContact(
  name: string,
  { url, setting }: { url: string; setting: string },
  limitMs = longestMs,
): Promise<void> {
  if (!/^https?:\/\/./.test(url))
    throw new Error(`${setting} must be a URL like http://127.0.0.1:8000, not ${url}.`);
  const noDynamoDb = new Error(
    `${url} answers, but is no DynamoDB: another program may have that port. Look at ${setting}, ${others}`,
  );
  const requestHandler = { requestTimeout: limitMs, throwOnRequestTimeout: true };
  const config = { ...localClientConfig(url), maxAttempts: 1, requestHandler };
  const { client } = openTable(name, { config });
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args).catch((error: NodeJS.ErrnoException) => {
        // What llhttp says of something else than HTTP.
        throw error.code?.startsWith('HPE_') ? noDynamoDb : error;
      });
      if (!speaksDynamoDb(result.response)) throw noDynamoDb;
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  const { name: index, partition } = secondaryIndexes.organization.createdAt;
  const query = new QueryCommand({
    TableName: name,
    IndexName: index,
    KeyConditionExpression: '#partition = :partition',
    ExpressionAttributeNames: { '#partition': partition },
    ExpressionAttributeValues: { ':partition': organizationPartition('absent') },
    Limit: 1,
  });
  try {
    await client.send(query);
  } catch (error) {
    if (!(error instanceof Error && notThere.includes(error.name))) throw error;
    throw new Error(
      `There is no table ${name} of this service at ${url}: that is another program's DynamoDB. Look at ${setting}, ${others}`,
    );
  } finally {
    client.destroy();
  }
}

/** True of an answer of the protocol AWS JSON 1.0, also one that refuses. */
function speaksDynamoDb(response: unknown): boolean {
  if (typeof response !== 'object' || response === null || !('headers' in response)) return false;
  const headers = response.headers as Record<string, string>; // of an HTTP response
  return headers['content-type']?.startsWith('application/x-amz-json-1.0') === true;
}

const brokenConnection = ['ECONNRESET', 'EPIPE'];
const noConnection = ['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'];

/** True of calls that took too long, and not of connections that broke: the SDK calls both by one name. */
function isTimeout({ name, code = '' }: NodeJS.ErrnoException): boolean {
  return name === 'AbortError' || (name === 'TimeoutError' && !brokenConnection.includes(code));
}

/** Why a DynamoDB was not reached; undefined of any other error. */
function reasonUnreached(error: NodeJS.ErrnoException): string | undefined {
  if (isTimeout(error)) return 'no answer in time';
  const { code = '', message } = error;
  return [...brokenConnection, ...noConnection].includes(code) ? message || code : undefined;
}

/** Says what to do about a DynamoDB that was not reached; undefined of any other error. */
function explainUnreached(
  error: Error,
  options: TargetOptions,
  variables: NodeJS.ProcessEnv,
): string | undefined {
  const reason = reasonUnreached(error);
  if (reason === undefined) return undefined;
  const endpoint = endpointOfTarget(options, variables);
  if (!endpoint)
    return `DynamoDB on AWS cannot be reached (${reason}): look at the network, and at AWS_REGION.`;
  const { url, setting } = endpoint;
  return 'code' in error && error.code === 'ECONNREFUSED'
    ? `No DynamoDB answers at ${url}: start the service with npm start, ${others}`
    : `${url} does not answer (${reason}): look at what runs there and at ${setting}, ${others}`;
}

/** Says what to do about an error, in one line. */
export function explain(error: unknown, options: TargetOptions, variables: NodeJS.ProcessEnv): string {
  if (!(error instanceof Error)) return String(error);
  const unreached = explainUnreached(error, options, variables);
  if (unreached !== undefined) return unreached;
  if (error.name === 'ResourceNotFoundException') {
    return `There is no table ${options.table ?? localTableName}: name the one that cdk deploy printed as TableName with --table.`;
  }
  if (error.name === 'CredentialsProviderError' || error.message === 'Region is missing') {
    return `AWS is not set up (${error.message}): set AWS_PROFILE and AWS_REGION, or leave out --table for the local service.`;
  }
  // What Commander quotes can have lines, and behind them it says what was meant.
  if (error.name === 'CommanderError') return error.message.replaceAll('\n', ' ');
  return error.message.split('\n', 1)[0] || error.name;
}
