/** The environment variables of the functions: parsed once at start, and typed for the CDK stack that sets them. */
import * as v from 'valibot';

const environment = v.object({
  TABLE_NAME: v.pipe(v.string(), v.minLength(3)),
});

export type Environment = v.InferOutput<typeof environment>;

const limit = v.pipe(v.string(), v.nonEmpty(), v.transform(Number), v.number(), v.minValue(0));

const apiEnvironment = v.object({
  ...environment.entries,
  /** US dollars a minute that an organization's requests may cost; 0 for no limit. */
  ORGANIZATION_BUDGET: limit,
  /** Requests a second that an organization may send, in the average of a minute; 0 for no limit. */
  ORGANIZATION_RATE: limit,
});

const deskEnvironment = v.object({
  ...apiEnvironment.entries,
  /** Origins whose pages may ask the API, separated by commas. */
  CORS_ORIGINS: v.string(),
});

/** The environment of the desk's function. */
export type DeskEnvironment = v.InferOutput<typeof deskEnvironment>;

/** The environment of the functions of the API. */
export type ApiEnvironment = v.InferOutput<typeof apiEnvironment>;

/** Parses the variables; throws a ValiError that names the one that is missing. */
export function parseEnvironment(variables: Record<string, string | undefined>): Environment {
  return v.parse(environment, variables);
}

/** The same for the functions of the API. */
export function parseApiEnvironment(variables: Record<string, string | undefined>): ApiEnvironment {
  return v.parse(apiEnvironment, variables);
}

/** The same for the desk's. */
export function parseDeskEnvironment(variables: Record<string, string | undefined>): DeskEnvironment {
  return v.parse(deskEnvironment, variables);
}
