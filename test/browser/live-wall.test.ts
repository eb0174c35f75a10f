/** The live wall in a page of another origin. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { embedScript } from '../../functions/serve-pages/bundle.ts';
import { runAdmin } from '../admin.ts';
import { isolated, type ServiceProcess, startService } from '../service/service-process.ts';
import { someOf } from '../some-of.ts';
import { hostileTexts } from '../unit/serve-pages/hostile.ts';
import { describeInBrowser, drawn, expectSound, launchBrowser, looks, newPage } from './browser.ts';

const example = (name: string) => readFile(`examples/live-wall/${name}`, 'utf8');

describeInBrowser('a live wall', () => {
  let host: Server;
  let origin: string;
  let service: ServiceProcess;
  let browser: Browser;
  // The attributes that differ from the example's, and the URL of the script.
  let attributes: string;
  let script: string;

  beforeAll(async () => {
    host = createServer(async ({ url = '' }, response) => {
      const type = url.endsWith('.css') ? 'text/css' : url.endsWith('.js') ? 'text/javascript' : 'text/html';
      const content =
        url === '/embed.js'
          ? Buffer.from(await embedScript())
          : await example(url === '/' ? 'index.html' : url.slice(1));
      const policy =
        `default-src 'none'; script-src 'self' http://127.0.0.1:*; style-src 'self'; connect-src http://127.0.0.1:*; ` +
        "require-trusted-types-for 'script'; trusted-types 'none'";
      response.writeHead(200, {
        'content-type': `${type}; charset=utf-8`,
        'content-security-policy': policy,
      });
      response.end(
        String(content)
          .replace('page="4fGhT2kLm9QwErTyUiOpAs"', attributes)
          .replace('https://api.example.com/embed.js', script),
      );
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    // A server that listens on a port has an address with one.
    origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    [service, browser] = await Promise.all([
      startService(isolated(':memory:'), [], ['-c', `corsOrigins=${origin}`]),
      launchBrowser(),
    ]);
    const admin = (...args: string[]) =>
      runAdmin([...args, '--organization', 'demo', '--endpoint', service.endpoint], {});
    await admin('seed', '--count', '60');
    const create = ({ text, tag, i }: { text: string; tag: string; i: number }) =>
      fetch(`${service.url}/v1/testimonials`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          content: `What they wrote: ${text}`,
          author: { name: text.slice(0, 200), email: `hostile${i}@example.com` },
          type: 'text',
          tags: [tag],
        }),
      });
    for (const [i, text] of hostileTexts.entries()) await create({ text, tag: 'hostile', i });
    await create({
      text: 'They answered within the hour. '.repeat(100),
      tag: 'long',
      i: hostileTexts.length,
    });
    await admin('testimonial', 'approve', '--where', 'status=pending&tags=hostile,long', '--yes');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.end();
    host?.close();
  });

  /**
   * Opens the example with a wall that has these settings, such as `limit=3`. `wrong` collects everything
   * unexpected, `requests` the requests to the service.
   */
  async function open(settings: string[], width = 1280, options: BrowserContextOptions = {}, more = '') {
    return openPage(await createPage(...settings), width, options, more);
  }

  /** Opens the example with a page, and the script as a customer's page loads it. */
  function openPage(id: string, width = 1280, options: BrowserContextOptions = {}, more = '') {
    return openWith(`page="${id}" ${more}`, `${service.url}/embed.js`, width, options);
  }

  /** Creates a wall's page and returns its id. */
  async function createPage(...settings: string[]): Promise<string> {
    return createPageOf('demo', settings);
  }

  async function createPageOf(organization: string, settings: string[]): Promise<string> {
    const { stdout } = await runAdmin(
      [
        'page',
        'create',
        '--organization',
        organization,
        '--kind',
        'wall',
        '--title',
        'What they say',
        '--json',
        '--endpoint',
        service.endpoint,
        ...settings.flatMap((each) => ['--set', each]),
      ],
      {},
    );
    return JSON.parse(stdout).id;
  }

  async function openWith(all: string, source: string, width: number, options: BrowserContextOptions) {
    [attributes, script] = [all, source];
    const isOwn = (url: string) => url.startsWith(origin) || url.startsWith(service.url);
    const { page, wrong } = await newPage(
      browser,
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
  const setAttributes = (page: Page, values: Record<string, string>, of = 'testimonials-wall') =>
    page.locator(of).evaluate((element, all) => {
      for (const [name, value] of Object.entries(all)) element.setAttribute(name, value);
    }, values);

  test.each(someOf(looks))(
    'at %i pixels in %s the page does not shift, complies with its policy and sends one request, and axe finds nothing',
    async (width, colorScheme) => {
      const { page, requests, wrong } = await open(['limit=9'], width, { colorScheme });
      await cards(page).first().waitFor();
      await drawn(page);
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
      await expectSound(page);
      const background = await page.evaluate(
        `getComputedStyle(document.querySelector('testimonials-wall').shadowRoot.querySelector('.card')).backgroundColor`,
      );
      expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(27, 29, 36)');
      // Hidden cards do not lengthen the page.
      const end = await page.locator('main').boundingBox();
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      expect(height).toBeLessThanOrEqual((end?.y ?? 0) + (end?.height ?? 0) + 48);
      expect(wrong).toEqual([]);
    },
  );

  test('walls of two organizations on one page show their own testimonials without preflights, even from the cache', async () => {
    await runAdmin(['seed', '--count', '13', '--organization', 'globex', '--endpoint', service.endpoint], {});
    const [id, other] = [await createPage('limit=3'), await createPageOf('globex', ['limit=3'])];
    const contentsOf = async (of: string) => {
      const response = await fetch(`${service.url}/w/${of}.json`);
      // Held by the tests of walls.
      const { testimonials } = (await response.json()) as { testimonials: { content: string }[] };
      return testimonials.map(({ content }) => content);
    };
    const expected = [await contentsOf(id), await contentsOf(other)];
    expect(expected[0]).not.toEqual(expected[1]);

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
    const shown = await page
      .locator('testimonials-wall')
      .evaluateAll((walls) =>
        walls.map(({ shadowRoot }) =>
          [...(shadowRoot?.querySelectorAll('.quote > p') ?? [])].map(({ textContent }) => textContent),
        ),
      );
    expect(shown).toEqual([expected[0], expected[1], expected[0]]);
    const urls = [id, other, id].map((each) => `GET ${service.url}/w/${each}.json?page=1`);
    expect(requests).toEqual(urls);
    expect(service.log()).not.toMatch(/^OPTIONS /m);
    expect(wrong).toEqual([]);
  });

  test('"Show more" shows the hidden cards, then page after page, each testimonial once', async () => {
    const { page, requests } = await open(['limit=12', 'type=text']);
    await cards(page).first().waitFor();
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
    const response = await fetch(`${service.url}/v1/testimonials?status=approved&type=text&limit=100`, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    // Held by the contract.
    const { testimonials } = (await response.json()) as { testimonials: { content: string }[] };
    expect(await page.locator('testimonials-wall .card .quote > p').allTextContents()).toEqual(
      testimonials.map(({ content }) => content),
    );
  });

  test('the wall has the language and the texts of its settings', async () => {
    const texts = 'texts={"more":"Mehr zeigen","some":"{shown} von {found}"}';
    const { page } = await open(['limit=2', 'lang=ja', texts]);
    await page.getByRole('button', { name: 'Mehr zeigen' }).waitFor();
    const day = page.locator('testimonials-wall time').first();
    const isoDay = String(await day.getAttribute('datetime'));
    const inJapanese = new Date(isoDay).toLocaleDateString('ja', { dateStyle: 'medium', timeZone: 'UTC' });
    expect(await day.innerText()).toBe(inJapanese);
    expect(await page.getByRole('status').innerText()).toMatch(/^2 von \d+$/);
  });

  test('a row has no parts that its settings hide', async () => {
    const { page } = await open(['limit=4', 'tags=long,support', 'look=row', 'hide=dates,stars,tags']);
    await page.getByRole('button', { name: 'Next' }).waitFor();
    expect(await page.locator('testimonials-wall .cards').getAttribute('class')).toBe('cards row');
    expect(await page.locator('testimonials-wall :is(time, .rating, .tags)').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  });

  test('without "Show more" the wall is as high as its cards', async () => {
    const { page } = await open(['limit=12', 'hide=more'], 390);
    await cards(page).nth(11).waitFor();
    await drawn(page);
    const last = await cards(page).nth(11).boundingBox();
    const wall = await page.locator('testimonials-wall').boundingBox();
    expect((wall?.y ?? 0) + (wall?.height ?? 0)).toBeCloseTo((last?.y ?? 0) + (last?.height ?? 0), 0);
    expect(await page.locator('testimonials-wall .card[inert]').count()).toBe(0);
  });

  test('a wall that was resized often is laid out once when somebody scrolls', async () => {
    const { page } = await open(['limit=1']);
    await cards(page).first().waitFor();
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
      await drawn(page);
      await drawn(page);
      return page.evaluate('layouts');
    };
    for (const resizes of [0, 8]) {
      for (let n = 0; n < resizes; n += 1) {
        await page.setViewportSize({ width: 1279 - n, height: 900 });
        await drawn(page);
      }
      expect(await layoutsOfScroll()).toBe(1);
    }
  });

  test('an opened text makes the wall higher', async () => {
    const { page } = await open(['tags=long'], 390);
    await cards(page).first().waitFor();
    await drawn(page);
    const before = await heightOf(page);
    await page.getByText('Read more').click();
    await page.getByText('Show less').waitFor();
    await drawn(page);
    const card = await cards(page).first().boundingBox();
    expect(card?.height).toBeGreaterThan(44 * 16);
    expect(await heightOf(page)).toBeGreaterThanOrEqual(card?.height ?? 0);
    await page.getByText('Show less').click();
    await drawn(page);
    expect(await heightOf(page)).toBe(before);
  });

  test('hostile texts are shown as text', async () => {
    const { page, wrong } = await open(['tags=hostile', 'order=asc', 'limit=100']);
    await cards(page).first().waitFor();
    expect(await page.locator('testimonials-wall .card .quote > p').allTextContents()).toEqual(
      hostileTexts.map((text) => `What they wrote: ${text}`.normalize('NFC')),
    );
    expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
    expect(await page.evaluate('violations')).toEqual([]);
    expect(wrong).toEqual([]);
  });

  /** Expects the fallback, without reserved height. */
  async function expectFallback(page: Page) {
    const fallback = page.getByText('our reviews page');
    while ((await heightOf(page)) > 100) await drawn(page);
    expect(await fallback.isVisible()).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(900);
  }

  test('if the service cannot be reached, visitors see the fallback, and an event and the console give the reason', async () => {
    const { page, wrong } = await open([]);
    await page.route('**/w/*.json*', (route) => route.abort());
    await page.reload();
    await page.locator('html[title]').waitFor();
    await expectFallback(page);
    const said = `${service.url} cannot be reached, or its corsOrigins do not include ${origin}.`;
    expect(await page.evaluate('errors')).toEqual([said]);
    expect(wrong).toContain(`testimonials-wall: ${said}`);
  });

  test('without a page, visitors see the fallback, and an event and the console give the reason', async () => {
    const { page, wrong } = await openPage(' ');
    await page.locator('html[title]').waitFor();
    await expectFallback(page);
    expect(await page.evaluate('errors')).toEqual(['The attribute page is missing.']);
    expect(wrong).toContain('testimonials-wall: The attribute page is missing.');
  });

  test('with a height that is no number, the wall has the default and warns in the console', async () => {
    const { page, wrong } = await open(['limit=3'], 1280, {}, 'height="tall"');
    await cards(page).first().waitFor();
    expect(wrong).toContain('testimonials-wall: height must be a number of pixels. The default is used.');
    expect(await page.evaluate('errors')).toEqual([]);
  });

  /** Answers the requests of a page with these responses, and then as the service does. */
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

  test.each([429, 503])('a %i is retried once, after the seconds in Retry-After', async (status) => {
    const { page } = await open([]);
    const requests = await respondWith(page, { status, retryAfter: '30' });
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
    const { page } = await open([]);
    const requests = await respondWith(page, ...responses);
    await page.reload();
    await page.locator('html[title]').waitFor();
    await expectFallback(page);
    expect(requests).toHaveLength(count);
    expect(await page.evaluate('errors')).toEqual([`${responses.at(-1)?.status} Busy`]);
  });

  test('a request that takes too long fails', async () => {
    const { page } = await open([]);
    await page.addInitScript(`
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (then, ms = 0) => setTimeout(then, ms < 1000 ? ms : 1, globalThis.limit = ms);`);
    await page.route('**/w/*.json*', () => {});
    await page.reload();
    await page.locator('html[title]').waitFor();
    await expectFallback(page);
    expect(await page.evaluate('limit')).toBe(15_000);
    expect(await page.evaluate('errors')).toEqual([`${service.url} does not respond.`]);
  });

  test('without approved testimonials, visitors see the fallback', async () => {
    const { page, wrong } = await open(['tags=nothing-has-this']);
    await expectFallback(page);
    expect(await page.evaluate('errors')).toEqual([]);
    expect(wrong).toEqual(['testimonials-wall: no approved testimonial matches the settings of its page.']);
  });

  test('if more cannot be loaded, a message says so and the visitor can try again', async () => {
    const { page } = await open(['limit=2']);
    await cards(page).nth(1).waitFor();
    await page.route('**/w/*.json*', (route) => route.abort());
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('could not be loaded').waitFor();
    await page.unroute('**/w/*.json*');
    await page.getByRole('button', { name: 'Show more' }).click();
    await cards(page).nth(3).waitFor();
  });

  test('without scripts, visitors see the fallback', async () => {
    const { page, requests } = await open([], 390, { javaScriptEnabled: false });
    expect(await page.getByText('our reviews page').isVisible()).toBe(true);
    expect(requests).toEqual([]);
  });

  test('with only a page, the wall has the settings of the page and sends one request; other attributes are ignored', async () => {
    const id = await createPage(
      'look=list',
      'hide=dates',
      'lang=de',
      'limit=4',
      'rating=5',
      'texts={"less":"Zu"}',
    );
    const { page, requests, wrong } = await openPage(
      id,
      1280,
      {},
      'look="row" limit="2" lang="fr" hide="stars"',
    );
    await cards(page).first().waitFor();
    await drawn(page);
    expect(requests).toEqual([`GET ${service.url}/w/${id}.json?page=1`]);
    const list = page.locator('testimonials-wall .cards');
    expect(await list.getAttribute('class')).toMatch(/^cards list/);
    expect(await list.locator('.card').count()).toBe(4);
    expect(await list.locator('.rating').allInnerTexts()).toEqual(Array(4).fill('5 von 5 Sternen'));
    expect(await list.locator('time').count()).toBe(0);
    expect(await page.getByRole('status').innerText()).toMatch(/^4 von \d+ Kundenstimmen$/);
    expect(await list.evaluate((element) => element.matches(':lang(de)'))).toBe(true);
    const more = page.getByRole('button', { name: 'Mehr anzeigen' });
    await more.click();
    await more.click();
    await cards(page).nth(7).waitFor();
    expect(requests.slice(1)).toEqual([`GET ${service.url}/w/${id}.json?page=2`]);
    expect(wrong).toEqual([]);
  });

  test.each(
    ['columns', 'row', 'single', 'list'].flatMap((look) =>
      [390, 1280].map((width) => [look, width] as const),
    ),
  )(
    'with a page whose look is %s, at %i pixels nothing shifts, and there is no white below',
    async (look, width) => {
      // The style sheet of the example reserves the height by the look.
      const { page, wrong } = await openPage(
        await createPage(`look=${look}`, 'limit=8'),
        width,
        {},
        `look="${look}"`,
      );
      await cards(page).first().waitFor();
      await drawn(page);
      const wall = await page.locator('testimonials-wall .wall').boundingBox();
      expect(await heightOf(page)).toBeCloseTo(wall?.height ?? 0, 0);
      if (look === 'columns' || look === 'list') expect(await heightOf(page)).toBe(704);
      const shifts = await page.evaluate<string[]>('shifts');
      const sum = shifts.reduce((total, shift) => total + Number.parseFloat(shift), 0);
      expect(sum).toBeLessThan(0.1);
      await expectSound(page);
      expect(wrong).toEqual([]);
    },
  );

  test('a removed page shows the fallback, and the console gives the reason', async () => {
    const { page, wrong } = await openPage('0'.repeat(22));
    await page.locator('html[title]').waitFor();
    await expectFallback(page);
    const reason = '404 This page does not exist, or it was removed.';
    expect(await page.evaluate('errors')).toEqual([reason]);
    expect(wrong).toContain(`testimonials-wall: ${reason}`);
  });

  test('another page shows its own testimonials', async () => {
    const [id, other] = [await createPage('limit=3'), await createPage('limit=2', 'look=row')];
    const { page, requests } = await openPage(id);
    await cards(page).nth(2).waitFor();
    await setAttributes(page, { page: other });
    await page.locator('testimonials-wall .cards.row').waitFor();
    expect(await cards(page).count()).toBe(2);
    expect(requests).toHaveLength(2);
  });

  test('the script is at most 9 KB, compressed', async () => {
    expect(gzipSync(await embedScript(), { level: 9 }).length).toBeLessThanOrEqual(9000);
  });

  test('the local service serves the script to the websites of corsOrigins', async () => {
    const response = await fetch(`${service.url}/embed.js`, { headers: { origin } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': origin,
    });
    expect(await response.text()).toContain('testimonials-wall');
  });
});
