/** The filters of a list: each, and the conditions that it stands for. */
import * as v from 'valibot';
import { everyTestimonial, ratingTerm, statusTerm, tagTerm, typeTerm } from './terms.ts';
import { limits, statuses, testimonialTypes } from './testimonial.ts';
import { canBeAtMost, codePoints } from './text.ts';
import { wordsOfSearch } from './words.ts';

export interface Parameter<Value> {
  description: string;
  /** The schema of the parameter's value as text. */
  schema: v.GenericSchema<string, Value>;
  /** The value where none is given. */
  default?: Value & (string | number);
  /** Several values are the same as one with commas; otherwise a second one is refused. */
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

/** Schema of one of some words. */
export function oneOf<const Options extends readonly string[]>(options: Options) {
  return v.pipe(v.string(), v.picklist(options, `must be one of ${options.join(', ')}`));
}

/** An absent member does not narrow. */
export interface TestimonialFilter {
  status?: (typeof statuses)[number] | 'all';
  type?: (typeof testimonialTypes)[number] | 'all';
  /** Smallest rating; an unrated testimonial never matches. */
  rating?: number;
  /** Any of these, compared without regard to case. */
  tags?: string[];
  /** Every word must be the beginning of a word of the content or the author's name. */
  search?: string;
}

/** A condition on terms: any of some facets, or any word that begins with a prefix. */
export type Clause = { kind: 'facets'; anyOf: string[] } | { kind: 'prefix'; prefix: string };

function facet(...anyOf: string[]): Clause {
  return { kind: 'facets', anyOf };
}

/** A filter is a parameter whose default, where there is one, does not narrow. */
export interface FilterDefinition<Value> extends Parameter<Value> {
  /** The clauses of a value, all of which must hold; none when it does not narrow. */
  clauses: (value: Value) => Clause[];
}

/** The longest search, in code points, and the most different words of one. */
export const searchLimits = { length: 200, words: 20 } as const;

const searchTooLong = `must have at most ${searchLimits.length} characters`;

const search = v.pipe(
  v.string(),
  v.check((value) => canBeAtMost(value, searchLimits.length), searchTooLong),
  v.transform((value) => value.trim().normalize('NFC')),
  v.check((value) => codePoints(value) <= searchLimits.length, searchTooLong),
  v.check((value) => wordsOfSearch(value).length > 0, 'must contain a letter or a digit'),
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
      .map((tag) => tag.trim().normalize('NFC'))
      .filter((tag) => tag !== ''),
  ),
  v.maxLength(limits.tags.max, `must have at most ${limits.tags.max} tags`),
  v.metadata({ type: 'array', items: { type: 'string', examples: ['support'] }, maxItems: limits.tags.max }),
);

/** A definition for each member of a filter. */
export type FilterDefinitions<Filter> = {
  [Name in keyof Required<Filter>]: FilterDefinition<Required<Filter>[Name]>;
};

/** Every filter: a new one is a member of TestimonialFilter and an entry here; all else follows or asks for it. */
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
    description: 'Only testimonials with at least this rating; unrated ones never match.',
    schema: wholeNumber(limits.rating.min, limits.rating.max),
    clauses: (least) => {
      const ratings = Array.from({ length: limits.rating.max - least + 1 }, (_, i) => least + i);
      return [facet(...ratings.map(ratingTerm))];
    },
  },
  search: {
    description:
      "Words, case and accents ignored; each must be the beginning of a word of the content or the author's name.",
    schema: search,
    example: 'amaz prod',
    clauses: (text) =>
      leastPrefixes(wordsOfSearch(text).flat()).map((prefix) => ({ kind: 'prefix', prefix })),
  },
  tags: {
    description: `Comma-separated list of at most ${limits.tags.max} tags: any of them matches, in any case.`,
    schema: tags,
    repeatable: true,
    example: 'onboarding,support',
    clauses: (any) => (any.length === 0 ? [] : [facet(...new Set(any.map(tagTerm)))]),
  },
};

/** The names of all filters. */
export const filterNames = Object.keys(filters) as (keyof TestimonialFilter)[]; // of the table above

/** The clauses of each filter that narrows. */
export function narrowing(filter: TestimonialFilter): Map<keyof TestimonialFilter, Clause[]> {
  const found = filterNames.map((name) => [name, clausesOfOne(name, filter)] as const);
  return new Map(found.filter(([, clauses]) => clauses.length > 0));
}

/** The part of a filter that a change can make true or untrue of a testimonial. */
export function whatCanChange({ status, tags }: TestimonialFilter): TestimonialFilter {
  return { ...(status && { status }), ...(tags && { tags }) };
}

/** The filter without what does not narrow. */
export function withoutDefaults(filter: TestimonialFilter): TestimonialFilter {
  return Object.fromEntries([...narrowing(filter).keys()].map((name) => [name, filter[name]]));
}

function clausesOfOne<Name extends keyof TestimonialFilter>(name: Name, filter: TestimonialFilter): Clause[] {
  const value = filter[name];
  // TypeScript does not see that what is not undefined is required.
  return value === undefined ? [] : filters[name].clauses(value as Required<TestimonialFilter>[Name]);
}

/** The clauses of a filter, all of which must hold; at least one. */
export function clausesOf(filter: TestimonialFilter): Clause[] {
  const clauses = [...narrowing(filter).values()].flat();
  return clauses.length > 0 ? clauses : [facet(everyTestimonial)];
}

/** Without those that begin another: what begins with `amazing` begins with `ama`. */
function leastPrefixes(prefixes: string[]): string[] {
  const all = [...new Set(prefixes)];
  return all.filter((prefix) => !all.some((other) => other !== prefix && other.startsWith(prefix)));
}
