/** The filters of a list: their parameters, and their conditions on terms. */
import * as v from 'valibot';
import { everyTestimonial, ratingTerm, statusTerm, tagTerm, typeTerm } from './terms.ts';
import { limits, statuses, testimonialTypes } from './testimonial.ts';
import { canBeAtMost, codePoints } from './text.ts';
import { withoutInvisible } from './visible-text.ts';
import { wordsOfSearch } from './words.ts';

export interface Parameter<Value> {
  description: string;
  /** The schema of the value as text. */
  schema: v.GenericSchema<string, Value>;
  /** The value of an absent parameter. */
  default?: Value & (string | number);
  /**
   * Repeated values mean the same as one value with commas. Without this, a repeated parameter is an error.
   */
  repeatable?: true;
  example?: string;
}

/** Schema of a whole number in decimal digits. */
export function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d+$/, rule),
    v.transform(Number),
    v.minValue(min, rule),
    v.maxValue(max, rule),
    v.metadata({ type: 'integer', minimum: min, maximum: max }),
  );
}

/** Schema of a closed set of words. */
export function oneOf<const Options extends readonly string[]>(options: Options) {
  return v.pipe(
    v.string(),
    v.picklist(options, `must be one of ${options.join(', ')}`),
    v.metadata({ enum: options }),
  );
}

/** A filter without members matches every testimonial. */
export interface TestimonialFilter {
  status?: (typeof statuses)[number] | 'all';
  type?: (typeof testimonialTypes)[number] | 'all';
  /** The lowest rating; an unrated testimonial never matches. */
  rating?: number;
  /** Matches testimonials with any of these tags, ignoring case and invisible characters. */
  tags?: string[];
  /** Each word must be the beginning of a word in the content or the author's name. */
  search?: string;
}

/** A condition on terms: at least one of the facets, or a word with this prefix. */
type Clause = { kind: 'facets'; anyOf: string[] } | { kind: 'prefix'; prefix: string };

function facet(...anyOf: string[]): Clause {
  return { kind: 'facets', anyOf };
}

/** A filter parameter. Its default value, if any, matches every testimonial. */
interface FilterDefinition<Value> extends Parameter<Value> {
  /**
   * Returns the clauses of a value, all of which must hold. The array is empty if the value matches every
   * testimonial.
   */
  clauses: (value: Value) => Clause[];
}

/** The maximum numbers of code points and of different words in a search. */
export const searchLimits = { length: 200, words: 20 } as const;

const searchTooLong = `must have at most ${searchLimits.length} characters`;

/** The rule of a search. The OpenAPI document has it as a pattern. */
export const hasWord = v.check<string, string>(
  (value) => wordsOfSearch(value).length > 0,
  'must contain a letter or a digit',
);

const search = v.pipe(
  v.string(),
  v.check((value) => canBeAtMost(value, searchLimits.length), searchTooLong),
  v.transform((value) => value.trim().normalize('NFC')),
  v.check((value) => codePoints(value) <= searchLimits.length, searchTooLong),
  hasWord,
  v.check(
    (value) => wordsOfSearch(value).length <= searchLimits.words,
    `must have at most ${searchLimits.words} different words`,
  ),
  v.metadata({ maxLength: searchLimits.length }),
);

const tags = v.pipe(
  v.string(),
  v.transform((value) =>
    value
      .split(',')
      .map((tag) => withoutInvisible(tag).trim().normalize('NFC'))
      .filter((tag) => tag !== ''),
  ),
  v.maxLength(limits.tags.max, `must have at most ${limits.tags.max} tags`),
  v.metadata({ type: 'array', items: { type: 'string', examples: ['support'] }, maxItems: limits.tags.max }),
);

export type FilterDefinitions<Filter> = {
  [Name in keyof Required<Filter>]: FilterDefinition<Required<Filter>[Name]>;
};

/**
 * Every filter. To add one, add a member to TestimonialFilter and an entry here. The compiler names the other
 * places.
 */
export const filters: FilterDefinitions<TestimonialFilter> = {
  status: {
    description: 'Only testimonials with this status.',
    schema: oneOf([...statuses, 'all']),
    default: 'all',
    clauses: (status) => (status === 'all' ? [] : [facet(statusTerm(status))]),
  },
  type: {
    description: 'Only testimonials of this type.',
    schema: oneOf([...testimonialTypes, 'all']),
    default: 'all',
    clauses: (type) => (type === 'all' ? [] : [facet(typeTerm(type))]),
  },
  rating: {
    description: 'Only testimonials with at least this rating. Unrated testimonials never match.',
    schema: wholeNumber(limits.rating.min, limits.rating.max),
    clauses: (least) => {
      const ratings = Array.from({ length: limits.rating.max - least + 1 }, (_, i) => least + i);
      return [facet(...ratings.map(ratingTerm))];
    },
  },
  search: {
    description:
      'Only testimonials that contain every one of these words, or words that begin with them, in the content or the ' +
      "author's name. Case, accents and invisible characters are ignored.",
    schema: search,
    example: 'amaz prod',
    clauses: (text) =>
      leastPrefixes(wordsOfSearch(text).flat()).map((prefix) => ({ kind: 'prefix', prefix })),
  },
  tags: {
    description: `Only testimonials with at least one of these tags, ignoring case and invisible characters: at most ${limits.tags.max}, separated by commas.`,
    schema: tags,
    repeatable: true,
    example: 'onboarding,support',
    clauses: (any) => (any.length === 0 ? [] : [facet(...new Set(any.map(tagTerm)))]),
  },
};

export const filterNames = Object.keys(filters) as (keyof TestimonialFilter)[]; // of the table above

/** Returns the clauses of each parameter, except those that match every testimonial. */
export function clausesByName(filter: TestimonialFilter): Map<keyof TestimonialFilter, Clause[]> {
  const all = filterNames.map((name) => [name, clausesOfOne(name, filter)] as const);
  return new Map(all.filter(([, clauses]) => clauses.length > 0));
}

/** Returns the parameters of a filter that a change to a testimonial can affect. */
export function changeableFilter({ status, tags }: TestimonialFilter): TestimonialFilter {
  return { ...(status && { status }), ...(tags && { tags }) };
}

/** Returns the filter without the parameters that match every testimonial. */
export function withoutDefaults(filter: TestimonialFilter): TestimonialFilter {
  return Object.fromEntries([...clausesByName(filter).keys()].map((name) => [name, filter[name]]));
}

function clausesOfOne<Name extends keyof TestimonialFilter>(name: Name, filter: TestimonialFilter): Clause[] {
  const value = filter[name];
  // TypeScript does not narrow the type of an indexed member.
  return value === undefined ? [] : filters[name].clauses(value as Required<TestimonialFilter>[Name]);
}

/** Returns the clauses of a filter, at least one. All of them must hold. */
export function clausesOf(filter: TestimonialFilter): Clause[] {
  const clauses = [...clausesByName(filter).values()].flat();
  return clauses.length > 0 ? clauses : [facet(everyTestimonial)];
}

/**
 * Removes each prefix that another one implies: every word with the prefix `amazing` also has the prefix
 * `ama`.
 */
function leastPrefixes(prefixes: string[]): string[] {
  const all = [...new Set(prefixes)];
  return all.filter((prefix) => !all.some((other) => other !== prefix && other.startsWith(prefix)));
}
