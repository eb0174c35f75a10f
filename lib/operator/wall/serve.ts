/** Serves a wall on this machine, as a careful host would. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { contentSecurityPolicy, wallFiles } from './wall-files.ts';

export interface ServedWall {
  url: string;
  stop(): Promise<void>;
}

/**
 * Serves the files of a wall, and no others.
 * @param port 0 for a free one
 */
export async function serveWall(folder: string, port: number): Promise<ServedWall> {
  const types = new Map<string, string>(Object.entries(wallFiles));
  const server = createServer(async ({ method, url = '' }, response) => {
    const name = url.split('?')[0] === '/' ? 'index.html' : (url.split('?')[0] ?? '').slice(1);
    const type = method === 'GET' || method === 'HEAD' ? types.get(name) : undefined;
    const content = type ? await readFile(join(folder, name)).catch(() => undefined) : undefined;
    if (!type || !content) {
      response.writeHead(404, { 'content-type': 'text/plain', ...safety }).end('Not found\n');
      return;
    }
    response
      .writeHead(200, { 'content-type': type, 'content-length': content.length, ...safety })
      .end(method === 'HEAD' ? undefined : content);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address with one.
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${chosen}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const safety = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};
