/** Handles `GET /v1/testimonials`. */
import { json } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, apiHandler } from '../http/api-handler.ts';
import { validateQuery } from '../http/validate.ts';
import { type ListDependencies, listTestimonials } from '../list-index/list-testimonials.ts';
import { type ListBody, listTestimonialsContract } from './contract.ts';
import { pageLinks } from './page-links.ts';
import { type ListInput, listQuery } from './query.ts';

/** Builds the handler from its dependencies. */
export function createHandler(deps: ApiDependencies & ListDependencies): ApiLambdaHandler {
  return apiHandler<ListInput>(
    listTestimonialsContract,
    deps,
    [validateQuery(listQuery)],
    async ({ caller, rawPath, input: { given, query } }, signal) => {
      const { testimonials, total } = await listTestimonials(deps, caller.organization, query, signal);
      const { page, limit } = query;
      const totalPages = Math.ceil(total / limit);
      const body: ListBody = {
        testimonials: testimonials.map((testimonial) => ({ ...testimonial, tags: testimonial.tags ?? [] })),
        pagination: { page, limit, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 },
      };
      const link = pageLinks(rawPath, given, { page, totalPages });
      return json(200, body, link === undefined ? {} : { link });
    },
  );
}
