/** Protection against other websites that send requests in a person's name. */
import type { Context, MiddlewareHandler } from 'hono';
import { originOf } from '../../http/api-event.ts';

/**
 * True if a page of this origin sent the request. Browsers send the relation of the sending page to this
 * origin in `Sec-Fetch-Site` (Fetch Metadata). Older ones send only `Origin` or `Referer`, which behind
 * CloudFront differ from the host.
 * @param sender the header that older browsers send
 * @param isUnknownOwn the result for a request without these headers
 */
function isOwnRequest({ req }: Context, sender: 'origin' | 'referer', isUnknownOwn: boolean): boolean {
  const relation = req.header('sec-fetch-site');
  if (relation !== undefined) return relation === 'same-origin';
  const url = req.header(sender);
  return url === undefined ? isUnknownOwn : URL.parse(url)?.host === (req.header('host') ?? '');
}

/** Returns the origin of the service. Forms send it, even behind CloudFront, which hides the host. */
export function publicOrigin({
  origin = '',
  host = '',
}: {
  origin?: string | undefined;
  host?: string | undefined;
}): string {
  // An opaque origin is the text `null`.
  return /^https?:/.test(origin) && URL.canParse(origin) ? origin : originOf(host);
}

/** Refuses forms of other or unknown origins. */
export const onlyOwnForms: MiddlewareHandler = (c, next) => {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  if (isRead || isOwnRequest(c, 'origin', false)) return next();
  return Promise.resolve(c.text('Another website sent this. Open your desk and try again.\n', 403));
};

/** True unless another website led the person to this page. */
export function isOwnNavigation(c: Context): boolean {
  return isOwnRequest(c, 'referer', true);
}
