/** The environment variables of the function that tells events: parsed once at start, and typed for the CDK stack that sets them. */
import * as v from 'valibot';

const eventEnvironment = v.object({
  TABLE_NAME: v.pipe(v.string(), v.minLength(3)),
  /** The event bus that is told what happens. */
  EVENT_BUS_NAME: v.pipe(v.string(), v.nonEmpty()),
});

export type EventEnvironment = v.InferOutput<typeof eventEnvironment>;

/** Parses the variables; throws a ValiError that names the one that is missing. */
export function parseEventEnvironment(variables: Record<string, string | undefined>): EventEnvironment {
  return v.parse(eventEnvironment, variables);
}
