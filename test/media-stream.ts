/** Plays the table's stream to the index function of a deployment with media. */
import type { DynamoDBRecord } from 'aws-lambda';
import { isTestimonialKey } from '../functions/dynamodb/keys.ts';
import type { Table } from '../functions/dynamodb/table.ts';
import { createHandler } from '../functions/index-testimonials/handler.ts';
import { mediaIn } from '../functions/media/media.ts';
import { openCurrentItems } from '../functions/testimonials/current-items.ts';
import { openIndexUpdates } from '../functions/testimonials/index-updates.ts';
import { tableRights } from '../lib/infrastructure/table-rights.ts';
import { keysOnlyRecord } from '../lib/local-runner/table-stream.ts';
import { actAs, addPolicy } from './iam/acting.ts';
import type { TestBucket } from './media-bucket.ts';
import { storedItems } from './stored-items.ts';
import { WatchedLogger } from './watched-logs.ts';

addPolicy('IndexTestimonials', tableRights.index);

/**
 * Invokes the function with a record of every testimonial, new or erased, as the stream does at least once.
 */
export async function playStream(table: Table, { bucket }: Pick<TestBucket, 'bucket'>) {
  const logger = new WatchedLogger();
  const keeping = { media: mediaIn(bucket), currentItems: openCurrentItems(table) };
  const handler = createHandler({ updates: openIndexUpdates(table), now: table.now, logger, keeping });
  const Records: DynamoDBRecord[] = [];
  for (const item of await storedItems(table)) {
    const [PK, SK] = [String(item.PK), String(item.SK)];
    if (!isTestimonialKey(SK)) continue;
    const eventName = item.id === undefined ? 'MODIFY' : 'INSERT';
    Records.push(keysOnlyRecord(eventName, { PK: { S: PK }, SK: { S: SK } }, String(Records.length)));
  }
  const { batchItemFailures } = await actAs('IndexTestimonials', () => handler({ Records }));
  return { batchItemFailures, lines: logger.lines };
}
