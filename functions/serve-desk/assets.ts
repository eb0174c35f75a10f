/** The files that pages load, each under a name that changes with its content, so that browsers keep it for a year. */
import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import { base } from './base.ts';

/** Where they are. */
export const assetsPath = `${base}/assets`;

/** Where pages of other hosts have the live wall from. */
export const embedPath = `${base}/embed.js`;

/** Their content types. */
const types = {
  'desk.css': 'text/css; charset=utf-8',
  'desk.js': 'text/javascript; charset=utf-8',
  'htmx.js': 'text/javascript; charset=utf-8',
  'embed.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

export type AssetName = keyof typeof types;

/** Their contents. */
export type AssetContents = Readonly<Record<AssetName, Uint8Array<ArrayBuffer>>>;

export const assetNames = Object.keys(types) as AssetName[];

export interface Assets {
  addressOf: (name: AssetName) => string;
  /** What answers at these addresses. */
  routes: Hono;
}

/** @param contents the files */
export function assetsOf(contents: AssetContents): Assets {
  const routes = new Hono();
  const addresses = new Map(
    assetNames.map((name) => {
      const digest = createHash('sha256').update(contents[name]).digest('base64url').slice(0, 12);
      const address = `${assetsPath}/${digest}/${name}`;
      // While versions take turns, one is asked for what a page of the other loads: better its own than nothing, and not kept.
      routes.get(`${assetsPath}/:digest/${name}`, (c) =>
        c.body(contents[name], 200, {
          'content-type': types[name],
          'cache-control': c.req.path === address ? 'public, max-age=31536000, immutable' : 'no-store',
          'x-content-type-options': 'nosniff',
        }),
      );
      return [name, address];
    }),
  );
  // Pages of other hosts load it, which keep their address.
  routes.get(embedPath, (c) =>
    c.body(contents['embed.js'], 200, {
      'content-type': types['embed.js'],
      // A module of another origin is loaded by these alone; it is no secret.
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
    }),
  );
  return { addressOf: (name) => addresses.get(name) ?? '', routes };
}
