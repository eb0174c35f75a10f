/** The pages of every desk, their error pages, and the headers they share. */
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import { secureHeaders } from 'hono/secure-headers';
import { Hono } from 'hono/tiny';
import { addPages, addPath } from './pages/add-page.ts';
import { authorPages } from './pages/author-page.ts';
import { listPages } from './pages/list-page.ts';
import { mediaPages } from './pages/media-page.ts';
import { numbersPages } from './pages/numbers-page.ts';
import { pagesPages } from './pages/pages-page.ts';
import { queuePages } from './pages/queue-page.ts';
import { deskPath } from './parts/assets.ts';
import type { DeskEnv, DeskPages } from './parts/desk.ts';
import { BadForm, NotAllowed } from './parts/forms.ts';
import { type Html, layout, type Shell } from './parts/layout.ts';
import { mediaPath } from './parts/testimonial.ts';
import { openPath } from './people.ts';

/** The pages of every desk, behind its sign-in. */
export const commonPages: DeskPages = new Hono<DeskEnv>()
  .on('GET', [deskPath, `${deskPath}/`], (c) => c.redirect(`${deskPath}/queue`, 303))
  .route(`${deskPath}/queue`, queuePages)
  .route(`${deskPath}/list`, listPages)
  .route(addPath, addPages)
  .route(`${deskPath}/author`, authorPages)
  .route(`${deskPath}/numbers`, numbersPages)
  .route(`${deskPath}/pages`, pagesPages)
  .route(mediaPath, mediaPages);

/** Shows missing pages and bad forms as pages of the desk; `unexpected` handles all other errors. */
export function handleProblems(
  app: DeskPages,
  unexpected: (error: Error, c: Context<DeskEnv>) => Response | Promise<Response>,
): void {
  app.notFound((c) => c.html(problemPage(c.var.desk, 'This page does not exist, or it was removed.'), 404));
  app.onError((error, c) => {
    if (!(error instanceof BadForm)) return unexpected(error, c);
    const status = error instanceof NotAllowed ? 403 : c.req.method === 'GET' ? 400 : 422;
    return c.html(problemPage(c.var.desk, error.message), status);
  });
}

export function problemPage(desk: Shell, line: string): Html {
  return layout(
    desk,
    { title: 'Error' },
    html`<h1>That did not work</h1><div id="results"><p class="notice wrong" role="alert" data-problem>${line}</p>
      <p>Everything you did before is saved. ${desk.pages.length > 0 && html`<a href="${deskPath}/queue">To the queue</a>`}</p></div>`,
  );
}

/** @param maxSize in bytes */
export const formsUpTo = (maxSize: number): MiddlewareHandler =>
  bodyLimit({ maxSize, onError: (c) => c.text('This form is too large\n', 413) });

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

/** Those of the page that an invitation opens, with the logo of the organization. */
const openHeaders = headersWith([...ownOrigin, 'data:']);

/** The headers of a preview, which brings a policy of its own. */
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
