/** Which DynamoDB the operator's command line works against. */
import { learnTime } from '../../functions/persistence/open-connections.ts';
import { openTable, type Table } from '../../functions/persistence/table.ts';
import { localClientConfig, localTableName } from '../local-runner/connection.ts';
import { endpointOf, readSettings } from '../local-runner/settings.ts';
import { firstContact, NoDynamoDb, OthersDynamoDb, reasonUnreached } from './first-contact.ts';
import { type Operator, operatorOf } from './session.ts';
import type { ProgramIo } from './terminal/program-io.ts';

export interface TargetOptions {
  /** A table on AWS, reached with the ambient credentials and region. */
  table?: string;
  /** Another DynamoDB than the running local service's. */
  endpoint?: string;
}

/** An address of a DynamoDB, and what it was set by. */
interface Endpoint {
  url: string;
  setting: '--endpoint' | 'DYNAMODB_ENDPOINT' | 'DYNAMODB_PORT';
}

/** The running local service's by default; none with `table` alone, which is on AWS. */
function endpointOfTarget(
  { table, endpoint }: TargetOptions,
  variables: NodeJS.ProcessEnv,
): Endpoint | undefined {
  if (endpoint !== undefined) return { url: endpoint, setting: '--endpoint' };
  if (table !== undefined) return undefined;
  const settings = readSettings(variables);
  const setting = settings.DYNAMODB_ENDPOINT === undefined ? 'DYNAMODB_PORT' : 'DYNAMODB_ENDPOINT';
  return { url: endpointOf(settings), setting };
}

/** Opens the table to work on. */
export function openTarget(
  options: TargetOptions,
  variables: NodeJS.ProcessEnv,
): { table: Table; isOnAws: boolean } {
  const name = options.table ?? localTableName;
  const endpoint = endpointOfTarget(options, variables);
  if (!endpoint) return { table: openTable(name, { patience: 'background' }), isOnAws: true };
  if (!/^https?:\/\/./.test(endpoint.url)) {
    throw new Error(`${endpoint.setting} must be a URL like http://127.0.0.1:8000, not ${endpoint.url}.`);
  }
  const config = localClientConfig(endpoint.url);
  return { table: openTable(name, { patience: 'background', config }), isOnAws: false };
}

/** Does work on the table, once it is known to be reached, and closes it. */
export async function withOperator<Result>(
  options: TargetOptions,
  { variables, contactMs, clock }: Pick<ProgramIo, 'variables' | 'contactMs' | 'clock'>,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  const { table, isOnAws } = openTarget(options, variables);
  try {
    await (isOnAws ? learnTime(table) : firstContact(table, contactMs));
    return await work(operatorOf(table, clock));
  } finally {
    table.client.destroy();
  }
}

/** Says what to do about a DynamoDB that was not reached; undefined of any other error. */
function explainUnreached(
  error: Error,
  options: TargetOptions,
  variables: NodeJS.ProcessEnv,
): string | undefined {
  const isNone = error instanceof NoDynamoDb;
  const isOthers = error instanceof OthersDynamoDb;
  const reason = isNone || isOthers ? error.message : reasonUnreached(error);
  if (reason === undefined) return undefined;
  const endpoint = endpointOfTarget(options, variables);
  if (!endpoint)
    return `DynamoDB on AWS cannot be reached (${reason}): look at the network, and at AWS_REGION.`;
  const { url, setting } = endpoint;
  const others = 'or name a table on AWS with --table or another DynamoDB with --endpoint.';
  if (isOthers) {
    const name = options.table ?? localTableName;
    return `There is no table ${name} of this service at ${url}: that is another program's DynamoDB. Look at ${setting}, ${others}`;
  }
  if (isNone)
    return `${url} answers, but is no DynamoDB: another program may have that port. Look at ${setting}, ${others}`;
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
