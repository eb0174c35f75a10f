/** Servers that only this machine can reach. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import type { Hono } from 'hono/tiny';

export type ServedPages = Awaited<ReturnType<typeof listenOnLoopback>>;

/**
 * Starts a server on this machine.
 * @param port 0 for a free one
 * @param setting the option or variable that sets the port
 * @throws one line if the port is in use
 */
export async function listenOnLoopback(server: ServerType, port: number, setting = '--port') {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE'
      ? new Error(
          `Port ${port} is in use. Stop the program that uses it, or set another port with ${setting} (0 for a free one).`,
        )
      : error;
  });
  // The address of a server on a port has this type.
  const { port: chosen } = server.address() as AddressInfo;
  return {
    port: chosen,
    /** Stops the server at once. */
    async stop(): Promise<void> {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Serves an app, for a command with the option --port.
 * @param port 0 for a free one
 * @param appAt creates the app for the port
 * @throws one line if the port is in use
 */
export async function serveOnLoopback(
  port: number,
  appAt: (port: number) => Pick<Hono, 'fetch'>,
): Promise<ServedPages> {
  const server = createAdaptorServer({ fetch: (request, env) => app.fetch(request, env) });
  const listening = await listenOnLoopback(server, port);
  const app = appAt(listening.port);
  return listening;
}
