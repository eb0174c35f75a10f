/** The page at `/docs`, as a newcomer uses it. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { isolated, type ServiceProcess, startService } from '../service/service-process.ts';
import { describeInBrowser, expectSound, launchBrowser, looks, newPage } from './browser.ts';

describeInBrowser('the page of the running service', () => {
  let service: ServiceProcess;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(isolated(':memory:')), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.end();
  });

  /** Opens the page; `wrong` collects what must not happen. */
  async function open(width: number, colorScheme: 'light' | 'dark') {
    const isOwn = (url: string) => url.startsWith(service.url) || url.startsWith('data:');
    const options = { viewport: { width, height: 900 }, colorScheme };
    const { page, wrong } = await newPage(browser, isOwn, options);
    await page.goto(`${service.url}/docs`);
    // Once the token is filled in, the page is drawn anew.
    await page.waitForSelector('.authorize.locked');
    await page.waitForSelector('.opblock-post');
    return { page, wrong };
  }
  const liveStatus = (page: Page, operation: 'post' | 'get') =>
    page
      .locator(`.opblock-${operation} .live-responses-table tbody .response-col_status`)
      .first()
      .innerText();

  test.each(looks)(
    'creates and lists at %i pixels in %s, and axe finds nothing serious',
    async (width, scheme) => {
      const { page, wrong } = await open(width, scheme);
      for (const operation of ['post', 'get'] as const) {
        await page.locator(`.opblock-${operation} .opblock-summary-control`).click();
        await page.locator(`.opblock-${operation} .execute`).click();
        await page.waitForSelector(`.opblock-${operation} .live-responses-table`);
      }
      expect(await liveStatus(page, 'post')).toMatch(/^201/);
      expect(await liveStatus(page, 'get')).toMatch(/^200/);
      // What was created by its example is found by the examples of search and tags.
      expect(await page.locator('.opblock-get .live-responses-table').innerText()).toContain(
        'Amazing product!',
      );
      await expectSound(page, ['serious', 'critical']);
      expect(wrong).toEqual([]);
    },
  );

  test('operations stand under a name, and an item that is added is an example', async () => {
    const { page } = await open(1280, 'light');
    const [name] = (await page.locator('.opblock-tag').innerText()).split('\n');
    expect(name).toBe('Testimonials');
    await page.locator('.opblock-get .opblock-summary-control').click();
    const tags = page.locator('.opblock-get tr[data-param-name="tags"]');
    await tags.locator('.json-schema-form-item-add').click();
    expect(await tags.locator('input').inputValue()).toBe('support');
  });

  test('the errors of an operation are a line each, until one is opened', async () => {
    const { page } = await open(1280, 'light');
    await page.locator('.opblock-post .opblock-summary-control').click();
    const lines = page.locator('.opblock-post .responses-table .folded');
    await lines.first().waitFor();
    expect(await lines.locator('td:first-child').allInnerTexts()).toEqual([
      '400',
      '401',
      '403',
      '413',
      '422',
      '429',
      '431',
      '500',
      '503',
    ]);
    const whole = page.locator('.opblock-post tr[data-code="422"]');
    expect(await whole.count()).toBe(0);
    await page.getByRole('button', { name: 'The testimonial breaks a rule' }).click();
    expect(await whole.innerText()).toContain('must have 10 to 10,000 characters');
    await page.getByRole('button', { name: 'The testimonial breaks a rule' }).click();
    expect(await whole.count()).toBe(0);
  });

  test('headings are in order', async () => {
    const { page } = await open(1280, 'light');
    await page.locator('.opblock-post .opblock-summary-control').click();
    await page.locator('.opblock-post h4').first().waitFor();
    const levels = await page
      .locator('h1, h2, h3, h4, h5')
      .evaluateAll((all) => all.map((each) => Number(each.ariaLevel ?? each.localName.slice(1))));
    expect(levels[0]).toBe(1);
    for (const [i, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[i - 1] ?? 0) + 1);
  });

  test.each([
    [1280, 'light'],
    [320, 'dark'],
  ] as const)('the reference tells every operation, at %i pixels in %s', async (width, colorScheme) => {
    const { page } = await open(width, colorScheme);
    await page.getByRole('link', { name: 'Read the reference' }).click();
    await page.getByRole('heading', { name: 'List testimonials' }).waitFor();
    const document = await (await fetch(`${service.url}/docs/openapi.json`)).json();
    const summaries = Object.values<Record<string, { summary: string }>>(Object(document).paths).flatMap(
      (methods) => Object.values(methods).map(({ summary }) => summary),
    );
    expect(await page.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(summaries);
    await expectSound(page);
  });

  test('the requests of the reference are answered as it says', async () => {
    const page = await browser.newPage();
    await page.goto(`${service.url}/docs/reference`);
    const samples = page.locator('.request pre');
    await samples.nth(2).waitFor();
    const [start = '', ...requests] = await samples.allInnerTexts();
    const answered = requests.map((request) =>
      JSON.parse(execFileSync('bash', ['-c', `${start}\n${request}`], { encoding: 'utf8', stdio: 'pipe' })),
    );
    const told = await page.locator('.answer > .sample:nth-of-type(1) pre').allInnerTexts();
    for (const [i, answer] of answered.entries()) {
      expect(Object.keys(answer).sort()).toEqual(Object.keys(JSON.parse(told[i] ?? '{}')).sort());
    }
    expect(answered[1].testimonials).toContainEqual(answered[0]);
  });

  test('the keyboard alone suffices', async () => {
    const { page } = await open(1280, 'light');
    const tabTo = async (selector: string) => {
      for (let i = 0; i < 60; i += 1) {
        await page.keyboard.press('Tab');
        if (await page.evaluate<boolean>(`document.activeElement.matches('${selector}')`)) return;
      }
      throw new Error(`The keyboard does not reach ${selector}`);
    };
    await tabTo('.opblock-post .opblock-summary-control');
    await page.keyboard.press('Enter');
    await page.locator('.opblock-post .body-param textarea').waitFor();
    await tabTo('.opblock-post .execute');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.opblock-post .live-responses-table');
    expect(await liveStatus(page, 'post')).toMatch(/^201/);
    // Again, which creates another one.
    expect(await page.locator('.opblock-post .live-responses-table').innerText()).not.toContain('replayed');
  });

  test('the token is for pages of this machine only', async () => {
    const token = await fetch(`${service.url}/docs/token`);
    expect(await token.json()).toEqual({
      token: service.token,
      publishedToken: expect.stringMatching(/^tst_/),
    });
    const foreign = await fetch(`${service.url}/docs/token`, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(foreign.status).toBe(404);
  });
});
