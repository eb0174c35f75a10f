/**
 * The desk when a response is lost, late or not a page: everything on the page stays, and a sentence says
 * what happened.
 */
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, Page, Route } from 'playwright-core';
import type { Person } from '../../functions/domain/person.ts';
import { endSessions } from '../../functions/serve-desk/people.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { addPage } from '../page-visitor.ts';
import { someOf } from '../some-of.ts';
import { describeInBrowser, expectAccessible, newPage, phone } from './browser.ts';
import { type ServedDesk, serveDesk } from './served-desk.ts';

const responding =
  (status: number, body: string, contentType = 'application/json') =>
  (route: Route) =>
    route.fulfill({ status, body, contentType });
const message = JSON.stringify({ message: 'Service Unavailable' });

/** Failures of a request, and the sentence about each. */
const failures: Record<
  string,
  {
    to: (route: Route, context: BrowserContext, revoke: () => Promise<unknown>) => Promise<unknown>;
    says: RegExp;
  }
> = {
  '503 of the gateway': { to: responding(503, message), says: /did not respond properly/ },
  '504 of the gateway': { to: responding(504, message), says: /did not respond properly/ },
  '429 of the gateway': { to: responding(429, message), says: /Wait a minute/ },
  'HTML 403 of a firewall': { to: responding(403, '<h1>Blocked</h1>', 'text/html'), says: /firewall/ },
  '413 of the desk': {
    to: responding(413, 'This is too large to send.\n', 'text/plain'),
    says: /too large to send/,
  },
  'page of something else': {
    to: responding(200, '<h1>Wi-Fi login</h1>', 'text/html'),
    says: /did not respond properly/,
  },
  'missing network': { to: (route) => route.abort('internetdisconnected'), says: /no connection/ },
  'lost response': {
    to: (route) => route.fetch().then(() => route.abort('connectionreset')),
    says: /no connection/,
  },
  silence: { to: async () => {}, says: /did not respond properly/ },
  'ended session': {
    to: async (route, context) => {
      await context.clearCookies();
      const { cookie: _, ...headers } = await route.request().allHeaders();
      const response = await fetch(route.request().url(), {
        method: route.request().method(),
        headers,
        body: route.request().postData(),
        redirect: 'manual',
      });
      await responding(response.status, await response.text(), 'text/html')(route);
    },
    says: /Your session has ended/,
  },
  'revoked session': {
    to: async (route, _, revoke) => {
      await revoke();
      await route.fallback();
    },
    says: /Your session has ended/,
  },
};

const failureOf = (name: string) => failures[name] as (typeof failures)[string]; // one of these names

describeInBrowser('the desk survives', () => {
  let api: ApiClient;
  let desk: ServedDesk;
  let url: string;
  let page: Page;
  let person: Person;

  beforeAll(async () => {
    api = await createApiClient();
    desk = await serveDesk(api.table);
    ({ url } = desk);
    for (let i = 0; i < 4; i += 1) await api.create(testimonialBody({ content: `Zebras, number ${i}` }));
    for (let i = 0; i < 52; i += 1)
      await api.create(testimonialBody({ content: `Many a horse, number ${i}` }));
  });
  beforeEach(async () => {
    ({ page } = await newPage(() => true, { viewport: phone.viewport }));
    await signIn();
  });

  /** Signs in a new person. */
  async function signIn(): Promise<void> {
    person = await desk.signIn(page.context());
  }

  /** The requests that can fail: the way to the page, the fields to fill in, and the button. */
  const places: Record<string, { go: () => Promise<unknown>; press: () => Promise<unknown> }> = {
    'a decision in the queue': {
      go: async () => {
        await api.create(testimonialBody({ content: 'One more zebra' }));
        await page.goto(`${url}/desk/queue`);
        await page.getByRole('button', { name: 'Skip' }).click();
        await page.getByText(/^Skipped\.$/).waitFor();
        await page.fill('#queue-tags', 'striped');
      },
      press: () => page.getByRole('button', { name: 'Approve' }).click(),
    },
    'an action on a selection': {
      go: async () => {
        await page.goto(`${url}/desk/list?search=zebras`);
        await page.getByRole('checkbox', { name: 'Select all' }).check();
        await page.fill('#tags-to-change', 'striped');
      },
      press: () => page.getByRole('button', { name: 'Add tag' }).click(),
    },
    'a filter': {
      go: () => page.goto(`${url}/desk/list?search=zebras`),
      // Each press changes the field.
      press: async () =>
        page.fill('#filter-search', (await page.inputValue('#filter-search')) === 'zebr' ? 'zebra' : 'zebr'),
    },
    'an action on all matches': {
      go: async () => {
        await page.goto(`${url}/desk/list?search=zebras&limit=1`);
        await page.getByRole('checkbox', { name: 'Select these 1' }).check();
        await page.getByRole('checkbox', { name: /^All \d+ matching/ }).check();
      },
      press: () => page.getByRole('button', { name: 'Reject', exact: true }).click(),
    },
    'the settings of a form': {
      go: async () => {
        const { id } = await addPage(api.table);
        await page.goto(`${url}/desk/pages/${id}`);
        await page.getByLabel('Introduction').fill('How was it?');
      },
      press: () => page.getByRole('button', { name: 'Save' }).click(),
    },
  };

  /** Makes the nth request of the page from now on fail. Previews are no part of what is saved. */
  async function fail(failure: (typeof failures)[string], nth = 1, method?: string): Promise<void> {
    let count = 0;
    if (failure === failureOf('silence')) {
      // A person waits 20 s.
      await page.evaluate(`{
        let count = 0;
        document.addEventListener('htmx:configRequest', ({ detail }) => {
          if (${method === undefined} || detail.verb === '${method?.toLowerCase()}') count += 1;
          if (count === ${nth}) detail.timeout = 300;
        });
      }`);
    }
    await page.route(/\/desk\/(queue|list|pages|people|author|me)(?!.*preview)/, (route) => {
      if (method === undefined || route.request().method() === method) count += 1;
      if (count !== nth) return route.fallback();
      count = Number.NaN;
      return failure.to(route, page.context(), () => endSessions(desk.people, person)) as Promise<void>;
    });
  }

  /** Returns everything on the page that a person could lose. */
  const shown = () =>
    page.evaluate(`JSON.stringify([document.querySelector('#main').innerHTML.replace(/ class="htmx[^"]*"|<iframe.*iframe>/g, ''),
      [...document.querySelectorAll('#main input, #main textarea')].map(({ name, value, checked }) => name === 'search' ? '' : [name, value, checked])])`);

  /** Presses, and expects the page as it was and a sentence about the failure. */
  async function expectKept(failure: (typeof failures)[string], press: () => Promise<unknown>) {
    await page.evaluate("document.querySelector('#failure').hidden = true");
    const before = await shown();
    await fail(failure);
    await press();
    await page.locator('#failure').getByText(failure.says).waitFor();
    expect(await shown()).toBe(before);
    expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    if (/session/.test(String(failure.says))) await signIn();
  }

  test.each(Object.entries(places))(
    '%s fails in some ways, one after the other',
    async (_, { go, press }) => {
      await go();
      for (const [name, failure] of someOf(Object.entries(failures)))
        await expectKept(failure, press).catch((cause) => {
          throw new Error(`After a ${name}`, { cause });
        });
    },
  );

  test('htmx sends every form of the desk, so that the others fail like these', async () => {
    const { id } = await addPage(api.table);
    const { person: paula } = await desk.signedIn({ name: 'Paula' });
    const author = { name: 'Zoe', email: 'zoe@example.com' };
    const ids: string[] = [];
    for (let i = 0; i < 2; i += 1) ids.push((await api.create(testimonialBody({ author }))).body.id);
    const pages = ['pages', `pages/${id}`, `pages/${id}/links`, `pages/${id}/remove`, 'pages/brand'];
    const people = ['people', ...['link', 'sign-out', 'remove'].map((name) => `people/${paula.id}/${name}`)];
    const others = ['me', 'add', 'list', `author?ids=${ids}&after=${ids[1]}`];
    for (const path of [...pages, ...people, ...others]) {
      await page.goto(`${url}/desk/${path}`);
      // Signing out and passkeys have their own ways.
      const forms = page.locator('main form[method="post"]:not([hx-boost="false"], [data-passkey])');
      const left = await forms.evaluateAll((all) =>
        all.filter((each) => !each.closest('[hx-boost="true"]')).map(({ outerHTML }) => outerHTML),
      );
      expect({ path, left, isEmpty: (await forms.count()) === 0 }).toEqual({
        path,
        left: [],
        isEmpty: false,
      });
    }
  });

  test('the second step of an action on all matches fails in some ways, and continues', async () => {
    for (const [i, failure] of someOf(Object.values(failures)).entries()) {
      const [action, status] = i % 2 === 0 ? ['Approve', 'approved'] : ['Reject', 'rejected'];
      await page.goto(`${url}/desk/list?search=horse&limit=1`);
      await page.getByRole('checkbox', { name: 'Select these 1' }).check();
      await page.getByRole('checkbox', { name: 'All 52 matching' }).check();
      await page.getByRole('button', { name: action, exact: true }).click();
      await page.getByRole('heading', { name: `${action} 52 testimonials?` }).waitFor();
      await fail(failure, 2, 'POST');
      await page.getByRole('button', { name: action, exact: true }).click();
      await page.locator('#failure').getByText(failure.says).waitFor();
      await page.getByText(`50 of 52 testimonials ${status}.`).waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      if (/session/.test(String(failure.says))) await signIn();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText(/^(52|50) testimonials (approved|rejected)\./).waitFor();
      // The page is the whole list again, at its own URL.
      expect(new URL(page.url()).pathname).toBe('/desk/list');
      expect(await page.locator('main').count()).toBe(1);
      expect((await api.list(`search=horse&status=${status}`)).body.pagination.total).toBe(52);
    }
  });

  test('a preview that fails stays as it was, and the next one shows the settings', async () => {
    const { id } = await addPage(api.table);
    await page.goto(`${url}/desk/pages/${id}`);
    const heading = page
      .frameLocator('iframe >> nth=0')
      .getByRole('heading', { level: 1, includeHidden: true });
    await page.route(/preview/, (route) => route.fulfill({ status: 503, body: message }), { times: 1 });
    await page.getByLabel('Title', { exact: true }).fill('Lost');
    await page.waitForResponse(/preview/);
    expect(await heading.first().textContent()).toBe('Tell us');
    await page.getByLabel('Title', { exact: true }).fill('Found');
    await heading.getByText('Found').waitFor();
    await page.waitForFunction("document.querySelectorAll('iframe').length === 1");
    expect(await page.inputValue('#page-title')).toBe('Found');
  });

  test.each([
    ['a page', '#page-link', 'nowhere', 'Link must be a URL'],
    ['the brand', '#brand-accent', 'pink', 'Enter a color'],
  ])('settings of %s that are refused are still unsaved, and leaving the page asks', async (...of) => {
    const [what, field, typed, rule] = of;
    const { id } = await addPage(api.table);
    await page.goto(`${url}/desk/pages/${what === 'a page' ? id : 'brand'}`);
    await page.fill(field, typed);
    // The preview shows the problem first.
    await page.locator(`.field:has(${field}) + .problem`).getByText(rule).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.field .problem').getByText(rule).waitFor();
    await page.getByText('Unsaved changes').waitFor();
    await page.locator(`${field}[aria-invalid]`).waitFor();
    expect(await page.getByText(rule).count()).toBe(1);
    await expectAccessible(page);
    // It is on the screen, and nothing covers it.
    await page.waitForFunction(`(() => {
      const field = document.querySelector('${field}');
      const { left, top, width, height } = field.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === field;
    })()`);
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    // A valid one is saved, and nothing asks any more.
    await page.fill(field, '');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. Visitors see it').waitFor();
    expect(await page.getByText('Unsaved changes').isHidden()).toBe(true);
    const closed = page.waitForEvent('close');
    await page.close({ runBeforeUnload: true });
    await closed;
  });

  test.each(['lost response', 'ended session'])(
    'after a “%s” trying again goes on, and undo takes back that decision',
    async (name) => {
      await api.create(testimonialBody({ content: `A zebra after a ${name}` }));
      await page.goto(`${url}/desk/queue?search=${name}`);
      await fail(failureOf(name));
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.locator('#failure').getByText(failureOf(name).says).waitFor();
      // In another tab.
      if (name === 'ended session') await signIn();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('is approved').waitFor();
      expect(await page.locator('#failure').isHidden()).toBe(true);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('is back in the queue').waitFor();
      expect((await api.list(`search=${name}&status=pending`)).body.pagination.total).toBe(1);
    },
  );
});
