/** Stores on a mocked client: the exact calls of each method, and each failure of a call. */
import { ConditionalCheckFailedException, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { openTable, type Table } from '../functions/dynamodb/table.ts';

const refusal = (name: string, message: string) =>
  new DynamoDBServiceException({ name, $fault: 'client', $metadata: {}, message });

/** Failures that a store passes on as they are, by name. */
export const failures: [name: string, error: Error][] = [
  ['throttled', refusal('ProvisionedThroughputExceededException', 'The table is throttled')],
  ['item too large', refusal('ValidationException', 'Item size has exceeded the maximum allowed size')],
  ['network', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
];

const conditionFailed = new ConditionalCheckFailedException({ $metadata: {}, message: 'Not met' });

export interface StoreCase<Store> {
  call: (store: Store) => Promise<unknown>;
  /** The input of each call without the table's name, by the command. */
  sends: Record<string, unknown>[];
  /** The response to each call; empty if absent. */
  responses?: object[];
  returns?: unknown;
  /** Set if the store expects the condition of its first call to fail; any other failure passes through. */
  refused?: { responses?: object[]; sends?: Record<string, unknown>[]; returns: unknown };
}

/** Tests each method of a store: its calls and result, and what it does when the first call fails. */
export function testStore<Store>(
  storeOf: (table: Table) => Store,
  cases: Record<string, StoreCase<Store>>,
): void {
  describe.each(Object.entries(cases))('%s', (_, { call, sends, responses = [], returns, refused }) => {
    test('sends exactly these calls', async () => {
      const { table, calls } = mockedTable(responses);
      expect(await call(storeOf(table))).toEqual(returns);
      expect(calls()).toEqual(sends);
    });

    test(refused ? 'expects a failed condition' : 'passes on a failed condition', async () => {
      const { table, calls } = mockedTable([conditionFailed, ...(refused?.responses ?? [])]);
      const result = call(storeOf(table));
      if (refused) expect(await result).toEqual(refused.returns);
      else await expect(result).rejects.toBe(conditionFailed);
      expect(calls()).toEqual(refused?.sends ?? sends.slice(0, calls().length));
    });

    test.each(failures)('passes on a failure: %s', async (_name, error) => {
      const { table } = mockedTable([error]);
      await expect(call(storeOf(table))).rejects.toBe(error);
    });
  });
}

/** The consistent query of a partition: from one sort key to another, both included, or of all. */
export function queryOf(partition: string, from?: string, to?: string, more: object = {}) {
  return {
    Query: {
      KeyConditionExpression: `PK = :partition${from === undefined ? '' : ' AND SK BETWEEN :from AND :to'}`,
      ExpressionAttributeValues: {
        ':partition': partition,
        ...(from !== undefined && { ':from': from, ':to': to }),
      },
      ConsistentRead: true,
      ...more,
    },
  };
}

/** Sorts after every key with the same prefix. */
export const after = '\u{10ffff}';

export function mockedTable(responses: object[]) {
  const table = openTable('testimonials', { wait: async () => {}, config: { region: 'us-east-1' } });
  const client = mockClient(table.client);
  const queue = [...responses];
  const inputs: { TableName?: string }[] = [];
  client.onAnyCommand().callsFake(async (input) => {
    inputs.push({ ...input }); // the paginator changes it
    const response = queue.shift() ?? {};
    if (response instanceof Error) throw response;
    return response;
  });
  const calls = () =>
    client.calls().map(({ args: [command] }, i) => {
      const { TableName = 'testimonials', ...rest } = inputs[i] ?? {};
      expect(TableName).toBe('testimonials');
      return { [command.constructor.name.replace(/Command$/, '')]: rest };
    });
  return { table, calls };
}
