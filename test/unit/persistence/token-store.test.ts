import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { tokenStore } from '../../../functions/persistence/dynamodb-token-store.ts';
import { openTable } from '../../../functions/persistence/table.ts';

test('a token whose issue failed halfway is listed and can be revoked, but does not work', async () => {
  const dynamoDb = mockClient(DynamoDBDocumentClient);
  dynamoDb.on(PutCommand).resolvesOnce({}).rejectsOnce(new Error('out of reach'));
  const store = tokenStore(openTable('testimonials', { config: { region: 'us-east-1' } }));
  const token = {
    hash: 'a'.repeat(64),
    organization: 'acme',
    permissions: ['testimonials:read' as const],
    createdAt: '2026-01-15T10:30:00.000Z',
  };
  await expect(store.add(token)).rejects.toThrow('out of reach');
  const [pointer, item] = dynamoDb.commandCalls(PutCommand).map(({ args }) => args[0].input.Item);
  expect(pointer).toMatchObject({ PK: 'ORG#acme', SK: 'TOKEN#aaaaaaaaaaaa' });
  expect(item).toMatchObject({ PK: `TOKEN#${'a'.repeat(64)}`, SK: 'TOKEN' });
});
