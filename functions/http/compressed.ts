/** Large answers leave compressed, where the client takes that. */

import type { MiddlewareObj } from '@middy/core';
import httpContentEncoding from '@middy/http-content-encoding';
import type { ApiEvent, ApiResponse } from './api-event.ts';

/** A smaller answer fits into two packets as it is. A page of 25 saves a hundred times what compressing it costs (docs/adr/0016). */
export const leastBytes = 2048;

/** Middy's compression with gzip, the one encoding that every client of the web takes; none has to (RFC 9110, section 12.5.3). */
export function compressed<Input>(): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  const { after: compress } = httpContentEncoding();
  return {
    after: async (request) => {
      const { event, context, response } = request;
      if (!response || Buffer.byteLength(response.body ?? '') < leastBytes) return;
      if (takesGzip(event.headers?.['accept-encoding'])) {
        // Where Middy's own negotiation leaves what it found.
        Object.assign(context, { preferredEncoding: 'gzip' });
        // It works on any answer with a body; its type names the gateway's own.
        await compress?.(request as never);
      } else {
        const vary = [response.headers?.vary, 'Accept-Encoding'].filter(Boolean).join(', ');
        response.headers = { ...response.headers, vary };
      }
    },
  };
}

function takesGzip(acceptEncoding = ''): boolean {
  const weights = new Map(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map((coding) => {
        const [name = '', weight = '1'] = coding.split(/;\s*q=/);
        return [name.trim(), Number(weight)];
      }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
