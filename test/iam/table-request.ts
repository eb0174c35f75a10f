/** What DynamoDB asks IAM about a call to the one table. */
import { type Key, tableKey } from '../../functions/persistence/keys.ts';
import type { Request } from './decide.ts';

/** The parameters of a call, as the document client takes them; of these, those that its command has. */
interface Input {
  Key?: Key;
  Item?: Key;
  IndexName?: string;
  KeyConditionExpression?: string;
  ExpressionAttributeValues?: Record<string, string>;
  RequestItems?: Record<string, BatchInput>;
}

type BatchInput = { Keys: Key[] } | { DeleteRequest?: { Key: Key }; PutRequest?: { Item: Key } }[];

const actions: Record<string, string> = {
  GetCommand: 'GetItem',
  BatchGetCommand: 'BatchGetItem',
  QueryCommand: 'Query',
  PutCommand: 'PutItem',
  UpdateCommand: 'UpdateItem',
  DeleteCommand: 'DeleteItem',
  BatchWriteCommand: 'BatchWriteItem',
};

/**
 * The request that IAM judges.
 * @throws when the call is of a kind that is not known here
 */
export function tableRequest(
  command: { constructor: { name: string }; input: object },
  tableArn: string,
): Request {
  const action = actions[command.constructor.name];
  if (!action) throw new Error(`${command.constructor.name} is not known here`);
  const input = command.input as Input; // of one of these commands
  return {
    action: `dynamodb:${action}`,
    resource: input.IndexName === undefined ? tableArn : `${tableArn}/index/${input.IndexName}`,
    context: { 'dynamodb:LeadingKeys': [...new Set(partitionKeys(input))] },
  };
}

function partitionKeys({ Key, Item, RequestItems, ...query }: Input): string[] {
  const key = Key ?? Item;
  if (key) return [key[tableKey.partition]];
  if (RequestItems) return Object.values(RequestItems).flatMap(partitionKeysOfBatch);
  // All queries of the stores begin so; of a secondary index, it is the partition of that.
  const [, value = ''] = /^\S+ = (:\w+)/.exec(query.KeyConditionExpression ?? '') ?? [];
  const partition = query.ExpressionAttributeValues?.[value];
  if (partition === undefined) throw new Error(`No partition in ${query.KeyConditionExpression}`);
  return [partition];
}

function partitionKeysOfBatch(batch: BatchInput): string[] {
  const keys = Array.isArray(batch)
    ? batch.flatMap(({ DeleteRequest, PutRequest }) => DeleteRequest?.Key ?? PutRequest?.Item ?? [])
    : batch.Keys;
  return keys.map((key) => key[tableKey.partition]);
}
