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

interface WithLanguage extends TestimonialFilter {
  language?: string;
}

// @ts-expect-error a filter without an entry: it would be taken and ignored
export const withoutEntry: FilterDefinitions<WithLanguage> = filters;

export const withoutClauses: FilterDefinitions<Pick<WithLanguage, 'language'>> = {
  // @ts-expect-error an entry that does not say what it narrows to
  language: { description: 'Only testimonials in this language.', schema: filters.search.schema },
};

// @ts-expect-error a filter that is no parameter: no request could ask for it
export const withoutParameter: ParameterDefinitions<ParameterValues & Required<WithLanguage>> = parameters;

// @ts-expect-error a sort without an entry: it would be another one
export const withoutDefinition: Sort = 'authorName';

// @ts-expect-error an entry that does not say how its pages are found
export const withoutPages: SortDefinition = { numbers: ({ ordinal }) => [ordinal] };
