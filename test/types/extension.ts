/**
 * What the compiler refuses when a filter or a sort is added in one place and forgotten in another. Checked by
 * `npm run typecheck`: an error that is expected and does not come is one.
 */
import {
  type FilterDefinitions,
  filters,
  type TestimonialFilter,
} from '../../functions/domain/testimonial-filter.ts';
import type { Sort, SortDefinition } from '../../functions/domain/testimonial-order.ts';
import {
  type ParameterDefinitions,
  type ParameterValues,
  parameters,
} from '../../functions/list-testimonials/parameters.ts';

interface WithCompany extends TestimonialFilter {
  company?: string;
}

// @ts-expect-error a filter without an entry: it would be taken and ignored
export const withoutEntry: FilterDefinitions<WithCompany> = filters;

export const withoutClauses: FilterDefinitions<Pick<WithCompany, 'company'>> = {
  // @ts-expect-error an entry that does not say what it narrows to
  company: { description: 'Only testimonials of this company.', schema: filters.search.schema },
};

// @ts-expect-error a filter that is no parameter: no request could ask for it
export const withoutParameter: ParameterDefinitions<ParameterValues & Required<WithCompany>> = parameters;

// @ts-expect-error a sort without an entry: it would be another one
export const withoutDefinition: Sort = 'authorName';

// @ts-expect-error an entry that does not say how its pages are found
export const withoutPages: SortDefinition = { numbers: ({ ordinal }) => [ordinal] };
