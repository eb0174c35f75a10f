/** The script of the live wall at `/embed.js`, to be tried with this service. It is part of the local service only. */
import type { IncomingMessage } from 'node:http';
import { siteFile } from '../operator/wall/site-file.ts';
import type { GatewayAnswer } from './gateway-event.ts';

/** Answers the request for the script, whatever page makes it, or nothing. */
export async function liveWall({ method = '', url }: IncomingMessage): Promise<GatewayAnswer | undefined> {
  if (url?.split('?')[0] !== '/embed.js' || !['GET', 'HEAD'].includes(method)) return undefined;
  return {
    status: 200,
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      // A module of another origin is loaded by these alone; it is no secret.
      'access-control-allow-origin': '*',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    },
    body: Buffer.from(await siteFile('embed.js')),
  };
}
