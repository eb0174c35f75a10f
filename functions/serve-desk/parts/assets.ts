/** The files that pages load, each under a name that changes with its content, so that browsers keep it for a year. */
import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
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

export type Assets = ReturnType<typeof assetsOf>;

/**
 * Where each file is, and what answers there.
 * @param contents the files
 */
export function assetsOf(contents: AssetContents) {
  const routes = new Hono();
  const send = (c: Context, name: AssetName, headers: Record<string, string>) =>
    c.body(contents[name], 200, {
      'content-type': types[name],
      'x-content-type-options': 'nosniff',
      ...headers,
    });
  const addresses = new Map(
    assetNames.map((name) => {
      const digest = createHash('sha256').update(contents[name]).digest('base64url').slice(0, 12);
      const address = `${assetsPath}/${digest}/${name}`;
      // While versions take turns, one is asked for what a page of the other loads: better its own than nothing, and not kept.
      routes.get(`${assetsPath}/:digest/${name}`, (c) =>
        send(c, name, {
          'cache-control': c.req.path === address ? 'public, max-age=31536000, immutable' : 'no-store',
        }),
      );
      return [name, address];
    }),
  );
  // Pages of other hosts load it, which keep their address: a module of another origin, and no secret.
  routes.get(embedPath, (c) =>
    send(c, 'embed.js', { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=3600' }),
  );
  return { addressOf: (name: AssetName) => addresses.get(name) ?? '', routes };
}
