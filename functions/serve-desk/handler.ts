/** The desk of the deployment: pages for people with a session, and the sign-in page for everyone else. */
import { hkdfSync } from 'node:crypto';
import type { MiddlewareObj } from '@middy/core';
import type { Context as LambdaContext } from 'aws-lambda';
import type { Context, MiddlewareHandler } from 'hono';
import { handle } from 'hono/aws-lambda';
import { bodyLimit } from 'hono/body-limit';
import { Hono } from 'hono/tiny';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { CachedLookup } from '../accounts/dynamodb-token-store.ts';
import type { RequestContext } from '../domain/outcomes.ts';
import type { Visit } from '../domain/person.ts';
import { hashSecret, withoutSecrets } from '../domain/token.ts';
import { toApiError } from '../http/api-error.ts';
import { type ApiEvent, type ApiResponse, requestIdOf } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, requestHandler } from '../http/api-handler.ts';
import { lineOfChange, lineOfUnreadable } from '../http/line-of-change.ts';
import { type FeedDesk, feedPages, feedPath, secretInQuery } from './feed.ts';
import { addPages, addPath } from './pages/add-page.ts';
import { authorPages } from './pages/author-page.ts';
import { filesPages } from './pages/files-page.ts';
import { listPages } from './pages/list-page.ts';
import { mePages } from './pages/me-page.ts';
import { mediaPages } from './pages/media-page.ts';
import { numbersPages } from './pages/numbers-page.ts';
import { pagesPages } from './pages/pages-page.ts';
import { passkeyPages } from './pages/passkey-pages.ts';
import { peoplePages } from './pages/people-page.ts';
import { queuePages } from './pages/queue-page.ts';
import type { Assets } from './parts/assets.ts';
import { type Desk, type DeskEnv, type DeskPages, SignedOut, withDesk } from './parts/desk.ts';
import { BadForm, NotAllowed } from './parts/forms.ts';
import { maxStepBytes } from './parts/import-limits.ts';
import type { PageName } from './parts/layout.ts';
import { onlyOwnForms, publicOrigin } from './parts/own-origin.ts';
import { deskPath, filesPath, stepPath } from './parts/paths.ts';
import { problemPage, showNotFound } from './parts/show-page.ts';
import { deskMediaPath } from './parts/testimonial.ts';
import { findVisit, isFeedSecret, isSessionSecret } from './people.ts';
import { safeHeaders } from './safe-headers.ts';
import {
  needsNoSession,
  type SignInDependencies,
  secretIn,
  sessionCookie,
  signedOutPage,
  signInPages,
} from './sign-in.ts';

export interface DeskHandlerDependencies extends Omit<ApiDependencies, 'findToken'>, SignInDependencies {
  /** Finds a session or a feed by the SHA-256 of its secret. May cache it for 60 seconds. */
  findVisitCached: CachedLookup<Visit>;
  assets: Assets;
  pageCode: Desk['pageCode'];
  media?: Desk['media'];
  testimonials: (organization: string, request: RequestContext) => Desk['testimonials'];
  /** Returns the dependencies of imports and exports in one request; `signal` aborts their calls. */
  files: (organization: string, signal: AbortSignal) => Pick<Desk, 'loads' | 'readPart'>;
  /** Returns the stores of one request; `signal` aborts their calls. */
  stores: (signal: AbortSignal) => Desk['stores'];
}

type DeskEvent = ApiEvent<unknown> & {
  visit?: Visit;
  desk?: Desk;
  /** The feed that the request reads, and its owner. */
  feedVisit?: Visit;
  feed?: FeedDesk;
};
type Middleware = MiddlewareObj<DeskEvent, ApiResponse>;

/** Builds the handler: the stack of pages, with sessions instead of tokens. */
export function createHandler(deps: DeskHandlerDependencies): ApiLambdaHandler {
  const deskFor = deskFactory(deps);
  const app = lambdaHandler(createApp(deps));
  return requestHandler<DeskEvent>(deps, {
    identify: [withVisit(deps)],
    respond: (event, context, signal) => {
      if (event.visit) event.desk = deskFor(event, event.visit, signal);
      if (event.feedVisit) event.feed = deskFor(event, event.feedVisit, signal);
      return app(event, context);
    },
    showError: (event, thrown, context) => {
      const errorApp = createErrorApp(deps.assets, event, thrown, requestIdOf(event, context));
      return lambdaHandler(errorApp)(event, context);
    },
  });
}

/** Returns the secret of the request's session, or an empty text. */
function secretOf({ cookies = [], headers }: Pick<DeskEvent, 'cookies' | 'headers'>): string {
  return secretIn(cookies, headers.host ?? '') ?? '';
}

// The desk's share of the organization's budgets, separate from other requests.
const deskShare = 1 / 4;

/**
 * Sets the visit and the caller of an event with a valid session or for the feed that it reads. Renews the
 * cookie if the session was extended. Requests with neither charge no organization.
 */
function withVisit({ findVisitCached }: DeskHandlerDependencies): Middleware {
  return {
    before: async ({ event }) => {
      const page = withoutSecrets(event.rawPath);
      event.logged = { page };
      const isFeed = event.rawPath === feedPath;
      const secret = isFeed ? secretInQuery(event.rawQueryString) : secretOf(event);
      const isPossible = isFeed ? isFeedSecret(secret) : isSessionSecret(secret);
      if (!isPossible || needsNoSession(event.rawPath)) return;
      const visit = await findVisitCached(hashSecret(secret));
      if (!visit) return;
      const { organization, id, name } = visit.person;
      event[isFeed ? 'feedVisit' : 'visit'] = visit;
      event.caller = { organization, id, name };
      event.access = { budget: 'desk', share: deskShare };
      event.logged = { page, person: name, personId: id };
    },
    after: ({ event, response }) => {
      if (!event.visit?.isProlonged || !response) return;
      if (secretIn(response.cookies ?? [], event.headers.host ?? '') !== undefined) return;
      const renewed = sessionCookie(event.headers.host ?? '', secretOf(event));
      response.cookies = [...(response.cookies ?? []), renewed];
    },
  };
}

/** Returns a function that makes the desk of a request. */
function deskFactory(deps: DeskHandlerDependencies) {
  const { testimonials, stores, files, now, assets, pageCode, media, findVisitCached } = deps;
  return (event: DeskEvent, visit: Visit, signal: AbortSignal): Desk => {
    const { organization } = visit.person;
    const changes: object[] = [];
    const people: object[] = [];
    const ownStores = stores(signal);
    const isOwner = visit.person.role === 'owner';
    const desk: Desk = {
      organization,
      visit,
      confirmVisit: async () => {
        const current = await findVisit(deps, visit.session.hash);
        if (!current) {
          findVisitCached.evict(({ session }) => session.hash === visit.session.hash);
          throw new SignedOut();
        }
        // The request's first read may have extended the session.
        event.visit = event.visit?.isProlonged ? { ...current, isProlonged: true } : current;
        desk.visit = current;
      },
      evictVisits: findVisitCached.evict,
      noteKey: new Uint8Array(hkdfSync('sha256', secretOf(event), '', 'notes of the desk', 32)),
      testimonials: testimonials(organization, { signal, payFor: event.payFor }),
      ...files(organization, signal),
      stores: ownStores,
      now,
      pages: pagesFor({ isOwner, hasPages: ownStores.pages !== undefined }),
      asset: assets.pathOf,
      pageCode,
      media,
      payForMedia: event.payForMedia,
      serviceUrl: publicOrigin(event.headers),
      onChange: (before, after) => {
        changes.push(lineOfChange(before, after));
        event.logged = { ...event.logged, changes };
      },
      onUnreadableErased: (id) => {
        changes.push(lineOfUnreadable(id));
        event.logged = { ...event.logged, changes };
      },
      onPerson: (kind, id) => {
        people.push({ [kind]: id });
        event.logged = { ...event.logged, people };
      },
      log: (more) => {
        event.logged = { ...event.logged, ...more };
      },
    };
    return desk;
  };
}

/** Returns the pages that a person can open, in the order of the navigation. */
function pagesFor({ isOwner, hasPages }: { isOwner: boolean; hasPages: boolean }): PageName[] {
  const all: PageName[] = ['queue', 'list', 'numbers', 'pages', 'files', 'people', 'me'];
  const ofOwners: PageName[] = ['pages', 'files', 'people'];
  return all.filter((name) => (isOwner || !ofOwners.includes(name)) && (name !== 'pages' || hasPages));
}

// Large enough for a long review: hundreds of skipped testimonials, and fifty decisions whose tags may take
// nine bytes per letter in a form.
const largestForm = 512 * 1024;

/** Applies to all requests except steps of imports, which are larger. */
const exceptStep =
  (middleware: MiddlewareHandler): MiddlewareHandler =>
  (c, next) =>
    c.req.path === stepPath ? next() : middleware(c, next);
/** @param maxSize in bytes */
const formsUpTo = (maxSize: number): MiddlewareHandler =>
  bodyLimit({
    maxSize,
    onError: (c) => c.text('This is too large to send. Shorten it and try again.\n', 413),
  });

function lambdaHandler(app: DeskPages): (event: DeskEvent, context: LambdaContext) => Promise<ApiResponse> {
  // The event contains everything that the adapter reads.
  return handle(app) as unknown as ReturnType<typeof lambdaHandler>;
}

/**
 * The pages whose ordinary decisions may rely on a cached session. Erasures and pins confirm the session
 * themselves. `author` only searches, by POST, to keep the e-mail address out of URLs.
 */
const decisionPages = ['queue', 'list', 'author'];

/** Confirms the session before every form except ordinary decisions. */
const withConfirmedVisit: MiddlewareHandler<DeskEnv> = async (c, next) => {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  const isDecision = decisionPages.some((page) => c.req.path === `${deskPath}/${page}`);
  if (!isRead && !isDecision) await c.var.desk.confirmVisit();
  return next();
};

/** A page has a single URL. The router would also accept a slash at the end. */
const withoutTrailingSlash: MiddlewareHandler<DeskEnv> = (c, next) =>
  c.req.path.endsWith('/') ? Promise.resolve(c.notFound()) : next();

/** Returns the routes of the desk. */
export function createApp(deps: DeskHandlerDependencies): DeskPages {
  const { assets } = deps;
  const app = new Hono<DeskEnv>();
  app.use(safeHeaders);
  app.route('/', assets.routes);
  app.route('/', feedPages);
  app.use(onlyOwnForms);
  app.use(stepPath, formsUpTo(maxStepBytes));
  app.use(exceptStep(formsUpTo(largestForm)));
  app.route('/', signInPages(deps, assets));
  // Every page below needs a session.
  app.use((c: Context, next) => (c.env.event.desk ? next() : signedOutPage(c, deps, assets)));
  app.use(withDesk((c) => c.env.event.desk));
  // A URL that people type.
  app.on('GET', [deskPath, `${deskPath}/`], (c) => c.redirect(`${deskPath}/queue`, 303));
  app.use(withoutTrailingSlash, withConfirmedVisit);
  app.route(filesPath, filesPages);
  app.route(`${deskPath}/queue`, queuePages);
  app.route(`${deskPath}/list`, listPages);
  app.route(addPath, addPages);
  app.route(`${deskPath}/author`, authorPages);
  app.route(`${deskPath}/numbers`, numbersPages);
  app.route(`${deskPath}/pages`, pagesPages);
  app.route(deskMediaPath, mediaPages);
  app.route(`${deskPath}/people`, peoplePages(deps));
  app.route(`${deskPath}/me`, mePages(deps));
  app.route(`${deskPath}/me`, passkeyPages(deps));
  app.notFound(showNotFound);
  app.onError((error, c) => {
    if (error instanceof SignedOut) return signedOutPage(c, deps, assets);
    // Middy logs the error and shows `createErrorApp`.
    if (!(error instanceof BadForm)) throw error;
    const status = error instanceof NotAllowed ? 403 : c.req.method === 'GET' ? 400 : 422;
    return c.html(problemPage(c.var.desk, error.message), status);
  });
  return app;
}

/** Shows an error as a page, at any path. */
function createErrorApp(
  assets: Assets,
  { caller }: DeskEvent,
  thrown: unknown,
  requestId: string,
): DeskPages {
  const { message, status, headers } = toApiError(thrown);
  const shell = { organization: caller?.organization ?? '', asset: assets.pathOf, pages: [] };
  const page = problemPage(shell, `${message} (Request ${requestId})`);
  const app = new Hono<DeskEnv>().use(safeHeaders);
  // Every error status allows a body.
  return app.all('*', (c) => c.html(page, status as ContentfulStatusCode, headers));
}
