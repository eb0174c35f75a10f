/** Writes that take place only on a condition. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { PutCommandInput } from '@aws-sdk/lib-dynamodb';
import { tableKey } from './keys.ts';

/** A condition on the item that is there. */
export type Condition = Pick<
  PutCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** Only where there is no item. */
export const ifAbsent: Condition = { ConditionExpression: `attribute_not_exists(${tableKey.partition})` };

/** Whether a conditional write took place; other errors pass through. */
export async function succeeds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
