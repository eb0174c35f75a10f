/**
 * The pages of the local service alone: Swagger UI at `/docs`, on which the API is tried, the reference beside it, on which it is
 * read, and the script of the live wall.
 */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { Hono } from 'hono';
import { embedScript } from '../../functions/walls/bundle.ts';
import type { Demo } from './demo.ts';
import type { GatewayAnswer } from './gateway-event.ts';

const require = createRequire(import.meta.url);

// Nothing comes from elsewhere. Swagger UI styles elements by attributes and has its pictures in its style sheet.
const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

const ofSwaggerUi = (name: string) => require.resolve(`swagger-ui-dist/${name}`);
const ours = (name: string) => new URL(`./docs-page/${name}`, import.meta.url);

const docsFiles = {
  '/docs': { type: 'text/html', file: ours('page.html') },
  '/docs/': { type: 'text/html', file: ours('page.html') },
  '/docs/reference': { type: 'text/html', file: ours('reference.html') },
  '/docs/swagger-ui.css': { type: 'text/css', file: ofSwaggerUi('swagger-ui.css') },
  '/docs/swagger-ui-bundle.js': { type: 'text/javascript', file: ofSwaggerUi('swagger-ui-bundle.js') },
  '/docs/page.css': { type: 'text/css', file: ours('page.css') },
  '/docs/page.js': { type: 'text/javascript', file: ours('page.js') },
  '/docs/reference.css': { type: 'text/css', file: ours('reference.css') },
  '/docs/reference.js': { type: 'text/javascript', file: ours('reference.js') },
};

/** The document of all operations, as far as clients read it here. */
interface Document {
  paths: Record<string, Record<string, { tags: string[] }>>;
  tags: { name: string }[];
}

/** The document, with the operations that the service has: some are optional. */
async function documentOf(routes: ReadonlyMap<string, unknown>): Promise<Document> {
  const file = new URL('../../docs/openapi.json', import.meta.url);
  const document: Document = JSON.parse(await readFile(file, 'utf8'));
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const method of Object.keys(operations)) {
      if (!routes.has(`${method.toUpperCase()} ${path}`)) delete operations[method];
    }
    if (Object.keys(operations).length === 0) delete document.paths[path];
  }
  // The page shows also those that no operation has.
  const used = Object.values(document.paths).flatMap((each) =>
    Object.values(each).flatMap(({ tags }) => tags),
  );
  return { ...document, tags: document.tags.filter(({ name }) => used.includes(name)) };
}

/**
 * Returns what answers requests for pages; `/` leads to `/docs`.
 * @param tokens for whoever asks from this machine: one is filled in, the other named where tokens are
 * @param routes route keys of the service
 * @returns the answer, or undefined when the request is for something else
 */
export function localPages(
  tokens: Pick<Demo, 'token' | 'publishedToken'>,
  routes: ReadonlyMap<string, unknown>,
): (request: IncomingMessage) => Promise<GatewayAnswer | undefined> {
  const app = new Hono<{ Bindings: { request: IncomingMessage } }>();
  app.use('/docs/*', async (c, next) => {
    c.header('content-security-policy', contentSecurityPolicy);
    c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
    await next();
  });
  // Who opens the address that is printed has this in mind.
  app.get('/', (c) => c.redirect('/docs'));
  app.get('/docs/token', (c) => (isFromHere(c.env.request) ? c.json(tokens) : c.notFound()));
  app.get('/docs/openapi.json', async (c) => c.json(await documentOf(routes)));
  for (const [path, { type, file }] of Object.entries(docsFiles))
    app.get(path, async (c) => c.body(new Uint8Array(await readFile(file)), 200, { 'content-type': type }));
  app.get('/embed.js', async (c) =>
    c.body(new Uint8Array(await embedScript()), 200, {
      'content-type': 'text/javascript; charset=utf-8',
      // A module of another origin is loaded by these alone; it is no secret.
      'access-control-allow-origin': '*',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    }),
  );
  return async (request) => {
    const { method = 'GET', url = '/' } = request;
    if (!['GET', 'HEAD'].includes(method) || !url.startsWith('/')) return undefined;
    const answer = await app.request(url, { method }, { request });
    if (answer.status === 404) return undefined;
    const body = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body };
  };
}

/** Whether a page of this machine's own asks: no other host, and no other site in this machine's browser. */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const isLocal = /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '');
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  const { 'sec-fetch-site': site = 'same-origin' } = headers;
  return isLocal && ['127.0.0.1', 'localhost', '[::1]'].includes(host) && site === 'same-origin';
}
