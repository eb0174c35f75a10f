/** Keeps the media of new testimonials, and deletes those of erased ones. */
import { forEachAtOnce } from '../concurrency.ts';
import type { CurrentItem, StreamChange } from '../domain/outcomes.ts';
import type { Media } from '../media/media.ts';
import type { ReadCurrentItems } from '../testimonials/current-items.ts';
import { byOrganization } from '../testimonials/stream.ts';

export interface MediaKeeping {
  media: Media;
  currentItems: ReadCurrentItems;
}

interface ErrorLog {
  error: (message: string, details: Record<string, string>) => void;
}

/** An alarm counts this message. */
export const mediaFailedMessage = 'Media cannot be kept or deleted';

// Each testimonial needs up to three calls at once.
const testimonialsAtOnce = 8;

/**
 * Keeps the media of each new testimonial, and deletes the media of each erased one. Runs at least once per
 * record, because a create may have stopped before it kept its copies, and a restore repeats erasures.
 * @param isTimeUp returns true once no further organization should begin
 * @returns the first change of each organization for which the bucket failed or no time was left
 */
export async function keepMedia(
  { media, currentItems }: MediaKeeping,
  logger: ErrorLog,
  changes: readonly StreamChange[],
  isTimeUp: () => boolean = () => false,
): Promise<StreamChange[]> {
  const failed: StreamChange[] = [];
  const work = async (organization: string, { isNew }: StreamChange, item: CurrentItem) => {
    if (item.kind === 'erased') await media.remove(organization, item.id);
    if (item.kind !== 'testimonial' || !isNew) return;
    const { id, media: stored } = item.testimonial;
    if (stored) await media.keep(organization, id, stored);
  };
  for (const [organization, ownChanges] of byOrganization(changes)) {
    if (isTimeUp()) {
      failed.push(...ownChanges.slice(0, 1));
      continue;
    }
    try {
      const items = await currentItems(organization, ownChanges);
      const each = ([change, item]: [StreamChange, CurrentItem]) => work(organization, change, item);
      await forEachAtOnce(items, each, testimonialsAtOnce);
    } catch (error) {
      logger.error(mediaFailedMessage, { organization, error: String(error) });
      failed.push(...ownChanges.slice(0, 1));
    }
  }
  return failed;
}
