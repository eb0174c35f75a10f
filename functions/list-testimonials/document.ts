/** `GET /docs/openapi.json`: the OpenAPI document of this deployment, for everyone. */
import { errorResponse } from '../http/api-error.ts';
import { json, originOf, requestIdOf } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, requestHandler } from '../http/api-handler.ts';

export const documentRoute = { method: 'GET', path: '/docs/openapi.json' } as const;

// Five minutes, because a deployment changes it. For each origin, because the gateway adds CORS headers.
const headers = { 'cache-control': 'public, max-age=300', vary: 'Origin' };

/** @param document returns the document, whose servers this replaces by the URL of the request */
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
