/**
 * The desk's paths, and the files its pages load. Their URLs change with their content, so browsers keep them
 * for a year.
 */

import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import { deskPath } from './paths.ts';

export const assetsPath = `${deskPath}/assets`;

const contentTypes = {
  'desk.css': 'text/css; charset=utf-8',
  'desk.js': 'text/javascript; charset=utf-8',
  'htmx.js': 'text/javascript; charset=utf-8',
  'passkeys.js': 'text/javascript; charset=utf-8',
  'import.js': 'text/javascript; charset=utf-8',
  'players.js': 'text/javascript; charset=utf-8',
  'import-worker.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'icons.svg': 'image/svg+xml',
} as const;

export type AssetName = keyof typeof contentTypes;
export type AssetContents = Readonly<Record<AssetName, Uint8Array<ArrayBuffer>>>;
export type Assets = ReturnType<typeof assetsOf>;

export const assetNames = Object.keys(contentTypes) as AssetName[];

/** Draws the icon of a tab with pending testimonials. */
function iconWith(text: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#a52a1d"/>
<text x="16" y="23" fill="#fff" text-anchor="middle" font-family="system-ui, sans-serif" font-weight="700" font-size="${text.length > 2 ? 15 : 20}">${text}</text></svg>`;
}

/** Returns the path of each file, and the routes that serve them. */
export function assetsOf(contents: AssetContents) {
  const routes = new Hono();
  const send = (c: Context, name: AssetName, headers: Record<string, string>) =>
    c.body(contents[name], 200, {
      'content-type': contentTypes[name],
      'x-content-type-options': 'nosniff',
      ...headers,
    });
  // One digest for all files, because the style sheet refers to the icons.
  const hash = createHash('sha256');
  for (const name of assetNames) hash.update(contents[name]);
  const digest = hash.digest('base64url').slice(0, 12);
  const paths = new Map(
    assetNames.map((name) => {
      const path = `${assetsPath}/${digest}/${name}`;
      // During a rollout, a page of one version may load files from the other version. They are served, but
      // browsers must not cache them.
      routes.get(`${assetsPath}/:digest/${name}`, (c) =>
        send(c, name, {
          'cache-control': c.req.path === path ? 'public, max-age=31536000, immutable' : 'no-store',
        }),
      );
      return [name, path];
    }),
  );
  // The policy allows neither other origins nor `data:` for images, so the icon with a number is also a file.
  routes.get(`${assetsPath}/:digest/:icon{icon-(100|[1-9][0-9]?)\\.svg}`, (c) => {
    const count = c.req.param('icon').replace(/\D/g, '');
    return c.body(iconWith(count === '100' ? '99+' : count), 200, {
      'content-type': contentTypes['icon.svg'],
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=86400',
    });
  });
  return { pathOf: (name: AssetName) => paths.get(name) ?? '', routes };
}
