/** List parameters, as the operator types them: as a query, or each as an option. */
import { toJsonSchema } from '@valibot/to-json-schema';
import { Option } from 'commander';
import * as v from 'valibot';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { filters, type TestimonialFilter } from '../../functions/domain/testimonial-filter.ts';
import { queryValues } from '../../functions/http/validate.ts';
import { listQuery, parameters } from '../../functions/list-testimonials/parameters.ts';

/**
 * Reads the parameters of a list, as in 'status=approved&search=great&page=3'.
 * @param warn told of each parameter that a list does not have
 * @throws what a list would refuse
 */
export function readListQuery(text: string, warn: (line: string) => void): ListQuery {
  const parsed = v.safeParse(listQuery, queryValues(text), { abortPipeEarly: true });
  if (!parsed.success) {
    throw new Error(parsed.issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`).join('; '));
  }
  for (const name of unknownIn(text)) warn(`A list has no parameter ${name}: it is ignored.`);
  return parsed.output.query;
}

/**
 * Reads what narrows a list, as in 'status=pending&rating=5', for commands that change all that matches. They take
 * nothing for granted: a name that is misspelt, or a value that is missing, would make it more than was meant.
 * @throws what a list would refuse or ignore, and parameters that only order or page
 */
export function readFilter(text: string): TestimonialFilter {
  const names = Object.keys(filters).join(', ');
  const [unknown] = unknownIn(text);
  if (unknown !== undefined) throw new Error(`A list has no parameter ${unknown}: narrow it by ${names}.`);
  const { filter } = readListQuery(text, () => {});
  const given = [...new URLSearchParams(text)];
  if (given.length === 0) {
    throw new Error(`The query is empty: narrow it by ${names}, or take status=all for every testimonial.`);
  }
  for (const [name, value] of given) {
    const definition = Object.entries(filters).find(([filter]) => filter === name)?.[1];
    if (!definition) throw new Error(`${name} narrows nothing here: leave it out.`);
    if (!Object.hasOwn(filter, name) && value !== definition.default)
      throw new Error(`${name} has no value.`);
  }
  return filter;
}

function unknownIn(text: string): string[] {
  const names = new Set(new URLSearchParams(text).keys());
  return [...names].filter((name) => !Object.hasOwn(parameters, name));
}

/** An option for each list parameter, of the parameter's name. */
export function listOptions(): Option[] {
  return Object.entries(parameters).map(([name, { description, schema, default: value }]) => {
    const { enum: choices } = toJsonSchema(schema, { errorMode: 'ignore' });
    const rules = [
      ...(choices ? [choices.join(', ')] : []),
      ...(value === undefined ? [] : [`default: ${value}`]),
    ];
    const words = description.replace(/\.$/, '');
    const help = rules.length > 0 ? `${words} (${rules.join('; ')})` : words;
    // What is given more than once is the query's to refuse.
    return new Option(`--${name} <${name}>`, help).argParser((each, given: string[] = []) => [
      ...given,
      each,
    ]);
  });
}

/** Those of them that narrow a list. */
export function filterOptions(): Option[] {
  return listOptions().filter((option) => Object.hasOwn(filters, option.attributeName()));
}

/** What the options of list parameters were set to. */
export type ListOptions = Partial<Record<keyof typeof parameters, string[]>>;

/**
 * The query that these options make.
 * @param where parameters as a query, which the options are added to
 * @throws what a list would refuse
 */
export function queryOfOptions(
  options: ListOptions,
  where = '',
  warn: (line: string) => void = () => {},
): ListQuery {
  const query = new URLSearchParams(where);
  for (const [name, values] of Object.entries(options)) {
    if (!Object.hasOwn(parameters, name)) continue;
    for (const value of values) query.append(name, value);
  }
  return readListQuery(query.toString(), warn);
}
