/** The environment variables of the functions: parsed once at start, and typed for the CDK stack that sets them. */
import * as v from 'valibot';

const environment = v.object({
  TABLE_NAME: v.pipe(v.string(), v.minLength(3)),
});

export type Environment = v.InferOutput<typeof environment>;

/** Parses the variables; throws a ValiError that names the one that is missing. */
export function parseEnvironment(variables: Record<string, string | undefined>): Environment {
  return v.parse(environment, variables);
}
