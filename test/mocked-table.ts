/** A table on a mocked client: its responses, some of them errors, and the calls that it got. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { expect } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { openTable } from '../functions/dynamodb/table.ts';

export const conditionFailed = new ConditionalCheckFailedException({ $metadata: {}, message: 'Not met' });

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
