/** List parameters as the options of a command, each of the parameter's name. */
import { toJsonSchema } from '@valibot/to-json-schema';
import { Option } from 'commander';
import { filters } from '../../functions/domain/testimonial-filter.ts';
import { parameters } from '../../functions/list-testimonials/parameters.ts';

/** An option for each list parameter. */
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
