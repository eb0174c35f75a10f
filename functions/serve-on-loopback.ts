/** Servers that this machine alone reaches. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';

/** What answers requests, as an app of Hono does. */
interface Pages {
  fetch: (request: Request, env?: object) => Response | Promise<Response>;
}

/** A server that listens. */
export type ServedPages = Awaited<ReturnType<typeof listenOnLoopback>>;

/**
 * Lets a server listen.
 * @param port 0 for a free one
 * @param setting by which another port is taken
 * @throws one line where the port is taken
 */
export async function listenOnLoopback(server: ServerType, port: number, setting = '--port') {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE'
      ? new Error(`Port ${port} is taken: stop what uses it, or name another by ${setting}; 0 is a free one.`)
      : error;
  });
  // A server that listens on a port has an address with one.
  const { port: chosen } = server.address() as AddressInfo;
  return {
    port: chosen,
    /** Ends it at once. */
    async stop(): Promise<void> {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Begins to serve pages, for a command that takes the port by its option --port.
 * @param port 0 for a free one
 * @param appAt makes the pages, once the port is known
 * @throws one line where the port is taken
 */
export async function serveOnLoopback(port: number, appAt: (port: number) => Pages): Promise<ServedPages> {
  const server = createAdaptorServer({ fetch: (request, env) => app.fetch(request, env) });
  const listening = await listenOnLoopback(server, port);
  const app = appAt(listening.port);
  return listening;
}
