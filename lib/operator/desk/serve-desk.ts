/** Serves a desk on this machine, and to nobody else. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { addressOf, newAccess } from './access.ts';
import type { Desk } from './desk.ts';
import { deskApp } from './desk-app.ts';

export interface ServedDesk {
  /** What opens it in a browser: whoever has it may do what the operator may. */
  address: string;
  stop: () => Promise<void>;
}

/**
 * Begins to serve.
 * @param port 0 for a free one
 * @throws when the port is taken
 */
export async function serveDesk(desk: Desk, port: number): Promise<ServedDesk> {
  const server = createAdaptorServer({ fetch: (request, env) => app.fetch(request, env) });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${port} is taken: --port 0 takes a free one.`);
  });
  // A server that listens on a port has an address with one.
  const access = newAccess((server.address() as AddressInfo).port);
  const app = deskApp(desk, access);
  return {
    address: addressOf(access),
    async stop() {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
