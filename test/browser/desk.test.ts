/** The queue and the list of the desk in a browser: by keys, by mouse, and without JavaScript. */
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { adminOf } from '../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { someOf } from '../some-of.ts';
import { describeInBrowser, expectSound, launchBrowser, looks, watchedPages } from './browser.ts';
import { withOldLibraries, withThrowingBuiltIns } from './old-libraries.ts';
import { type ServedDesk, serveDesk } from './served-desk.ts';

describeInBrowser('the desk', () => {
  let browser: Browser;
  let api: ApiClient;
  let desk: ServedDesk;
  const newPage = watchedPages();
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  beforeEach(async () => {
    api = await createApiClient();
    desk = await serveDesk(api.table);
  });

  async function create(content: string, overrides: Record<string, unknown> = {}): Promise<string> {
    const name = content.split(' ')[0] ?? '';
    const author = { name, email: 'jane@example.com' };
    return (await api.create(testimonialBody({ content, author, ...overrides }))).body.id;
  }
  async function statuses(): Promise<Record<string, string>> {
    const { testimonials } = (await api.list('order=asc&limit=100')).body;
    return Object.fromEntries(
      testimonials.map(({ author, status }: { author: { name: string }; status: string }) => [
        author.name,
        status,
      ]),
    );
  }
  const admin = (...args: string[]) => adminOf(api.table)('testimonial', ...args, '--organization', 'acme');

  /** Opens the desk; `wrong` collects errors and foreign requests. */
  async function open(options: BrowserContextOptions = {}) {
    const { url } = desk;
    const { page, wrong } = await newPage(browser, (asked) => asked.startsWith(`${url}/`), options);
    await desk.signIn(page.context());
    const go = (path: string) => page.goto(`${url}${path}`);
    await go('/desk');
    return { page, wrong, go };
  }

  const card = (page: Page, name: string) => page.locator('.card', { hasText: name });
  const said = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

  test.each([
    ['throw', () => withThrowingBuiltIns(desk.url)],
    ['are those of old libraries', () => withOldLibraries],
  ])("the desk's own script works where built-ins %s", async (_, init) => {
    for (const name of ['First', 'Second', 'Third']) await create(`${name} words in a row`);
    const { page, go } = await open();
    await page.addInitScript(init());
    const empty = { contentType: 'text/javascript', body: '' };
    for (const other of ['htmx', 'passkeys'])
      await page.route(`**/${other}.js`, (route) => route.fulfill(empty));
    await go('/desk/list');
    await page.locator('[data-select-all]').check();
    expect(await page.locator('[data-selected]').innerText()).toBe('3 selected');
    await page.locator('#selection input[name="seen"]').first().uncheck();
    expect(await page.locator('[data-selected]').innerText()).toBe('2 selected');
    expect(await page.locator('time[datetime]').first().getAttribute('title')).toMatch(/\d/);
    await go('/desk/queue');
    await page.keyboard.press('A');
    await said(page, /approved/i);
    expect(Object.values(await statuses()).toSorted()).toEqual(['approved', 'pending', 'pending']);
  });

  test.each(someOf(looks))(
    'at %i pixels in %s axe finds nothing on any page, and nothing comes from other origins',
    async (width, colorScheme) => {
      await create('Long words in a row. '.repeat(60), { rating: 4, tags: ['support', 'x'.repeat(50)] });
      const id = await create('Approved words in a row', { rating: 5 });
      await create('Others words in a row');
      await admin('approve', id);
      const { page, wrong, go } = await open({ viewport: { width, height: 900 }, colorScheme });
      expect(page.url()).toMatch(/\/queue$/);
      await expectSound(page);
      await page.getByRole('button', { name: 'Skip' }).click();
      await said(page, /^Skipped\.$/);
      await expectSound(page);
      for (const path of [
        '/desk/numbers',
        '/desk/list?limit=1&page=2',
        '/desk/list?search=absent',
        '/desk/list',
      ]) {
        await go(path);
        await expectSound(page);
      }
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await admin('reject', id);
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await said(page, /^Someone else changed/);
      await expectSound(page);
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByRole('button', { name: 'Add tag' }).click();
      await said(page, /^Enter a tag first\./);
      // The selection stays.
      await said(page, '3 selected');
      await expectSound(page);
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByLabel('Minimum rating').waitFor();
      await expectSound(page);
      await page.keyboard.press('Escape');
      await page
        .locator('#selection .card', { hasText: 'Approved words' })
        .locator('.more > summary')
        .click();
      await expectSound(page);
      await page.getByRole('button', { name: 'Erase… Approved’s testimonial' }).click();
      await said(page, 'Erase 1 testimonial for good?');
      await expectSound(page);
      // Chromium logs the response to the missing tag.
      expect(wrong.splice(0)).toEqual([expect.stringContaining('status of 422')]);
    },
  );

  test('keys decide on the queue, oldest first, and undo restores the last testimonial', async () => {
    for (const name of ['Ada', 'Bert', 'Cleo', 'Dora']) await create(`${name} likes it very much`);
    const { page } = await open();
    await said(page, 'Ada likes it');
    const press = async (keys: [key: string, shown: string][]) => {
      for (const [key, shown] of keys) {
        await page.keyboard.press(key);
        await said(page, `${shown} likes it`);
      }
    };
    await press([
      ['a', 'Bert'],
      ['r', 'Cleo'],
      ['s', 'Dora'],
      ['u', 'Cleo'],
      ['u', 'Bert'],
      ['a', 'Cleo'],
    ]);
    expect(await page.locator('#pending').innerText()).toMatch(/^2/);
    await page.keyboard.press('Control+a');
    await press([['a', 'Dora']]);
    await page.keyboard.press('r');
    await said(page, 'Nothing is pending');
    const all = { Ada: 'approved', Bert: 'approved', Cleo: 'approved' };
    expect(await statuses()).toEqual({ ...all, Dora: 'rejected' });
    await press([['u', 'Dora']]);
    expect(await statuses()).toEqual({ ...all, Dora: 'pending' });
  });

  test('no key is lost if it is pressed as soon as a card appears', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `Person${n}`);
    for (const name of names) await create(`${name} likes it very much`);
    const { page } = await open();
    for (const name of names) {
      await page.locator('#who', { hasText: new RegExp(`^${name}\\b`) }).waitFor();
      await page.keyboard.press('a');
    }
    await said(page, 'Nothing is pending');
    expect(new Set(Object.values(await statuses()))).toEqual(new Set(['approved']));
  });

  test('a selection is approved and tagged; a testimonial that changed meanwhile is marked', async () => {
    for (const name of ['Ada', 'Bert', 'Cleo']) await create(`${name} likes it very much`);
    const bert = (await api.list('search=bert')).body.testimonials[0].id;
    const { page, go } = await open();
    await go('/desk/list');
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await said(page, '3 selected');
    await card(page, 'Cleo').getByRole('checkbox').uncheck();
    await admin('reject', bert);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await said(page, '1 testimonial approved.');
    const marked = page.getByRole('region', { name: /^Someone else changed/ });
    expect(await marked.innerText()).toMatch(/Bert[\s\S]*Rejected/);
    expect(await statuses()).toEqual({ Ada: 'approved', Bert: 'rejected', Cleo: 'pending' });
    // The person can decide after a second look.
    await marked.getByRole('button', { name: 'Approve' }).click();
    await marked.waitFor({ state: 'detached' });
    expect(await statuses()).toMatchObject({ Bert: 'approved' });

    await card(page, 'Cleo').getByRole('checkbox').check();
    await page.getByLabel('Tags, separated by commas').fill('featured');
    await page.keyboard.press('Enter');
    await said(page, '1 testimonial tagged.');
    expect((await api.list('tags=featured')).body.pagination.total).toBe(1);
  });

  test('the list updates while you type, filters, and has pages', async () => {
    for (let n = 1; n <= 12; n += 1) await create(`Number${n} likes it very much`, { rating: 1 + (n % 5) });
    const { page, go } = await open();
    await go('/desk/list?limit=10');
    await page.getByRole('link', { name: 'Next' }).click();
    await said(page, 'Number1 likes');
    expect(new URL(page.url()).searchParams.get('page')).toBe('2');
    await page.getByRole('searchbox').fill('number7');
    await page.getByText('1 testimonial', { exact: true }).waitFor();
    expect(await page.getByRole('searchbox').evaluate((each) => each.matches(':focus'))).toBe(true);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Minimum rating').selectOption('5');
    await page.getByText('2 testimonials', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByLabel('Minimum rating').waitFor({ state: 'hidden' });
    // The chip removes the filter, also in the sheet.
    await page.getByRole('link', { name: 'Minimum rating: 5' }).click();
    await page.getByText('12 testimonials', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    expect(await page.getByLabel('Minimum rating').inputValue()).toBe('');
  });

  test('the desk works without JavaScript', async () => {
    for (const name of ['Ada', 'Bert', 'Cleo']) await create(`${name} likes it very much`);
    const { page, go } = await open({ javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Bert likes it').waitFor();
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Bert’s testimonial is back in the queue.');
    // Nothing is sent again.
    await page.reload();
    await page.getByText('Bert likes it').waitFor();
    await page.goBack();
    await page.getByText('Bert likes it').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Bert’s testimonial is back in the queue.');
    await go('/desk/list');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Order').selectOption('asc');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(page.url()).toContain('order=asc');
    await card(page, 'Bert').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await said(page, '1 testimonial rejected.');
    expect(await statuses()).toEqual({ Ada: 'approved', Bert: 'rejected', Cleo: 'pending' });
    await card(page, 'Cleo').locator('.more > summary').click();
    await page.getByRole('button', { name: /^Erase… Cleo/ }).click();
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await said(page, /^1 testimonial erased/);
    await page.goBack();
    await said(page, 'These testimonials no longer exist.');
    await go('/desk/list');
    await card(page, 'Bert').or(card(page, 'Ada')).first().locator('.more > summary').click();
    await page.getByRole('button', { name: 'All by this person' }).first().click();
    await page.getByRole('link', { name: 'All testimonials' }).waitFor();
    await said(page, '2 testimonials');
    await page.goBack();
    await said(page, '2 testimonials');
  });

  test('every control can be reached and seen by keyboard', async () => {
    await create('Ada likes it very much');
    const { page, go } = await open();
    await go('/desk/list');
    const reached = new Set<string>();
    for (let i = 0; i < 40; i += 1) {
      await page.keyboard.press('Tab');
      const [name, outline] = await page.evaluate<[string, string]>(`
        (({ activeElement: each }) => [
          each.tagName + ' ' + (each.name ?? '') + ' ' + (each.value ?? each.textContent).trim(),
          getComputedStyle(each).outlineStyle,
        ])(document)`);
      if (name.startsWith('BODY')) break;
      expect({ name, outline }).toEqual({ name, outline: 'solid' });
      reached.add(name);
    }
    expect(reached.size).toBeGreaterThan(15);
    await page.locator('.card input[type=checkbox]').focus();
    await page.keyboard.press('Space');
    await said(page, '1 selected');
    await page.locator('.toolbar button.approve').focus();
    await page.keyboard.press('Enter');
    await said(page, '1 testimonial approved.');
  });
});
