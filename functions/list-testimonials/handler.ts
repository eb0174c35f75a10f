/** Handles `GET /v1/testimonials`. */
import type { Metrics } from '@aws-lambda-powertools/metrics';
import { NotReady } from '../domain/not-ready.ts';
import { json } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, apiHandler } from '../http/api-handler.ts';
import { tokenParameter } from '../http/operation.ts';
import { validateQuery } from '../http/validate.ts';
import { type ListMemory, type ListStores, listTestimonials } from '../operations/list-testimonials.ts';
import type { CostMeter } from '../persistence/cost-meter.ts';
import { listBodyOf } from './list-body.ts';
import { publishIndexFaults, publishListCost, publishNotReady } from './list-cost.ts';
import { listTestimonialsOperation } from './operation.ts';
import { pageLinks } from './page-links.ts';
import { type ListInput, listQuery } from './parameters.ts';
import type { View } from './views.ts';

export interface ListHandlerDependencies extends ApiDependencies {
  /** The stores of one request, whose calls `signal` aborts. */
  stores: (signal: AbortSignal) => ListStores;
  memory: ListMemory;
  meter: CostMeter;
  metrics: Metrics;
}

/** Builds the handler from its dependencies. */
export function createHandler(deps: ListHandlerDependencies): ApiLambdaHandler {
  const { memory, meter, metrics, now, stores } = deps;
  return apiHandler<ListInput, View>(
    listTestimonialsOperation,
    deps,
    [validateQuery(listQuery)],
    async ({ caller: { organization }, addressToken, rawPath, requestContext, input }, signal, view) => {
      const { given, query } = input;
      const list = listTestimonials({ ...stores(signal), memory }, organization, view.ask(query));
      const result = await list.catch((error: unknown) => {
        if (error instanceof NotReady) publishNotReady(metrics);
        throw error;
      });
      publishListCost(metrics, meter.cost(), result.explanation, {
        organization,
        requestId: requestContext?.requestId ?? '',
      });
      publishIndexFaults(metrics, result.explanation, { organization, now: now() });

      const body = listBodyOf(query, result);
      const linked = { ...given, ...(addressToken !== undefined && { [tokenParameter]: addressToken }) };
      const link = pageLinks(rawPath, linked, body.pagination);
      return json(200, view.show(body), { ...view.headers, ...(link !== undefined && { link }) });
    },
  );
}
