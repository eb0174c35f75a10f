/**
 * The log of erasures: a restored backup brings erased people back, and is told of them again from this
 * (docs/operations.md, “Restore from a backup”). Whoever erased and whoever indexed it, the record of the item that took the
 * testimonial's place comes here, again and again until it is logged.
 */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { forEachAtOnce } from '../concurrency.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import { rewrittenIn } from './stream-records.ts';

/** Logged with `organization` and `id` of each erased testimonial, and with nothing else; the operator's replay looks for it. */
export const erasedMessage = 'Testimonial erased';

/**
 * Logs the erased ones of the testimonials that were written anew, at least once each.
 * @returns the first record of each organization whose testimonials could not be read: it has to come again
 */
export async function logErasures(
  { testimonials, logger }: { testimonials: Pick<TestimonialStore, 'findErased'>; logger: Logger },
  records: readonly DynamoDBRecord[],
): Promise<DynamoDBBatchResponse['batchItemFailures']> {
  const failures: DynamoDBBatchResponse['batchItemFailures'] = [];
  await forEachAtOnce(rewrittenIn(records), async ({ organization, ordinals, firstSequenceNumber }) => {
    try {
      const erased = await testimonials.findErased(organization, ordinals);
      for (const id of erased) logger.info(erasedMessage, { organization, id });
    } catch (error) {
      logger.error('Erasures cannot be logged', { organization, error: String(error) });
      failures.push({ itemIdentifier: firstSequenceNumber });
    }
  });
  return failures;
}
