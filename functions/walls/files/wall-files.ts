/** The files of a wall, how a host sends them, and those that every wall has the same. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, embedScript, icon, withCardStyles } from '../bundle.ts';

/** Content types by name. */
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

/** What a page of the wall may load and do. The page says it itself; a host may send it as a header too. */
export const contentSecurityPolicy = "default-src 'self'; base-uri 'none'; form-action 'none'";

const browser = join(import.meta.dirname, 'browser');

/** The content of a file of every wall, by its name in `wallFiles`. */
export async function wallFile(name: string): Promise<string | Uint8Array> {
  if (name === 'embed.js') return embedScript();
  if (name === 'icon.svg') return icon();
  if (name.endsWith('.js')) return bundle(join(browser, name.replace(/\.js$/, '.ts')));
  if (name === 'wall.css') return withCardStyles(join(browser, 'page.css'));
  return readFile(join(browser, name));
}
