/** The live wall in a page of another origin. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { embedScript } from '../../functions/serve-pages/bundle.ts';
import { runAdmin } from '../admin.ts';
import { testimonialBody } from '../api-client.ts';
import { listen } from '../listen.ts';
import { isolated, type ServiceProcess, startService } from '../service/service-process.ts';
import { someOf } from '../some-of.ts';
import { describeInBrowser, expectAccessible, looks, newPage, waitForFrames } from './browser.ts';

const example = (name: string) => readFile(`examples/live-wall/${name}`, 'utf8');

describeInBrowser('a live wall', () => {
  let origin: string;
  let service: ServiceProcess;
  // The attributes that differ from the example's.
  let attributes: string;

  beforeAll(async () => {
    const host = createServer(async ({ url = '' }, response) => {
      const type = url.endsWith('.css') ? 'text/css' : url.endsWith('.js') ? 'text/javascript' : 'text/html';
      const content = await example(url === '/' ? 'index.html' : url.slice(1));
      const policy =
        `default-src 'none'; script-src 'self' http://127.0.0.1:*; style-src 'self'; connect-src http://127.0.0.1:*; ` +
        "require-trusted-types-for 'script'; trusted-types 'none'";
      response.writeHead(200, {
        'content-type': `${type}; charset=utf-8`,
        'content-security-policy': policy,
      });
      response.end(
        content
          .replace('page="4fGhT2kLm9QwErTyUiOpAs"', attributes)
          .replace('https://api.example.com/embed.js', `${service.url}/embed.js`),
      );
    });
    origin = await listen(host);
    service = await startService(isolated(':memory:'), [], ['-c', `corsOrigins=${origin}`]);
    await admin('demo', 'seed', '--count', '60');
    const content = 'They answered within the hour. '.repeat(100);
    const author = { name: 'Jane Doe', email: 'jane@example.com' };
    await fetch(`${service.url}/v1/testimonials`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(testimonialBody({ content, author, tags: ['long'] })),
    });
    await admin('demo', 'testimonial', 'approve', '--where', 'status=pending&tags=long', '--yes');
  });
  afterAll(() => service?.end());

  const admin = (organization: string, ...args: string[]) =>
    runAdmin([...args, '--organization', organization, '--endpoint', service.endpoint], {});

  /** Creates the page of a wall, and returns its id. */
  async function createPage(settings: string[], organization = 'demo'): Promise<string> {
    const set = settings.flatMap((each) => ['--set', each]);
    const options = ['--kind', 'wall', '--title', 'What they say', '--json', ...set];
    const { stdout } = await admin(organization, 'page', 'create', ...options);
    return JSON.parse(stdout).id;
  }

  /** Opens the example with a wall that has these settings, such as `limit=3`, and waits for its cards. */
  async function open(settings: string[], ...how: [width?: number, options?: BrowserContextOptions]) {
    const opened = await openPage(await createPage(settings), ...how);
    await cards(opened.page).first().waitFor();
    await waitForFrames(opened.page);
    return opened;
  }

  /**
   * Opens the example with a page. `wrong` collects everything unexpected, `requests` the requests to the
   * service.
   * @param more further attributes of the element
   */
  async function openPage(id: string, width = 1280, options: BrowserContextOptions = {}, more = '') {
    attributes = `page="${id}" ${more}`;
    const isOwn = (url: string) => url.startsWith(origin) || url.startsWith(service.url);
    const { page, wrong } = await newPage(
      isOwn,
      { viewport: { width, height: 900 }, ...options },
      `globalThis.errors = [];
      document.addEventListener('error', ({ detail }) => {
        errors.push(detail.message);
        document.documentElement.title = 'failed';
      }, true);`,
    );
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(service.url) && !request.url().endsWith('/embed.js'))
        requests.push(`${request.method()} ${request.url()}`);
    });
    page.on('console', (message) => {
      if (message.type() === 'info') wrong.push(message.text());
    });
    await page.goto(origin);
    return { page, requests, wrong };
  }

  const cards = (page: Page) => page.locator('testimonials-wall .card:visible');
  const heightOf = async (page: Page) => (await page.locator('testimonials-wall').boundingBox())?.height ?? 0;

  test.each(someOf(looks))(
    'at %i pixels in %s the page does not shift, complies with its policy and sends one request, and axe finds nothing',
    async (width, colorScheme) => {
      const { page, requests, wrong } = await open(['limit=9'], width, { colorScheme });
      expect(await page.evaluate('shifts')).toEqual([]);
      expect(requests).toHaveLength(1);
      const wall = await page.locator('testimonials-wall').boundingBox();
      expect(wall?.height).toBe(44 * 16);
      const button = await page.getByRole('button', { name: 'Show more' }).boundingBox();
      expect((button?.y ?? 0) + (button?.height ?? 0)).toBeCloseTo((wall?.y ?? 0) + 44 * 16, 0);
      for (const card of await page.locator('testimonials-wall .card:not([inert])').all()) {
        const { y = 0, height = 0 } = (await card.boundingBox()) ?? {};
        expect(y + height).toBeLessThanOrEqual(button?.y ?? 0);
      }
      await expectAccessible(page);
      // Hidden cards do not lengthen the page.
      const end = await page.locator('main').boundingBox();
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      expect(height).toBeLessThanOrEqual((end?.y ?? 0) + (end?.height ?? 0) + 48);
      expect(wrong).toEqual([]);
    },
  );

  test('walls of two organizations on one page show their own testimonials without preflights, even from the cache, and another one when the page is changed', async () => {
    await admin('globex', 'seed', '--count', '13');
    const [id, other] = [await createPage(['limit=3']), await createPage(['limit=3'], 'globex')];
    const { page, requests, wrong } = await openPage(id);
    await cards(page).nth(2).waitFor();
    // The browser's cache serves the second wall of the first organization.
    for (const each of [other, id]) {
      await page.evaluate(`{
        const wall = document.createElement('testimonials-wall');
        wall.setAttribute('page', '${each}');
        document.querySelector('main').append(wall);
      }`);
    }
    await cards(page).nth(8).waitFor();
    const walls = page.locator('testimonials-wall');
    const textsOf = () =>
      walls.evaluateAll((all) => all.map(({ shadowRoot }) => shadowRoot?.querySelector('ul')?.textContent));
    const [first, second, third] = await textsOf();
    expect(second).not.toBe(first);
    expect(third).toBe(first);
    const urls = [id, other, id].map((each) => `GET ${service.url}/w/${each}.json?page=1`);
    expect(requests).toEqual(urls);
    const single = await createPage(['limit=2', 'look=row']);
    await walls.first().evaluate((each, id) => each.setAttribute('page', id), single);
    await walls.first().locator('.cards.row').waitFor();
    expect(await walls.first().locator('.card').count()).toBe(2);
    expect(requests).toHaveLength(4);
    expect(service.log()).not.toMatch(/^OPTIONS /m);
    expect(wrong).toEqual([]);
  });

  test('"Show more" shows the hidden cards, then page after page, each testimonial once', async () => {
    const { page, requests } = await open(['limit=12', 'type=text']);
    const more = page.getByRole('button', { name: 'Show more' });
    const cut = page.locator('testimonials-wall .card[inert]');
    expect(await cut.count()).toBeGreaterThan(0);
    await more.click();
    expect(await cut.count()).toBe(0);
    expect(await cards(page).count()).toBe(12);
    expect(requests).toHaveLength(1);
    await more.click();
    await cards(page).nth(12).waitFor();
    expect(requests).toHaveLength(2);
    const focused = page.locator('testimonials-wall .card:focus');
    await focused.waitFor();
    expect(await focused.innerText()).toBe(await cards(page).nth(12).innerText());
    while (await more.isVisible()) {
      const before = await cards(page).count();
      await more.click();
      await cards(page).nth(before).waitFor();
    }
    const ids = await page.locator('testimonials-wall .card').evaluateAll((all) => all.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(await page.getByRole('status').innerText()).toBe(`${ids.length} testimonials`);
  });

  test('without "Show more" the wall is as high as its cards', async () => {
    const { page } = await open(['limit=12', 'hide=more'], 390);
    const last = await cards(page).nth(11).boundingBox();
    const wall = await page.locator('testimonials-wall').boundingBox();
    expect((wall?.y ?? 0) + (wall?.height ?? 0)).toBeCloseTo((last?.y ?? 0) + (last?.height ?? 0), 0);
    expect(await page.locator('testimonials-wall .card[inert]').count()).toBe(0);
  });

  test('a wall that was resized often is laid out once when someone scrolls', async () => {
    const { page } = await open(['limit=1']);
    // Its card is lower than the height that it reserves.
    await page.evaluate(`{
      const wall = document.querySelector('testimonials-wall').cloneNode();
      wall.style.minHeight = '1600px';
      globalThis.layouts = 0;
      wall.getBoundingClientRect = function () {
        layouts += 1;
        return HTMLElement.prototype.getBoundingClientRect.call(this);
      };
      document.querySelector('testimonials-wall').replaceWith(wall);
    }`);
    await cards(page).first().waitFor();
    const layoutsOfScroll = async () => {
      await page.evaluate('{ layouts = 0; scrollBy(0, 5); }');
      await waitForFrames(page);
      await waitForFrames(page);
      return page.evaluate('layouts');
    };
    for (const resizes of [0, 8]) {
      for (let n = 0; n < resizes; n += 1) {
        await page.setViewportSize({ width: 1279 - n, height: 900 });
        await waitForFrames(page);
      }
      expect(await layoutsOfScroll()).toBe(1);
    }
  });

  test('an opened text makes the wall higher', async () => {
    const { page } = await open(['tags=long'], 390);
    const before = await heightOf(page);
    await page.getByText('Read more').click();
    await page.getByText('Show less').waitFor();
    await waitForFrames(page);
    const card = await cards(page).first().boundingBox();
    expect(card?.height).toBeGreaterThan(44 * 16);
    expect(await heightOf(page)).toBeGreaterThanOrEqual(card?.height ?? 0);
    await page.getByText('Show less').click();
    await waitForFrames(page);
    expect(await heightOf(page)).toBe(before);
  });

  /** Expects the fallback after a failure, and its reason in an event and in the console. */
  async function expectFailure(
    { page, wrong }: Pick<Awaited<ReturnType<typeof open>>, 'page' | 'wrong'>,
    reason: string,
  ) {
    await page.locator('html[title]').waitFor();
    await expectFallback(page);
    expect(await page.evaluate('errors')).toEqual([reason]);
    expect(wrong).toContain(`testimonials-wall: ${reason}`);
  }

  /** Expects the fallback, without reserved height. */
  async function expectFallback(page: Page) {
    const fallback = page.getByText('our reviews page');
    while ((await heightOf(page)) > 100) await waitForFrames(page);
    expect(await fallback.isVisible()).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(900);
  }

  test('if the service cannot be reached, visitors see the fallback', async () => {
    const opened = await open([]);
    await opened.page.route('**/w/*.json*', (route) => route.abort());
    await opened.page.reload();
    const reason = `${service.url} cannot be reached, or its corsOrigins do not include ${origin}.`;
    await expectFailure(opened, reason);
  });

  test.each([
    ['without a page', ' ', 'The attribute page is missing.'],
    ['with a removed page', '0'.repeat(22), '404 This page does not exist, or it was removed.'],
  ])('%s, visitors see the fallback', async (_, id, reason) => {
    await expectFailure(await openPage(id), reason);
  });

  test('with a height that is no number, the wall has the default and warns in the console', async () => {
    const { page, wrong } = await openPage(await createPage(['limit=3']), 1280, {}, 'height="tall"');
    await cards(page).first().waitFor();
    expect(wrong).toContain('testimonials-wall: height must be a number of pixels. The default is used.');
    expect(await page.evaluate('errors')).toEqual([]);
  });

  /** Responds to the requests of a page with these responses, and then as the service does. */
  async function respondWith(page: Page, ...responses: { status: number; retryAfter?: string }[]) {
    const times: string[] = [];
    await page.route('**/w/*.json*', (route) => {
      times.push(route.request().url());
      const { status, retryAfter } = responses.shift() ?? {};
      if (status === undefined) return route.continue();
      const headers = {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'retry-after',
        ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      };
      return route.fulfill({ status, headers, contentType: 'application/json', body: '{"message":"Busy"}' });
    });
    return times;
  }

  test('a refusal is retried once, after the seconds in Retry-After', async () => {
    const { page } = await open([]);
    const requests = await respondWith(page, { status: 503, retryAfter: '30' });
    await page.addInitScript(`
      const { setTimeout } = globalThis;
      globalThis.waits = [];
      globalThis.setTimeout = (then, ms = 0) => setTimeout(then, ms <= 15_000 ? ms : waits.push(ms));`);
    await page.reload();
    await cards(page).first().waitFor();
    expect(requests).toHaveLength(2);
    expect(await page.evaluate('waits')).toEqual([30_000]);
    expect(await page.evaluate('errors')).toEqual([]);
  });

  test.each([
    [
      'a second refusal',
      [
        { status: 429, retryAfter: '0' },
        { status: 503, retryAfter: '0' },
      ],
      2,
    ],
    ['a wait of more than a minute', [{ status: 429, retryAfter: '3600' }], 1],
    ['another error', [{ status: 500 }], 1],
  ])('%s is final', async (_, responses, count) => {
    const opened = await open([]);
    const requests = await respondWith(opened.page, ...responses);
    await opened.page.reload();
    await expectFailure(opened, `${responses.at(-1)?.status} Busy`);
    expect(requests).toHaveLength(count);
  });

  test('a request that takes too long fails', async () => {
    const opened = await open([]);
    const { page } = opened;
    await page.addInitScript(`
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (then, ms = 0) => setTimeout(then, ms < 1000 ? ms : 1, globalThis.limit = ms);`);
    await page.route('**/w/*.json*', () => {});
    await page.reload();
    await expectFailure(opened, `${service.url} does not respond.`);
    expect(await page.evaluate('limit')).toBe(15_000);
  });

  test('without approved testimonials, visitors see the fallback', async () => {
    const { page, wrong } = await openPage(await createPage(['tags=nothing-has-this']));
    await expectFallback(page);
    expect(await page.evaluate('errors')).toEqual([]);
    expect(wrong).toEqual(['testimonials-wall: no approved testimonial matches the settings of its page.']);
  });

  test('if more cannot be loaded, a message says so and the visitor can try again', async () => {
    const { page } = await open(['limit=2']);
    await page.route('**/w/*.json*', (route) => route.abort());
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('could not be loaded').waitFor();
    await page.unroute('**/w/*.json*');
    await page.getByRole('button', { name: 'Show more' }).click();
    await cards(page).nth(3).waitFor();
  });

  test('with only a page, the wall has the settings of the page and sends one request; other attributes are ignored', async () => {
    const texts = 'texts={"more":"Mehr zeigen","some":"{shown} von {found}"}';
    const id = await createPage(['look=list', 'lang=de', 'limit=4', 'hide=stars', texts]);
    const others = 'look="row" limit="2" lang="fr" hide="dates"';
    const { page, requests, wrong } = await openPage(id, 1280, {}, others);
    await cards(page).first().waitFor();
    await waitForFrames(page);
    expect(requests).toEqual([`GET ${service.url}/w/${id}.json?page=1`]);
    const list = page.locator('testimonials-wall .cards');
    expect(await list.getAttribute('class')).toMatch(/^cards list/);
    expect(await list.locator('.card').count()).toBe(4);
    expect(await list.locator('.rating').count()).toBe(0);
    expect(await list.locator('time').first().innerText()).toMatch(/^\d\d\.\d\d\.\d{4}$/);
    expect(await page.getByRole('status').innerText()).toMatch(/^4 von \d+$/);
    expect(await list.evaluate((element) => element.matches(':lang(de)'))).toBe(true);
    const more = page.getByRole('button', { name: 'Mehr zeigen' });
    await more.click();
    await more.click();
    await cards(page).nth(7).waitFor();
    expect(requests.slice(1)).toEqual([`GET ${service.url}/w/${id}.json?page=2`]);
    expect(wrong).toEqual([]);
  });

  test('the script is at most 9 KB, compressed', async () => {
    expect(gzipSync(await embedScript(), { level: 9 }).length).toBeLessThanOrEqual(9000);
  });
});
