/** The first contact with a DynamoDB, and the errors if there is none. */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { localClientConfig } from '../../../lib/local-runner/settings.ts';
import { refused, runAdmin } from '../../admin.ts';
import { testEndpoint } from '../../dynamodb.ts';
import { failingDynamoDb } from '../../failing-dynamodb.ts';
import { listen } from '../../listen.ts';

/** Starts a server on this machine that is no DynamoDB, and counts its requests. */
async function serving(answer: RequestListener) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    answer(request, response);
  });
  const endpoint = await listen(server);
  return { endpoint, asked: () => requests };
}

const answering = (status: number, type: string, body: string) =>
  serving((_, response) => response.writeHead(status, { 'content-type': type }).end(body));

const others = 'or choose a table on AWS with --table or another DynamoDB with --endpoint.';

test.each([
  [200, 'text/html', '<!doctype html><p>It works!'],
  [503, 'text/plain', 'Try again'],
  [200, 'application/json', '{}'],
  [404, 'application/json', '{"error":"not found"}'],
])('a server that responds %d with %s is no DynamoDB, and gets one request', async (...response) => {
  const { endpoint, asked } = await answering(...response);
  expect(await runAdmin(['token', 'list', '--endpoint', endpoint], {})).toEqual(
    refused(`${endpoint} is not a DynamoDB: another program may use that port. Check --endpoint, ${others}`),
  );
  expect(asked()).toBe(1);
});

test('the command gives up after the time limit if a server never responds', async () => {
  const { endpoint } = await serving(() => {});
  const args = ['export', '--organization', 'acme', '--endpoint', endpoint];
  expect(await runAdmin(args, {}, { contactMs: 50 })).toEqual(
    refused(
      `${endpoint} does not respond (no response in time). Check the program there and --endpoint, ${others}`,
    ),
  );
});

test.each<[string, (socket: Socket) => unknown, RegExp]>([
  ['hangs up', (socket) => socket.destroy(), /^.+\n$/],
  [
    'does not speak HTTP',
    (socket) => socket.end('-ERR unknown command\r\n'),
    /^http:\/\/127\.0\.0\.1:\d+ is not a DynamoDB: .*\n$/,
  ],
])('a server that %s gets one request, and the error is one line', async (_, response, error) => {
  const { endpoint, asked } = await serving(({ socket }) => response(socket));
  const { code, stderr } = await runAdmin(['token', 'list', '--endpoint', endpoint], {});
  expect(code).toBe(1);
  expect(stderr).toMatch(error);
  expect(asked()).toBe(1);
});

describe("another program's DynamoDB gets no other request", () => {
  const key = { AttributeName: 'PK', KeyType: 'HASH' } as const;
  const sortKey = { AttributeName: 'SK', KeyType: 'RANGE' } as const;
  test.each([
    ['without the table', undefined],
    ['with a table of other keys', [{ ...key, AttributeName: 'id' }]],
    ['with a table of the same keys and no indexes', [key, sortKey]],
  ])('%s', async (_, KeySchema) => {
    const { state, endpoint } = await failingDynamoDb();
    const TableName = `others-${randomUUID()}`;
    if (KeySchema) {
      const AttributeDefinitions = KeySchema.map(({ AttributeName }) => ({
        AttributeName,
        AttributeType: 'S' as const,
      }));
      const table = { TableName, KeySchema, AttributeDefinitions, BillingMode: 'PAY_PER_REQUEST' } as const;
      const client = new DynamoDBClient(localClientConfig(testEndpoint()));
      await client.send(new CreateTableCommand(table));
      await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 0.1 }, { TableName });
      client.destroy();
    }
    const args = ['seed', '--organization', 'acme', '--table', TableName];
    expect(await runAdmin([...args, '--endpoint', endpoint], {})).toEqual(
      refused(
        `The DynamoDB at ${endpoint} has no table ${TableName} of this service. Check --endpoint, ${others}`,
      ),
    );
    expect(state.calls.filter((call) => !['GetItem', 'Query'].includes(call))).toEqual([]);
  });

  test('even on the port of the local service', async () => {
    const { endpoint } = await failingDynamoDb();
    const { port } = new URL(endpoint);
    const { stderr } = await runAdmin(['token', 'list'], { DYNAMODB_PORT: port });
    expect(stderr).toBe(
      `The DynamoDB at ${endpoint} has no table testimonials of this service. Check DYNAMODB_PORT, ${others}\n`,
    );
  });
});

test('the error names the variable of the endpoint', async () => {
  const { endpoint } = await answering(200, 'text/html', '');
  const { stderr } = await runAdmin(['token', 'list'], { DYNAMODB_ENDPOINT: endpoint });
  expect(stderr).toContain(` another program may use that port. Check DYNAMODB_ENDPOINT, ${others}\n`);
});
