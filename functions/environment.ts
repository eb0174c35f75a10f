/**
 * The environment variables of the functions, parsed once at start. The CDK stack that sets them uses the
 * types.
 */
import * as v from 'valibot';

const environment = v.object({
  TABLE_NAME: v.pipe(v.string(), v.minLength(3)),
});

const limit = v.pipe(v.string(), v.nonEmpty(), v.transform(Number), v.number(), v.minValue(0));

const apiEnvironment = v.object({
  ...environment.entries,
  /** The budget of an organization in US dollars per minute; 0 for no limit. */
  ORGANIZATION_BUDGET: limit,
  /** The budget of an organization in US dollars per day (UTC); 0 for no limit. */
  ORGANIZATION_DAILY_BUDGET: limit,
  /** The limit on an organization's requests per second, averaged over a minute; 0 for no limit. */
  ORGANIZATION_RATE: limit,
});

const mediaEnvironment = v.object({
  /** The bucket with photos and recordings; absent if the deployment has none. */
  MEDIA_BUCKET: v.optional(v.string()),
});

const deskEnvironment = v.object({
  /** `true` if the deployment serves forms and walls. */
  HAS_PAGES: v.picklist(['true', 'false']),
});

const eventEnvironment = v.object({
  ...environment.entries,
  EVENT_BUS_NAME: v.pipe(v.string(), v.nonEmpty()),
});

export type Environment = v.InferOutput<typeof environment>;

export type ApiEnvironment = v.InferOutput<typeof apiEnvironment>;

/** The additional variables of the desk function. */
export type DeskEnvironment = v.InferOutput<typeof deskEnvironment>;

/** The additional variable of functions that use media. */
export type MediaEnvironment = v.InferOutput<typeof mediaEnvironment>;

export type EventEnvironment = v.InferOutput<typeof eventEnvironment>;

// Each throws a ValiError that names a missing variable.
export const parseEnvironment = v.parser(environment);
export const parseApiEnvironment = v.parser(apiEnvironment);
export const parseDeskEnvironment = v.parser(deskEnvironment);
export const parseEventEnvironment = v.parser(eventEnvironment);
