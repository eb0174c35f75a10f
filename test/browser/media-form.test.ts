/** A form that asks for a photo and a recording, as people fill it in. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { recognize } from '../../functions/media/recognize.ts';
import { fileOf } from '../unit/media/files.ts';
import { describeInBrowser, launchBrowser, watchedPages } from './browser.ts';
import { startMediaService } from './media-service.ts';

const valid = {
  content: 'They answered within the hour, and it works.',
  'author.name': 'Jane Doe',
  'author.email': 'jane@example.com',
};

describeInBrowser('a form that asks for media', () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startMediaService>>;
  let state: typeof service.state;
  const opened = watchedPages();

  beforeAll(async () => {
    [service, browser] = await Promise.all([
      startMediaService(),
      launchBrowser('--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'),
    ]);
    state = service.state;
  });
  afterAll(async () => {
    await browser?.close();
    service?.stop();
  });
  beforeEach(() => {
    Object.assign(state, {
      ...{ settings: { ask: 'photo,video,audio' }, view: {}, asked: [], stored: [], sent: [], mishaps: [] },
      refusal: undefined,
    });
  });

  async function openForm(options: Parameters<typeof opened>[2] = {}, init = ''): Promise<Page> {
    const isOwn = (url: string) =>
      [service.origin, service.bucket, 'blob:'].some((own) => url.startsWith(own));
    const { page } = await opened(browser, isOwn, options, init);
    await page.goto(`${service.origin}/f/1`);
    return page;
  }

  async function fill(page: Page): Promise<void> {
    for (const [name, value] of Object.entries(valid)) await page.fill(`[name="${name}"]`, value);
    await page.check('[name=consent]');
  }

  const added = (page: Page, field = '.recorder') =>
    page.locator(`${field} .chip`, { hasText: 'Added' }).waitFor();
  const storedKinds = () => state.stored.map(({ kind }) => kind);
  const recognized = (index: number, kind: 'photo' | 'recording' | 'poster') =>
    recognize(kind, fileOf(state.stored[index]?.bytes ?? new Uint8Array()));

  async function record(page: Page, button = 'Record a video'): Promise<void> {
    await page.click(`text=${button}`);
    await page.locator('.left', { hasText: /^11\d s left$/ }).waitFor();
    await page.waitForTimeout(1500);
    await page.click('text=Stop');
    await page.click('text=Use this');
  }

  test('a video is recorded, seen, sent while the person types, and named in the form', async () => {
    const page = await openForm({ viewport: { width: 390, height: 800 } });
    await page.click('text=Record a video');
    await page.locator('.left', { hasText: /^11\d s left$/ }).waitFor();
    expect(await page.evaluate(`document.querySelector('.own').videoWidth > 0`)).toBe(true);
    await page.click('text=Stop');
    expect(await page.locator('.stage > video').getAttribute('src')).toContain('blob:');
    await page.click('text=Use this');
    await added(page);
    await fill(page);
    const key = await page.inputValue('[name=key]');
    await page.click('button.send');
    await page.waitForURL('**/thanks');
    expect(state.sent[0]?.getAll('media')).toEqual(['recording', 'poster']);
    expect(state.stored.map((each) => [each.key, each.kind, each.type])).toEqual([
      [key, 'recording', 'video/mp4'],
      [key, 'poster', 'image/jpeg'],
    ]);
    expect(await recognized(0, 'recording')).toEqual({ type: 'video/mp4', is: 'video', hasLocation: false });
    expect(await recognized(1, 'poster')).toEqual({ type: 'image/jpeg', hasLocation: false });
    expect(state.asked.map(({ bytes }) => bytes)).toEqual(state.stored.map(({ bytes }) => bytes.length));
  });

  test('sound is recorded without a camera', async () => {
    state.settings = { ask: 'audio' };
    const page = await openForm();
    expect(await page.locator('text=Record a video').count()).toBe(0);
    await record(page, 'Record audio');
    await added(page);
    expect(storedKinds()).toEqual(['recording']);
    expect(await recognized(0, 'recording')).toEqual({ type: 'audio/webm', is: 'audio', hasLocation: false });
  });
});
