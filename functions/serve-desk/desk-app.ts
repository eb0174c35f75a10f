/** The pages of a desk, and what is said where one cannot be shown. */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import { secureHeaders } from 'hono/secure-headers';
import { wallPages, wallPreview } from '../walls/wall-page.ts';
import { authorPages } from './pages/author-page.ts';
import { listPages } from './pages/list-page.ts';
import { numbersPages } from './pages/numbers-page.ts';
import { queuePages } from './pages/queue-page.ts';
import { base } from './parts/base.ts';
import type { DeskEnv, DeskPages } from './parts/desk.ts';
import { BadForm } from './parts/forms.ts';
import type { Html } from './parts/html.ts';
import { layout, type Shell } from './parts/layout.ts';

/** What each desk answers, behind what lets somebody in and says which desk that is. */
export const commonPages: DeskPages = new Hono<DeskEnv>()
  .on('GET', [base, `${base}/`], (c) => c.redirect(`${base}/queue`, 303))
  .route(`${base}/queue`, queuePages)
  .route(`${base}/list`, listPages)
  .route(`${base}/author`, authorPages)
  .route(`${base}/numbers`, numbersPages)
  .route(`${base}/wall`, wallPages);

/** Says in a page of the desk what cannot be shown or done; `unexpected` answers all else that was thrown. */
export function explainsProblems(
  app: DeskPages,
  unexpected: (error: Error, c: Context<DeskEnv>) => Response | Promise<Response>,
): void {
  app.notFound((c) => c.html(problemPage(c.var.desk, 'There is no such page.'), 404));
  app.onError((error, c) => {
    if (!(error instanceof BadForm)) return unexpected(error, c);
    return c.html(problemPage(c.var.desk, error.message), c.req.method === 'GET' ? 400 : 422);
  });
}

/** A page that says what did not work. */
export function problemPage(desk: Shell, line: string): Html {
  return layout(
    desk,
    { title: 'Not done' },
    html`<h1>That did not work</h1><div id="results"><p class="notice wrong" role="alert">${line}</p>
      <p>What was done before is stored. Go back, and try again.</p></div>`,
  );
}

/**
 * Refuses forms of other sites: browsers say from which site a request comes (Fetch Metadata); older ones, the origin of each form,
 * which is another than the host behind CloudFront. What says neither is no form of a page.
 */
export const onlyOwnForms: MiddlewareHandler = (c, next) => {
  const site = c.req.header('sec-fetch-site');
  const origin = c.req.header('origin');
  const isOwn =
    site === undefined
      ? URL.parse(origin ?? '')?.host === (c.req.header('host') ?? '')
      : site === 'same-origin';
  if (c.req.method === 'GET' || c.req.method === 'HEAD' || isOwn) return next();
  return Promise.resolve(c.text('Not for other sites\n', 403));
};

/** Refuses larger forms than these bytes. */
export const formsUpTo = (maxSize: number): MiddlewareHandler =>
  bodyLimit({ maxSize, onError: (c) => c.text('This form is too large\n', 413) });

const own = ["'self'"];

/** @param frames who may show the page in a frame */
const headersOf = (frames: "'none'" | "'self'") =>
  secureHeaders({
    strictTransportSecurity: false,
    // With `no-referrer`, forms would hide the origin from the check above (Fetch, "append a request Origin header").
    referrerPolicy: 'same-origin',
    xFrameOptions: frames === "'none'" ? 'DENY' : 'SAMEORIGIN',
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: own,
      styleSrc: own,
      imgSrc: own,
      connectSrc: own,
      frameSrc: own,
      formAction: own,
      baseUri: ["'none'"],
      frameAncestors: [frames],
    },
  });

const [ofPages, ofFramed] = [headersOf("'none'"), headersOf("'self'")];

/** What browsers are told about every answer: nothing inline, nothing from elsewhere, kept nowhere. */
export const safeHeaders: MiddlewareHandler = async (c, next) => {
  await (c.req.path === wallPreview ? ofFramed : ofPages)(c, next);
  c.header('cache-control', 'no-store');
};
