/** Visitors of forms and walls: the real handler on a table, called as API Gateway would. */
import { randomInt } from 'node:crypto';
import { pageStore } from '../functions/accounts/dynamodb-page-store.ts';
import { cachedLookup } from '../functions/accounts/dynamodb-token-store.ts';
import type { PageStore } from '../functions/accounts/page-store.ts';
import { makeRandomId, type Page, pageRoutes, pathOfPage } from '../functions/domain/page.ts';
import { costMeter } from '../functions/dynamodb/cost-meter.ts';
import type { Table } from '../functions/dynamodb/table.ts';
import { type OrganizationLimits, tableBudgets } from '../functions/fair-use/dynamodb-budget-store.ts';
import type { Bucket } from '../functions/media/bucket.ts';
import { mediaIn } from '../functions/media/media.ts';
import { createHandler } from '../functions/serve-pages/handler.ts';
import type { PagesDependencies } from '../functions/serve-pages/page-request.ts';
import { sentFormSeconds } from '../functions/serve-pages/submissions.ts';
import { openCreates } from '../functions/testimonials/creates.ts';
import { openFinds } from '../functions/testimonials/finds.ts';
import { openPinnedLists } from '../functions/testimonials/pinned-lists.ts';
import { formFields, hiddenFieldsOf } from '../lib/check/contract/requests.ts';
import { tableRights } from '../lib/infrastructure/table-rights.ts';
import { encoded, type Fields, visit } from './forms.ts';
import { addPolicy } from './iam/acting.ts';
import { noBudgets, noMeter } from './no-budgets.ts';
import { WatchedLogger } from './watched-logs.ts';

// The default template has no such function.
addPolicy('ServePages', tableRights.pages);

export { hiddenFieldsOf };

const code = { style: 'p{margin:0}', script: 'void 0' };
const fakeAssets = {
  form: code,
  mediaForm: code,
  wall: code,
  embed: 'export {}',
  share: new Uint8Array([137, 80, 78, 71]),
};

/** The routes of pages in API Gateway. */
export const pageRouteKeys = Object.values(pageRoutes).map((path) => `ANY ${path}`);

export type Visitor = ReturnType<typeof visitorOf>;

interface PagesOptions {
  now?: () => Date;
  /** Costs are not counted without. */
  limits?: Partial<OrganizationLimits>;
  /** True if it remembers pages for a minute, as the function does. */
  remembers?: boolean;
  findPage?: PageStore['find'];
  findBrand?: PageStore['findBrand'];
  lists?: PagesDependencies['lists'];
  creates?: PagesDependencies['creates'];
  bucket?: Bucket | undefined;
  /** The files of pages; short ones by default. */
  assets?: PagesDependencies['assets'];
}

/** Returns the handler of pages on a table. */
export function pagesHandlerOf(
  table: Table,
  {
    now = table.now,
    limits,
    remembers = false,
    assets = fakeAssets,
    findPage = (id) => pageStore(table).find(id),
    findBrand = (organization) => pageStore(table).findBrand(organization),
    lists = openPinnedLists(table),
    creates,
    bucket,
  }: PagesOptions = {},
) {
  const logger = new WatchedLogger();
  return createHandler({
    findPage: remembers ? cachedLookup(findPage) : findPage,
    findBrand: remembers ? cachedLookup(findBrand) : findBrand,
    logger,
    now,
    randomInt,
    assets,
    budgets: limits
      ? tableBudgets({ ...table, now }, { dollars: 0, dailyDollars: 0, rate: 0, ...limits }, logger)
      : noBudgets,
    meter: limits ? costMeter(table.client) : noMeter,
    lists,
    finds: openFinds(table),
    ...(bucket && { media: mediaIn(bucket) }),
    creates: creates ?? openCreates({ ...table, now }, { rememberedSeconds: sentFormSeconds, log: logger }),
  });
}

/** Visits the pages of a table. */
export function visitorOf(table: Table, options: PagesOptions = {}) {
  const clock = { offset: 0 };
  const now = () => new Date((options.now ?? table.now)().getTime() + clock.offset);
  const handler = pagesHandlerOf(table, { ...options, now });

  interface Sent {
    form?: Fields;
    body?: string | Uint8Array;
    headers?: Record<string, string>;
  }
  const ask = (method: string, path: string, { form, body, headers = {} }: Sent = {}) =>
    visit('ServePages', handler, {
      routeKey: 'ANY /f/{id}',
      method,
      path,
      headers,
      body: body ?? (form && String(encoded(form))),
    });

  return {
    clock,
    ask,
    get: (path: string, headers = {}) => ask('GET', path, { headers }),
    /** Opens a form, waits as people do, and returns its hidden fields. */
    async opened(page: Page): Promise<{ key: string; shownAt: string }> {
      const { text } = await ask('GET', pathOfPage(page));
      clock.offset += 3000;
      return hiddenFieldsOf(text);
    },
    send: (page: Page, form: Fields) => ask('POST', pathOfPage(page), { form }),
  };
}

/** Adds a page to a table. */
export async function addPage(
  table: Table,
  {
    organization = 'acme',
    kind = 'form',
    title = 'Tell us',
    settings = {},
    createdAt = '2026-11-24T00:00:00.000Z',
  }: Partial<Page> = {},
): Promise<Page> {
  const id = makeRandomId(randomInt);
  const added: Page = { id, organization, kind, title, settings, createdAt };
  await pageStore(table).add(added);
  return added;
}

/** Returns valid fields of a form, without those that its page has. */
export function typedFields(overrides: Fields = {}): Fields {
  return { ...formFields(), ...overrides };
}
