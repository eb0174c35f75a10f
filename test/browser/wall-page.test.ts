/** A hosted wall in a browser. */
import { beforeAll, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Frame, Page } from 'playwright-core';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { someOf } from '../some-of.ts';
import { hostileTestimonial, hostileTexts } from '../unit/serve-pages/hostile.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import { describeInBrowser, expectAccessible, newPage, until, waitForFrames } from './browser.ts';
import { serveOn, wallAt, wallHeaders } from './served-walls.ts';

const long = 'They answered within the hour, and the migration took a single afternoon. '.repeat(40);
const testimonials: Testimonial[] = [
  ...hostileTexts.map(hostileTestimonial),
  { ...hostileTestimonial('long', hostileTexts.length), content: long },
  ...Array.from(generateTestimonials(50), ({ testimonial }) => testimonial),
];
const total = testimonials.length;

describeInBrowser('a wall', () => {
  let origin: string;
  // The page that the server shows now.
  let shown: readonly Testimonial[];
  beforeAll(async () => {
    origin = await serveOn((url, response) => {
      if (url.pathname === '/framed') {
        const sandbox = url.searchParams.get('sandbox');
        return response.writeHead(200, { 'content-type': 'text/html' }).end(
          `<!doctype html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><body style="background: #fed">
          <iframe src="/w/columns/en" title="Reviews" width="100%" height="900" style="border: 0"${sandbox === null ? '' : ` sandbox="${sandbox}"`}></iframe>`,
        );
      }
      const [, , look = '', lang = '', theme = 'auto'] = url.pathname.split('/');
      const settings = { look, lang, theme, limit: '24' };
      return response.writeHead(200, wallHeaders).end(wallAt(url, shown, settings));
    });
  });

  /** Opens a wall and watches it; `wrong` collects everything unexpected. */
  async function open(path: string, width: number, options: BrowserContextOptions = {}, init = '') {
    shown = testimonials;
    const { page, wrong } = await newPage(
      (url) => url.startsWith(origin) || url.startsWith('data:'),
      {
        viewport: { width, height: 900 },
        ...options,
      },
      init,
    );
    await page.goto(origin + path);
    return { page, wrong };
  }

  const cards = (page: Page | Frame) => page.locator('.card');
  const said = (page: Page | Frame) => page.locator('#count').innerText();
  const more = (page: Page | Frame) => page.getByRole('link', { name: 'Show more' });

  /** Adds the second page of cards. */
  async function showMore(page: Page | Frame): Promise<void> {
    await more(page).click();
    await cards(page).nth(47).waitFor();
  }

  const looks = ['columns', 'row', 'single', 'list'];
  test.each([
    ['auto', 'light', 'light'],
    ['auto', 'dark', 'dark'],
    ['light', 'dark', 'light'],
    ['dark', 'light', 'dark'],
  ] as const)(
    'with the theme %s, for visitors who prefer %s, it is %s, and light on paper',
    async (theme, colorScheme, expected) => {
      const { page } = await open(`/w/list/en/${theme}`, 390, { colorScheme });
      const colors = () =>
        page.evaluate(`[document.body, document.querySelector('.name')].map((each) => {
        const { color, backgroundColor } = getComputedStyle(each);
        return each === document.body ? backgroundColor : color;
      })`);
      const light = ['rgb(247, 245, 241)', 'rgb(30, 33, 39)'];
      expect(await colors()).toEqual(
        expected === 'light' ? light : ['rgb(18, 19, 24)', 'rgb(236, 238, 242)'],
      );
      await page.emulateMedia({ media: 'print' });
      expect(await colors()).toEqual(light);
    },
  );

  test.each(someOf(looks))(
    '%s: "Show more" adds the next page, once, moves the focus to it and keeps the count right',
    async (look) => {
      const { page, wrong } = await open(`/w/${look}/en`, 1280);
      expect(await page.locator('#count').textContent()).toBe(`${total} testimonials`);
      await more(page).focus();
      await page.keyboard.press('Enter');
      await until(page, 'document.activeElement === document.querySelectorAll(".card")[24]');
      expect(await page.locator('#count').textContent()).toBe(`Showing 1–48 of ${total} testimonials`);
      if (look !== 'columns' && look !== 'list') {
        await until(
          page,
          `(() => {
        const [list, card] = [document.querySelector('#cards'), document.querySelectorAll('.card')[24]];
        return Math.abs(list.getBoundingClientRect().left - card.getBoundingClientRect().left) < 2;
      })()`,
        );
      }
      await more(page).dblclick();
      await cards(page)
        .nth(total - 1)
        .waitFor({ state: 'attached' });
      expect(await page.locator('#count').textContent()).toBe(`${total} testimonials`);
      expect(await more(page).count()).toBe(0);
      const ids = await cards(page).evaluateAll((all) => all.map(({ id }) => id));
      expect(new Set(ids).size).toBe(total);
      expect(ids).toHaveLength(total);
      expect(page.url()).toBe(`${origin}/w/${look}/en`);
      await expectAccessible(page);
      expect(wrong).toEqual([]);
    },
  );

  test.each(someOf(looks))('on paper, %s shows every card whole', async (look) => {
    const { page } = await open(`/w/${look}/en`, 1280);
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 718, height: 1047 });
    await waitForFrames(page);
    const cut = await page.evaluate<number>(
      `[...document.querySelectorAll('#cards, .quote p')].filter((each) => each.scrollWidth > each.clientWidth + 1 ||
        each.scrollHeight > each.clientHeight + 1).length`,
    );
    const covered = await page.evaluate<number>(`
      [...document.querySelectorAll('.card')].map((card) => card.getBoundingClientRect()).filter((a, i, all) =>
        all.some((b, k) => k > i && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length`);
    expect({ cut, covered }).toEqual({ cut: 0, covered: 0 });
  });

  test('"Show more" adds each testimonial once, although a new approval moved the pages', async () => {
    const { page } = await open('/w/list/en', 1280);
    const [first] = generateTestimonials(51);
    shown = [
      { ...(first?.testimonial ?? hostileTestimonial('new', 99)), id: 'test_10000000099' },
      ...testimonials,
    ];
    await more(page).click();
    await cards(page).nth(46).waitFor();
    expect(await cards(page).count()).toBe(47);
    expect(await said(page)).toBe(`Showing 1–47 of ${total} testimonials`);
  });

  test('from a later page, "Show more" continues, and "Previous page" goes back', async () => {
    const { page, wrong } = await open('/w/list/en?page=2', 1280);
    expect(await said(page)).toBe(`Showing 25–48 of ${total} testimonials`);
    await more(page).click();
    await cards(page).nth(24).waitFor();
    expect(await said(page)).toBe(`Showing 25–${total} of ${total} testimonials`);
    await page.getByRole('link', { name: 'Previous page' }).click();
    await page.waitForURL(`${origin}/w/list/en`);
    expect(wrong).toEqual([]);
  });

  test('the link opens the next page in another tab', async () => {
    const { page } = await open('/w/list/en', 1280);
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      more(page).click({ modifiers: ['Control'] }),
    ]);
    await opened.waitForURL(`${origin}/w/list/en?page=2`);
    expect(await cards(page).count()).toBe(24);
  });

  test.each(['abort', 'status 429'])(
    'if more cannot be loaded (%s), a message says so and the visitor can try again',
    async (kind) => {
      const { page } = await open('/w/columns/en', 390);
      await page.route('**/*page=2', (route) =>
        kind === 'abort' ? route.abort() : route.fulfill({ status: 429 }),
      );
      await more(page).click();
      const message = page.getByText('could not be loaded');
      await message.waitFor();
      expect(await message.evaluate((element) => element.closest('[role=status]') !== null)).toBe(true);
      expect(await cards(page).count()).toBe(24);
      await page.unroute('**/*page=2');
      await showMore(page);
      expect(await page.locator('#failed').innerText()).toBe('');
    },
  );

  test.each(someOf(looks))('%s without scripts has no buttons, and links to its pages', async (look) => {
    const { page, wrong } = await open(`/w/${look}/en`, 390, { javaScriptEnabled: false });
    expect(await page.locator('button:visible').count()).toBe(0);
    await more(page).click();
    await page.waitForURL(`${origin}/w/${look}/en?page=2`);
    await page.getByRole('link', { name: 'Previous page' }).click();
    await page.waitForURL(`${origin}/w/${look}/en`);
    await page.locator('summary').last().click();
    expect(await page.getByText(long.trim(), { exact: true }).isVisible()).toBe(true);
    expect(wrong).toEqual([]);
  });

  test('in a frame the wall is transparent, does not scroll sideways and adds pages', async () => {
    const { page, wrong } = await open('/framed', 320);
    const frame = page.frames()[1];
    if (!frame) throw new Error('There is no frame.');
    await cards(frame).first().waitFor();
    await waitForFrames(page);
    expect(await frame.evaluate('globalThis.shifts')).toEqual([]);
    expect(await frame.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgba(0, 0, 0, 0)');
    await showMore(frame);
    expect(await frame.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(wrong).toEqual([]);
  });

  test('in a frame whose sandbox blocks requests, the link opens the next page', async () => {
    const { page } = await open('/framed?sandbox=allow-scripts', 390);
    const inside = page.frameLocator('iframe');
    await inside.getByRole('link', { name: 'Show more' }).click();
    await inside.getByText(`Showing 25–48 of ${total} testimonials`).waitFor();
  });

  test('hostile texts run nothing, on the page and in added cards', async () => {
    const { page, wrong } = await open('/w/columns/en', 1280);
    shown = testimonials.toReversed();
    await page.reload();
    await showMore(page);
    await more(page).click();
    const texts = hostileTexts.map((text) => `What they wrote: ${text}`.normalize('NFC'));
    await page.getByText(texts[0] ?? '').waitFor();
    const contents = await page.locator('.card .quote > p').allTextContents();
    expect(contents.slice(-texts.length)).toEqual(texts.toReversed());
    // Right-to-left text does not affect the text around it.
    const turned = page.locator('.card', { hasText: 'gnp.exe' });
    expect(await turned.locator(':is(.name, .affiliation, time) > bdi').count()).toBe(4);
    expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
    const foreign = 'main :is(script, img, [onmouseover], [onload], [style]:not(.card))';
    expect(await page.locator(foreign).count()).toBe(0);
    expect(await page.evaluate('violations')).toEqual([]);
    expect(wrong).toEqual([]);
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
      const { page } = await open('/w/columns/en', width);
      await showMore(page);
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

  test('"Read more" moves only the cards below; "Show less" moves them back', async () => {
    const { page } = await open('/w/columns/en', 1280);
    const index = hostileTexts.length;
    const before = await positions(page);
    await cards(page).nth(index).getByText('Read more').click();
    await waitForFrames(page);
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
    await waitForFrames(page);
    expect(await positions(page)).toEqual(before);
  });

  test.each(['columns', 'row'])('%s: "Read more" shows only if a text is cut off', async (look) => {
    const { page } = await open(`/w/${look}/en`, 1280);
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
});
