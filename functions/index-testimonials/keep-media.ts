/** Makes the media of new testimonials last, and deletes those of erased ones. */
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

// Each works on three objects at once.
const testimonialsAtOnce = 8;

/**
 * Works for each testimonial at least once, as often as the stream repeats its record: a create that stopped
 * has not made its copies last, and a restored table brings erasures again.
 * @param isTimeUp returns true when it should begin with no further organization
 * @returns the first change of each organization for which the bucket failed, or no time was left
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
