/** The schemas of events, which docs/events.md documents, and the events of written items. */
import * as v from 'valibot';
import type { CurrentItem } from '../domain/outcomes.ts';
import { rating, statuses, testimonialTypes } from '../domain/testimonial.ts';

/** The source of all events, which distinguishes them from other events on the bus. */
export const eventSource = 'testimonials';

const eventVersion = 1 as const;

const text = (description: string) => v.pipe(v.string(), v.description(description));
const time = (description: string) => v.pipe(v.string(), v.isoTimestamp(), v.description(description));
const wholeFrom = (least: number, description: string) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.description(description));

const common = {
  version: v.pipe(
    v.literal(eventVersion),
    v.description('Version of this schema: raised if an attribute changes its meaning or is removed.'),
  ),
  identity: text('The same in each repetition of the event, and different in every other event.'),
  organization: text('The organization of the testimonial.'),
};
const id = v.pipe(v.string(), v.regex(/^test_\d+$/), v.description('Id of the testimonial.'));
const update = wholeFrom(
  1,
  'Number of the testimonial’s last update in its organization. Later updates have higher numbers.',
);

const testimonialDetail = v.strictObject({
  ...common,
  id,
  status: v.pipe(v.picklist(statuses), v.description('Status when the event was published.')),
  type: v.pipe(v.picklist(testimonialTypes), v.description('The form of the feedback.')),
  rating: v.exactOptional(rating),
  time: time('Time of that update, ISO 8601 in UTC.'),
  update,
});

const erasedDetail = v.strictObject({
  ...common,
  id,
  time: time('Time of the erasure, ISO 8601 in UTC.'),
  update,
});

const importDetail = v.strictObject({ ...common, count: wholeFrom(0, 'Number of imported testimonials.') });

/** The schema of each kind of event's detail. */
export const eventDetails = {
  'testimonial.created': testimonialDetail,
  'testimonial.approved': testimonialDetail,
  'testimonial.rejected': testimonialDetail,
  'testimonial.pending': testimonialDetail,
  'testimonial.tagged': testimonialDetail,
  'testimonial.erased': erasedDetail,
  'testimonials.imported': importDetail,
} as const satisfies Record<string, v.GenericSchema>;

export type EventName = keyof typeof eventDetails;

export type TestimonialEvent = {
  [Name in EventName]: { name: Name; detail: v.InferOutput<(typeof eventDetails)[Name]> };
}[EventName];

/**
 * Returns the event of a written item, or undefined if there is nothing to publish.
 *
 * Events show the item's current state, not its state when the record was written. The record of the creation
 * yields `testimonial.created`, and a record of a change yields the last change. So the last state of each
 * testimonial is always published, and every event was true when the item was written or read.
 * @param isNew true for the record of the item's first write
 */
export function eventOf(
  organization: string,
  item: CurrentItem,
  isNew: boolean,
): TestimonialEvent | undefined {
  if (item.kind === 'imported') {
    const identity = `${organization}/imported/${item.identity}`;
    return {
      name: 'testimonials.imported',
      detail: { version: eventVersion, identity, organization, count: item.count },
    };
  }
  if (item.kind === 'erased') {
    const { id, time, update } = item;
    const identity = `${organization}/${id}/erased`;
    return {
      name: 'testimonial.erased',
      detail: { version: eventVersion, identity, organization, id, time, update },
    };
  }
  const { testimonial, update, change, isLoaded } = item;
  const { id, status, type, rating, updatedAt: time } = testimonial;
  const detail = (occasion: string | number) => ({
    version: eventVersion,
    identity: `${organization}/${id}/${occasion}`,
    organization,
    id,
    status,
    type,
    ...(rating !== undefined && { rating }),
    time,
    update,
  });
  // The import publishes its own event.
  if (isNew) return isLoaded ? undefined : { name: 'testimonial.created', detail: detail('created') };
  // An index update only raised the version.
  if (!change) return undefined;
  return { name: change === 'tags' ? 'testimonial.tagged' : `testimonial.${status}`, detail: detail(update) };
}
