/** Files that a server of this machine sends: each at an address of its own, and no others. */
import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';

export interface SiteFile {
  /** Its content type. */
  type: string;
  path: string | URL;
}

/** @param files by their addresses */
export function siteFiles(files: Readonly<Record<string, SiteFile>>): Hono {
  const app = new Hono();
  for (const [address, { type, path }] of Object.entries(files)) {
    app.get(address, async (c) => {
      const content = await readFile(path).catch(() => undefined);
      return content ? c.body(new Uint8Array(content), 200, { 'content-type': type }) : c.notFound();
    });
  }
  return app;
}
