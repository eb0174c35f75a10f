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
import { hostileTexts } from '../unit/serve-pages/hostile.ts';
import { describeInBrowser, drawn, expectSound, launchBrowser, looks, newPage } from './browser.ts';

/** If the wall did not validate responses, it would create an element from this. */
const markup = { tag: 'script', attributes: {}, children: ['globalThis.wasRun = true'] };
const example = (name: string) => readFile(`examples/live-wall/${name}`, 'utf8');

describeInBrowser('a live wall', () => {
  let host: Server;
  let origin: string;
  let service: ServiceProcess;
  let browser: Browser;
  let token: string;
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
    const issued = await admin('token', 'issue', '--permission', 'testimonials:read-published', '--json');
    token = JSON.parse(issued.stdout).token;
    await admin('seed', '--count', '60');
    const create = ({ text, tag, i }: { text: string; tag: string; i: number }) =>
      fetch(`${service.url}/v1/testimonials`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          content: `What they wrote: ${text}`,
          author: { name: text.slice(0, 200), email: `hostile${i}@example.com` },
          ...{ type: 'text', tags: [tag] },
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

  /** Opens the example with these attributes and a token; `wrong` collects everything unexpected, `requests` the requests to the service. */
  function open(more: string, width = 1280, options: BrowserContextOptions = {}) {
    // The first of two attributes of one name counts.
    return openWith(`${more} src="${service.url}" token="${token}"`, 'embed.js', width, options);
  }

  /** Opens the example with a page, and the script as a customer's page loads it. */
  function openPage(id: string, width = 1280, options: BrowserContextOptions = {}, more = '') {
    return openWith(`page="${id}" ${more}`, `${service.url}/embed.js`, width, options);
  }

  /** Creates a wall's page and returns its id. */
  async function createPage(...settings: string[]): Promise<string> {
    const { stdout } = await runAdmin(
      [
        ...[
          'page',
          'create',
          '--organization',
          'demo',
          '--kind',
          'wall',
          '--title',
          'What they say',
          '--json',
        ],
        ...['--endpoint', service.endpoint, ...settings.flatMap((each) => ['--set', each])],
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

  test.each(looks)(
    'at %i pixels in %s the page does not shift, complies with its policy and sends one request, and axe finds nothing',
    async (width, colorScheme) => {
      const { page, requests, wrong } = await open('limit="9"', width, { colorScheme });
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
    const admin = (...args: string[]) =>
      runAdmin([...args, '--organization', 'globex', '--endpoint', service.endpoint], {});
    const issued = await admin('token', 'issue', '--permission', 'testimonials:read-published', '--json');
    const other = JSON.parse(issued.stdout).token;
    await admin('seed', '--count', '13');
    const contentsOf = async (of: string) => {
      const response = await fetch(`${service.url}/v1/testimonials?limit=3&token=${of}`);
      // Held by the contract.
      const { testimonials } = (await response.json()) as { testimonials: { content: string }[] };
      return testimonials.map(({ content }) => content);
    };
    const expected = [await contentsOf(token), await contentsOf(other)];
    expect(expected[0]).not.toEqual(expected[1]);

    const { page, requests, wrong } = await open('limit="3"');
    await cards(page).nth(2).waitFor();
    // The browser's cache serves the second wall of the first organization.
    for (const each of [other, token]) {
      await page.evaluate(`{
        const wall = document.createElement('testimonials-wall');
        for (const [name, value] of Object.entries(${JSON.stringify({ src: service.url, token: each, limit: '3' })})) wall.setAttribute(name, value);
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
    expect(requests.map((each) => new URL(each.split(' ')[1] ?? '').searchParams.get('token'))).toEqual([
      token,
      other,
      token,
    ]);
    // With a header the browser sends a preflight. It is the only one.
    await page.evaluate(
      `fetch('${service.url}/v1/testimonials', { headers: { authorization: 'Bearer ${token}' } })`,
    );
    const preflights = () => service.log().match(/^OPTIONS /gm)?.length ?? 0;
    while (preflights() === 0) await drawn(page);
    expect(preflights()).toBe(1);
    expect(wrong).toEqual([]);
  });

  test('"Show more" shows the hidden cards, then page after page, each testimonial once', async () => {
    const { page, requests } = await open('limit="12" type="text"');
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

  test('changed attributes load a new list, once for all of them', async () => {
    const { page, requests } = await open('rating="4"');
    await cards(page).first().waitFor();
    await setAttributes(page, { rating: '5', limit: '3' });
    await page.locator('testimonials-wall .card').nth(3).waitFor({ state: 'detached' });
    expect(await page.locator('testimonials-wall .card .rating').allInnerTexts()).toEqual(
      Array(3).fill(expect.stringContaining('5 out of 5 stars')),
    );
    expect(requests.map((each) => new URL(each.split(' ')[1] ?? '').search)).toEqual([
      `?token=${token}&limit=12&page=1&rating=4`,
      `?token=${token}&limit=3&page=1&rating=5`,
    ]);
  });

  test('the wall uses the language of the page or its own, and the texts in its attribute', async () => {
    const { page } = await open(`limit="2" texts='{"more":"Mehr zeigen","some":"{shown} von {found}"}'`);
    await page.getByRole('button', { name: 'Mehr zeigen' }).waitFor();
    const day = page.locator('testimonials-wall time').first();
    const isoDay = String(await day.getAttribute('datetime'));
    const dayIn = (lang: string) =>
      new Date(isoDay).toLocaleDateString(lang, { dateStyle: 'medium', timeZone: 'UTC' });
    expect(await day.innerText()).toBe(dayIn('en'));
    expect(await page.getByRole('status').innerText()).toMatch(/^2 von \d+$/);
    const languages = [
      ['html', 'ja', 'ja'],
      // An invalid but common language tag. The wall stays English.
      ['html', 'en_US', 'en'],
      ['testimonials-wall', 'de', 'de'],
    ] as const;
    for (const [where, lang, shown] of languages) {
      await setAttributes(page, { lang }, where);
      // The wall reads the page's language only with its next list.
      await setAttributes(page, { limit: '2' });
      await page.getByText(dayIn(shown)).first().waitFor();
    }
  });

  test('the look and the hidden parts can change', async () => {
    const { page } = await open('limit="4" tags="long,support"');
    const list = page.locator('testimonials-wall .cards');
    await cards(page).first().waitFor();
    expect(await list.getAttribute('class')).toMatch(/^cards columns/);
    expect(await page.locator('testimonials-wall time').count()).toBe(4);
    await setAttributes(page, { look: 'row', hide: 'dates,stars,tags' });
    await page.getByRole('button', { name: 'Next' }).waitFor();
    expect(await list.getAttribute('class')).toBe('cards row');
    expect(await page.locator('testimonials-wall :is(time, .rating, .tags)').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  });

  test('without "Show more" the wall is as high as its cards', async () => {
    const { page } = await open('limit="12" hide="more"', 390);
    await cards(page).nth(11).waitFor();
    await drawn(page);
    const last = await cards(page).nth(11).boundingBox();
    const wall = await page.locator('testimonials-wall').boundingBox();
    expect((wall?.y ?? 0) + (wall?.height ?? 0)).toBeCloseTo((last?.y ?? 0) + (last?.height ?? 0), 0);
    expect(await page.locator('testimonials-wall .card[inert]').count()).toBe(0);
  });

  test('an opened text makes the wall higher', async () => {
    const { page } = await open('tags="long"', 390);
    await cards(page).first().waitFor();
    await drawn(page);
    const before = await heightOf(page);
    await page.getByText('Read all').click();
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
    const { page, wrong } = await open('tags="hostile" order="asc" limit="100"');
    await cards(page).first().waitFor();
    expect(await page.locator('testimonials-wall .card .quote > p').allTextContents()).toEqual(
      hostileTexts.map((text) => `What they wrote: ${text}`.normalize('NFC')),
    );
    expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
    expect(await page.evaluate('violations')).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['a company', { author: { name: 'Jane', company: markup } }],
    ['a name', { author: { name: markup } }],
    ['a content', { content: markup }],
    ['a tag', { tags: [markup] }],
  ])('%s that is an object instead of a text is not shown and runs nothing', async (_, part) => {
    const { page, wrong } = await open('limit="3"');
    const plain = {
      id: 'pub_1',
      content: 'Plain',
      author: { name: 'Jane' },
      tags: [],
      createdAt: '2026-01-15T10:30:00.000Z',
    };
    const testimonials = [{ ...plain, ...Object(part) }];
    const body = JSON.stringify({ testimonials, pagination: { total: 1, hasNext: false } });
    const headers = { 'access-control-allow-origin': '*' };
    await page.route('**/v1/testimonials*', (route) =>
      route.fulfill({ body, headers, contentType: 'application/json' }),
    );
    await page.reload();
    await page.locator('html[title]').waitFor();
    expect(await page.evaluate('errors')).toEqual([expect.stringContaining('Expected string')]);
    expect(await page.locator('testimonials-wall script').count()).toBe(0);
    expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
    expect(await page.evaluate('violations')).toEqual([]);
    expect(wrong).toEqual([expect.stringMatching(/^testimonials-wall: .*Expected string/)]);
  });

  /** Expects the fallback, without reserved height. */
  async function expectFallback(page: Page) {
    const fallback = page.getByText('our reviews page');
    while ((await heightOf(page)) > 100) await drawn(page);
    expect(await fallback.isVisible()).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(900);
  }

  test.each([
    ['token="tst_wrong"', /^401 The API token is not valid in a URL\. .* Revoke this token, /],
    [
      'src="http://127.0.0.1:9"',
      /^http:\/\/127.0.0.1:9 cannot be reached, or its corsOrigins do not include http:\/\/127.0.0.1:\d+\.$/,
    ],
    ['token=""', 'The attribute page is missing, or src and token.'],
  ])(
    'with %s, visitors see the fallback, and an event and the console give the reason',
    async (wrongly, reason) => {
      const { page, wrong } = await open(wrongly);
      await page.locator('html[title]').waitFor();
      await expectFallback(page);
      const said = typeof reason === 'string' ? reason : expect.stringMatching(reason);
      expect(await page.evaluate('errors')).toEqual([said]);
      expect(wrong.map((line) => line.replace('testimonials-wall: ', ''))).toContainEqual(said);
    },
  );

  const slips = {
    'sort="nothing"': /^sort must be one of createdAt, updatedAt, rating\./,
    'order="up"': /^order must be one of asc, desc\./,
    'rating="9"': /^rating must be /,
    'limit="many"': /^limit must be /,
    'type="picture"': /^type must be one of /,
    'look="carousel"': /^look must be one of columns, row, single, list\./,
    'theme="drak"': /^theme must be one of auto, light, dark\./,
    'hide="everything"': /^hide must only contain more, tags, dates, stars\./,
    'lang="?"': /^lang must be a language such as de or pt-BR\./,
    'texts="{"': /^texts must be JSON such as /,
    'height="tall"': /^height must be a number of pixels\./,
  };

  /** Returns the texts of all cards. */
  const shownIn = (page: Page) => page.locator('testimonials-wall .card').allInnerTexts();

  test.each([
    ...Object.entries(slips).map(([slip, rule]) => [slip, [rule]] as const),
    [Object.keys(slips).join(' '), Object.values(slips)] as const,
  ])('with the slip %s, the wall has the default and warns in the console', async (slip, rules) => {
    const { page: plain } = await open('');
    await cards(plain).first().waitFor();
    const { page, wrong } = await open(slip);
    await cards(page).first().waitFor();
    expect(await shownIn(page)).toEqual(await shownIn(plain));
    expect(await page.evaluate('errors')).toEqual([]);
    const warnings = wrong.filter((line) => line.startsWith('testimonials-wall: '));
    const said = warnings.map((line) => line.replace('testimonials-wall: ', ''));
    for (const rule of rules) expect(said).toContainEqual(expect.stringMatching(rule));
    for (const line of said) expect(line).toMatch(/\. The default is used\.$/);
    expect(said).toHaveLength(rules.length);
  });

  test('with a sort that tokens in pages may not use, the wall has the default', async () => {
    const { page, wrong } = await open('sort="updatedAt"');
    await cards(page).first().waitFor();
    const warning = 'testimonials-wall: sort must be createdAt or rating. The default is used.';
    expect(wrong).toContain(warning);
  });

  /** Answers the requests of a page with these responses, and then as the service does. */
  async function respondWith(page: Page, ...responses: { status: number; retryAfter?: string }[]) {
    const times: string[] = [];
    await page.route('**/v1/testimonials*', (route) => {
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
    const { page } = await open('');
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
    const { page } = await open('');
    const requests = await respondWith(page, ...responses);
    await page.reload();
    await page.locator('html[title]').waitFor();
    await expectFallback(page);
    expect(requests).toHaveLength(count);
    expect(await page.evaluate('errors')).toEqual([`${responses.at(-1)?.status} Busy`]);
  });

  test('a request that takes too long fails', async () => {
    const { page } = await open('');
    await page.addInitScript(`
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (then, ms = 0) => setTimeout(then, ms < 1000 ? ms : 1, globalThis.limit = ms);`);
    await page.route('**/v1/testimonials*', () => {});
    await page.reload();
    await page.locator('html[title]').waitFor();
    await expectFallback(page);
    expect(await page.evaluate('limit')).toBe(15_000);
    expect(await page.evaluate('errors')).toEqual([`${service.url} does not respond.`]);
  });

  test('without approved testimonials, visitors see the fallback', async () => {
    const { page, wrong } = await open('tags="nothing-has-this"');
    await expectFallback(page);
    expect(await page.evaluate('errors')).toEqual([]);
    expect(wrong).toEqual(['testimonials-wall: no approved testimonial matches its attributes.']);
  });

  test('if more cannot be loaded, a message says so and the visitor can try again', async () => {
    const { page } = await open('limit="2"');
    await cards(page).nth(1).waitFor();
    await page.route('**/v1/testimonials*', (route) => route.abort());
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('could not be loaded').waitFor();
    await page.unroute('**/v1/testimonials*');
    await page.getByRole('button', { name: 'Show more' }).click();
    await cards(page).nth(3).waitFor();
  });

  test('without scripts, visitors see the fallback', async () => {
    const { page, requests } = await open('', 390, { javaScriptEnabled: false });
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

  test('a script that is hosted elsewhere finds the page by src', async () => {
    const id = await createPage('limit=3');
    const { page, requests } = await openWith(`page="${id}" src="${service.url}/"`, 'embed.js', 1280, {});
    await cards(page).nth(2).waitFor();
    expect(requests).toEqual([`GET ${service.url}/w/${id}.json?page=1`]);
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

  test('settings that are no texts are not used', async () => {
    const { page } = await openPage(await createPage('limit=3'));
    const body = JSON.stringify({
      settings: { look: markup },
      testimonials: [],
      pagination: { total: 0, hasNext: false },
    });
    await page.route('**/w/*.json*', (route) =>
      route.fulfill({
        body,
        headers: { 'access-control-allow-origin': '*' },
        contentType: 'application/json',
      }),
    );
    await page.reload();
    await page.locator('html[title]').waitFor();
    expect(await page.evaluate('errors')).toEqual([expect.stringContaining('Expected string')]);
    expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
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
