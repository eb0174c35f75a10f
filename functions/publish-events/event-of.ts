/** Which event follows from an item that was written, as it was found afterwards. Pure. */
import type { ErasedTestimonial, StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { EndedImport } from '../domain/stores.ts';
import { type TestimonialEvent, eventVersion as version } from './event.ts';

/**
 * The event of a place that was written; none of a sealed place.
 *
 * A creation is told with what became of the testimonial since, by the record of its creation alone; a change is told as long as it is
 * the last one. So whoever reads after the last write tells the last state, and whoever reads earlier or again tells what was
 * true then, or is now.
 * @param isNew whether the record is of the first write of that place
 */
export function eventAtPlace(
  organization: string,
  found: StoredTestimonial | ErasedTestimonial | undefined,
  isNew: boolean,
): TestimonialEvent | undefined {
  if (!found) return undefined;
  if ('erased' in found) {
    const { erased: id, time, updateOrdinal: update } = found;
    const identity = `${organization}/${id}/erased`;
    return { name: 'testimonial.erased', detail: { version, identity, organization, id, time, update } };
  }
  const { testimonial, updateOrdinal: update, change, isLoaded } = found;
  const { id, status, type, rating, updatedAt: time } = testimonial;
  const detail = (what: string | number) =>
    ({
      ...{ version, identity: `${organization}/${id}/${what}`, organization, id, status, type },
      ...(rating !== undefined && { rating }),
      ...{ time, update },
    }) as const;
  // Its import tells of it.
  if (isNew) return isLoaded ? undefined : { name: 'testimonial.created', detail: detail('created') };
  // Only its version was raised.
  if (!change) return undefined;
  return { name: change === 'tags' ? 'testimonial.tagged' : `testimonial.${status}`, detail: detail(update) };
}

/** The event of an import that has ended. */
export function eventOfImport(organization: string, { fingerprint, count }: EndedImport): TestimonialEvent {
  const identity = `${organization}/imported/${fingerprint}`;
  return { name: 'testimonials.imported', detail: { version, identity, organization, count } };
}
