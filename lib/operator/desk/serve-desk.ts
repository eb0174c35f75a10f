/** Serves a desk on this machine. */
import { type ServedPages, serveOnLoopback } from '../../pages/serve-on-loopback.ts';
import { addressOf, newSecrets } from './access.ts';
import type { Desk } from './desk.ts';
import { deskApp } from './desk-app.ts';

export interface ServedDesk extends Pick<ServedPages, 'stop'> {
  /** What opens it in a browser: whoever has it may do what the operator may. */
  address: string;
}

/**
 * Begins to serve.
 * @param port 0 for a free one
 * @throws when the port is taken
 */
export async function serveDesk(desk: Desk, port: number): Promise<ServedDesk> {
  const secrets = newSecrets();
  const served = await serveOnLoopback(port, (chosen) => deskApp(desk, { ...secrets, port: chosen })).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new Error(`Port ${port} is taken: --port 0 takes a free one.`);
    },
  );
  return { address: addressOf({ ...secrets, port: served.port }), stop: served.stop };
}
