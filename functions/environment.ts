/** The environment variables of the functions: parsed once at start, and typed for the CDK stack that sets them. */
import * as v from 'valibot';

const environment = v.object({
  TABLE_NAME: v.pipe(v.string(), v.minLength(3)),
});

const limit = v.pipe(v.string(), v.nonEmpty(), v.transform(Number), v.number(), v.minValue(0));

const apiEnvironment = v.object({
  ...environment.entries,
  /** US dollars a minute that an organization's requests may cost; 0 for no limit. */
  ORGANIZATION_BUDGET: limit,
  /** Requests a second that an organization may send, in the average of a minute; 0 for no limit. */
  ORGANIZATION_RATE: limit,
});

const deskEnvironment = v.object({
  /** Origins whose pages may ask the API, separated by commas. */
  CORS_ORIGINS: v.string(),
});

const eventEnvironment = v.object({
  ...environment.entries,
  /** The event bus that is told what happens. */
  EVENT_BUS_NAME: v.pipe(v.string(), v.nonEmpty()),
});

export type Environment = v.InferOutput<typeof environment>;

/** The environment of the functions of the API. */
export type ApiEnvironment = v.InferOutput<typeof apiEnvironment>;

/** What the desk's function has beside that of the functions of the API. */
export type DeskEnvironment = v.InferOutput<typeof deskEnvironment>;

/** The environment of the function that tells events. */
export type EventEnvironment = v.InferOutput<typeof eventEnvironment>;

/** Each parses the variables of a kind of function, and throws a ValiError that names the one that is missing. */
export const parseEnvironment = v.parser(environment);
export const parseApiEnvironment = v.parser(apiEnvironment);
export const parseDeskEnvironment = v.parser(deskEnvironment);
export const parseEventEnvironment = v.parser(eventEnvironment);
