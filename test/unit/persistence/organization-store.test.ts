import { expect, test } from '@jest/globals';
import { organizationStore } from '../../../functions/persistence/dynamodb-organization-store.ts';
import { mockedTable } from '../../mocked-table.ts';

test('the name of an organization is the sort key of its item', async () => {
  const { table, calls } = mockedTable();
  await organizationStore(table).add('acme');
  expect(calls()).toEqual([{ Put: { Item: { PK: 'ORGANIZATIONS', SK: 'acme' } } }]);
});
