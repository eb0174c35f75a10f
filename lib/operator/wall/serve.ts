/** Serves a wall on this machine, as a careful host would. */
import { join } from 'node:path';
import { Hono } from 'hono';
import { serveOnLoopback } from '../../pages/serve-on-loopback.ts';
import { siteFiles } from '../../pages/site-files.ts';
import { contentSecurityPolicy, wallFiles } from './site-file.ts';

/**
 * Serves the files of a wall, and no others.
 * @param port 0 for a free one
 * @throws one line where the port is taken
 */
export async function serveWall(folder: string, port: number) {
  const fileOf = (name: keyof typeof wallFiles) => ({ type: wallFiles[name], path: join(folder, name) });
  const names = Object.keys(wallFiles) as (keyof typeof wallFiles)[]; // of a constant
  const files = Object.fromEntries(names.map((name) => [`/${name}`, fileOf(name)]));
  const app = new Hono();
  app.use(async (c, next) => {
    c.header('content-security-policy', contentSecurityPolicy);
    c.header('x-content-type-options', 'nosniff');
    c.header('cache-control', 'no-cache');
    await next();
  });
  app.route('/', siteFiles({ '/': fileOf('index.html'), ...files }));
  const served = await serveOnLoopback(port, () => app);
  return { url: `http://127.0.0.1:${served.port}`, stop: served.stop };
}
