/** Pinned testimonials in the editor of a wall: by keys, by touch and by mouse. */
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { pageStore } from '../../functions/accounts/dynamodb-page-store.ts';
import { pinnedBy, type Page as WallPage } from '../../functions/domain/page.ts';
import { adminOf } from '../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { addPage } from '../page-visitor.ts';
import { someOf } from '../some-of.ts';
import { describeInBrowser, expectAccessible, looks, phone, watchedPages } from './browser.ts';
import { type ServedDesk, serveDesk } from './served-desk.ts';

const names = ['Ada', 'Ben', 'Cleo', 'Dora'];

describeInBrowser('pinned testimonials', () => {
  let api: ApiClient;
  let desk: ServedDesk;
  let url: string;
  let ids: string[];
  let wall: WallPage;
  const newPage = watchedPages();
  beforeAll(async () => {
    api = await createApiClient();
    desk = await serveDesk(api.table);
    ({ url } = desk);
    ids = [];
    for (const name of names) {
      const author = { name, email: `${name.toLowerCase()}@example.com` };
      const content = `${name} likes it. `.repeat(name === 'Ben' ? 30 : 2).trim();
      ids.push((await api.create(testimonialBody({ content, author }))).body.id);
    }
    await adminOf(api.table)('testimonial', 'approve', '--organization', 'acme', ...ids);
  });
  beforeEach(async () => {
    if (wall) await pageStore(api.table).remove(wall);
    wall = await addPage(api.table, { kind: 'wall', title: 'Praise', settings: { pinned: ids.join() } });
  });

  const open = async (options: BrowserContextOptions = phone, path = `pages/${wall.id}`): Promise<Page> =>
    (await desk.open(path, options, newPage)).page;
  const pinned = async () => {
    const found = await pageStore(api.table).find(wall.id);
    return found && pinnedBy(found).map((id) => names[ids.indexOf(id)]);
  };
  const shown = (page: Page) => page.locator('.pinned strong').allTextContents();
  const said = (page: Page, text: string) => page.locator('#message').getByText(text).waitFor();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  test('keys move and unpin, keep the focus, say what happened, and leave typed settings alone', async () => {
    const page = await open();
    await page.fill('#page-title', 'Unsaved changes');
    const down = button(page, 'Move down Ada’s testimonial');
    await down.focus();
    await page.keyboard.press('Enter');
    await said(page, 'Ada’s testimonial is number 2 of 4.');
    expect(await shown(page)).toEqual(['Ben', 'Ada', 'Cleo', 'Dora']);
    expect(await page.evaluate('document.activeElement.id')).toBe(await down.getAttribute('id'));
    await page.keyboard.press('Space');
    await said(page, 'Ada’s testimonial is number 3 of 4.');
    expect(await pinned()).toEqual(['Ben', 'Cleo', 'Ada', 'Dora']);
    await button(page, 'Unpin Cleo’s testimonial').focus();
    await page.keyboard.press('Enter');
    await said(page, 'Cleo’s testimonial is no longer pinned.');
    expect(await page.evaluate('document.activeElement.id')).toBe('pins-title');
    expect(await pinned()).toEqual(['Ben', 'Ada', 'Dora']);
    expect(await page.inputValue('#page-title')).toBe('Unsaved changes');
    expect(await page.locator('#message').getAttribute('role')).toBe('status');
    // The preview shows the change.
    const first = page.locator('.preview iframe').last().contentFrame().locator('.card .name').first();
    await first.filter({ hasText: 'Ben' }).waitFor();
    expect(await first.textContent()).toBe('Ben');
  });

  test('a finger drags one to its place, and the page does not scroll away below it', async () => {
    const page = await open();
    await page.locator('#pins').scrollIntoViewIfNeeded();
    const client = await page.context().newCDPSession(page);
    const middle = async (name: string, part: string) => {
      const item = page.locator('.pinned li').filter({ hasText: name }).locator(part);
      const { x, y, width, height } = (await item.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      return { x: x + width / 2, y: y + height / 2 };
    };
    const touch = (
      type: 'touchStart' | 'touchMove' | 'touchEnd',
      ...touchPoints: { x: number; y: number }[]
    ) => client.send('Input.dispatchTouchEvent', { type, touchPoints });
    await page.locator('.pinned li').first().scrollIntoViewIfNeeded();
    const from = await middle('Ada', '[data-grip]');
    const to = await middle('Ben', '.buttons');
    await touch('touchStart', from);
    for (let step = 1; step <= 8; step += 1)
      await touch('touchMove', { x: from.x, y: from.y + ((to.y + 20 - from.y) * step) / 8 });
    await touch('touchEnd');
    await said(page, 'Ada’s testimonial is number 2 of 4.');
    expect(await pinned()).toEqual(['Ben', 'Ada', 'Cleo', 'Dora']);
    expect(await shown(page)).toEqual(['Ben', 'Ada', 'Cleo', 'Dora']);
  });

  test('a mouse drags the last one to the front, and a drag back changes nothing', async () => {
    const page = await open({ viewport: { width: 1280, height: 1600 } });
    const grip = (name: string) =>
      page.locator('.pinned li').filter({ hasText: name }).locator('[data-grip]');
    await grip('Dora').scrollIntoViewIfNeeded();
    await grip('Dora').hover();
    await page.mouse.down();
    const top = (await grip('Ada').boundingBox())?.y ?? 0;
    const { x = 0, y = 0 } = (await grip('Dora').boundingBox()) ?? {};
    await page.mouse.move(x + 10, top + 5, { steps: 12 });
    await page.mouse.up();
    await said(page, 'Dora’s testimonial is number 1 of 4.');
    expect(await pinned()).toEqual(['Dora', 'Ada', 'Ben', 'Cleo']);
    await grip('Dora').hover();
    await page.mouse.down();
    await page.mouse.move(x + 10, y, { steps: 6 });
    await page.mouse.move(x + 10, top, { steps: 6 });
    await page.mouse.up();
    expect(await shown(page)).toEqual(['Dora', 'Ada', 'Ben', 'Cleo']);
    expect(await pinned()).toEqual(['Dora', 'Ada', 'Ben', 'Cleo']);
  });

  test('without JavaScript, buttons move, and lead back to the pins', async () => {
    const page = await open({ viewport: phone.viewport, javaScriptEnabled: false });
    expect(await page.locator('[data-grip]:visible').count()).toBe(0);
    await button(page, 'Move up Dora’s testimonial').click();
    await said(page, 'Dora’s testimonial is number 3 of 4.');
    expect(new URL(page.url()).hash).toBe('#pins');
  });

  test.each(someOf(looks))(
    'at %i pixels in %s axe finds nothing, and every target has 44 pixels',
    async (width, colorScheme) => {
      const page = await open({ viewport: { width, height: 900 }, colorScheme, hasTouch: true });
      await expectAccessible(page);
      for (const each of await page.locator('.pinned button, .pinned [data-grip]').all()) {
        const box = await each.boundingBox();
        expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
      }
      const other = await addPage(api.table, { kind: 'wall', title: 'Another wall' });
      await page.goto(`${url}/desk/list/pin?ids=${ids[0]}`);
      await page.getByRole('heading', { name: 'Another wall' }).waitFor();
      await expectAccessible(page);
      await pageStore(api.table).remove(other);
    },
  );
});
