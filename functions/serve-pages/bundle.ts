/** Bundles the scripts and styles of walls from their sources. Builds and servers on a developer's machine call it; no Lambda function does. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const browser = join(import.meta.dirname, 'browser');

/** Returns the script of the live wall, with its styles. */
export async function embedScript(): Promise<Uint8Array> {
  return bundle(join(browser, 'embed.ts'), await cardStyle('embed.css'));
}

/** Returns the script of a hosted wall. */
export function wallScript(): Promise<Uint8Array> {
  return bundle(join(browser, 'wall.ts'));
}

/** Returns the styles of a hosted wall, minified. */
export function wallStyle(): Promise<string> {
  return cardStyle('wall.css');
}

/** Returns the icon of desks and walls. */
export function icon(): Promise<Uint8Array> {
  return readFile(join(browser, 'icon.svg'));
}

/**
 * Bundles a script with everything it imports.
 * @param styleText the value of its constant `styleText`
 */
export async function bundle(entry: string, styleText = ''): Promise<Uint8Array> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    define: { styleText: JSON.stringify(styleText) },
    write: false,
    logLevel: 'silent',
  });
  return Buffer.concat(outputFiles.map(({ contents }) => contents));
}

/** Returns the styles of cards, followed by those of a file, minified. */
async function cardStyle(name: string): Promise<string> {
  const { transform } = await import('esbuild');
  const parts = ['cards.css', name].map((part) => readFile(join(browser, part), 'utf8'));
  const { code } = await transform((await Promise.all(parts)).join('\n'), { loader: 'css', minify: true });
  return code;
}

/** Returns the files of forms and walls, by their names in the function's bundle. */
export async function pageFiles(): Promise<Record<string, Uint8Array | string>> {
  return {
    'embed.js': await embedScript(),
    'share.png': await readFile(join(import.meta.dirname, 'share.png')),
    'wall.css': await wallStyle(),
    'wall.js': await wallScript(),
  };
}
