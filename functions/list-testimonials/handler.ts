/** `GET /v1/testimonials`, and the OpenAPI document. */

import type { Cost, CostMeter } from '../dynamodb/cost-meter.ts';
import { json } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, apiHandler, byRoute } from '../http/api-handler.ts';
import { tokenParameter } from '../http/operation.ts';
import { validateQuery } from '../http/validate.ts';
import type { ListExplanation, OpenLists } from '../testimonials/lists.ts';
import { documentHandler, documentRoute } from './document.ts';
import { listBodyOf } from './make-list-body.ts';
import { type ListInput, type ListParameters, listQuery } from './parameters.ts';
import { listTestimonialsOperation, type ReadPermission } from './read-permissions.ts';

interface ListHandlerDependencies extends ApiDependencies {
  lists: OpenLists;
  meter: CostMeter;
  /** Returns the OpenAPI document. */
  document: () => object;
}

export function createHandler(deps: ListHandlerDependencies): ApiLambdaHandler {
  const { lists, meter, now } = deps;
  const list = apiHandler<ListInput, ReadPermission>(
    listTestimonialsOperation,
    deps,
    [validateQuery(listQuery)],
    async (event, signal, permission) => {
      const { caller, urlToken, rawPath, input } = event;
      const { values, query } = input;
      const result = await lists(caller.organization, { signal }).list(permission.restrict(query));
      event.logged = lineOfList(meter.cost(), result.explanation, now());

      const body = listBodyOf(query, result);
      const linked = { ...values, ...(urlToken !== undefined && { [tokenParameter]: urlToken }) };
      const link = pageLinks(rawPath, linked, body.pagination);
      return json(200, permission.show(body, caller.organization), {
        ...permission.headers,
        ...(link !== undefined && { link }),
      });
    },
  );
  return byRoute([listTestimonialsOperation, list], [documentRoute, documentHandler(deps, deps.document)]);
}

// By default, nginx fails if the response headers exceed 4 or 8 KB in total
// (https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffer_size). An escaped search or tag in
// non-Latin letters is long.
const maxBytes = 4096;

// The order in which links are left out: clients follow `next` to read everything.
const leastNeeded = ['first', 'last', 'prev', 'next'] as const;

/**
 * Returns the Link header of a page (RFC 8288): first, prev, next and last with the same parameters. The
 * references are relative to the host, so that they work behind a custom domain or a proxy. Leaves out links
 * if the header would be too long.
 * @returns undefined if there are no links
 */
export function pageLinks(
  path: string,
  values: ListParameters & { [tokenParameter]?: string },
  { page, totalPages }: { page: number; totalPages: number },
): string | undefined {
  const last = Math.max(1, totalPages);
  const targets = {
    first: 1,
    prev: page > 1 ? Math.min(page - 1, last) : undefined,
    next: page < totalPages ? page + 1 : undefined,
    last,
  };
  const links = new Map<string, string>();
  for (const [relation, target] of Object.entries(targets)) {
    if (target === undefined) continue;
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...values, page: target })) {
      if (String(value) !== '') parameters.set(name, String(value));
    }
    links.set(relation, `<${path}?${parameters}>; rel="${relation}"`);
  }
  const header = () => [...links.values()].join(', ');
  for (const relation of leastNeeded) if (header().length > maxBytes) links.delete(relation);
  return header() || undefined;
}

/**
 * Returns the log line of a list. CloudWatch derives metrics from its fields. Optional fields report problems
 * of the list index.
 */
function lineOfList(
  { units, writeUnits, rounds, requests }: Cost,
  { rows, unindexed, isWarm, dueSince, hasOtherTerms }: ListExplanation,
  now: Date,
) {
  return {
    rows: rows.by,
    readUnits: units - writeUnits,
    rounds,
    calls: requests,
    unindexed,
    isWarm,
    /** Milliseconds since an index update became due. */
    ...(dueSince !== undefined && { indexLagMs: Math.max(0, now.getTime() - Date.parse(dueSince)) }),
    ...(hasOtherTerms && { hasOtherTerms }),
  };
}

export type ListLine = ReturnType<typeof lineOfList>;
