/** The files of a wall, how a host sends them, and those that every wall has the same, made of what stands in site/. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

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

const site = join(import.meta.dirname, 'site');

/** The content of a file of every wall, by its name in `wallFiles`. */
export async function siteFile(name: string): Promise<string | Uint8Array> {
  if (name.endsWith('.js')) return bundled(name.replace(/\.js$/, '.ts'));
  if (name === 'wall.css') return styleWith('page.css');
  return readFile(join(site, name));
}

/** A script with what it has from the service's own sources, and the live wall's with its style. */
async function bundled(entry: string): Promise<Uint8Array> {
  const { build, transform } = await import('esbuild');
  const style =
    entry === 'embed.ts'
      ? (await transform(await styleWith('embed.css'), { loader: 'css', minify: true })).code
      : '';
  const { outputFiles } = await build({
    entryPoints: [join(site, entry)],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    define: { styleText: JSON.stringify(style) },
    write: false,
    logLevel: 'silent',
  });
  return Buffer.concat(outputFiles.map(({ contents }) => contents));
}

/** The style of cards, and that of what they stand in. */
async function styleWith(name: string): Promise<string> {
  const parts = ['cards.css', name].map((part) => readFile(join(site, part), 'utf8'));
  return (await Promise.all(parts)).join('\n');
}
