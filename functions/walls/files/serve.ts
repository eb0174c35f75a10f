/** Serves a wall on this machine, as a careful host would. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono } from 'hono';
import { serveOnLoopback } from '../../serve-on-loopback.ts';
import { contentSecurityPolicy, wallFiles } from './wall-files.ts';

/**
 * Serves the files of a wall, and no others.
 * @param port 0 for a free one
 * @throws one line where the port is taken
 */
export async function serveWall(folder: string, port: number) {
  const app = new Hono();
  app.use(async (c, next) => {
    c.header('content-security-policy', contentSecurityPolicy);
    c.header('x-content-type-options', 'nosniff');
    c.header('cache-control', 'no-cache');
    await next();
  });
  for (const [name, type] of Object.entries(wallFiles))
    app.on('GET', name === 'index.html' ? ['/', '/index.html'] : [`/${name}`], async (c) => {
      const content = await readFile(join(folder, name)).catch(() => undefined);
      return content ? c.body(new Uint8Array(content), 200, { 'content-type': type }) : c.notFound();
    });
  const served = await serveOnLoopback(port, () => app);
  return { url: `http://127.0.0.1:${served.port}`, stop: served.stop };
}
