/** The counter of an organization's places, in DynamoDB. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { CounterValue, TestimonialStore } from '../domain/stores.ts';
import { firstPosition } from '../domain/testimonial-order.ts';
import { getItem, ifAbsent, putItem, type StoredItem, succeeds, updateItem } from './items.ts';
import { counterKey } from './keys.ts';
import type { Table } from './table.ts';

type Counter = Pick<
  TestimonialStore,
  'takeOrdinals' | 'takeUpdateOrdinal' | 'beginCounting' | 'reopenHistory' | 'raiseTime' | 'readCounter'
>;

/** Returns the counter of a table. */
export function counter(table: Table): Counter {
  const find = async (organization: string) => {
    const item = await getItem(table, counterKey(organization));
    return item && toCounterValue(item);
  };
  return {
    takeOrdinals: (organization, now, count = 1) =>
      take(table, organization, now.toISOString(), { ordinals: count, updateOrdinals: count }),

    takeUpdateOrdinal: (organization, now, by = 'change', count = 1) =>
      take(table, organization, now.toISOString(), { updateOrdinals: count, endsHistory: by === 'change' }),

    raiseTime: (organization, time) => take(table, organization, time, { endsHistory: false }),

    async beginCounting(organization, { last, time, firstTime, load }) {
      const item = {
        ...counterKey(organization),
        lastOrdinal: last,
        lastUpdateOrdinal: last,
        lastTime: time,
        ...(firstTime !== undefined && { firstTime }),
        load,
      };
      return (await succeeds(putItem(table, item, ifAbsent))) || (await find(organization))?.load === load;
    },

    async reopenHistory(organization, { ordinal, updateOrdinal }) {
      const forgetting = updateItem(table, counterKey(organization), {
        UpdateExpression: 'REMOVE firstTime',
        ConditionExpression: 'lastOrdinal = :ordinal AND lastUpdateOrdinal = :updateOrdinal',
        ExpressionAttributeValues: { ':ordinal': ordinal, ':updateOrdinal': updateOrdinal },
      });
      await succeeds(forgetting);
    },

    readCounter: find,
  };
}

/** The item that `take` and `beginCounting` have written. */
function toCounterValue(item: StoredItem): CounterValue {
  const { lastOrdinal, lastUpdateOrdinal, lastTime, firstTime, load } = item;
  return {
    ordinal: lastOrdinal,
    updateOrdinal: lastUpdateOrdinal,
    time: lastTime,
    ...(firstTime !== undefined && { firstTime }),
    ...(load !== undefined && { load }),
  };
}

/** Adds to the counter; the time is this one or, where that is earlier than the last, the last. */
async function take(
  table: Table,
  organization: string,
  time: string,
  {
    ordinals = 0,
    updateOrdinals = 0,
    endsHistory = true,
  }: { ordinals?: number; updateOrdinals?: number; endsHistory?: boolean },
): Promise<CounterValue> {
  const add =
    'lastOrdinal = if_not_exists(lastOrdinal, :before) + :ordinals, lastUpdateOrdinal = if_not_exists(lastUpdateOrdinal, :before) + :updateOrdinals';
  const first = (value: string) => (endsHistory ? `, firstTime = if_not_exists(firstTime, ${value})` : '');
  const values = { ':before': firstPosition - 1, ':ordinals': ordinals, ':updateOrdinals': updateOrdinals };
  const key = counterKey(organization);
  try {
    const taken = await updateItem(table, key, {
      UpdateExpression: `SET ${add}, lastTime = :time${first(':time')}`,
      ConditionExpression: 'attribute_not_exists(lastTime) OR lastTime <= :time',
      ExpressionAttributeValues: { ...values, ':time': time },
      ReturnValues: 'ALL_NEW',
    });
    return toCounterValue(taken);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The last time is later, and never goes back.
    const taken = await updateItem(table, key, {
      UpdateExpression: `SET ${add}${first('lastTime')}`,
      ExpressionAttributeValues: values,
      ReturnValues: 'ALL_NEW',
    });
    return toCounterValue(taken);
  }
}
