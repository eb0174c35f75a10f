/** A table whose calls a test answers or fails, to check each call and each failure without an engine. */
import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { expect } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { openTable } from '../functions/persistence/table.ts';

const refusal = (name: string, message: string) =>
  new DynamoDBServiceException({ name, $fault: 'client', $metadata: {}, message });

/** Failures that a store passes on as they are, by name. */
export const failures: [name: string, error: Error][] = [
  ['throttled', refusal('ProvisionedThroughputExceededException', 'The table is throttled')],
  ['item too large', refusal('ValidationException', 'Item size has exceeded the maximum allowed size')],
  ['network', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
];

export function mockedTable() {
  const table = openTable('testimonials', { wait: async () => {}, config: { region: 'us-east-1' } });
  const dynamodb = mockClient(table.client);
  return {
    table,
    dynamodb,
    /** Name and input of each call, in order; all have the table's name, which is left out. */
    calls: () =>
      dynamodb.calls().map(({ args: [command] }) => {
        const { TableName, ...input } = command.input as { TableName?: string }; // of a document command
        if (TableName !== undefined) expect(TableName).toBe('testimonials');
        return { [command.constructor.name.replace(/Command$/, '')]: input };
      }),
  };
}
