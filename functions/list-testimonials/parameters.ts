/** The query parameters of `GET /v1/testimonials`: their rules, defaults and limits. */
import * as v from 'valibot';
import type { ListQuery } from '../domain/list-query.ts';
import {
  filters,
  oneOf,
  type Parameter,
  type TestimonialFilter,
  wholeNumber,
  withoutDefaults,
} from '../domain/testimonial-filter.ts';
import { directions, sortNames } from '../domain/testimonial-order.ts';
import type { ErrorDetails } from '../http/api-error.ts';
import { describeIssues, parameterOf, queryValues, withoutBrackets } from '../http/validate.ts';

const defaults = { page: 1, limit: 25, sort: 'createdAt', order: 'desc' } as const;

/** The values of all parameters. Each filter has a parameter of the same name. */
export type ParameterValues = Required<TestimonialFilter> & Pick<ListQuery, keyof typeof defaults>;

export type ParameterDefinitions<Values> = { [Name in keyof Values]: Parameter<Values[Name]> };

/** Every parameter, in the order of the specification. */
export const parameters: ParameterDefinitions<ParameterValues> = {
  page: {
    description: 'Page number.',
    schema: wholeNumber(1, 2_147_483_647),
    default: defaults.page,
  },
  limit: {
    description: 'Items per page.',
    schema: wholeNumber(1, 100),
    default: defaults.limit,
  },
  status: filters.status,
  type: filters.type,
  rating: filters.rating,
  sort: {
    description:
      'Sort key. Testimonials with equal ratings are sorted by creation, those with equal `updatedAt` by the order of the updates, ' +
      'both in the direction of `order`. Unrated testimonials sort below rating 1.',
    schema: oneOf(sortNames),
    default: defaults.sort,
  },
  order: { description: 'Direction of the sort.', schema: oneOf(directions), default: defaults.order },
  search: filters.search,
  tags: filters.tags,
};

/** The validated parameters of a request. */
export type ListParameters = Partial<ParameterValues>;

export interface ListInput {
  values: ListParameters;
  query: ListQuery;
}

/** A value, and the name under which it was sent, which may have brackets. */
interface SentValue {
  name: string;
  value: string;
}

/**
 * Schema of the query string, with an array of values per name. Outputs the parameters, and the query with
 * defaults.
 */
export const listQuery = v.pipe(
  v.record(v.string(), v.array(v.string())),
  v.transform(byParameter),
  v.object(
    Object.fromEntries(
      Object.entries<Parameter<unknown>>(parameters).map(([name, parameter]) => [
        name,
        v.exactOptional(fromValues(name, parameter)),
      ]),
    ),
  ),
  v.transform((output): ListInput => {
    const values = output as ListParameters; // guaranteed by the schemas of the parameters
    const { page, limit, sort, order, ...filter } = { ...defaults, ...values };
    return { values, query: { filter: withoutDefaults(filter), sort, order, page, limit } };
  }),
);

function byParameter(values: Record<string, string[]>): Partial<Record<string, SentValue[]>> {
  const sent = Object.entries(values).flatMap(([name, all]) => all.map((value) => ({ name, value })));
  return Object.groupBy(sent, ({ name }) => parameterOf(name));
}

/**
 * Returns the schema of a parameter for an array of values. HTTP clients write a list as `tags[]=a&tags[]=b`.
 */
function fromValues(parameter: string, { schema, repeatable }: Parameter<unknown>) {
  const names = repeatable ? [parameter, `${parameter}[]`] : [parameter];
  return v.pipe(
    v.array(v.custom<SentValue>(() => true)),
    v.check(
      (all) => all.every(({ name }) => names.includes(name)),
      withoutBrackets(parameter, repeatable && '<value>,<value>'),
    ),
    v.check((all) => repeatable || all.length === 1, 'must be given only once'),
    v.transform((all) => all.map(({ value }) => value).join(',')),
    schema,
  );
}

/**
 * Parses a query string outside a request: `status=approved&search=great&page=3`. Returns the query, or the
 * problem of each parameter.
 */
export function readListQuery(text: string): { query: ListQuery } | { wrong: ErrorDetails } {
  const { success, output, issues } = v.safeParse(listQuery, queryValues(text), { abortPipeEarly: true });
  return success ? { query: output.query } : { wrong: describeIssues(issues) };
}
