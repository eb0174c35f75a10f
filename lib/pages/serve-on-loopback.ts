/** Serves pages on this machine, and to nobody else. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';

export interface ServedPages {
  port: number;
  stop: () => Promise<void>;
}

/**
 * Begins to serve.
 * @param port 0 for a free one
 * @param appAt makes the pages, once the port is known
 * @throws when the port is taken, with the code EADDRINUSE
 */
export async function serveOnLoopback(port: number, appAt: (port: number) => Hono): Promise<ServedPages> {
  const server = createAdaptorServer({ fetch: (request, env) => app.fetch(request, env) });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address with one.
  const { port: chosen } = server.address() as AddressInfo;
  const app = appAt(chosen);
  return {
    port: chosen,
    async stop() {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
