/** The parameters of a list as the options of a command. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type { Option } from 'commander';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { filters, type TestimonialFilter } from '../../functions/domain/testimonial-filter.ts';
import { parameters, readListQuery } from '../../functions/list-testimonials/parameters.ts';
import { repeatable } from './command-context.ts';
import { joined } from './terminal/formatting.ts';

/**
 * The query of a list that parameters ask for.
 * @param warn told of each parameter that a list does not have
 * @throws what a list would refuse
 */
export function requireListQuery(text: string, warn: (line: string) => void = () => {}): ListQuery {
  for (const name of unknownParameters(text)) warn(`A list has no parameter ${name}: it is ignored.`);
  const read = readListQuery(text);
  if ('query' in read) return read.query;
  const lines = Object.entries(read.wrong).map(([name, rule]) => `${name} ${rule}`);
  throw new Error(lines.join('; '));
}

function unknownParameters(text: string): string[] {
  const names = new Set(new URLSearchParams(text).keys());
  return [...names].filter((name) => !Object.hasOwn(parameters, name));
}

/** The same for what a name that a list ignores would make more than was meant. */
export function requireKnownQuery(text: string): ListQuery {
  const [unknown] = unknownParameters(text);
  if (unknown !== undefined) throw new Error(`A list has no parameter ${unknown}: ${narrowing}.`);
  return requireListQuery(text);
}

const narrowing = `narrow it by ${Object.keys(filters).join(', ')}`;

/**
 * Reads what narrows a list, as in 'status=pending&rating=5', for commands that change all that matches. They take
 * nothing for granted: a name that is misspelt, or a value that is missing, would make it more than was meant.
 * @throws what a list would refuse or ignore, and parameters that only order or page
 */
export function requireFilter(text: string): TestimonialFilter {
  const { filter } = requireKnownQuery(text);
  const given = [...new URLSearchParams(text)];
  if (given.length === 0) {
    throw new Error(`The query is empty: ${narrowing}, or take status=all for every testimonial.`);
  }
  for (const [name, value] of given) {
    const definition = Object.entries(filters).find(([filter]) => filter === name)?.[1];
    if (!definition) throw new Error(`${name} narrows nothing here: leave it out.`);
    if (!Object.hasOwn(filter, name) && value !== definition.default)
      throw new Error(`${name} has no value.`);
  }
  return filter;
}

/** An option for each list parameter. */
export function listOptions(): Option[] {
  return Object.entries(parameters).map(([name, { description, schema, default: value }]) => {
    const { enum: choices } = toJsonSchema(schema, { errorMode: 'ignore' });
    const rules = joined([choices?.join(', '), value !== undefined && `default: ${value}`], '; ');
    const words = description.replace(/\.$/, '');
    const help = rules === '' ? words : `${words} (${rules})`;
    // What is given more than once is the query's to refuse.
    return repeatable(`--${name} <${name}>`, help);
  });
}

/** An option for each parameter that narrows a list. */
export function filterOptions(): Option[] {
  return listOptions().filter((option) => Object.hasOwn(filters, option.attributeName()));
}

/** What the options of list parameters were set to. */
export type ListOptions = Partial<Record<keyof typeof parameters, string[]>>;

/**
 * The parameters that these options make.
 * @param where parameters as a query, which the options are added to
 */
export function queryTextOf(options: ListOptions, where = ''): string {
  const query = new URLSearchParams(where);
  for (const [name, values] of Object.entries(options)) {
    if (!Object.hasOwn(parameters, name)) continue;
    for (const value of values) query.append(name, value);
  }
  return query.toString();
}
