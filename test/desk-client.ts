/** Browsers of a deployed desk: its real handler on a table, called as API Gateway would. */
import { randomInt, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { deskStore } from '../functions/accounts/dynamodb-desk-store.ts';
import { organizationStore } from '../functions/accounts/dynamodb-organization-store.ts';
import { pageStore } from '../functions/accounts/dynamodb-page-store.ts';
import { cachedLookup } from '../functions/accounts/dynamodb-token-store.ts';
import type { Person } from '../functions/domain/person.ts';
import { costMeter } from '../functions/dynamodb/cost-meter.ts';
import { abortable, type Table } from '../functions/dynamodb/table.ts';
import { type OrganizationLimits, tableBudgets } from '../functions/fair-use/dynamodb-budget-store.ts';
import type { Bucket } from '../functions/media/bucket.ts';
import { mediaIn } from '../functions/media/media.ts';
import { pageCodeOf } from '../functions/serve-desk/bundle.ts';
import { createApp, createHandler } from '../functions/serve-desk/handler.ts';
import { filesOf, openTestimonials } from '../functions/serve-desk/open-testimonials.ts';
import { type AssetContents, assetNames, assetsOf } from '../functions/serve-desk/parts/assets.ts';
import { findVisit, invitePerson } from '../functions/serve-desk/people.ts';
import { tableRights } from '../lib/infrastructure/table-rights.ts';
import { contextOf } from './api-client.ts';
import { encoded, type Fields } from './forms.ts';
import { actAs, addPolicy } from './iam/acting.ts';
import { noBudgets } from './no-budgets.ts';
import { logsOf, WatchedLogger } from './watched-logs.ts';

// The default template has no such function.
addPolicy('ServeDesk', { ...tableRights.desk, ...tableRights.ownPages });

export interface Page {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The function's log lines of this request. */
  logged: string;
}

interface PageRequest {
  form?: Fields;
  /** A body that is not a form. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
}

export type Browser = ReturnType<Awaited<ReturnType<typeof deskOf>>['browser']>;

/** The routes of the function that serves the desk. */
export const deskRouteKeys = ['ANY /desk', 'ANY /desk/{page+}'];

// `assetNames` lists every name.
const emptyAssets = Object.fromEntries(assetNames.map((name) => [name, new Uint8Array()])) as AssetContents;

/** Opens the desk of a table. */
export async function deskOf(
  table: Table,
  {
    limits,
    remembers = false,
    pages = false,
    bucket,
    assets: contents = emptyAssets,
    files,
  }: {
    limits?: Partial<OrganizationLimits>;
    remembers?: boolean;
    pages?: boolean;
    bucket?: Bucket;
    /** What the pages load; bundling that takes a second. */
    assets?: AssetContents;
    /** Loads other than those of the table. */
    files?: ReturnType<typeof filesOf>;
  } = {},
) {
  const clock = { offset: 0 };
  const now = () => new Date(table.now().getTime() + clock.offset);
  const people = { desks: deskStore(table), now, randomInt };
  const logger = new WatchedLogger();
  const assets = assetsOf(contents);
  const find = (hash: string) => findVisit(people, hash);
  const dependencies = () => ({
    ...people,
    findBrand: async (organization: string) => (pages ? pageStore(table).findBrand(organization) : {}),
    findVisitCached: remembers ? cachedLookup(find) : Object.assign(find, { evict: () => {} }),
    assets,
    pageCode: pageCodeOf,
    ...(bucket && { media: mediaIn(bucket) }),
    origins: ['https://www.example.com'],
    logger,
    budgets: limits
      ? tableBudgets({ ...table, now }, { dollars: 0, dailyDollars: 0, rate: 0, ...limits }, logger)
      : noBudgets,
    meter: costMeter(table.client),
    testimonials: openTestimonials(table, { now, log: logger }),
    files: files ?? filesOf({ ...table, now }),
    stores: (signal: AbortSignal) => ({
      organizations: organizationStore(abortable(table, signal)),
      ...(pages && { pages: pageStore(abortable(table, signal)) }),
    }),
  });
  /** Starts a function of its own. */
  const running = () => createHandler(dependencies());
  const host = 'api.example.com';

  /** Opens a browser, which keeps cookies. */
  function browser(handler = running()) {
    const cookies = new Map<string, string>();
    const until = new Map<string, number>();
    const ask = async (
      method: string,
      path: string,
      { form, raw, headers }: PageRequest = {},
    ): Promise<Page> => {
      for (const [name, end] of until) if (end <= now().getTime()) cookies.delete(name);
      const [rawPath = '', rawQueryString = ''] = path.split('?');
      const body = raw ?? (form && encoded(form).toString());
      const event = {
        version: '2.0',
        routeKey: 'ANY /desk/{page+}',
        rawPath,
        rawQueryString,
        cookies: Array.from(cookies, ([name, value]) => `${name}=${value}`),
        headers: {
          host,
          ...(body !== undefined && {
            origin: `https://${host}`,
            'sec-fetch-site': 'same-origin',
            'content-type': 'application/x-www-form-urlencoded',
          }),
          ...headers,
        },
        requestContext: {
          requestId: randomUUID(),
          domainName: host,
          http: { method, path: rawPath, sourceIp: '192.0.2.1' },
        },
        ...(body !== undefined && { body: Buffer.from(body).toString('base64'), isBase64Encoded: true }),
      } as unknown as APIGatewayProxyEventV2; // the handler reads no other part
      const { result, logged } = await logsOf(() => actAs('ServeDesk', () => handler(event, contextOf())));
      for (const cookie of result.cookies ?? []) {
        const [, name = '', value = '', maxAge = ''] = /^([^=]+)=([^;]*); Max-Age=(\d+)/.exec(cookie) ?? [];
        cookies.set(name, value);
        until.set(name, now().getTime() + Number(maxAge) * 1000);
      }
      const { statusCode = 0, isBase64Encoded, body: text = '' } = result;
      const bytes = Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8');
      const isPacked = result.headers?.['content-encoding'] === 'gzip';
      return {
        status: statusCode,
        headers: { ...result.headers, cookies: String(result.cookies ?? '') },
        text: String(isPacked ? gunzipSync(bytes) : bytes),
        logged,
      };
    };
    const get = (path: string, headers = {}) => ask('GET', path, { headers });
    const post = (path: string, form: Fields, headers = {}) => ask('POST', path, { form, headers });
    return {
      cookies,
      ask,
      get,
      post,
      /**
       * Sends a form and follows the redirect. Returns the page that it leads to, and the log lines of the
       * form.
       */
      async send(path: string, form: Fields): Promise<Page> {
        const sent = await post(path, form);
        if (sent.status !== 303) return sent;
        return { ...(await get(String(sent.headers.location))), logged: sent.logged };
      },
    };
  }

  return {
    clock,
    people,
    running,
    browser,
    /** The method and path of each route. */
    routes: createApp(dependencies()).routes.map(({ method, path }) => ({ method, path })),
    /** Opens a browser for a person who has just used an invitation. */
    async signedIn({
      organization = 'acme',
      name = 'Ann',
      role = 'moderator',
      mayErase = true,
      handler = running(),
    }: Partial<Pick<Person, 'organization' | 'name' | 'role' | 'mayErase'>> & {
      handler?: ReturnType<typeof running>;
    } = {}) {
      const { person, secret } = await invitePerson(people, { organization, name, role, mayErase });
      const own = browser(handler);
      const opened = await own.post('/desk/open', { invitation: `https://${host}/desk/open#${secret}` });
      return { ...own, person, secret, opened };
    },
  };
}
