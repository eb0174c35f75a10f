/** The desk on phones: taps, swipes, narrow screens, large letters and long words. */
import { beforeAll, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { addPage } from '../page-visitor.ts';
import { describeInBrowser, expectAccessible, phone } from './browser.ts';
import { type ServedDesk, serveDesk } from './served-desk.ts';

describeInBrowser('the desk on a phone', () => {
  let api: ApiClient;
  let desk: ServedDesk;
  let url: string;
  let form: string;
  beforeAll(async () => {
    api = await createApiClient();
    desk = await serveDesk(api.table);
    ({ url } = desk);
    ({ id: form } = await addPage(api.table, { title: 'Tell us' }));
  });

  const create = (content: string, overrides = {}) => api.create(testimonialBody({ content, ...overrides }));
  const total = async (query: string) => (await api.list(query)).body.pagination.total as number;

  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
    (await desk.open(path, { ...phone, ...options })).page;

  test('in the queue, Enter adds a tag', async () => {
    await create('A tern by the sea', { author: { name: 'Tea', email: 'tea@example.com' } });
    const page = await open('queue?search=tern');
    await page.fill('#queue-tags', 'sea');
    await page.keyboard.press('Enter');
    await page.getByText('Tags added to Tea’s testimonial.').waitFor();
    expect(await total('search=tern&tags=sea&status=pending')).toBe(1);
  });

  test('the first card is on the first screen of the queue and of the list', async () => {
    await create('A heron at the pond');
    const page = await open('queue?search=heron');
    expect((await page.locator('.card').first().boundingBox())?.y).toBeLessThan(844 / 2);
    await page.goto(`${url}/desk/list?search=heron`);
    expect((await page.locator('#selection .card').first().boundingBox())?.y).toBeLessThan(844);
  });

  test('a double tap decides about one testimonial', async () => {
    for (const n of [1, 2, 3]) await create(`A plover, ${n}`);
    const page = await open('queue?search=plover');
    // The buttons of a new card wait for 0.3 s; here until the test ends their wait.
    await page.evaluate(`{
      const style = new CSSStyleSheet();
      style.replaceSync('.decision button { animation-duration: 600s !important }');
      document.adoptedStyleSheets.push(style);
    }`);
    const endWait = () => page.evaluate('for (const each of document.getAnimations()) each.finish()');
    await endWait();
    const box = await page.getByRole('button', { name: 'Approve' }).boundingBox();
    const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 20];
    await page.touchscreen.tap(x, y);
    await page.getByText('1 approved').waitFor();
    await page.touchscreen.tap(x, y);
    await page.waitForTimeout(600);
    expect(await total('search=plover&status=approved')).toBe(1);
    await endWait();
    await page.touchscreen.tap(x, y);
    await page.getByText('2 approved').waitFor();
  });

  test.each([
    ['to the right', 140, 10, 'approved'],
    ['to the left', -140, 10, 'rejected'],
    ['diagonal', 140, 110, 'pending'],
    ['short', 60, 0, 'pending'],
  ])('a swipe %s decides what it should', async (name, x, y, status) => {
    const word = `avocet${name.replaceAll(/\W/g, '')}`;
    await create(`Here is an ${word}`);
    const page = await open(`queue?search=${word}`);
    // Sends the events of a finger that does not scroll the page.
    await page.evaluate(`(async () => {
      const card = document.querySelector('[data-swipe]');
      const event = (type, x, y) => card.dispatchEvent(new PointerEvent(type, {
        pointerType: 'touch', isPrimary: true, bubbles: true, clientX: 150 + x, clientY: 300 + y }));
      event('pointerdown', 0, 0);
      for (const part of [0.3, 0.6, 1]) event('pointermove', ${x} * part, ${y} * part);
      event('pointerup', ${x}, ${y});
    })()`);
    if (status !== 'pending') await page.getByText(`is ${status}.`).waitFor();
    await page.waitForTimeout(status === 'pending' ? 300 : 0);
    expect(await total(`search=${word}&status=${status}`)).toBe(1);
  });

  /** Expects everything inside of the screen. A mobile browser widens the page for what does not fit. */
  async function expectInside(page: Page, width: number): Promise<void> {
    const outside =
      await page.evaluate(`[...document.querySelectorAll('main, main *, .top *, .decision *, .toolbar *')]
      .filter((each) => each.getClientRects().length > 0 && !each.closest('pre, .tabs, .visually-hidden, .table-wrap'))
      .filter((each) => each.getBoundingClientRect().right > ${width} + 1).map((each) => each.outerHTML.slice(0, 80))`);
    expect(outside).toEqual([]);
    expect(await page.evaluate('innerWidth')).toBe(width);
  }

  test.each([
    [320, ''],
    [344, ''],
    [390, '150%'],
    [768, ''],
    [820, '200%'],
  ])('at %i pixels with letters of %s nothing leaves the screen', async (width, letters) => {
    await create('A long word in a row. '.repeat(60), { tags: ['x'.repeat(50)], rating: 4 });
    const page = await open('queue', { viewport: { width, height: 844 } });
    for (const path of ['queue', 'list', 'numbers', 'pages', `pages/${form}`, 'people', 'me']) {
      await page.goto(`${url}/desk/${path}`);
      if (letters) await page.addStyleTag({ content: `:root { font-size: ${letters} }` }).catch(() => {});
      if (letters) await page.evaluate(`document.documentElement.style.fontSize = '${letters}'`);
      if (path === 'list') await page.locator('#selection input[name=seen]').first().check();
      await expectInside(page, width);
    }
    await page.goto(`${url}/desk/queue`);
    await page.fill('#queue-tags', 't'.repeat(60));
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.problem').getByText('must have 1 to 50 characters').waitFor();
    await expectInside(page, width);
  });

  // The smaller height is the part of the screen above a keyboard.
  test.each([844, 420])(
    'the settings stand above the preview, and Save covers none of them (%i)',
    async (height) => {
      const page = await open(`pages/${form}`, { viewport: { width: 390, height } });
      const [save, preview] = await Promise.all(
        ['.form-foot', '.preview'].map((part) => page.locator(part).boundingBox()),
      );
      expect((save?.y ?? 0) + (save?.height ?? 0)).toBeLessThanOrEqual(preview?.y ?? 0);
      for (const control of await page
        .locator('.settings')
        .locator('input, textarea, select, summary')
        .all()) {
        if (!(await control.isVisible())) continue;
        await control.focus();
        const covering = await control.evaluate((each) => {
          const { left, top, width, height } = each.getBoundingClientRect();
          // The browser shows the first line of a long text, which has the cursor.
          const hit = each.ownerDocument.elementFromPoint(left + width / 2, top + Math.min(22, height / 2));
          return hit?.closest('.form-foot, nav')?.className;
        });
        expect(covering).toBeUndefined();
      }
    },
  );

  test('folded help hides the hints of the settings, which screen readers still read with their fields', async () => {
    const page = await open(`pages/${form}`);
    const link = page.getByLabel('Thank-you button: link');
    const hint = page.locator('#page-link-hint');
    const description = 'URL that the page after sending links to.';
    const describedAs = async () => {
      const session = await page.context().newCDPSession(page);
      const { root } = await session.send('DOM.getDocument');
      const { nodeId } = await session.send('DOM.querySelector', {
        nodeId: root.nodeId,
        selector: '#page-link',
      });
      const { nodes } = await session.send('Accessibility.getPartialAXTree', {
        nodeId,
        fetchRelatives: false,
      });
      return nodes[0]?.description?.value;
    };
    expect(await hint.isVisible()).toBe(false);
    // How to write tags is always shown.
    expect(await page.locator('#page-tags-hint').isVisible()).toBe(true);
    expect(await describedAs()).toBe(description);
    await expectAccessible(page);
    await link.fill('https://example.com');
    await page.getByText('Help with the settings').click();
    expect(await hint.isVisible()).toBe(true);
    expect(await link.inputValue()).toBe('https://example.com');
    expect(await describedAs()).toBe(description);
    await expectAccessible(page);
    await expectInside(page, 390);
  });
});
