/** Browsers of a deployed desk: its real handler on a table, called as API Gateway would. */
import { randomInt } from 'node:crypto';
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
import { createApiClient } from './api-client.ts';
import { encoded, type Fields, host, type Page, visit } from './forms.ts';
import { addPolicy } from './iam/acting.ts';
import { noBudgets, noMeter } from './no-budgets.ts';
import { WatchedLogger } from './watched-logs.ts';

// The default template has no such function.
addPolicy('ServeDesk', { ...tableRights.desk, ...tableRights.ownPages });

export type { Page };

interface PageRequest {
  form?: Fields;
  /** A body that is not a form. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
}

export type Desk = Awaited<ReturnType<typeof deskOf>>;
export type Browser = ReturnType<Desk['browser']>;
/** The browser of a person who has just used an invitation. */
export type SignedIn = Awaited<ReturnType<Desk['signedIn']>>;

/** The routes of the function that serves the desk. */
export const deskRouteKeys = ['ANY /desk', 'ANY /desk/{page+}'];

// `assetNames` lists every name.
const emptyAssets = Object.fromEntries(assetNames.map((name) => [name, new Uint8Array()])) as AssetContents;

/** Opens the desk of an empty table, beside a client of its API, and signs an owner in. */
export async function openDesk(options: Parameters<typeof deskOf>[1] = {}) {
  const api = await createApiClient();
  const desk = await deskOf(api.table, options);
  const owner = await desk.signedIn({ role: 'owner', name: 'Olivia' });
  return { api, table: api.table, desk, owner };
}

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
    /** The files that the pages load; bundling them takes a second. */
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
    meter: limits ? costMeter(table.client) : noMeter,
    testimonials: openTestimonials(table, { now, log: logger }),
    files: files ?? filesOf({ ...table, now }),
    stores: (signal: AbortSignal) => ({
      organizations: organizationStore(abortable(table, signal)),
      ...(pages && { pages: pageStore(abortable(table, signal)) }),
    }),
  });
  /** Starts a function of its own. */
  const running = () => createHandler(dependencies());

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
      const body = raw ?? (form && encoded(form).toString());
      const own = { origin: `https://${host}`, 'sec-fetch-site': 'same-origin' };
      const page = await visit('ServeDesk', handler, {
        routeKey: 'ANY /desk/{page+}',
        method,
        path,
        cookies: Array.from(cookies, ([name, value]) => `${name}=${value}`),
        headers: { ...(body !== undefined && own), ...headers },
        body,
      });
      for (const cookie of page.cookies) {
        const [, name = '', value = '', maxAge = ''] = /^([^=]+)=([^;]*); Max-Age=(\d+)/.exec(cookie) ?? [];
        cookies.set(name, value);
        until.set(name, now().getTime() + Number(maxAge) * 1000);
      }
      return { ...page, headers: { ...page.headers, cookies: String(page.cookies) } };
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
