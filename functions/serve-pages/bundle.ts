/** Bundles the scripts and styles of walls from their sources. Builds and servers on a developer's machine call it; no Lambda function does. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const browser = join(import.meta.dirname, 'browser');

/** Returns the script of the live wall, with its styles. */
export async function embedScript(): Promise<Uint8Array> {
  const { transform } = await import('esbuild');
  const style = await transform(await withCardStyles(join(browser, 'embed.css')), {
    loader: 'css',
    minify: true,
  });
  return bundle(join(browser, 'embed.ts'), style.code);
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

/** Returns the styles of cards, followed by those of a file. */
export async function withCardStyles(file: string): Promise<string> {
  const parts = [join(browser, 'cards.css'), file].map((part) => readFile(part, 'utf8'));
  return (await Promise.all(parts)).join('\n');
}

/** Returns the files of forms and walls, by their names in the function's bundle. */
export async function pageFiles(): Promise<Record<string, Uint8Array | string>> {
  return { 'embed.js': await embedScript() };
}
