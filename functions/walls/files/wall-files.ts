/** The files of a static wall, and an app that serves them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono } from 'hono';
import { bundle, embedScript, icon, withCardStyles } from '../bundle.ts';

/** The content type of each file. */
export const wallFiles = {
  'index.html': 'text/html; charset=utf-8',
  'testimonials.json': 'application/json',
  'wall.css': 'text/css; charset=utf-8',
  'theme.css': 'text/css; charset=utf-8',
  'columns.js': 'text/javascript; charset=utf-8',
  'wall.js': 'text/javascript; charset=utf-8',
  'embed.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

/** The policy in the page itself; a host may also send it as a header. */
export const contentSecurityPolicy = "default-src 'self'; base-uri 'none'; form-action 'none'";

const browser = join(import.meta.dirname, 'browser');

/** Returns a file that is the same in every wall, by its name in `wallFiles`. */
export async function wallFile(name: string): Promise<string | Uint8Array> {
  if (name === 'embed.js') return embedScript();
  if (name === 'icon.svg') return icon();
  if (name.endsWith('.js')) return bundle(join(browser, name.replace(/\.js$/, '.ts')));
  if (name === 'wall.css') return withCardStyles(join(browser, 'page.css'));
  return readFile(join(browser, name));
}

/** Serves the files of a wall in a folder. */
export function wallApp(folder: string): Hono {
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
  return app;
}
