/** The query parameters of `GET /v1/testimonials`: their rules, defaults and limits. */
import * as v from 'valibot';
import type { ListQuery } from '../domain/list-query.ts';
import { limits, statuses, testimonialTypes } from '../domain/testimonial.ts';
import { orders, sorts } from '../domain/testimonial-order.ts';
import { codePoints, words } from '../domain/text.ts';

export const pagination = {
  page: { default: 1, max: 2_147_483_647 },
  limit: { default: 25, max: 100 },
  search: { max: 200 },
} as const;

const values = v.array(v.string());

/** A parameter that may be given once; a repeated one is refused rather than half ignored. */
function single<Schema extends v.GenericSchema<string, unknown>>(schema: Schema) {
  return v.pipe(
    values,
    v.maxLength(1, 'must be given only once'),
    v.transform((all) => all[0] ?? ''),
    schema,
  );
}

function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d+$/, rule),
    v.transform(Number),
    v.minValue(min, rule),
    v.maxValue(max, rule),
    v.metadata({ minimum: min, maximum: max }),
  );
}

function oneOf<const Options extends readonly string[]>(options: Options) {
  return v.picklist(options, `must be one of ${options.join(', ')}`);
}

const search = v.pipe(
  v.string(),
  v.transform((value) => value.trim().normalize('NFC')),
  v.check(
    (value) => codePoints(value) <= pagination.search.max,
    `must have at most ${pagination.search.max} characters`,
  ),
  v.check((value) => words(value).length > 0, 'must contain a letter or a digit'),
  v.metadata({ maxLength: pagination.search.max }),
);

const tags = v.pipe(
  values,
  v.transform((all) =>
    all
      .flatMap((value) => value.split(','))
      .map((tag) => tag.trim().normalize('NFC'))
      .filter((tag) => tag !== ''),
  ),
  v.maxLength(limits.tags.max, `must have at most ${limits.tags.max} tags`),
);

/** The schema of each parameter, for its text as the client sends it. */
export const parameterSchemas = {
  page: wholeNumber(1, pagination.page.max),
  limit: wholeNumber(1, pagination.limit.max),
  status: oneOf([...statuses, 'all']),
  type: oneOf([...testimonialTypes, 'all']),
  rating: wholeNumber(limits.rating.min, limits.rating.max),
  sort: oneOf(sorts),
  order: oneOf(orders),
  search,
} as const;

const parameters = v.object({
  page: v.exactOptional(single(parameterSchemas.page)),
  limit: v.exactOptional(single(parameterSchemas.limit)),
  status: v.exactOptional(single(parameterSchemas.status)),
  type: v.exactOptional(single(parameterSchemas.type)),
  rating: v.exactOptional(single(parameterSchemas.rating)),
  sort: v.exactOptional(single(parameterSchemas.sort)),
  order: v.exactOptional(single(parameterSchemas.order)),
  search: v.exactOptional(single(parameterSchemas.search)),
  tags: v.exactOptional(tags),
});

/** The parameters that a request gave, validated; absent ones are absent. */
export type ListParameters = v.InferOutput<typeof parameters>;

/** Schema of the whole query, each parameter an array of its values: what was given, and the query it means. */
export const listQuery = v.pipe(
  parameters,
  v.transform((given) => ({ given, query: toQuery(given) })),
);

export type ListInput = v.InferOutput<typeof listQuery>;

function toQuery({
  page,
  limit,
  status,
  type,
  rating,
  sort,
  order,
  search,
  tags,
}: ListParameters): ListQuery {
  return {
    filter: {
      ...(status && status !== 'all' && { status }),
      ...(type && type !== 'all' && { type }),
      ...(rating !== undefined && { minRating: rating }),
      ...(tags && tags.length > 0 && { tags }),
      ...(search !== undefined && { search }),
    },
    sort: sort ?? 'createdAt',
    order: order ?? 'desc',
    page: page ?? pagination.page.default,
    limit: limit ?? pagination.limit.default,
  };
}
