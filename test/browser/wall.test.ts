/** A static wall in a browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { buildWall } from '../../functions/walls/files/build-wall.ts';
import { toWallTestimonial } from '../../functions/walls/files/read-wall.ts';
import { wallApp } from '../../functions/walls/files/wall-files.ts';
import { writeWall } from '../../functions/walls/files/write-wall.ts';
import { readSettings } from '../../functions/walls/settings.ts';
import { frameSnippet } from '../../lib/operator/commands/wall.ts';
import { type ServedPages, serveOnLoopback } from '../../lib/serve-on-loopback.ts';
import { hostileTestimonial, hostileTexts } from '../unit/walls/hostile.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import { describeInBrowser, drawn, expectSound, launchBrowser, looks, newPage } from './browser.ts';

const long = 'They answered within the hour, and the migration took a single afternoon. '.repeat(40);
const testimonials: Testimonial[] = [
  ...hostileTexts.map(hostileTestimonial),
  { ...hostileTestimonial('long', 1), content: long },
  ...Array.from(generateTestimonials(90), ({ testimonial }) => testimonial),
];

describeInBrowser('a wall', () => {
  let folder: string;
  let wall: ServedPages;
  let url: string;
  let browser: Browser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testimonials-wall-'));
    await writeWall(
      folder,
      buildWall(testimonials.map(toWallTestimonial), {
        settings: readSettings({ title: 'What customers say' }),
        about: { type: 'Product', name: 'Acme' },
        isChosenByRating: false,
      }),
      (error) => error,
    );
    [wall, browser] = await Promise.all([serveOnLoopback(0, () => wallApp(folder)), launchBrowser()]);
    url = `http://127.0.0.1:${wall.port}`;
  });
  afterAll(async () => {
    await browser?.close();
    await wall?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens the wall and watches it; `wrong` collects everything unexpected. */
  async function open(width: number, options: BrowserContextOptions = {}) {
    const { page, wrong } = await newPage(browser, (requested) => requested.startsWith(`${url}/`), {
      viewport: { width, height: 900 },
      ...options,
    });
    page.on('requestfailed', (request) => wrong.push(`failed ${request.url()}`));
    page.on('response', (response) => {
      if (response.status() >= 400) wrong.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(url);
    if (options.javaScriptEnabled !== false) await page.waitForSelector('#controls');
    return { page, wrong };
  }

  const cards = (page: Page) => page.locator('.card');
  const said = (page: Page) => page.locator('#count').innerText();

  test.each([...looks, [320, 'light']] as const)(
    'at %i pixels in %s nothing moves, nothing loads from other origins, and axe finds nothing',
    async (width, colorScheme) => {
      const { page, wrong } = await open(width, { colorScheme });
      expect(await cards(page).count()).toBe(24);
      await drawn(page);
      expect(await page.evaluate('shifts')).toEqual([]);
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.locator('.card').nth(47).waitFor();
      await expectSound(page);
      expect(wrong).toEqual([]);
    },
  );

  test.each([1280, 390])(
    'at %i pixels the wall shows without scripts, and has no controls',
    async (width) => {
      const { page, wrong } = await open(width, { javaScriptEnabled: false });
      expect(await cards(page).count()).toBe(24);
      expect(await said(page)).toBe(`Showing 24 of ${testimonials.length} testimonials`);
      expect(await page.locator(':is(input, select, button):visible').count()).toBe(0);
      await page.locator('summary').last().click();
      expect(await page.getByText(long.trim(), { exact: true }).isVisible()).toBe(true);
      expect(wrong).toEqual([]);
    },
  );

  test('the script creates the same cards as the build', async () => {
    const { page } = await open(1280);
    const html = () => page.locator('#cards').innerHTML();
    const before = await html();
    await page.getByRole('searchbox').fill('nothing has this');
    await page.getByText('No testimonial matches.').waitFor();
    expect(await cards(page).count()).toBe(0);
    await page.getByRole('searchbox').fill('');
    await cards(page).first().waitFor();
    expect(await html()).toBe(before);
  });

  test('hostile texts are shown as text, in cards of the page and of the script', async () => {
    const { page, wrong } = await open(1280);
    const visible = () => page.locator('.card .quote > p').allTextContents();
    const expected = hostileTexts.map((text) => `What they wrote: ${text}`.normalize('NFC'));
    expect((await visible()).slice(0, hostileTexts.length)).toEqual(expected);
    await page.getByRole('searchbox').fill('what they wrote');
    await page.getByText(`${hostileTexts.length} testimonials`, { exact: true }).waitFor();
    expect(await visible()).toEqual(expected);
    expect(await page.locator('.name').allTextContents()).toEqual(
      hostileTexts.map((text) => text.normalize('NFC').slice(0, 200)),
    );
    expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
    expect(
      await page
        .locator('main script, main img, main [onmouseover], main [onload], main [style]:not(.card)')
        .count(),
    ).toBe(0);
    expect(await page.evaluate('violations')).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test('right-to-left text does not affect the text around it', async () => {
    const { page } = await open(1280);
    const turned = page.locator('.card', { hasText: 'gnp.exe' });
    const direction = await turned
      .locator('.who')
      .evaluate((who) =>
        [...who.querySelectorAll('*')].map((each) => `${each.localName} ${each.matches(':dir(ltr)')}`),
      );
    expect(direction).toEqual(['span true', 'bdi true', 'span true', 'bdi true']);
    expect(await turned.locator('time').innerText()).toMatch(/^Jan \d+, 2026$/);
  });

  test('rating, tag and search narrow the wall together, and the count is announced', async () => {
    const { page } = await open(390);
    const having = (matches: (testimonial: Testimonial) => boolean) => testimonials.filter(matches).length;
    await page.getByRole('radio', { name: '4 stars and more' }).check();
    const rated = having(({ rating = 0 }) => rating >= 4);
    await page.getByText(`Showing 24 of ${rated} testimonials`).waitFor();
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('support');
    const tagged = having(({ rating = 0, tags }) => rating >= 4 && tags?.includes('support') === true);
    await page.getByText(`${tagged} testimonials`, { exact: true }).waitFor();
    expect(await cards(page).count()).toBe(tagged);
    expect(await page.locator('.card .rating').allInnerTexts()).toEqual(
      expect.arrayContaining(['5 out of 5 stars']),
    );
    await page.getByRole('radio', { name: 'All ratings' }).check();
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('');
    await page.getByText(`Showing 24 of ${testimonials.length} testimonials`).waitFor();
    expect(await page.locator('#count').getAttribute('role')).toBe('status');
  });

  test('the keyboard is enough: "Show more" moves the focus to the first new card', async () => {
    const { page } = await open(1280);
    await page.getByRole('button', { name: 'Show more' }).focus();
    await page.keyboard.press('Enter');
    await cards(page).nth(24).waitFor();
    await page.waitForFunction('document.activeElement === document.querySelectorAll(".card")[24]');
    for (let shown = 48; shown < testimonials.length; shown += 24) {
      await page.getByRole('button', { name: 'Show more' }).click();
      await cards(page)
        .nth(Math.min(shown + 24, testimonials.length) - 1)
        .waitFor();
    }
    expect(await said(page)).toBe(`${testimonials.length} testimonials`);
    expect(await page.getByRole('button', { name: 'Show more' }).isHidden()).toBe(true);
  });

  /** Returns the positions of the cards, in the order of the page. */
  const positions = (page: Page) =>
    page.evaluate<{ left: number; top: number; bottom: number; end: number }[]>(`
      [...document.querySelectorAll('.card')].map((card) => {
        const { left, top, bottom } = card.getBoundingClientRect();
        const end = card.querySelector('figcaption').getBoundingClientRect().bottom;
        return { left, top: top + scrollY, bottom: bottom + scrollY, end: end + scrollY };
      })`);

  test.each([1280, 820, 390])(
    'at %i pixels cards of different heights leave no gaps and keep the order of the page',
    async (width) => {
      const { page } = await open(width);
      await page.getByRole('button', { name: 'Show more' }).click();
      await cards(page).nth(47).waitFor();
      const all = await positions(page);
      const columns = Map.groupBy(all, ({ left }) => left);
      expect(columns.size).toBe({ 1280: 3, 820: 2, 390: 1 }[width]);
      for (const column of columns.values()) {
        for (const [i, { top, bottom, end }] of column.entries()) {
          expect(bottom - end).toBeCloseTo(23, 0);
          expect(top - (column[i - 1]?.bottom ?? top - 18)).toBeCloseTo(18, 0);
        }
      }
      const ends = Array.from(columns.values(), (column) => column.at(-1)?.bottom ?? 0);
      const tallest = Math.max(...all.map(({ top, bottom }) => bottom - top));
      expect(Math.max(...ends) - Math.min(...ends)).toBeLessThanOrEqual(tallest + 96);
      // No card begins noticeably above an earlier one.
      let lowest = 0;
      for (const { top } of all) {
        expect(top).toBeGreaterThanOrEqual(lowest - 96);
        lowest = Math.max(lowest, top);
      }
    },
  );

  test('"Read all" moves only the cards below; "Show less" moves them back', async () => {
    const { page } = await open(1280);
    const index = hostileTexts.length;
    const before = await positions(page);
    await cards(page).nth(index).getByText('Read all').click();
    await drawn(page);
    const after = await positions(page);
    const opened = before[index];
    const moved = after.map(({ left, top }, i) => [
      left - (before[i]?.left ?? 0),
      top - (before[i]?.top ?? 0),
    ]);
    const grown = (after[index]?.bottom ?? 0) - (opened?.bottom ?? 0);
    expect(grown).toBeGreaterThan(200);
    const expected = before.map(({ left }, i) => [0, i > index && left === opened?.left ? grown : 0]);
    expect(moved.map(([x = 0, y = 0]) => [Math.round(x), Math.round(y)])).toEqual(
      expected.map(([x = 0, y = 0]) => [x, Math.round(y)]),
    );
    await cards(page).nth(index).getByText('Show less').click();
    await drawn(page);
    expect(await positions(page)).toEqual(before);
  });

  test('"Read all" shows only if a text is cut off', async () => {
    const { page } = await open(1280);
    const cut = () =>
      page.evaluate<[boolean, boolean][]>(`
        [...document.querySelectorAll('.unfold')].map((unfold) => {
          const { scrollHeight, clientHeight } = unfold.previousElementSibling;
          return [unfold.checkVisibility(), scrollHeight > clientHeight];
        })`);
    expect((await cut()).length).toBeGreaterThan(0);
    for (const width of [1280, 700]) {
      await page.setViewportSize({ width, height: 900 });
      for (const [isShown, isCut] of await cut()) expect(isShown).toBe(isCut);
    }
  });

  test('if the other testimonials cannot be loaded, a message says so and the visitor can try again', async () => {
    const { page } = await open(1280);
    await page.route('**/testimonials.json*', (route) => route.abort());
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('could not be loaded').waitFor();
    expect(await cards(page).count()).toBe(24);
    await page.unroute('**/testimonials.json*');
    await page.getByRole('button', { name: 'Show more' }).click();
    await cards(page).nth(47).waitFor();
  });

  test('the last search is shown, however late the file arrives', async () => {
    const { page } = await open(1280);
    let arrive = () => {};
    const held = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route('**/testimonials.json*', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('searchbox').fill('the');
    await page.getByRole('searchbox').fill('what they wrote');
    await page.getByRole('button', { name: 'Show more' }).click();
    arrive();
    await page.getByText(`${hostileTexts.length} testimonials`, { exact: true }).waitFor();
    expect(await cards(page).count()).toBe(hostileTexts.length);
  });

  test('an iframe is always as high as its wall', async () => {
    const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
    await page.setContent(frameSnippet.replace('https://example.com/wall/', `${url}/`));
    const frame = page.frameLocator('iframe');
    const heightInside = async () => Math.ceil((await frame.locator('main').boundingBox())?.height ?? 0);
    const height = async () => Number(await page.locator('iframe').getAttribute('height'));
    await page.waitForFunction(`document.querySelector('iframe').height !== '900'`);
    const whole = await height();
    expect(whole).toBe(await heightInside());
    await frame.getByRole('searchbox').fill('nothing has this');
    await page.waitForFunction(`document.querySelector('iframe').height < 500`);
    expect(await height()).toBe(await heightInside());
    await page.close();
  });

  test('the server serves the files of a wall with safe headers, and nothing else', async () => {
    const page = await fetch(`${url}/`);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'self'; base-uri 'none'; form-action 'none'",
      'x-content-type-options': 'nosniff',
    });
    expect((await fetch(`${url}/wall.js`, { method: 'HEAD' })).headers.get('content-type')).toBe(
      'text/javascript; charset=utf-8',
    );
    for (const path of ['/absent', '/..%2f..%2fpackage.json', '/tsconfig.json', '/__proto__']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  });
});
