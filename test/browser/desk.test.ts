/** The desk in a browser, by keys and by mouse: invitations, the queue, the list, pages and numbers. */
import { beforeEach, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import { invitationLink, inviteAgain } from '../../functions/serve-desk/people.ts';
import { adminOf } from '../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { someOf } from '../some-of.ts';
import { describeInBrowser, expectAccessible, looks, phone, watchedPages } from './browser.ts';
import { type ServedDesk, serveDesk } from './served-desk.ts';

describeInBrowser('the desk', () => {
  let api: ApiClient;
  let desk: ServedDesk;
  const newPage = watchedPages();
  beforeEach(async () => {
    api = await createApiClient();
    desk = await serveDesk(api.table, { remembers: true });
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
  async function open(path = 'queue', options: BrowserContextOptions = {}) {
    const { page, wrong } = await desk.open(path, options, newPage);
    return { page, wrong, go: (to: string) => page.goto(`${desk.url}/desk/${to}`) };
  }

  const said = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

  test.each(someOf(looks))(
    'at %i pixels in %s axe finds nothing on any page, and nothing comes from other origins',
    async (width, colorScheme) => {
      await create('Long words in a row. '.repeat(60), { rating: 4, tags: ['support', 'x'.repeat(50)] });
      const id = await create('Approved words in a row', { rating: 5 });
      await create('Others words in a row');
      await admin('approve', id);
      const { page, wrong, go } = await open('queue', { viewport: { width, height: 900 }, colorScheme });
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Skip' }).click();
      await said(page, /^Skipped\.$/);
      await expectAccessible(page);
      const pages = [
        'people',
        'me',
        'me/sign-out',
        'open',
        'list?limit=1&page=2',
        'list?search=absent',
        'list',
      ];
      for (const path of pages) {
        await go(path);
        await expectAccessible(page);
      }
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await admin('reject', id);
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await said(page, /^Someone else changed/);
      await expectAccessible(page);
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByRole('button', { name: 'Add tag' }).click();
      await said(page, /^Enter a tag first\./);
      // The selection stays.
      await said(page, '3 selected');
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByLabel('Minimum rating').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await page
        .locator('#selection .card', { hasText: 'Approved words' })
        .locator('.more > summary')
        .click();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Erase… Approved’s testimonial' }).click();
      await said(page, 'Erase 1 testimonial for good?');
      await expectAccessible(page);
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
    const names = Array.from({ length: 6 }, (_, n) => `Person${n}`);
    for (const name of names) await create(`${name} likes it very much`);
    const { page } = await open();
    for (const name of names) {
      await page.locator('#who', { hasText: new RegExp(`^${name}\\b`) }).waitFor();
      await page.keyboard.press('a');
    }
    await said(page, 'Nothing is pending');
    expect(new Set(Object.values(await statuses()))).toEqual(new Set(['approved']));
  });

  test('the list updates while you type, filters, and has pages', async () => {
    for (let n = 1; n <= 12; n += 1) await create(`Number${n} likes it very much`, { rating: 1 + (n % 5) });
    const { page } = await open('list?limit=10');
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

  test('every control can be reached and seen by keyboard', async () => {
    await create('Ada likes it very much');
    const { page } = await open('list');
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

  test('a person opens the invitation; a link scanner that runs scripts does not', async () => {
    const { person } = await desk.signedIn({ name: 'Ben' });
    const secret = await inviteAgain(desk.people, person);
    const link = invitationLink(desk.url, secret);
    // No URL that is requested has the secret.
    const { page: scanner } = await newPage((asked) => !asked.includes(secret));
    await scanner.goto(link, { waitUntil: 'networkidle' });
    await scanner.waitForFunction("document.querySelector('#invitation').value.startsWith('tsi_')");
    expect(new URL(scanner.url()).hash).toBe('');
    const { page } = await newPage((asked) => asked.startsWith(`${desk.url}/`));
    // Changed as by a mail program.
    await page.goto(link.replace('#', '%23'));
    await said(page, 'This link was changed on its way to you');
    expect(page.url()).toBe(`${desk.url}/desk/open`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/desk/queue');
  });

  test('keys can be turned off, and stay off', async () => {
    await create('An elk that no key decides about');
    const { page, go } = await open('me');
    await page.getByLabel('Keyboard shortcuts in the queue').uncheck();
    await go('queue');
    await page.keyboard.press('a');
    expect(await page.locator('.decision kbd').first().isVisible()).toBe(false);
    expect(await page.locator('[aria-keyshortcuts]').count()).toBe(0);
    await page.getByRole('button', { name: 'Skip' }).click();
    await said(page, /^Skipped\.$/);
    expect(await statuses()).toEqual({ An: 'pending' });
    await go('me');
    await page.getByLabel('Keyboard shortcuts in the queue').check();
    await go('queue');
    await page.keyboard.press('a');
    await said(page, /is approved/);
  });

  test('an owner makes a form on a phone, copies its link, and sees each change in the preview', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page } = await open('pages', { viewport: phone.viewport, permissions });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New form' }).click();
    await page.getByRole('heading', { name: 'Tell us' }).waitFor();
    const preview = page.frameLocator('iframe >> nth=0');
    await preview.getByText('Your company').waitFor();
    await expectAccessible(page);
    const copy = page.getByRole('button', { name: 'Copy Link', exact: true });
    await copy.dblclick();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(link).toMatch(/\/f\/\w{22}$/);
    await page.getByRole('button', { name: 'QR code' }).click();
    expect(await readCode(page)).toBe(link);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Close' }).click();
    // The preview follows each key, and going back does not lead through its versions.
    const before = await page.evaluate('history.length');
    await page.getByLabel('Title', { exact: true }).fill('Tell us');
    await page.getByLabel('Introduction').fill('How was your stay?');
    await preview.getByText('How was your stay?').waitFor();
    await page.getByRole('switch', { name: 'Company' }).uncheck();
    await preview.getByText('Your company').waitFor({ state: 'detached' });
    expect(await page.evaluate('history.length')).toBe(before);
    // Its name is back, although it was clicked twice.
    await copy.waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await said(page, 'Saved.');
    await page.getByRole('link', { name: 'Remove this form…' }).click();
    await page.getByRole('heading', { name: 'Remove “Tell us”?' }).waitFor();
    await expectAccessible(page);
  });

  /** Reads the QR code on a page. */
  async function readCode(page: Page): Promise<string> {
    const size = 300;
    const data = await page.evaluate(`(async () => {
      const image = document.querySelector('.qr img');
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: ${size}, height: ${size} });
      const context = canvas.getContext('2d');
      context.fillStyle = 'white';
      context.fillRect(0, 0, ${size}, ${size});
      context.drawImage(image, 0, 0, ${size}, ${size});
      return Array.from(context.getImageData(0, 0, ${size}, ${size}).data, (byte) => String.fromCharCode(byte)).join('');
    })()`);
    return decodeQR({
      data: Uint8Array.from(Buffer.from(String(data), 'latin1')),
      width: size,
      height: size,
    });
  }

  test.each(someOf([...looks, [320, 'light']] as const))(
    'at %i pixels in %s the bars of “Numbers” stand for the figures, and nothing is cut',
    async (width, colorScheme) => {
      await adminOf(api.table)('seed', '--organization', 'acme', '--count', '600');
      const { page } = await open('numbers', { viewport: { width, height: 844 }, colorScheme });
      await expectAccessible(page);
      // The lengths of the bars on the axis that the page uses at this width, and their counts.
      const isColumns = width >= 640;
      const bars = await page.locator('.columns .bar').evaluateAll((each, isColumns) => {
        return each.map((bar) => ({
          count: Number(bar.textContent),
          length: [...bar.querySelectorAll('svg')]
            .map((part) => part.getBoundingClientRect()[isColumns ? 'height' : 'width'])
            .reduce((sum, part) => sum + part, 0),
          isInside: bar.scrollWidth <= bar.clientWidth && bar.scrollHeight <= bar.clientHeight,
        }));
      }, isColumns);
      expect(bars).toHaveLength(12);
      const { count: most, length: longest } = bars.toSorted((a, b) => b.count - a.count)[0] ?? {
        count: 0,
        length: 0,
      };
      expect(longest).toBeGreaterThan(100);
      for (const { count, length, isInside } of bars) {
        expect(Math.abs(length - (longest * count) / most)).toBeLessThan(1);
        expect(isInside).toBe(true);
      }
      await page.getByText('Tables', { exact: true }).click();
      await page.getByRole('table').first().waitFor();
      await expectAccessible(page);
    },
  );
});
