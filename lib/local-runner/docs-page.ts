/** The page at `/docs` on which the API is tried: Swagger UI. It is part of the local service only. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { GatewayAnswer } from './gateway-event.ts';

const require = createRequire(import.meta.url);

interface Page {
  type: string;
  content: () => Promise<string | Buffer> | string;
}

const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Testimonials API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/page.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script type="module" src="/docs/page.js"></script>
  </body>
</html>
`;

// Nothing comes from elsewhere. Swagger UI styles elements by attributes and has its pictures in its style sheet.
const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

/**
 * Serves the page and what it needs; `/` leads to it.
 * @param tokens for whoever asks from this machine: one is filled in, the other named where tokens are
 * @returns the answer, or undefined when the request is for something else
 */
export function docsPage(tokens: {
  token: string;
  publishedToken: string;
}): (request: IncomingMessage) => Promise<GatewayAnswer | undefined> {
  const ofSwaggerUi = (name: string, type: string): Page => ({
    type,
    content: () => readFile(require.resolve(`swagger-ui-dist/${name}`)),
  });
  const ours = (name: string, type: string): Page => ({
    type,
    content: () => readFile(new URL(`./docs-page/${name}`, import.meta.url)),
  });
  const pages: Record<string, Page> = {
    '/docs': { type: 'text/html; charset=utf-8', content: () => html },
    '/docs/swagger-ui.css': ofSwaggerUi('swagger-ui.css', 'text/css'),
    '/docs/swagger-ui-bundle.js': ofSwaggerUi('swagger-ui-bundle.js', 'text/javascript'),
    '/docs/page.css': ours('page.css', 'text/css'),
    '/docs/page.js': ours('page.js', 'text/javascript'),
    '/docs/openapi.json': {
      type: 'application/json',
      content: () => readFile(new URL('../../docs/openapi.json', import.meta.url)),
    },
  };
  return async (request) => {
    const path = request.url?.split('?')[0]?.replace(/(.)\/$/, '$1') ?? '';
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const page = isRead ? pages[path] : undefined;
    if (isRead && request.url?.split('?')[0] === '/') return toDocs;
    if (path === '/docs/token' && isFromHere(request)) {
      return answer('application/json', JSON.stringify(tokens));
    }
    return page && answer(page.type, await page.content());
  };
}

function answer(type: string, content: string | Buffer): GatewayAnswer {
  return {
    status: 200,
    headers: {
      'content-type': type,
      'content-security-policy': contentSecurityPolicy,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body: Buffer.from(content),
  };
}

// Who opens the address that is printed has this in mind.
const toDocs: GatewayAnswer = { status: 302, headers: { location: '/docs' }, body: Buffer.alloc(0) };

/** Whether a page of this machine's own asks: no other host, and no other site in this machine's browser. */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const isLocal = /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '');
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  return isLocal && ['127.0.0.1', 'localhost', '[::1]'].includes(host) && site === 'same-origin';
}
