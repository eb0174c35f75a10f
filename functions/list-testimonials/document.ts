/** `GET /docs/openapi.json`: the public OpenAPI document of this deployment. */
import { errorResponse } from '../http/api-error.ts';
import { json, originOf, requestIdOf } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, requestHandler } from '../http/api-handler.ts';

export const documentRoute = { method: 'GET', path: '/docs/openapi.json' } as const;

// Cached for only five minutes, because a deployment changes it. One copy per origin, because the gateway
// adds CORS headers.
const headers = { 'cache-control': 'public, max-age=300', vary: 'Origin' };

/** @param document returns the document, in which the request's URL replaces the servers */
export function documentHandler(
  deps: Omit<ApiDependencies, 'findToken'>,
  document: () => object,
): ApiLambdaHandler {
  return requestHandler(deps, {
    identify: [],
    respond: async ({ headers: { host = '' } }) =>
      json(200, { ...document(), servers: [{ url: originOf(host) }] }, headers),
    showError: async (event, error, context) => errorResponse(error, requestIdOf(event, context)),
  });
}
