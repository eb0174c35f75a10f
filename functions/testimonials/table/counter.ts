/** The counter of an organization's positions in DynamoDB. */

import { firstPosition } from '../../domain/testimonial-order.ts';
import {
  getItem,
  ifAbsent,
  meetsCondition,
  putItem,
  type StoredItem,
  unlessRefused,
  updateItem,
} from '../../dynamodb/items.ts';
import { counterKey } from '../../dynamodb/keys.ts';
import type { Table } from '../../dynamodb/table.ts';
import type { CounterValue, TestimonialStore } from '../model/testimonial-store.ts';

export function counter(table: Table) {
  const find = async (organization: string) => {
    const item = await getItem(table, counterKey(organization));
    return item && toCounterValue(item);
  };
  return {
    reserveOrdinals: (organization, earliest, count = 1) =>
      take(table, organization, earliest.toISOString(), { ordinals: count, updateOrdinals: count }),

    reserveUpdateOrdinal: (organization, earliest, reason = 'change', count = 1) =>
      take(table, organization, earliest.toISOString(), {
        updateOrdinals: count,
        endsHistory: reason === 'change',
      }),

    raiseTime: (organization, time) => take(table, organization, time, { endsHistory: false }),

    async beginCounting(organization, { last, time, historyEnd, load }) {
      const item = {
        ...counterKey(organization),
        lastOrdinal: last,
        lastUpdateOrdinal: last,
        lastTime: time,
        ...(historyEnd !== undefined && { firstTime: historyEnd }),
        load,
      };
      return (
        (await meetsCondition(putItem(table, item, ifAbsent))) || (await find(organization))?.load === load
      );
    },

    async reopenHistory(organization, { ordinal, updateOrdinal }) {
      const removal = updateItem(table, counterKey(organization), {
        UpdateExpression: 'REMOVE firstTime',
        ConditionExpression: 'lastOrdinal = :ordinal AND lastUpdateOrdinal = :updateOrdinal',
        ExpressionAttributeValues: { ':ordinal': ordinal, ':updateOrdinal': updateOrdinal },
      });
      await meetsCondition(removal);
    },

    readCounter: find,
  } satisfies Partial<TestimonialStore>;
}

/** Returns the value in an item that `take` or `beginCounting` wrote. */
function toCounterValue(item: StoredItem): CounterValue {
  const { lastOrdinal, lastUpdateOrdinal, lastTime, firstTime, load } = item;
  return {
    ordinal: lastOrdinal,
    updateOrdinal: lastUpdateOrdinal,
    time: lastTime,
    ...(firstTime !== undefined && { historyEnd: firstTime }),
    ...(load !== undefined && { load }),
  };
}

/** Adds to the counter. Its time becomes `time`, unless it is already later. */
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
  const add = ({ setsTime }: { setsTime: boolean }) => {
    const sets = [
      'lastOrdinal = if_not_exists(lastOrdinal, :before) + :ordinals',
      'lastUpdateOrdinal = if_not_exists(lastUpdateOrdinal, :before) + :updateOrdinals',
    ];
    if (setsTime) sets.push('lastTime = :time');
    if (endsHistory) sets.push(`firstTime = if_not_exists(firstTime, ${setsTime ? ':time' : 'lastTime'})`);
    return updateItem(table, counterKey(organization), {
      UpdateExpression: `SET ${sets.join(', ')}`,
      ...(setsTime && { ConditionExpression: 'attribute_not_exists(lastTime) OR lastTime <= :time' }),
      ExpressionAttributeValues: {
        ':before': firstPosition - 1,
        ':ordinals': ordinals,
        ':updateOrdinals': updateOrdinals,
        ...(setsTime && { ':time': time }),
      },
      ReturnValues: 'ALL_NEW',
    });
  };
  const item = (await unlessRefused(add({ setsTime: true }))) ?? (await add({ setsTime: false }));
  return toCounterValue(item);
}
