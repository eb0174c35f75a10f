/** The counter of an organization's places, in DynamoDB. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { TestimonialStore } from '../domain/stores.ts';
import { succeeds } from './conditional-write.ts';
import { counterKey, tableKey } from './keys.ts';
import type { Table } from './table.ts';

type Counter = Pick<TestimonialStore, 'takeOrdinals' | 'takeUpdateOrdinal' | 'beginCounting' | 'lastTaken'>;

/** Returns the counter of a table. */
export function counter(table: Table): Counter {
  const { client, name: TableName, options } = table;
  const find = async (organization: string) => {
    const get = new GetCommand({ TableName, Key: counterKey(organization), ConsistentRead: true });
    return (await client.send(get, options)).Item;
  };
  return {
    async takeOrdinals(organization, now, number = 1) {
      const taken = await take(table, organization, now, { lastOrdinal: number, lastUpdateOrdinal: number });
      return { ordinal: taken.lastOrdinal, updateOrdinal: taken.lastUpdateOrdinal, time: taken.lastTime };
    },

    async takeUpdateOrdinal(organization, now) {
      const taken = await take(table, organization, now, { lastUpdateOrdinal: 1 });
      return { updateOrdinal: taken.lastUpdateOrdinal, time: taken.lastTime };
    },

    async beginCounting(organization, last, time, load) {
      const places = { lastOrdinal: last, lastUpdateOrdinal: last, lastTime: time };
      const put = new PutCommand({
        TableName,
        Item: { ...counterKey(organization), ...places, load },
        ConditionExpression: `attribute_not_exists(${tableKey.partition})`,
      });
      return (await succeeds(client.send(put, options))) || (await find(organization))?.load === load;
    },

    async lastTaken(organization) {
      const item = await find(organization);
      const { lastOrdinal = 0, lastUpdateOrdinal = 0, lastTime } = item ?? {};
      return item && { ordinal: lastOrdinal, updateOrdinal: lastUpdateOrdinal, time: lastTime };
    },
  };
}

/** Adds to the counter; the time is `now` or, where that is earlier than the last, the last. */
async function take(
  { client, name: TableName, options }: Table,
  organization: string,
  now: Date,
  numbers: Record<string, number>,
): Promise<{ lastOrdinal: number; lastUpdateOrdinal: number; lastTime: string }> {
  const names = Object.keys(numbers);
  const add = `ADD ${names.map((name) => `${name} :${name}`).join(', ')}`;
  const update = (UpdateExpression: string, ConditionExpression: string) =>
    client.send(
      new UpdateCommand({
        TableName,
        Key: counterKey(organization),
        ...{ UpdateExpression, ConditionExpression },
        ExpressionAttributeValues: {
          ...Object.fromEntries(names.map((name) => [`:${name}`, numbers[name]])),
          ':now': now.toISOString(),
        },
        ReturnValues: 'ALL_NEW',
      }),
      options,
    );
  const taken = update(`${add} SET lastTime = :now`, 'attribute_not_exists(lastTime) OR lastTime <= :now');
  const { Attributes = {} } = await taken.catch((error: unknown) => {
    if (error instanceof ConditionalCheckFailedException) return update(add, 'lastTime > :now');
    throw error;
  });
  // As the update expression has them.
  return Attributes as Awaited<ReturnType<typeof take>>;
}
