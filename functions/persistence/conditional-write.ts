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

/** The result of a conditional write, undefined when it did not take place; other errors pass through. */
export async function unlessRefused<Result>(write: Promise<Result>): Promise<Result | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/** Whether a conditional write took place; other errors pass through. */
export async function succeeds(write: Promise<unknown>): Promise<boolean> {
  return (await unlessRefused(write.then(() => true))) ?? false;
}
