/** Players of the desk and of a wall after a pause that outlasts the URL of their recording. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { pathOfPage } from '../../functions/domain/page.ts';
import { openChanges } from '../../functions/testimonials/changes.ts';
import { type ServedPages, serveOnLoopback } from '../../lib/serve-on-loopback.ts';
import { createApiClient, testimonialBody } from '../api-client.ts';
import { type TestBucket, testBucket, uploadTo } from '../media-bucket.ts';
import { addPage } from '../page-visitor.ts';
import { autoplay, describeWith, drawn, watchedPages } from './browser.ts';
import { pageRoutes, type ServedDesk, serveDesk } from './served-desk.ts';

describeWith(autoplay)('a player that goes on after a pause of more than ten minutes', () => {
  let bucket: TestBucket;
  let served: ServedPages;
  let desk: ServedDesk;
  let wall: string;
  /** The URLs of the bucket that browsers asked for, and the statuses. */
  const reads: [url: string, status: number][] = [];
  const opened = watchedPages();

  beforeAll(async () => {
    served = await serveOnLoopback(0, (port) => {
      bucket = testBucket(`http://127.0.0.1:${port}`);
      return {
        async fetch(request: Request) {
          const response = await bucket.fetch(request);
          if (request.method === 'GET') reads.push([request.url, response.status]);
          return response;
        },
      };
    });
    const api = await createApiClient(undefined, undefined, bucket.bucket);
    const media = { recording: await uploadTo(bucket, api) };
    const { body } = await api.create(testimonialBody({ type: 'video', media }));
    await openChanges(api.table)('acme').change(body.id, { status: 'approved' });
    const page = await addPage(api.table, { kind: 'wall', settings: {} });
    wall = pathOfPage(page);
    desk = await serveDesk(api.table, {
      bucket: bucket.bucket,
      routes: await pageRoutes(api.table, { bucket: bucket.bucket }),
    });
  });
  afterAll(() => served?.stop());

  /** Opens the page with the player of the only testimonial. */
  async function open(where: string): Promise<Page> {
    const { page } = await opened(() => true);
    if (where === 'the desk') await desk.signIn(page.context());
    await page.goto(desk.url + (where === 'the desk' ? '/desk/list' : wall));
    return page;
  }

  test.each(['the desk', 'a wall'])(
    'at %s fetches a new URL, and goes on at the same second',
    async (where) => {
      reads.length = 0;
      bucket.clock.aheadMs = 0;
      const page = await open(where);
      const ofVideo = (expression: string) =>
        page.evaluate<number>(`{ const video = document.querySelector('video'); ${expression} }`);
      // So slow that the recording does not end meanwhile.
      await ofVideo('video.defaultPlaybackRate = video.playbackRate = 0.25; video.play()');
      while ((await ofVideo('video.currentTime')) < 0.2) await drawn(page);
      const before = await ofVideo('video.pause(); video.currentTime');
      const [[first] = ['']] = reads;
      expect(new URL(first).searchParams.get('X-Amz-Expires')).toBe('300');

      const pauseMs = 11 * 60_000;
      bucket.clock.aheadMs = pauseMs;
      expect((await bucket.fetch(new Request(first))).status).toBe(403);
      reads.length = 0;
      // The browser's clock does not run ahead: its cache forgets the redirect after a minute, and people
      // press play later than this event.
      await (await page.context().newCDPSession(page)).send('Network.clearBrowserCache');
      await ofVideo(`
        video.addEventListener('playing', () => { video.dataset.from = video.currentTime; }, { once: true });
        const play = new Event('play');
        Object.defineProperty(play, 'timeStamp', { value: performance.now() + ${pauseMs} });
        video.dispatchEvent(play);`);
      while ((await ofVideo('video.currentTime')) <= before) await drawn(page);
      const from = await ofVideo('Number(video.dataset.from)');
      expect(from).toBeGreaterThanOrEqual(before);
      expect(Math.floor(from)).toBe(Math.floor(before));
      expect(reads.length).toBeGreaterThan(0);
      for (const [url, status] of reads) {
        expect(url).not.toBe(first);
        expect([200, 206]).toContain(status);
      }
    },
  );
});
