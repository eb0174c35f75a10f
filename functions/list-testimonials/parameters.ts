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
import { orders, sortNames } from '../domain/testimonial-order.ts';
import type { ErrorDetails } from '../http/api-error.ts';
import { describeIssues, queryValues } from '../http/validate.ts';

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
  order: { description: 'Direction of the sort.', schema: oneOf(orders), default: defaults.order },
  search: filters.search,
  tags: filters.tags,
};

/** The validated parameters of a request. */
export type ListParameters = Partial<ParameterValues>;

export interface ListInput {
  values: ListParameters;
  query: ListQuery;
}

/** Schema of the query string, with an array of values per parameter. Returns the parameters, and the query with defaults. */
export const listQuery = v.pipe(
  v.object(
    Object.fromEntries(
      Object.entries<Parameter<unknown>>(parameters).map(([name, parameter]) => [
        name,
        v.exactOptional(fromValues(parameter)),
      ]),
    ),
  ),
  v.transform((output): ListInput => {
    const values = output as ListParameters; // as the schemas of the parameters say
    const { page, limit, sort, order, ...filter } = { ...defaults, ...values };
    return { values, query: { filter: withoutDefaults(filter), sort, order, page, limit } };
  }),
);

/** Returns the schema of a parameter for the array of its values. */
function fromValues({ schema, repeatable }: Parameter<unknown>) {
  return v.pipe(
    v.array(v.string()),
    v.check((all) => repeatable || all.length === 1, 'must be given only once'),
    v.transform((all) => all.join(',')),
    schema,
  );
}

/** Parses a query string outside a request: `status=approved&search=great&page=3`. Returns the query, or the problem of each parameter. */
export function readListQuery(text: string): { query: ListQuery } | { wrong: ErrorDetails } {
  const { success, output, issues } = v.safeParse(listQuery, queryValues(text), { abortPipeEarly: true });
  return success ? { query: output.query } : { wrong: describeIssues(issues) };
}
