/** Pages that only the local service serves: the documentation at `/docs`. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { Hono } from 'hono/tiny';
import { getMimeType } from 'hono/utils/mime';
import { isLocal } from '../../functions/http/api-event.ts';
import type { Demo } from './demo.ts';
import type { GatewayResponse } from './gateway-event.ts';

// Pages load nothing from other origins. The explorer adds style elements to its shadow tree.
const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

const docsPageFile = (name: string) => new URL(`./docs-page/${name}`, import.meta.url);
const explorer = 'openapi-explorer/dist/browser/openapi-explorer.min.js';

const docsFiles = {
  '/docs': docsPageFile('page.html'),
  '/docs/': docsPageFile('page.html'),
  '/docs/page.css': docsPageFile('page.css'),
  '/docs/page.js': docsPageFile('page.js'),
  '/docs/openapi-explorer.min.js': createRequire(import.meta.url).resolve(explorer),
};

/**
 * Returns a function that responds to requests for pages, and returns undefined for any other request. `/`
 * redirects to `/docs`.
 * @param tokens sent only to pages on this machine. The docs page fills in `token` and shows `publishedToken`
 */
export function localPages(
  tokens: Pick<Demo, 'token' | 'publishedToken'>,
): (request: IncomingMessage) => Promise<GatewayResponse | undefined> {
  const app = new Hono<{ Bindings: { request: IncomingMessage } }>();
  app.use('/docs/*', async (c, next) => {
    c.header('content-security-policy', contentSecurityPolicy);
    c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
    await next();
  });
  app.get('/', (c) => c.redirect('/docs'));
  app.get('/docs/token', (c) => (isFromHere(c.env.request) ? c.json(tokens) : c.notFound()));
  for (const [path, file] of Object.entries(docsFiles)) {
    const headers = { 'content-type': getMimeType(String(file)) ?? '' };
    app.get(path, async (c) => c.body(new Uint8Array(await readFile(file)), 200, headers));
  }
  return async (request) => {
    const { method = 'GET', url = '/' } = request;
    if (!['GET', 'HEAD'].includes(method) || !url.startsWith('/')) return undefined;
    const response = await app.request(url, { method }, { request });
    if (response.status === 404) return undefined;
    const body = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  };
}

/** True for a request from this machine, by a page of this service or without a page. */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const isNear = /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '');
  const { 'sec-fetch-site': site = 'same-origin' } = headers;
  return isNear && isLocal(headers.host ?? '') && site === 'same-origin';
}
