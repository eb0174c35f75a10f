/** What the event bus is told: the kinds of events and their schemas. docs/events.md shows them; a test holds it to these. */
import * as v from 'valibot';
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
