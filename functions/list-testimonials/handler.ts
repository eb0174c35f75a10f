/** Handles `GET /v1/testimonials`. */
import { json } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, apiHandler } from '../http/api-handler.ts';
import { tokenParameter } from '../http/operation.ts';
import { validateQuery } from '../http/validate.ts';
import { type ListMemory, type ListStores, listTestimonials } from '../operations/list-testimonials.ts';
import type { CostMeter } from '../persistence/cost-meter.ts';
import { listBodyOf } from './list-body.ts';
import { lineOfList } from './list-cost.ts';
import { listTestimonialsOperation } from './operation.ts';
import { pageLinks } from './page-links.ts';
import { type ListInput, listQuery } from './parameters.ts';
import type { View } from './views.ts';

export interface ListHandlerDependencies extends ApiDependencies {
  /** The stores of one request, whose calls `signal` aborts. */
  stores: (signal: AbortSignal) => ListStores;
  memory: ListMemory;
  meter: CostMeter;
  /** The clock of this machine, in milliseconds. */
  clock?: () => number;
}

/** Builds the handler from its dependencies. */
export function createHandler(deps: ListHandlerDependencies): ApiLambdaHandler {
  const { memory, meter, now, clock, stores } = deps;
  return apiHandler<ListInput, View>(
    listTestimonialsOperation,
    deps,
    [validateQuery(listQuery)],
    async (event, signal, view) => {
      const { caller, addressToken, rawPath, input } = event;
      const { given, query } = input;
      const result = await listTestimonials(
        { ...stores(signal), memory, clock },
        caller.organization,
        view.ask(query),
      );
      event.logged = lineOfList(meter.cost(), result.explanation, now());

      const body = listBodyOf(query, result);
      const linked = { ...given, ...(addressToken !== undefined && { [tokenParameter]: addressToken }) };
      const link = pageLinks(rawPath, linked, body.pagination);
      return json(200, view.show(body), { ...view.headers, ...(link !== undefined && { link }) });
    },
  );
}
