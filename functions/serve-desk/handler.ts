/** Handles the desk of the deployment: the pages of whoever has a session, and the door for everyone else. */
import middy, { type MiddlewareObj } from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { Context as LambdaContext } from 'aws-lambda';
import { type Context, Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Visit } from '../domain/person.ts';
import { hashSecret, withoutSecrets } from '../domain/token.ts';
import { newPostings } from '../fair-use/new-postings.ts';
import { toApiError } from '../http/api-error.ts';
import { type ApiEvent, type ApiResponse, requestIdOf } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, compressed, inTime } from '../http/api-handler.ts';
import { fairUse } from '../http/fair-use.ts';
import { requestLog } from '../http/request-log.ts';
import { lineOfChange } from '../operations/change-testimonial.ts';
import { originOf, secretIn, setCookieOf } from './cookie.ts';
import {
  commonPages,
  explainsProblems,
  formsUpTo,
  onlyOwnForms,
  problemPage,
  safeHeaders,
} from './desk-app.ts';
import { doorPages, isAnswered } from './door.ts';
import { mePages } from './pages/me-page.ts';
import type { Assets } from './parts/assets.ts';
import { base } from './parts/base.ts';
import { atDesk, type Desk, type DeskEnv, type DeskPages } from './parts/desk.ts';
import { isSessionSecret, type PeopleDependencies } from './people.ts';

export interface DeskHandlerDependencies extends Omit<ApiDependencies, 'findToken'>, PeopleDependencies {
  /** Finds a session by the SHA-256 of its secret; may remember it for 60 s. */
  findVisit: (hash: string) => Promise<Visit | undefined>;
  assets: Assets;
  /** The origins whose pages may ask the API. */
  origins: readonly string[];
  /** The stores of one request, whose calls `signal` aborts. */
  stores: (signal: AbortSignal) => Omit<Desk['stores'], 'memory' | 'now'>;
  memory: Desk['stores']['memory'];
}

/** An event of whoever has a session, or of somebody else. */
type DeskEvent = ApiEvent<unknown> & { visit?: Visit; desk?: Desk };
/** The event of a request that failed, by what was thrown. */
type FailedEvent = DeskEvent & { thrown: unknown };
type Middleware = MiddlewareObj<DeskEvent, ApiResponse>;

/** Builds the handler: the Middy stack of the API, with pages in place of JSON and a session in place of a token. */
export function createHandler(deps: DeskHandlerDependencies): ApiLambdaHandler {
  const { admit, charge } = fairUse<unknown>(deps);
  const deskFor = desksOf(deps);
  const [app, failedApp] = [answering(appOf(deps)), answering(failedAppOf(deps.assets))];
  const handler = middy<DeskEvent, ApiResponse>(inTime)
    .use(requestLog(deps.logger))
    .use(charge)
    .use(compressed())
    .use({
      onError: async (request) => {
        const failed: FailedEvent = { ...request.event, thrown: request.error };
        request.response = await failedApp(failed, request.context);
      },
    })
    // It works on any event with headers; its type names the gateway's own.
    .use(httpHeaderNormalizer() as Middleware)
    .use(knownVisit(deps))
    .use({ before: (request) => (request.event.visit ? admit.before?.(request) : undefined) })
    .handler((event: DeskEvent, context: LambdaContext, { signal }: { signal: AbortSignal }) => {
      if (event.visit) event.desk = deskFor(event, event.visit, signal);
      return app(event, context);
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
      const page = withoutSecrets(event.rawPath);
      event.logged = { page };
      const secret = secretOf(event);
      if (!isSessionSecret(secret) || isAnswered(event.rawPath)) return;
      const visit = await findVisit(hashSecret(secret));
      if (!visit) return;
      const { organization, id, name } = visit.person;
      event.visit = visit;
      event.caller = { organization, id, name };
      event.access = { permission: 'testimonials:moderate', budget: 'desk', share: 1 / 4 };
      event.logged = { page, person: name, personId: id };
    },
  };
}

/** Makes the desk of a request. */
function desksOf({ stores, memory, now, assets, origins }: DeskHandlerDependencies) {
  const postingsOf = newPostings(now);
  return (event: DeskEvent, visit: Visit, signal: AbortSignal): Desk => {
    const { organization } = visit.person;
    const changes: object[] = [];
    const tokens: object[] = [];
    return {
      organization,
      visit,
      stores: {
        ...stores(signal),
        ...{ memory, now },
        beforeWrite: (testimonial, write) => event.payFor(postingsOf(organization, testimonial, write)),
      },
      pages: ['queue', 'list', 'numbers', 'wall', 'me'],
      asset: assets.addressOf,
      // A form says under which address the desk is open, also behind CloudFront, which hides the host.
      api: event.headers.origin ?? originOf(event.headers.host ?? ''),
      origins,
      onChange: (before, after) => {
        changes.push(lineOfChange(before, after));
        event.logged = { ...event.logged, changes };
      },
      onToken: (what, id) => {
        tokens.push({ [what]: id });
        event.logged = { ...event.logged, tokens };
      },
    };
  };
}

// A long review: fifty steps with tags whose letters a form writes as nine bytes each, and hundreds that were skipped.
const largestForm = 512 * 1024;

/** What the adapter of Lambda gives to the page of what was thrown. */
interface FailedEnv extends DeskEnv {
  Bindings: { event: FailedEvent; lambdaContext: LambdaContext };
}

/** What an app answers to an event of the gateway. */
function answering(app: DeskPages): (event: DeskEvent, context: LambdaContext) => Promise<ApiResponse> {
  // What the adapter needs of an event is there.
  return handle(app) as unknown as ReturnType<typeof answering>;
}

/** The door and the pages. */
function appOf(deps: DeskHandlerDependencies): DeskPages {
  const { assets } = deps;
  const app = new Hono<DeskEnv>();
  app.route('/', assets.routes);
  app.use(safeHeaders, onlyOwnForms, formsUpTo(largestForm));
  app.route('/', doorPages(deps, assets));
  app.use(atDesk((c) => c.env.event.desk));
  app.route('/', commonPages);
  app.route(`${base}/me`, mePages(deps));
  explainsProblems(app, (error) => {
    // The log has its reason.
    throw error;
  });
  return app;
}

/** Says in a page what the API says in JSON, also where a style sheet was asked for. */
function failedAppOf(assets: Assets): DeskPages {
  const app = new Hono<DeskEnv>().use(safeHeaders);
  return app.all('*', ({ env, html }: Context<FailedEnv>) => {
    const { event, lambdaContext } = env;
    const { message, status, headers } = toApiError(event.thrown);
    const shell = { organization: event.caller?.organization ?? '', asset: assets.addressOf, pages: [] };
    const line = `${message} (Request ${requestIdOf(event, lambdaContext)})`;
    // No error has a status without a body.
    return html(problemPage(shell, line), status as ContentfulStatusCode, headers);
  });
}
