/** Finishes photos and recordings whose stream records were lost when the last run ended. */
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { testimonialKey } from '../../functions/dynamodb/keys.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import { keepMedia } from '../../functions/index-testimonials/keep-media.ts';
import { draftTag, openBucket } from '../../functions/media/bucket.ts';
import { mediaIn } from '../../functions/media/media.ts';
import { openCurrentItems } from '../../functions/testimonials/current-items.ts';
import type { LocalBucket } from './bucket.ts';
import { localClientConfig } from './settings.ts';

/**
 * Keeps the copies of stored testimonials for good, and deletes the copies of erased ones, like the index
 * function after each write.
 * @param log receives errors, one line each
 */
export async function finishMedia(
  table: Table,
  { name, endpoint, objects }: LocalBucket,
  log: (message: string) => void,
): Promise<void> {
  const bucket = openBucket({ ...localClientConfig(endpoint), name, now: () => new Date() });
  const changes = (await objects()).flatMap(({ metadata: { organization, testimonial }, tags }) =>
    organization === undefined || testimonial === undefined
      ? []
      : [
          {
            organization,
            sortKey: testimonialKey(organization, ordinalOf(testimonial)).SK,
            // Other copies are already permanent.
            isNew: tags[draftTag.key] !== undefined,
            isRewrite: false,
            sequenceNumber: '',
          },
        ],
  );
  const keeping = { media: mediaIn(bucket), currentItems: openCurrentItems(table) };
  await keepMedia(
    keeping,
    { error: (message, details) => log(`${message} ${JSON.stringify(details)}`) },
    changes,
  );
}
