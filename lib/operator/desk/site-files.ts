/** The files that the pages of a desk load: its look, its script, and htmx. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Hono } from 'hono';

const require = createRequire(import.meta.url);
const ours = (name: string) => new URL(`./site/${name}`, import.meta.url);

const files = {
  '/desk.css': { type: 'text/css; charset=utf-8', path: ours('desk.css') },
  '/desk.js': { type: 'text/javascript; charset=utf-8', path: ours('desk.js') },
  '/htmx.js': { type: 'text/javascript; charset=utf-8', path: require.resolve('htmx.org/dist/htmx.min.js') },
  '/icon.svg': { type: 'image/svg+xml', path: new URL('../wall/site/icon.svg', import.meta.url) },
};

/** Adds the files. */
export function siteFiles(): Hono {
  const app = new Hono();
  for (const [url, { type, path }] of Object.entries(files)) {
    app.get(url, async (c) => c.body(new Uint8Array(await readFile(path)), 200, { 'content-type': type }));
  }
  return app;
}
