/** The first contact with a DynamoDB at an endpoint, where anything else may listen, or nothing. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { organizationPartition, secondaryIndexes } from '../../functions/persistence/keys.ts';
import { learnTime } from '../../functions/persistence/open-connections.ts';
import { abortable, type Table } from '../../functions/persistence/table.ts';

// Whoever typed the command waits. Later calls are tried again for longer: then it is known to be one, and busy.
const longestMs = 5000;

/** What answers is no DynamoDB. */
export class NoDynamoDb extends Error {}

/** A DynamoDB, but of another program: it has no table of this name, or one of other keys and indexes. */
export class OthersDynamoDb extends Error {}

// How a DynamoDB refuses to read what its tables do not have.
const notThere = ['ResourceNotFoundException', 'ValidationException'];

/** What went wrong on the way, in a form that the SDK does not try again. */
class NotReached extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super();
    this.reason = reason;
  }
}

/**
 * Learns the time of the DynamoDB, and that it has this service's table. Only where it is slow, it is asked again.
 * @param limitMs how long it may take to answer
 * @throws {NoDynamoDb}
 * @throws {OthersDynamoDb}
 * @throws what went wrong on the way to it
 */
export async function firstContact(table: Table, limitMs = longestMs): Promise<void> {
  const { middlewareStack } = table.client;
  middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args).catch((error: unknown) => {
        const failure = error as NodeJS.ErrnoException; // all that a connection throws
        // Of llhttp, which found something else than HTTP.
        if (failure.code?.startsWith('HPE_')) throw new NoDynamoDb();
        throw isTimeout(failure) ? failure : new NotReached(failure);
      });
      if (!speaksDynamoDb(result.response)) throw new NoDynamoDb();
      return result;
    },
    { step: 'deserialize', priority: 'low', name: firstContact.name },
  );
  try {
    const limited = abortable(table, AbortSignal.timeout(limitMs));
    await learnTime(limited);
    await readIndex(limited);
  } catch (error) {
    if (error instanceof Error && notThere.includes(error.name)) throw new OthersDynamoDb();
    throw error instanceof NotReached ? error.reason : error;
  } finally {
    middlewareStack.remove(firstContact.name);
  }
}

/** Reads next to nothing by a secondary index, which no other program's table has. */
async function readIndex({ client, name, options }: Table): Promise<void> {
  const { name: index, partition } = secondaryIndexes.organization.createdAt;
  const query = new QueryCommand({
    TableName: name,
    IndexName: index,
    KeyConditionExpression: '#partition = :partition',
    ExpressionAttributeNames: { '#partition': partition },
    ExpressionAttributeValues: { ':partition': organizationPartition('absent') },
    Limit: 1,
  });
  await client.send(query, options);
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
export function reasonUnreached(error: NodeJS.ErrnoException): string | undefined {
  if (isTimeout(error)) return 'no answer in time';
  const { code = '', message } = error;
  return [...brokenConnection, ...noConnection].includes(code) ? message || code : undefined;
}
