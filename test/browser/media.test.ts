/** From `npm start` to a wall: someone records a video, and visitors see it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { isolated, type ServiceProcess, startService } from '../service/service-process.ts';
import { fixture } from '../unit/media/files.ts';
import { autoplay, describeWith, fakeDevices, waitForFrames, watchedPages } from './browser.ts';
import { fillForm } from './served-forms.ts';
import { serveOn } from './served-walls.ts';

/** A `video` element. */
interface Player {
  play(): Promise<void>;
  currentTime: number;
  duration: number;
}

describeWith(...fakeDevices, autoplay)('photos and recordings', () => {
  let service: ServiceProcess;
  /** A website with the live element. */
  let site: string;
  const opened = watchedPages();

  beforeAll(async () => {
    service = await startService(isolated(':memory:'));
    site = await serveOn((_, response) => {
      const [, id = ''] = /\/w\/(\w+)/.exec(linkTo('/w/')) ?? [];
      response.setHeader('content-type', 'text/html');
      response.end(
        `<!doctype html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><script type="module" src="${service.url}/embed.js"></script><testimonials-wall page="${id}"></testimonials-wall>`,
      );
    });
  });
  afterAll(() => service?.end());

  const linkTo = (path: string) => new RegExp(`http://\\S+${path}\\S+`).exec(service.stdout)?.[0] ?? '';
  const isOwn = (url: string) => /^(?:http:\/\/(?:127\.0\.0\.1|localhost)[:/]|blob:)/.test(url);
  const open = async (url: string, options: BrowserContextOptions = {}) => {
    const { page } = await opened(isOwn, { viewport: { width: 390, height: 844 }, ...options });
    await page.goto(url);
    return page;
  };

  /** Plays the first video, and returns the pixels of its picture at two times. */
  async function picturesOf(page: Page): Promise<[Buffer, Buffer]> {
    const video = page.locator('video').first();
    // Controls would change the pixels, too.
    await video.evaluate((each) => each.removeAttribute('controls'));
    await video.evaluate((each) => (each as unknown as Player).play());
    const at = async (seconds: number) => {
      while ((await video.evaluate((each) => (each as unknown as Player).currentTime)) < seconds)
        await waitForFrames(page);
      return video.screenshot();
    };
    return [await at(0.5), await at(2.5)];
  }

  test('someone records ten seconds, and visitors see the picture move', async () => {
    const form = await open(linkTo('/f/'));
    await fillForm(form);
    await form.setInputFiles('.photo input', {
      name: 'me.jpg',
      mimeType: 'image/jpeg',
      buffer: Buffer.from(fixture('landscape.jpg')),
    });
    // Four clicks.
    await form.click('text=Record a video');
    await form.locator('.left', { hasText: '1:50 left' }).waitFor();
    await form.click('text=Stop');
    await form.click('text=Use recording');
    await form.click('button.send');
    await form.waitForURL('**/thanks');

    const desk = await open(linkTo('/desk/open#'));
    await desk.click('button:has-text("Sign in"):visible');
    const queued = desk.locator('article video');
    await queued.waitFor();
    const [pending, later] = await picturesOf(desk);
    expect(pending.equals(later)).toBe(false);
    // Its URL of the bucket has expired by then.
    const { pathname } = new URL(String(await queued.getAttribute('src')), service.url);
    await Promise.all([
      desk.waitForRequest((request) => new URL(request.url()).pathname === pathname),
      queued.evaluate((each) => {
        const play = new Event('play');
        Object.defineProperty(play, 'timeStamp', { value: performance.now() + 3_600_000 });
        each.dispatchEvent(play);
      }),
    ]);
    // A finger in the player moves its position, and decides nothing.
    const swiped = (target: string) =>
      desk.evaluate<string>(`{
        const target = document.querySelector('${target}');
        const touch = { bubbles: true, pointerType: 'touch', isPrimary: true, clientY: 300 };
        target.dispatchEvent(new PointerEvent('pointerdown', { ...touch, clientX: 50 }));
        target.dispatchEvent(new PointerEvent('pointermove', { ...touch, clientX: 350 }));
        const swipe = document.querySelector('article').dataset.swipe;
        target.dispatchEvent(new PointerEvent('pointercancel', touch));
        swipe;
      }`);
    expect(await swiped('article .content')).toBe('approve');
    expect(await swiped('article video')).toBe('');
    await desk.click('.key-a');
    await desk.getByText('1 approved').waitFor();

    for (const url of [linkTo('/w/'), site]) {
      const page = await open(url, { viewport: { width: 1280, height: 900 } });
      const video = page.locator('video').first();
      await video.waitFor();
      const [early, late] = await picturesOf(page);
      expect(early.equals(late)).toBe(false);
      expect(await page.locator('.photo').evaluate((each) => Object(each).naturalWidth)).toBe(256);
      expect(await video.evaluate((each) => (each as unknown as Player).duration)).toBeGreaterThan(9);
    }
  });
});
