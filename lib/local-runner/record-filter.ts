/** Filter patterns of event source mappings: which records of a stream reach the function. */
export type RecordFilter = (record: unknown) => boolean;

/**
 * Reads filter patterns, each as JSON (AWS Lambda, event filtering syntax). A record passes when it matches one
 * of them, or when there is none; it matches when every field that the pattern names has one of the values.
 * @throws when a value is neither a string nor a prefix
 */
export function recordFilter(patterns: readonly string[], where: string): RecordFilter {
  const filters = patterns.map((pattern) => fieldFilter(JSON.parse(pattern), where));
  return (record) => filters.length === 0 || filters.some((matches) => matches(record));
}

function fieldFilter(pattern: unknown, where: string): RecordFilter {
  if (Array.isArray(pattern)) {
    const values = pattern.map((value) => valueFilter(value, where));
    return (field) => values.some((matches) => matches(field));
  }
  if (!isObject(pattern)) return unsupported(where, `the filter ${JSON.stringify(pattern)}`);
  const fields = Object.entries(pattern).map(
    ([name, inner]) => [name, fieldFilter(inner, `${where}.${name}`)] as const,
  );
  return (record) => isObject(record) && fields.every(([name, matches]) => matches(record[name]));
}

function valueFilter(value: unknown, where: string): RecordFilter {
  if (typeof value === 'string') return (field) => field === value;
  if (isObject(value) && typeof value.prefix === 'string' && Object.keys(value).length === 1) {
    const { prefix } = value;
    return (field) => typeof field === 'string' && field.startsWith(prefix);
  }
  return unsupported(where, `the filter ${JSON.stringify(value)}`);
}

/** Throws for a part of the template that only AWS can serve. */
export function unsupported(where: string, what: string): never {
  throw new Error(`${where} uses what the local runner does not serve: ${what}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
