/** Handles the desk of the deployment: the pages of whoever has a session, and the door for everyone else. */
import middy, { type MiddlewareObj } from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { Context as LambdaContext } from 'aws-lambda';
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import type { Visit } from '../domain/person.ts';
import type { OrganizationStore, TokenStore } from '../domain/stores.ts';
import { hashSecret } from '../domain/token.ts';
import { newPostings } from '../fair-use/new-postings.ts';
import { type ApiEvent, type ApiResponse, requestIdOf } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, inTime } from '../http/api-handler.ts';
import { compressed } from '../http/compressed.ts';
import { toApiError } from '../http/error-response.ts';
import { fairUse } from '../http/fair-use.ts';
import { ownAccess } from '../http/operation.ts';
import { requestLog } from '../http/request-log.ts';
import { lineOfChange } from '../operations/change-line.ts';
import type { ChangeDependencies } from '../operations/change-testimonial.ts';
import { endSessions, isSessionSecret, type PeopleDependencies } from '../operations/desk-people.ts';
import type { ListMemory, ListStores } from '../operations/list-testimonials.ts';
import type { Assets } from './assets.ts';
import { base } from './base.ts';
import { originOf, secretIn, setCookieOf } from './cookie.ts';
import { atDesk, type Desk, type DeskEnv } from './desk.ts';
import { commonPages, explainsProblems, onlyOwnForms, problemPage, safeHeaders } from './desk-app.ts';
import { doorApp, isAnswered, smallForms } from './door.ts';
import { mePages } from './pages/me-page.ts';

export interface DeskHandlerDependencies extends Omit<ApiDependencies, 'findToken'>, PeopleDependencies {
  /** Finds a session by the SHA-256 of its secret; may remember it for 60 s. */
  findVisit: (hash: string) => Promise<Visit | undefined>;
  assets: Assets;
  /** The origins whose pages may ask the API. */
  origins: readonly string[];
  /** The stores of one request, whose calls `signal` aborts. */
  stores: (
    signal: AbortSignal,
  ) => ListStores &
    Pick<ChangeDependencies, 'testimonials'> & { tokens: TokenStore; organizations: OrganizationStore };
  memory: ListMemory;
}

type PostingsOf = ReturnType<typeof newPostings>;
type DeskEvent = ApiEvent<unknown> & { visit?: Visit; desk?: Desk };
type Middleware = MiddlewareObj<DeskEvent, ApiResponse>;

/** Builds the handler: the Middy stack of the API, with pages in place of JSON and a session in place of a token. */
export function createHandler(deps: DeskHandlerDependencies): ApiLambdaHandler {
  const { logger, budgets, meter, now } = deps;
  const { admit, charge } = fairUse<unknown>({ budgets, meter, now });
  const postingsOf = newPostings(now);
  const [pages, door] = [handle(pagesOf(deps)), handle(doorApp(deps))];
  const handler = middy<DeskEvent, ApiResponse>(inTime)
    .use(requestLog(logger))
    .use(charge)
    .use(compressed())
    .use(problems(deps))
    // It works on any event with headers; its type names the gateway's own.
    .use(httpHeaderNormalizer() as Middleware)
    .use(knownVisit(deps))
    .use({ before: (request) => (request.event.visit ? admit.before?.(request) : undefined) })
    .handler(async (event: DeskEvent, context: LambdaContext, { signal }: { signal: AbortSignal }) => {
      if (event.visit) event.desk = deskOf({ ...deps, postingsOf }, event, event.visit, signal);
      const answer = event.desk ? pages : door;
      // What the adapter needs of an event is there.
      return (await answer(event as never, context as never)) as ApiResponse;
    });
  // Middy's type asks for the event as the middlewares leave it; the runtime passes it as the gateway made it.
  return handler as unknown as ApiLambdaHandler;
}

/**
 * Sets `event.visit` and its caller where a session is known; whoever has none is answered at the door, and pays nothing. A browser
 * keeps its cookie as long as the session is prolonged.
 */
function knownVisit({ findVisit }: DeskHandlerDependencies): Middleware {
  const secretOf = ({ cookies = [], headers }: DeskEvent) => secretIn(cookies, headers.host ?? '') ?? '';
  return {
    after: ({ event, response }) => {
      if (!event.visit?.isProlonged || !response || response.cookies) return;
      response.cookies = [setCookieOf(event.headers.host ?? '', secretOf(event))];
    },
    before: async ({ event }) => {
      event.logged = { page: event.rawPath };
      const secret = secretOf(event);
      if (!isSessionSecret(secret) || isAnswered(event.rawPath)) return;
      const visit = await findVisit(hashSecret(secret));
      if (!visit) return;
      const { organization, name } = visit.person;
      event.visit = visit;
      event.caller = { organization, name };
      event.access = ownAccess('testimonials:moderate');
      event.logged = { page: event.rawPath, person: name };
    },
  };
}

/** The desk of a request. */
function deskOf(
  { stores, memory, now, assets, origins, postingsOf }: DeskHandlerDependencies & { postingsOf: PostingsOf },
  event: DeskEvent,
  visit: Visit,
  signal: AbortSignal,
): Desk {
  const changes: object[] = [];
  return {
    organization: visit.person.organization,
    visit,
    stores: { ...stores(signal), memory, now },
    pages: ['queue', 'list', 'numbers', 'wall', 'me'],
    asset: assets.addressOf,
    // A form says under which address the desk is open, also behind CloudFront, which hides the host.
    api: event.headers.origin ?? originOf(event.headers.host ?? ''),
    origins,
    onChange: (before, after) => {
      event.postings = (event.postings ?? 0) + postingsOf(visit.person.organization, after ?? before);
      changes.push(lineOfChange(before, after));
      event.logged = { ...event.logged, changes };
    },
  };
}

function pagesOf(deps: DeskHandlerDependencies): Hono<DeskEnv> {
  const app = new Hono<DeskEnv>();
  // The handler has put it there.
  app.use(atDesk((c) => c.env.event.desk));
  app.use(safeHeaders, onlyOwnForms, smallForms);
  app.route('/', commonPages());
  app.route(
    `${base}/me`,
    mePages(async ({ person, session }, sessions) => {
      if (sessions === 'all') await endSessions(deps, person);
      await deps.desks.removePass(session.hash);
    }),
  );
  explainsProblems(app, (error) => {
    // The log has its reason.
    throw error;
  });
  return app;
}

/** Says in a page what the API says in JSON. */
function problems({ assets }: DeskHandlerDependencies): Middleware {
  return {
    onError: async (request) => {
      const { event, context, error: thrown } = request;
      const { message, status, headers } = toApiError(thrown);
      const desk = {
        organization: event.caller?.organization ?? '',
        asset: assets.addressOf,
        pages: [] as const,
      };
      const line = `${message} (Request ${requestIdOf(event, context)})`;
      const app = new Hono().use(safeHeaders);
      const type = { 'content-type': 'text/html; charset=utf-8' };
      app.all(
        '*',
        async () => new Response(await problemPage(desk, line), { status, headers: { ...headers, ...type } }),
      );
      // What the adapter needs of an event is there.
      request.response = (await handle(app)(event as never, context as never)) as ApiResponse;
    },
  };
}
