/** The headers of every response of the desk. */
import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { DeskEnv } from './parts/desk.ts';
import { openPath } from './people.ts';

const ownOrigin = ["'self'"];

const shared = {
  strictTransportSecurity: false,
  // With `no-referrer`, browsers would hide the origin of forms (Fetch, "append a request Origin header").
  referrerPolicy: 'same-origin',
} as const;

const headersWith = (imgSrc: string[], mediaSrc: string[] = []) =>
  secureHeaders({
    ...shared,
    xFrameOptions: 'DENY',
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ownOrigin,
      styleSrc: ownOrigin,
      imgSrc,
      ...(mediaSrc.length > 0 && { mediaSrc }),
      connectSrc: ownOrigin,
      frameSrc: ownOrigin,
      formAction: ownOrigin,
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  });

const pageHeaders = headersWith(ownOrigin);

/** The headers of the page that an invitation opens, with the logo of the organization. */
const openHeaders = headersWith([...ownOrigin, 'data:']);

/** The headers of a preview, which has its own policy. */
const previewHeaders = secureHeaders({ ...shared, xFrameOptions: 'SAMEORIGIN' });

const nothing = async () => {};

/**
 * Sets the headers of every response: no inline code, nothing from other origins, and no caching except of
 * files.
 */
export const safeHeaders: MiddlewareHandler<DeskEnv> = async (c, next) => {
  await next();
  const { media } = c.var.desk ?? {};
  // Recordings redirect to the bucket.
  const ofPages = media ? headersWith(ownOrigin, [...ownOrigin, media.bucket.origin]) : pageHeaders;
  const headers = c.req.path.startsWith(openPath) ? openHeaders : ofPages;
  await (c.get('isPreview') ? previewHeaders : headers)(c, nothing);
  if (!c.res.headers.has('cache-control')) c.header('cache-control', 'no-store');
};
