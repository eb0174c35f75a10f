/** Servers that this machine alone reaches. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';

/** What answers requests, as an app of Hono does. */
interface Pages {
  fetch: (request: Request, env?: object) => Response | Promise<Response>;
}

/** A server that listens. */
export interface ServedPages {
  port: number;
  /** Ends it at once. */
  stop: () => Promise<void>;
}

/**
 * Lets a server listen.
 * @param port 0 for a free one
 * @throws when the port is taken, with the code EADDRINUSE
 */
export async function listenOnLoopback(server: ServerType, port: number): Promise<ServedPages> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address with one.
  const { port: chosen } = server.address() as AddressInfo;
  return {
    port: chosen,
    async stop() {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Begins to serve pages.
 * @param port 0 for a free one
 * @param appAt makes the pages, once the port is known
 * @throws when the port is taken, with the code EADDRINUSE
 */
export async function serveOnLoopback(port: number, appAt: (port: number) => Pages): Promise<ServedPages> {
  const server = createAdaptorServer({ fetch: (request, env) => app.fetch(request, env) });
  const listening = await listenOnLoopback(server, port);
  const app = appAt(listening.port);
  return listening;
}
