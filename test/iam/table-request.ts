/** The IAM request for a call to the table. */
import { type Key, tableKey } from '../../functions/dynamodb/keys.ts';
import type { Request } from './decide.ts';

/** The parameters of a call of the document client. A command has some of them. */
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
 * Returns the IAM request for a call.
 * @throws for an unsupported kind of call
 */
export function tableRequest(
  command: { constructor: { name: string }; input: object },
  tableArn: string,
): Request {
  const action = actions[command.constructor.name];
  if (!action) throw new Error(`${command.constructor.name} is not supported here`);
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
  // All queries of the stores begin with the partition, of the table or of a secondary index.
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
