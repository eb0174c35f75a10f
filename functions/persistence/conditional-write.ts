/** Writes that take place only on a condition. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';

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
