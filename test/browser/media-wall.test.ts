/** Walls with photos and recordings: nothing loads before someone plays, and players outlive their URLs. */
import type { ServerResponse } from 'node:http';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { StoredMedia, Testimonial } from '../../functions/domain/testimonial.ts';
import { embedScript, wallCode } from '../../functions/serve-pages/bundle.ts';
import { policyOf } from '../../functions/serve-pages/html-page.ts';
import { someOf } from '../some-of.ts';
import { fixture } from '../unit/media/files.ts';
import { hostileTestimonial } from '../unit/serve-pages/hostile.ts';
import {
  autoplay,
  describeWith,
  expectAccessible,
  looks,
  newPage,
  until,
  waitForFrames,
  watchedPages,
} from './browser.ts';
import { dataAt, serveOn, wallAt } from './served-walls.ts';

const photo = { type: 'image/jpeg' };
const video = { photo, recording: { type: 'video/mp4', bytes: 5000 }, poster: { type: 'image/jpeg' } };

/** A `video` or `audio` element. */
interface Player {
  play(): Promise<void>;
}

function testimonialsWith(count: number, media: StoredMedia): Testimonial[] {
  return Array.from({ length: count }, (_, index) => ({
    ...hostileTestimonial(`They answered within the hour, ${index} times.`, index + 1),
    media,
  }));
}

describeWith(autoplay)('a wall with media', () => {
  let service: string;
  let bucket: string;
  let site: string;
  let testimonials: Testimonial[];
  let settings: Record<string, string>;
  /** The file of all recordings, and its type. */
  let file: [name: string, type: string];
  /** The policy of the site with the live element. */
  let sitePolicy: string;
  /** The requests for media and for the bucket. */
  let requests: string[];
  const opened = watchedPages();

  /** Sends a file, or the range of it that the browser asks for, as S3 does. */
  function send(response: ServerResponse, bytes: Uint8Array, type: string) {
    const [, from] = /^bytes=(\d+)-/.exec(response.req.headers.range ?? '') ?? [];
    const sent = bytes.subarray(Number(from ?? 0));
    response.writeHead(from === undefined ? 200 : 206, {
      'content-type': type,
      'content-length': sent.length,
      'accept-ranges': 'bytes',
      'cross-origin-resource-policy': 'cross-origin',
      ...(from !== undefined && {
        'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
      }),
    });
    response.end(sent);
  }

  beforeAll(async () => {
    const [code, embed] = [await wallCode(), await embedScript()];
    bucket = await serveOn((_, response) => {
      requests.push('bucket');
      return send(response, fixture(file[0]), file[1]);
    });
    service = await serveOn((url, response) => {
      const { pathname } = url;
      response.setHeader('access-control-allow-origin', '*');
      if (pathname === '/embed.js') return response.setHeader('content-type', 'text/javascript').end(embed);
      if (pathname.startsWith('/m/')) {
        const isPicture = !recordings().includes(pathname);
        requests.push(isPicture ? 'picture' : 'recording');
        if (isPicture) return send(response, fixture('landscape.jpg'), 'image/jpeg');
        return response.writeHead(302, { location: `${bucket}/x?signed` }).end();
      }
      if (pathname.endsWith('.json')) {
        return response.end(dataAt(url, testimonials, settings));
      }
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policyOf(code, { images: ["'self'"], media: ["'self'", bucket] }),
      });
      return response.end(wallAt(url, testimonials, settings));
    });
    site = await serveOn((_, response) => {
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': sitePolicy,
      });
      response.end(
        `<!doctype html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><script type="module" src="${service}/embed.js"></script><testimonials-wall page="1" style="display: block; min-height: 704px"></testimonials-wall>`,
      );
    });
  });
  beforeEach(() => {
    testimonials = testimonialsWith(24, video);
    settings = { limit: '24' };
    file = ['h264-aac.mp4', 'video/mp4'];
    sitePolicy = '';
    requests = [];
  });

  /** The paths of recordings, which redirect to the bucket. */
  function recordings(): string[] {
    const wall = wallAt(new URL('https://api.example.com/w/1'), testimonials, settings);
    return Array.from(wall.matchAll(/<(?:video|audio)[^>]* src="([^"]+)"/g), ([, path = '']) => path);
  }

  async function open(options: BrowserContextOptions = {}, at = `${service}/w/1`): Promise<Page> {
    const { page } = await opened(() => true, options);
    await page.goto(at);
    return page;
  }

  const play = (page: Page) =>
    page
      .locator('video, audio')
      .first()
      .evaluate((each) => (each as unknown as Player).play());
  test.each(someOf(looks))(
    'of 24 videos asks the bucket for nothing, and stays where it is, at %i px, %s',
    async (width, colorScheme) => {
      const page = await open({ viewport: { width, height: 900 }, colorScheme });
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      while (!requests.includes('picture')) await waitForFrames(page);
      await waitForFrames(page);
      await expectAccessible(page);
      expect(requests.filter((each) => each !== 'picture')).toEqual([]);
      expect(await page.evaluate('shifts')).toEqual([]);
      expect(await page.locator('video').count()).toBe(24);
    },
  );

  test('shows a photo in front of the initials', async () => {
    const page = await open();
    const card = page.locator('.card').first();
    expect(await card.locator('.initials').innerText()).not.toBe('');
    await until(page, `document.querySelector('.photo').naturalWidth > 0`);
    const [photo, initials] = await Promise.all(
      ['.photo', '.initials'].map((part) => card.locator(part).boundingBox()),
    );
    expect(photo).toEqual(initials);
  });

  test('shows a standing video as high as 420 pixels once it plays', async () => {
    file = ['location-rotated.mov', 'video/mp4'];
    const page = await open();
    const box = page.locator('.media').first();
    const before = await box.boundingBox();
    expect((before?.width ?? 0) / (before?.height ?? 1)).toBeCloseTo(16 / 9, 1);
    await play(page);
    await page.locator('.media.portrait').waitFor();
    expect((await box.boundingBox())?.height).toBe(420);
  });

  test('plays sound', async () => {
    testimonials = testimonialsWith(3, { recording: { type: 'audio/mpeg', bytes: 2000 } });
    file = ['tone.mp3', 'audio/mpeg'];
    const page = await open({ viewport: { width: 390, height: 800 } });
    await play(page);
    await until(page, `document.querySelector('audio').currentTime > 0.2`);
    await expectAccessible(page);
  });

  test.each([
    ['whose URL has expired', 'error', 60_000],
    ['that someone starts again after five minutes', 'play', 5 * 60_000],
  ])('a player %s fetches a new one, once, and goes on at the same second', async (_, name, pauseMs) => {
    const page = await open();
    await play(page);
    await until(page, `document.querySelector('video').currentTime > 0.2`);
    const before = requests.filter((each) => each === 'recording').length;
    const tell = (later: number) =>
      page.evaluate(`{
        const video = document.querySelector('video');
        video.pause();
        video.dataset.pausedAt = video.currentTime;
        video.addEventListener('playing', () => { video.dataset.from = video.currentTime; }, { once: true });
        Object.defineProperty(video, 'error', { value: { code: 2 }, configurable: true });
        const event = new Event('${name}');
        Object.defineProperty(event, 'timeStamp', { value: performance.now() + ${later} });
        video.dispatchEvent(event);
      }`);
    await tell(pauseMs);
    await until(page, `document.querySelector('video').dataset.from !== undefined`);
    const { pausedAt, from } = await page.evaluate<Record<string, string>>(
      `({ ...document.querySelector('video').dataset })`,
    );
    expect(Number(from)).toBeGreaterThanOrEqual(Number(pausedAt));
    // The network has failed again, or someone has paused and gone on.
    await tell(pauseMs + 500);
    expect(requests.filter((each) => each === 'recording')).toHaveLength(before + 1);
  });

  test('a browser without the codec gets a link with the poster', async () => {
    testimonials = testimonialsWith(1, video);
    file = ['mpeg4.avi', 'video/mp4'];
    const page = await open();
    await page.locator('video').evaluate((each) => (each as unknown as Player).play().catch(() => {}));
    const link = page.locator('.media > .open');
    await link.waitFor();
    expect(await link.innerText()).toBe('Open the recording');
    expect(await link.locator('img').getAttribute('src')).toContain('/m/');
    expect(await link.getAttribute('href')).toContain(recordings()[0]);
    await expectAccessible(page);
  });

  test('with the layout `single` waits while something plays', async () => {
    settings = { limit: '24', look: 'single' };
    const page = await open({}, 'about:blank');
    await page.clock.install();
    await page.goto(`${service}/w/1`);
    const left = () => page.evaluate<number>(`document.getElementById('cards').scrollLeft`);
    await page.evaluate(
      `Object.defineProperty(document.querySelector('video'), 'paused', { value: false, configurable: true })`,
    );
    await page.clock.runFor(20_000);
    expect(await left()).toBe(0);
    await page.evaluate(`Object.defineProperty(document.querySelector('video'), 'paused', { value: true })`);
    await page.clock.runFor(9000);
    await until(page, `document.getElementById('cards').scrollLeft > 0`);
  });

  describe('on a website', () => {
    test('whose policy allows only pictures, shows the poster as a link', async () => {
      sitePolicy = `default-src 'none'; script-src ${service}; connect-src ${service}; img-src data: ${service}; style-src 'unsafe-inline'`;
      const { page } = await newPage(() => true);
      await page.goto(site);
      // Chromium refuses the URL before anybody plays.
      const link = page.locator('.media > .open').first();
      await link.waitFor();
      expect(await link.getAttribute('href')).toBe(service + recordings()[0]);
      expect(requests).not.toContain('bucket');
    });

    test('whose policy allows nothing of others, keeps the initials', async () => {
      sitePolicy = `default-src 'none'; script-src ${service}; connect-src ${service}; style-src 'unsafe-inline'`;
      const { page } = await newPage(() => true);
      await page.goto(site);
      expect(await page.locator('.initials').first().innerText()).not.toBe('');
      expect(requests).toEqual([]);
    });
  });
});
