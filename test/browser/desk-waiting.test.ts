/**
 * The desk while it waits and after an action: busy buttons, the tab's icon, and cards that stay
 * in their place.
 */
import { beforeEach, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { addPage } from '../page-visitor.ts';
import { describeInBrowser, expectAccessible, phone, watchedPages } from './browser.ts';
import { type ServedDesk, serveDesk } from './served-desk.ts';

describeInBrowser('at the desk', () => {
  let api: ApiClient;
  let desk: ServedDesk;
  let url: string;
  /** Pages wait for it. */
  let gate: Promise<void> | undefined;
  const newPage = watchedPages();
  beforeEach(async () => {
    api = await createApiClient();
    desk = await serveDesk(api.table, {
      before: (path) => (path.includes('/assets/') ? undefined : gate),
    });
    ({ url } = desk);
  });

  const create = (content: string, overrides = {}) => api.create(testimonialBody({ content, ...overrides }));

  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
    (await desk.open(path, options, newPage)).page;

  /** Holds back the responses with pages until the returned function is called. */
  function holdBack(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return () => {
      gate = undefined;
      resolve();
    };
  }

  /** Clicks without waiting for the page that a click leads to. */
  const click = (page: Page, selector: string) =>
    page.evaluate(`setTimeout(() => document.querySelector(${JSON.stringify(selector)}).click())`);

  test.each<[string, string, string, string]>([
    ['Approve in the queue', 'queue', '.key-a', 'BUTTON Approve'],
    ['an action on a selection', 'list', '.toolbar .approve', 'BUTTON Approve'],
    ['a tab of the list', 'list', '.tabs a[href*="approved"]', 'A Approved'],
    ['a search', 'list', '#filters .solid', 'BUTTON Show matches'],
    ['settings', 'pages/{form}', '.form-foot .solid', 'BUTTON Save'],
    // The browser itself sends these.
    ['a link to another page', 'numbers', '.top a[href$="people"]', 'A People'],
    ['signing out', 'me', '[name="end"][value="this"]', 'BUTTON Sign out'],
  ])(
    '%s is busy while its response is on its way, and not afterwards',
    async (_, path, selector, pressed) => {
      await create('A gull at the window');
      const { id } = await addPage(api.table, { title: 'Tell us' });
      const page = await open(path.replace('{form}', id));
      const { promise, resolve } = Promise.withResolvers<string[]>();
      await page.exposeFunction('tellBusy', (...what: string[]) => resolve(what));
      await page.evaluate(`new MutationObserver(([{ target }]) => {
      if (target.ariaBusy !== 'true') return;
      tellBusy(target.tagName + ' ' + target.innerText.split('\\n')[0].trim(), getComputedStyle(document.body, '::after').position);
    }).observe(document.documentElement, { subtree: true, attributeFilter: ['aria-busy'] })`);
      if (selector.startsWith('.toolbar')) await page.locator('[name="seen"]').check();
      const goOn = holdBack();
      try {
        await click(page, selector);
        const [busy, bar] = await promise;
        // A key is written on a button of the queue.
        expect(busy?.replace(/ a$/, '')).toBe(pressed);
        // The page's own bar.
        expect(bar).toBe('fixed');
      } finally {
        goOn();
      }
      await page.locator('[aria-busy]').waitFor({ state: 'detached' });
    },
  );

  test('a file is downloaded, and nothing stays busy', async () => {
    const { id } = await addPage(api.table, { title: 'Tell us' });
    const page = await open(`pages/${id}/links`, phone);
    const long = 'maximiliane.von.hohenstaufen@a-very-long-subdomain.example.com';
    await page.locator('#lines').fill(`Maximiliane, ${long}\n, x@example.com`);
    await page.getByRole('button', { name: 'Create links' }).click();
    await page.getByText('Line 2 has no name').waitFor();
    await expectAccessible(page);
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as CSV' }).click();
    await downloaded;
    // Longer than it takes until an element would be marked as busy.
    await page.waitForTimeout(500);
    expect(await page.locator('[aria-busy="true"]').count()).toBe(0);
  });

  test('a response that comes at once makes nothing busy', async () => {
    await create('A gull at the window');
    const page = await open('queue');
    await page.evaluate(`{
      globalThis.wasBusy = false;
      new MutationObserver(() => { wasBusy = true; })
        .observe(document.documentElement, { subtree: true, attributeFilter: ['aria-busy'] });
      // A stopped clock simulates a response that arrives before any timer.
      globalThis.setTimeout = () => 0;
    }`);
    await page.getByRole('button', { name: 'Skip' }).click();
    await page.getByText('Skipped.').waitFor();
    expect(await page.evaluate('wasBusy')).toBe(false);
  });

  test('the icon and the title of the tab tell how many wait, after each action', async () => {
    for (const n of [1, 2]) await create(`A grebe, number ${n}`);
    const page = await open('queue');
    const icon = () => page.locator('link[rel="icon"]').getAttribute('href');
    const tab = async () => [await page.title(), /icon.*/.exec((await icon()) ?? '')?.[0]];
    expect(await tab()).toEqual(['(2) Queue · acme · Desk', 'icon-2.svg']);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('1 approved').waitFor();
    expect(await tab()).toEqual(['(1) Queue · acme · Desk', 'icon-1.svg']);
    await page.goto(`${url}/desk/list?status=pending`);
    await page.getByRole('button', { name: /^Reject/ }).click();
    await page.getByText('1 testimonial rejected.').waitFor();
    expect(await tab()).toEqual(['Testimonials · acme · Desk', 'icon.svg']);
  });

  test('a card that is swiped moves nothing else, and its label does not make it grow', async () => {
    await create('A godwit that flies far', { tags: ['far'] });
    const page = await open('queue', phone);
    const boxes = () =>
      page.evaluate(`[...document.querySelectorAll('.top nav, .decision, [data-swipe]')].map((each) => {
        const { left, width, height } = each.getBoundingClientRect();
        return each.matches('[data-swipe]') ? height : [left, width];
      })`);
    const before = await boxes();
    for (const by of [200, -200, 380]) {
      await page.evaluate(`{
        const card = document.querySelector('[data-swipe]');
        const event = (type, x) => card.dispatchEvent(new PointerEvent(type, {
          pointerType: 'touch', isPrimary: true, bubbles: true, clientX: 150 + x, clientY: 300 }));
        event('pointerdown', 0);
        event('pointermove', ${by});
      }`);
      expect(await page.getAttribute('[data-swipe]', 'data-swipe')).toBe(by > 0 ? 'approve' : 'reject');
      expect(await boxes()).toEqual(before);
      expect(await page.evaluate('[innerWidth, document.documentElement.scrollWidth]')).toEqual([390, 390]);
    }
  });

  /** Creates four testimonials, the newest with tags, and opens their list. */
  async function openLongTexts(options: BrowserContextOptions): Promise<Page> {
    const content =
      'We moved our whole support team over in a week, and the numbers speak for themselves. '.repeat(4);
    for (let n = 0; n < 3; n += 1)
      await create(content, { author: { name: 'Ann', email: 'a@example.com' }, rating: 4 });
    await create(content, { tags: ['support', 'x'] });
    return open('list', options);
  }

  test('on a desktop, name and stars stand on one line', async () => {
    const page = await openLongTexts({ viewport: { width: 1280, height: 900 } });
    // The baseline of a text is the bottom of an empty box in its line.
    const [ofName = 0, ofStars = 1] = await page.evaluate<number[]>(`(() => {
      const card = document.querySelectorAll('.cards > .card')[1];
      return ['.who bdi', '.stars'].map((part) => {
        const mark = document.createElement('span');
        mark.style.cssText = 'display: inline-block; width: 0; height: 0';
        card.querySelector(part).prepend(mark);
        return mark.getBoundingClientRect().bottom;
      });
    })()`);
    expect(Math.abs(ofName - ofStars)).toBeLessThan(0.75);
  });

  test('on a phone, cards and the selection bar are low, targets are large, and “More” shows the whole text', async () => {
    const page = await openLongTexts(phone);
    const heightsOf = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    const [withTags, ...others] = await heightsOf('.cards > .card');
    expect(withTags).toBeLessThanOrEqual(265);
    expect(Math.max(...others)).toBeLessThanOrEqual(225);
    await page.locator('[name="seen"]').first().check();
    expect((await heightsOf('.toolbar'))[0]).toBeLessThanOrEqual(135);
    const targets = await heightsOf('.toolbar button:visible, .card :is(a, button, summary, .who):visible');
    expect(Math.min(...targets)).toBeGreaterThanOrEqual(43.9);
    const isCut = () =>
      page
        .locator('.excerpt')
        .first()
        .evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1);
    expect(await isCut()).toBe(true);
    await page.locator('.more summary').first().click();
    expect(await isCut()).toBe(false);
    await expectAccessible(page);
  });

  test.each([
    [390, ['content', 'name', 'email', 'role', 'company', 'rating', 'tags', 'source']],
    [1280, ['content', 'name email', 'role company', 'rating tags', 'source']],
  ])(
    'at %i px the fields of a testimonial to add stand in lines, each as wide as its card',
    async (width, lines) => {
      const page = await open('add', { viewport: { width, height: 900 } });
      const boxes = await page.locator('main .field > [name]').evaluateAll((all) =>
        all.map((each) => {
          const { top, left, right } = each.getBoundingClientRect();
          return { name: each.getAttribute('name')?.split('.').at(-1), top, left, right };
        }),
      );
      const rows = [...new Set(boxes.map(({ top }) => top))].map((top) =>
        boxes.filter((box) => box.top === top),
      );
      expect(rows.map((row) => row.map(({ name }) => name).join(' '))).toEqual(lines);
      const foot = await page.locator('.form-foot').boundingBox();
      for (const row of rows) {
        expect(row[0]?.left).toBe(foot?.x);
        expect(row.at(-1)?.right).toBeCloseTo((foot?.x ?? 0) + (foot?.width ?? 0), 0);
      }
      await expectAccessible(page);
    },
  );

  test('an address in the search leads to its person at Enter, and not while it is typed', async () => {
    await create('A curlew on the moor', { author: { name: 'Cora', email: 'cora@example.com' } });
    await create('Another curlew there', { author: { name: 'Bo', email: 'bo@example.com' } });
    const page = await open('list');
    const field = page.getByRole('searchbox');
    await field.fill('cora@example.com');
    await page.getByRole('button', { name: 'Find everything by cora@example.com' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/desk/list');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Cora' }).waitFor();
    await page.getByText('cora@example.com', { exact: true }).first().waitFor();
    // Faster than the pause after which a search begins by itself.
    await page.goto(`${url}/desk/list`);
    await field.fill('bo@example.com');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Bo', exact: true }).waitFor();
  });

  test('keys decide nothing behind the open filters', async () => {
    await create('A gull at the window', { author: { name: 'Gus', email: 'gus@example.com' } });
    const page = await open('queue');
    await page.getByRole('button', { name: 'Filters' }).click();
    for (const key of ['a', 'r', 's']) await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await page.getByText('Gus’s testimonial is approved.').waitFor();
    expect((await api.list('status=approved')).body.pagination.total).toBe(1);
  });

  test('a selection can be cleared, and after an action on a card the next one has the focus', async () => {
    for (const n of [1, 2, 3])
      await create(`A knot on the shore, ${n}`, { author: { name: `Kay ${n}`, email: 'k@example.com' } });
    const page = await open('list');
    await page.getByLabel('Select all').check();
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await page.locator('.toolbar').isVisible()).toBe(false);
    expect(await page.locator('input:checked').count()).toBe(0);
    await page.getByRole('button', { name: /^Approve Kay 2/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 testimonial approved.').waitFor();
    const focused = () =>
      page.evaluate(`document.activeElement.closest('.card')?.querySelector('.who bdi').textContent`);
    // The newest is first.
    expect(await focused()).toBe('Kay 1');
  });

  test('tags are suggested for the last of several', async () => {
    await create('A dunlin by the sea', { tags: ['coast', 'small'] });
    const page = await open('list');
    await page.locator('[name="seen"]').first().check();
    const offered = () =>
      page.evaluate(`[...document.querySelector('#tags-to-change').list.options].map(({ value }) => value)`);
    await page.locator('#tags-to-change').fill('s');
    expect(await offered()).toEqual(['coast', 'small']);
    await page.locator('#tags-to-change').fill('new, s');
    expect(await offered()).toEqual(['new, coast', 'new, small']);
    await page.locator('#tags-to-change').fill('');
    expect(await offered()).toEqual(['coast', 'small']);
  });

  test('the choice to allow erasures is there for moderators only, who need it', async () => {
    const page = await open('people');
    const choice = page.getByLabel('Can erase testimonials');
    expect(await choice.isVisible()).toBe(true);
    await page.getByLabel('Role').selectOption('owner');
    expect(await choice.isVisible()).toBe(false);
    await page.getByLabel('Role').selectOption('moderator');
    expect(await choice.isVisible()).toBe(true);
  });
});
