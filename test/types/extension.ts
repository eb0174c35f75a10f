/**
 * Mistakes that the compiler rejects: a field, a filter or a sort that is missing in one of its places, and a
 * position on the wrong axis. `npm run typecheck` fails if an expected error is missing.
 */
import { expectNoOthers } from '../../functions/domain/expect-no-others.ts';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import type { FacetDefinition, FacetKind } from '../../functions/domain/terms.ts';
import {
  type FieldPath,
  type FieldUse,
  fields,
  type Testimonial,
} from '../../functions/domain/testimonial.ts';
import {
  type FilterDefinitions,
  filters,
  type TestimonialFilter,
} from '../../functions/domain/testimonial-filter.ts';
import type { Sort, SortDefinition, UpdateOrdinal } from '../../functions/domain/testimonial-order.ts';
import { testimonialKey } from '../../functions/dynamodb/keys.ts';
import { publishedAuthor, type SchemaOf } from '../../functions/list-testimonials/list-body.ts';
import {
  type ParameterDefinitions,
  type ParameterValues,
  parameters,
} from '../../functions/list-testimonials/parameters.ts';
import type { WallParameters } from '../../functions/serve-pages/page-settings.ts';
import { wallDefaults } from '../../functions/serve-pages/wall-settings.ts';

type Author = Testimonial['author'] & { city?: string };

interface WithCity extends Testimonial {
  author: Author;
}

// @ts-expect-error nobody would know whether everyone may see a new field
export const withoutUse: Record<FieldPath<WithCity>, FieldUse> = fields;

// @ts-expect-error published reads would leave it out
export const withoutSchema: SchemaOf<Omit<Author, 'email'>> = publishedAuthor.entries;

declare const author: Author;
const { name: _name, email: _email, company: _company, role: _role, ...others } = author;
// @ts-expect-error the desk, walls or commands would not show it
expectNoOthers(others);

interface WithLanguage extends TestimonialFilter {
  language?: string;
}

// @ts-expect-error a filter without an entry would be accepted and ignored
export const withoutEntry: FilterDefinitions<WithLanguage> = filters;

export const withoutClauses: FilterDefinitions<Pick<WithLanguage, 'language'>> = {
  // @ts-expect-error a filter without clauses
  language: { description: 'Only testimonials in this language.', schema: filters.search.schema },
};

// @ts-expect-error no request could use a filter without a parameter
export const withoutParameter: ParameterDefinitions<ParameterValues & Required<WithLanguage>> = parameters;

// @ts-expect-error no wall could use a filter that walls lack
export const withoutWallParameter: WallParameters<ParameterValues & Required<WithLanguage>> = wallDefaults;

// @ts-expect-error erasures do not keep the e-mail address, so they could not delete the postings of such a
// facet
export const ofAddress: FacetDefinition = { from: 'texts', valuesOf: ({ author }) => [author.email] };

// @ts-expect-error without a line in `termRules`, lists by a new facet would have wrong totals until a
// rebuild
export const withoutLine: FacetKind = 'language';

// @ts-expect-error a sort without an entry
export const withoutDefinition: Sort = 'authorName';

// @ts-expect-error a sort without an axis
export const withoutPages: SortDefinition = { numbers: ({ ordinal }) => [ordinal] };

declare const stored: StoredTestimonial;

export const ofUpdate: UpdateOrdinal = stored.updateOrdinal;

// @ts-expect-error a position in the order of creation is not one in the order of updates
export const ofCreation: UpdateOrdinal = stored.ordinal;

// @ts-expect-error an update ordinal does not name a testimonial
testimonialKey('acme', stored.updateOrdinal);
