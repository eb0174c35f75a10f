/** The parameters of a list as the options of a command. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type { Option } from 'commander';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { filters, type TestimonialFilter } from '../../functions/domain/testimonial-filter.ts';
import { parameters, readListQuery } from '../../functions/list-testimonials/parameters.ts';
import { repeatable } from './command-context.ts';
import { joined } from './terminal/formatting.ts';

const filterAdvice = `Filter by ${Object.keys(filters).join(', ')}.`;

/**
 * Reads the query of a list.
 * @throws the errors of a list, and an error for an unknown parameter, which a list ignores
 */
export function requireListQuery(text: string): ListQuery {
  for (const name of new URLSearchParams(text).keys())
    if (!Object.hasOwn(parameters, name)) throw new Error(`Unknown parameter ${name}. ${filterAdvice}`);
  const read = readListQuery(text);
  if ('query' in read) return read.query;
  const lines = Object.entries(read.wrong).map(([name, rule]) => `${name} ${rule}`);
  throw new Error(lines.join('; '));
}

/**
 * Reads a filter like 'status=pending&rating=5', for commands that change all testimonials that match.
 * @throws the errors of `requireListQuery`, and an error for an empty or unused parameter, which would change
 * more than intended
 */
export function requireFilter(text: string): TestimonialFilter {
  const { filter } = requireListQuery(text);
  const entries = [...new URLSearchParams(text)];
  if (entries.length === 0) {
    throw new Error(`--where is empty. ${filterAdvice} For every testimonial, use status=all.`);
  }
  for (const [name, value] of entries) {
    const definition = Object.entries(filters).find(([filterName]) => filterName === name)?.[1];
    if (!definition) throw new Error(`${name} is not a filter. Remove it from --where.`);
    if (!Object.hasOwn(filter, name) && value !== definition.default)
      throw new Error(`${name} has no value.`);
  }
  return filter;
}

export function listOptions(): Option[] {
  return Object.entries(parameters).map(([name, { description, schema, default: value }]) => {
    const { enum: choices } = toJsonSchema(schema, { errorMode: 'ignore' });
    const rules = joined([choices?.join(', '), value !== undefined && `default: ${value}`], '; ');
    const words = description.replace(/\.$/, '');
    const help = rules === '' ? words : `${words} (${rules})`;
    // `readListQuery` refuses a second value.
    return repeatable(`--${name} <${name}>`, help);
  });
}

export function filterOptions(): Option[] {
  return listOptions().filter((option) => Object.hasOwn(filters, option.attributeName()));
}

/** The values of the options of `listOptions`. */
export type ListOptions = Partial<Record<keyof typeof parameters, string[]>>;

/**
 * Returns the options as a query.
 * @param where a query to which they are added
 */
export function queryTextOf(options: ListOptions, where = ''): string {
  const query = new URLSearchParams(where);
  for (const [name, values] of Object.entries(options)) {
    if (!Object.hasOwn(parameters, name)) continue;
    for (const value of values) query.append(name, value);
  }
  return query.toString();
}
