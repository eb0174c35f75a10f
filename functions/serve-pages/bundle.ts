/**
 * Bundles the scripts and styles of walls and forms from their sources. Builds and servers on a developer's
 * machine call it; no Lambda function does.
 */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptTarget, styleTargets } from './browsers.ts';
import type { PageCode } from './form-page.ts';

const browser = join(import.meta.dirname, 'browser');

/** Returns the script of the live wall, with its styles. */
export async function embedScript(): Promise<Uint8Array> {
  return Buffer.from(
    await bundle(join(browser, 'embed.ts'), { styleText: await styleOf('cards.css', 'embed.css') }),
  );
}

/** Returns the style sheet and the script of forms. */
export function formCode(): Promise<PageCode> {
  return codeOf('form.ts', 'form.css');
}

/** Returns the style sheet and the script of forms that ask for photos or recordings. */
export function mediaFormCode(): Promise<PageCode> {
  return codeOf('media-form.ts', 'form.css', 'media-form.css');
}

/** Returns the style sheet and the script of hosted walls. */
export function wallCode(): Promise<PageCode> {
  return codeOf('wall.ts', 'cards.css', 'wall.css');
}

/** Returns the script of the desk's players, which work like the players of walls. */
export async function deskPlayersScript(): Promise<Uint8Array> {
  return Buffer.from(await bundle(join(browser, 'desk-players.ts')));
}

/** Returns the icon of desks and walls. */
export function iconFile(): Promise<Uint8Array> {
  return readFile(join(browser, 'icon.svg'));
}

/**
 * Bundles a script with everything that it imports. esbuild bundles it for the oldest browsers, and swc makes
 * it smaller.
 * @param options.styleText the value of its constant `styleText`
 * @param options.target the oldest browsers, or a version of JavaScript
 */
export async function bundle(
  entry: string,
  { styleText = '', target = scriptTarget }: { styleText?: string; target?: string | string[] } = {},
): Promise<string> {
  const [{ build }, { minify }] = await Promise.all([import('esbuild'), import('@swc/core')]);
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    target,
    // The oldest browsers support them, but not the letters of every later Unicode version.
    supported: { 'regexp-unicode-property-escapes': true },
    define: { styleText: JSON.stringify(styleText) },
    write: false,
    logLevel: 'silent',
  });
  const [bundled] = outputFiles;
  return (await minify(bundled?.text ?? '', { module: true, compress: true, mangle: true })).code;
}

async function codeOf(script: string, ...styles: string[]): Promise<PageCode> {
  return { style: await styleOf(...styles), script: await bundle(join(browser, script)) };
}

/** Returns the styles of these files, ready for browsers. */
async function styleOf(...files: string[]): Promise<string> {
  const parts = await Promise.all(files.map((file) => readFile(join(browser, file), 'utf8')));
  return styleSheet(parts.join('\n'));
}

/**
 * Returns minified styles, with replacements for features that the oldest browsers lack, such as
 * `light-dark()`.
 */
export async function styleSheet(styles: string): Promise<string> {
  const { transform } = await import('lightningcss');
  const code = Buffer.from(styles);
  return String(transform({ filename: 'styles.css', code, minify: true, targets: styleTargets }).code);
}

/**
 * Returns the files for forms and walls, by their names in a function's bundle: styles, scripts, and texts by
 * language.
 */
export async function renderingFiles(): Promise<Record<string, Uint8Array | string>> {
  const [form, mediaForm, wall] = [await formCode(), await mediaFormCode(), await wallCode()];
  return {
    'form.css': form.style,
    'form.js': form.script,
    'mediaForm.css': mediaForm.style,
    'mediaForm.js': mediaForm.script,
    'wall.css': wall.style,
    'wall.js': wall.script,
    ...(await filesLike('translations/*.json')),
  };
}

/** Returns the files of the function that serves pages, by their names in its bundle. */
export async function pageFiles(): Promise<Record<string, Uint8Array | string>> {
  return { ...(await renderingFiles()), 'embed.js': await embedScript(), ...(await filesLike('*.png')) };
}

async function filesLike(pattern: string): Promise<Record<string, Uint8Array>> {
  const folder = join(import.meta.dirname, 'assets');
  const files = globSync(pattern, { cwd: folder });
  return Object.fromEntries(
    await Promise.all(files.map(async (name) => [name, await readFile(join(folder, name))])),
  );
}
