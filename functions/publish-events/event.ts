/** What the event bus is told: the kinds of events and their schemas. docs/events.md shows them; a test holds it to these. */
import * as v from 'valibot';
import type { ErasedTestimonial, StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { EndedImport } from '../domain/stores.ts';
import { rating, statuses, testimonialTypes } from '../domain/testimonial.ts';

/** The source of all events, which tells them from those of others on a bus. */
export const eventSource = 'testimonials';

/** The version of the schema. */
export const eventVersion = 1 as const;

const version = v.pipe(
  v.literal(eventVersion),
  v.description('Of this schema: raised where an attribute changes its meaning or goes.'),
);
const identity = v.pipe(
  v.string(),
  v.description('The same in each repetition of the event, and in no other event.'),
);
const organization = v.pipe(v.string(), v.description('Whose testimonial it is.'));
const id = v.pipe(v.string(), v.regex(/^test_\d+$/), v.description('Of the testimonial.'));
const time = (description: string) => v.pipe(v.string(), v.isoTimestamp(), v.description(description));
const update = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1),
  v.description('Number of the testimonial’s last update in its organization: the higher is the later.'),
);

const ofTestimonial = v.strictObject({
  version,
  identity,
  organization,
  id,
  status: v.pipe(v.picklist(statuses), v.description('As it was found.')),
  type: v.pipe(v.picklist(testimonialTypes), v.description('The form of the feedback.')),
  rating: v.exactOptional(rating),
  time: time('When that update was made, ISO 8601 in UTC.'),
  update,
});

const ofErased = v.strictObject({
  version,
  identity,
  organization,
  id,
  time: time('When it was erased, ISO 8601 in UTC.'),
  update,
});

const ofImport = v.strictObject({
  version,
  identity,
  organization,
  count: v.pipe(v.number(), v.integer(), v.minValue(0), v.description('Lines that were imported.')),
});

/** The detail of each kind of event. */
export const eventDetails = {
  'testimonial.created': ofTestimonial,
  'testimonial.approved': ofTestimonial,
  'testimonial.rejected': ofTestimonial,
  'testimonial.pending': ofTestimonial,
  'testimonial.tagged': ofTestimonial,
  'testimonial.erased': ofErased,
  'testimonials.imported': ofImport,
} as const satisfies Record<string, v.GenericSchema>;

export type EventName = keyof typeof eventDetails;

/** An event, as the bus is told it. */
export type TestimonialEvent = {
  [Name in EventName]: { name: Name; detail: v.InferOutput<(typeof eventDetails)[Name]> };
}[EventName];

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
    return {
      name: 'testimonial.erased',
      detail: { version: eventVersion, identity, organization, id, time, update },
    };
  }
  const { testimonial, updateOrdinal: update, change, isLoaded } = found;
  const { id, status, type, rating, updatedAt: time } = testimonial;
  const detail = (what: string | number) =>
    ({
      ...{ version: eventVersion, identity: `${organization}/${id}/${what}`, organization, id, status, type },
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
  return { name: 'testimonials.imported', detail: { version: eventVersion, identity, organization, count } };
}
