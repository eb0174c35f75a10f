/** Bundles the scripts and styles of walls from their sources. Builds and servers on a developer's machine call it; no Lambda function does. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageCode } from './form-page.ts';

const browser = join(import.meta.dirname, 'browser');

/** Returns the script of the live wall, with its styles. */
export async function embedScript(): Promise<Uint8Array> {
  const style = await minified(await withCardStyles(join(browser, 'embed.css')));
  return bundle(join(browser, 'embed.ts'), style);
}

/** Returns the style sheet and the script of forms. */
export async function formCode(): Promise<PageCode> {
  const style = await minified(await readFile(join(browser, 'form.css'), 'utf8'));
  return { style, script: String(await bundle(join(browser, 'form.ts'))) };
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

async function minified(style: string): Promise<string> {
  const { transform } = await import('esbuild');
  return (await transform(style, { loader: 'css', minify: true })).code;
}

/** Returns the styles of cards, followed by those of a file. */
export async function withCardStyles(file: string): Promise<string> {
  const parts = [join(browser, 'cards.css'), file].map((part) => readFile(part, 'utf8'));
  return (await Promise.all(parts)).join('\n');
}

/** Returns the files of forms and walls, by their names in the function's bundle. */
export async function pageFiles(): Promise<Record<string, Uint8Array | string>> {
  const form = await formCode();
  return { 'embed.js': await embedScript(), 'form.css': form.style, 'form.js': form.script };
}
