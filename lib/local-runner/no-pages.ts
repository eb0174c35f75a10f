/** Keeps pages in browsers from a server that asks nobody who they are. */
import type { RequestListener } from 'node:http';

/**
 * Refuses with 403 what has an `Origin`, preflights too: a browser sends it with every request of a page but plain reads
 * (https://fetch.spec.whatwg.org/#origin-header), also where a name of the page's own leads to this machine.
 */
export function refusingPages(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.origin === undefined) listener(request, response);
    else response.writeHead(403).end();
  };
}
