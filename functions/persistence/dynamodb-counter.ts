/** The counter of an organization's places, in DynamoDB. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Counted, TestimonialStore } from '../domain/stores.ts';
import { firstPlace } from '../domain/testimonial-order.ts';
import { ifAbsent, succeeds } from './conditional-write.ts';
import { counterKey } from './keys.ts';
import { getItem, putItem, type Table } from './table.ts';

type Counter = Pick<
  TestimonialStore,
  'takeOrdinals' | 'takeUpdateOrdinal' | 'beginCounting' | 'beginAgain' | 'raiseTime' | 'counted'
>;

/** Returns the counter of a table. */
export function counter(table: Table): Counter {
  const { client, name: TableName, options } = table;
  const find = async (organization: string) => {
    const item = await getItem(table, counterKey(organization));
    return item && toCounted(item);
  };
  return {
    takeOrdinals: (organization, now, number = 1) =>
      take(table, organization, now.toISOString(), { ordinals: number, updateOrdinals: number }),

    takeUpdateOrdinal: (organization, now, by = 'change') =>
      take(table, organization, now.toISOString(), {
        ordinals: 0,
        updateOrdinals: 1,
        endsPast: by === 'change',
      }),

    raiseTime: (organization, time) => take(table, organization, time, { ordinals: 0, updateOrdinals: 0 }),

    async beginCounting(organization, { last, time, firstTime, load }) {
      const places = { lastOrdinal: last, lastUpdateOrdinal: last, lastTime: time };
      const item = {
        ...counterKey(organization),
        ...places,
        ...(firstTime !== undefined && { firstTime }),
        load,
      };
      return (await succeeds(putItem(table, item, ifAbsent))) || (await find(organization))?.load === load;
    },

    async beginAgain(organization, { ordinal, updateOrdinal }) {
      const update = new UpdateCommand({
        TableName,
        Key: counterKey(organization),
        UpdateExpression: 'REMOVE firstTime',
        ConditionExpression: 'lastOrdinal = :ordinal AND lastUpdateOrdinal = :updateOrdinal',
        ExpressionAttributeValues: { ':ordinal': ordinal, ':updateOrdinal': updateOrdinal },
      });
      await succeeds(client.send(update, options));
    },

    counted: find,
  };
}

/** The item that `take` and `beginCounting` have written. */
function toCounted(item: Record<string, unknown>): Counted {
  const { lastOrdinal, lastUpdateOrdinal, lastTime, firstTime, load } = item;
  return {
    ordinal: Number(lastOrdinal),
    updateOrdinal: Number(lastUpdateOrdinal),
    time: String(lastTime),
    ...(firstTime !== undefined && { firstTime: String(firstTime) }),
    ...(load !== undefined && { load: String(load) }),
  };
}

/** Adds to the counter; the time is this one or, where that is earlier than the last, the last. */
async function take(
  { client, name: TableName, options }: Table,
  organization: string,
  time: string,
  {
    ordinals,
    updateOrdinals,
    endsPast = updateOrdinals > 0,
  }: { ordinals: number; updateOrdinals: number; endsPast?: boolean },
): Promise<Counted> {
  const add =
    'lastOrdinal = if_not_exists(lastOrdinal, :before) + :ordinals, lastUpdateOrdinal = if_not_exists(lastUpdateOrdinal, :before) + :updateOrdinals';
  const first = (value: string) => (endsPast ? `, firstTime = if_not_exists(firstTime, ${value})` : '');
  const values = { ':before': firstPlace - 1, ':ordinals': ordinals, ':updateOrdinals': updateOrdinals };
  const update = (input: Pick<UpdateCommandInput, 'UpdateExpression' | 'ConditionExpression'>, more = {}) =>
    client.send(
      new UpdateCommand({
        TableName,
        Key: counterKey(organization),
        ...input,
        ExpressionAttributeValues: { ...values, ...more },
        ReturnValues: 'ALL_NEW',
      }),
      options,
    );
  const taken = update(
    {
      UpdateExpression: `SET ${add}, lastTime = :time${first(':time')}`,
      ConditionExpression: 'attribute_not_exists(lastTime) OR lastTime <= :time',
    },
    { ':time': time },
  );
  const { Attributes = {} } = await taken.catch((error: unknown) => {
    // The last time is later, and never goes back.
    if (error instanceof ConditionalCheckFailedException)
      return update({ UpdateExpression: `SET ${add}${first('lastTime')}` });
    throw error;
  });
  return toCounted(Attributes);
}
