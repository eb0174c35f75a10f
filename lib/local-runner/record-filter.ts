/** Filter patterns of event source mappings: which records of a stream reach the function. */
import * as v from 'valibot';

const value = v.union([v.string(), v.strictObject({ prefix: v.string() })]);

/** A pattern of Lambda's event filtering: a field has one of some values, or begins with one of some prefixes. */
export type FilterPattern = v.InferOutput<typeof value>[] | { [field: string]: FilterPattern };

/** The schema of a pattern; other comparisons are not served here. */
export const filterPattern: v.GenericSchema<FilterPattern> = v.lazy((input) =>
  Array.isArray(input) ? v.array(value) : v.record(v.string(), filterPattern),
);

/** Makes what says whether a record passes: it matches one of the patterns, in every field that this one names. */
export function recordFilter(patterns: readonly FilterPattern[]): (record: unknown) => boolean {
  return (record) => patterns.some((pattern) => matches(record, pattern));
}

function matches(field: unknown, pattern: FilterPattern): boolean {
  if (!Array.isArray(pattern))
    return Object.entries(pattern).every(([name, inner]) => matches(Object(field)[name], inner));
  return pattern.some((each) =>
    typeof each === 'string' ? field === each : typeof field === 'string' && field.startsWith(each.prefix),
  );
}
