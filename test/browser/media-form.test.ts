/** A form that asks for a photo and a recording, as people fill it in. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { readJpeg } from '../../functions/media/jpeg.ts';
import { recognize } from '../../functions/media/recognize.ts';
import { someOf } from '../some-of.ts';
import { bareMp3, fileOf, fixture, id3, joined, withSegment } from '../unit/media/files.ts';
import {
  describeWith,
  expectAccessible,
  fakeDevices,
  looks,
  newPage,
  waitForFrames,
  watchedPages,
} from './browser.ts';
import { fillForm, startFormService, valid } from './served-forms.ts';

describeWith(...fakeDevices)('a form that asks for media', () => {
  let service: Awaited<ReturnType<typeof startFormService>>;
  let state: typeof service.state;
  const opened = watchedPages();

  beforeAll(async () => {
    service = await startFormService();
    state = service.state;
  });
  beforeEach(() => {
    service.reset();
    state.settings = { ask: 'photo,video,audio' };
  });

  async function openForm(options: BrowserContextOptions = {}, init = ''): Promise<Page> {
    const isOwn = (url: string) =>
      [service.origin, service.bucket, 'blob:'].some((own) => url.startsWith(own));
    const { page } = await opened(isOwn, options, init);
    await page.goto(`${service.origin}/f/1`);
    return page;
  }

  /** Opens the form where requests may fail, which the browser logs as errors. */
  async function openLossy(): Promise<Page> {
    const { page } = await newPage(() => true);
    await page.goto(`${service.origin}/f/1`);
    return page;
  }

  const choose = (page: Page, name: string, as = name) =>
    page.setInputFiles('.choose input', { name: as, mimeType: '', buffer: Buffer.from(fixture(name)) });
  const added = (page: Page, field = '.recorder') =>
    page.locator(`${field} .chip`, { hasText: 'Added' }).waitFor();
  /** Waits until an upload waits in the bucket. */
  async function arrivedAtBucket(): Promise<void> {
    while (!state.goOn) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const refused = (page: Page, text: string, field = '.recorder') =>
    page.locator(`${field} .error`, { hasText: text }).waitFor();
  const choosePhoto = (page: Page) => page.setInputFiles('.photo input', 'test/fixtures/media/landscape.jpg');
  /** Presses “Send” or another button, and returns the media that each received form names. */
  async function mediaSent(page: Page, button = 'button.send'): Promise<string[][]> {
    await page.click(button);
    await page.waitForURL('**/thanks');
    return state.sent.map((form) => form.getAll('media'));
  }
  const storedKinds = () => state.stored.map(({ kind }) => kind);
  const recognized = (index: number, kind: 'photo' | 'recording' | 'poster') =>
    recognize(kind, fileOf(state.stored[index]?.bytes ?? new Uint8Array()));

  /** Records until there is something to keep. */
  async function startRecording(page: Page, button = 'Record audio'): Promise<void> {
    await page.click(`text=${button}`);
    await page.locator('.left', { hasText: /^1:5\d left$/ }).waitFor();
    await page.waitForTimeout(1500);
  }

  async function record(page: Page, button = 'Record a video'): Promise<void> {
    await startRecording(page, button);
    await page.click('text=Stop');
    await page.click('text=Use recording');
  }

  test('a video is recorded, seen, sent while the person types, and named in the form', async () => {
    const page = await openForm({ viewport: { width: 390, height: 800 } });
    await startRecording(page, 'Record a video');
    expect(await page.evaluate(`document.querySelector('.own').videoWidth > 0`)).toBe(true);
    await page.click('text=Stop');
    await page.locator('.stage > video[src^="blob:"]').waitFor();
    await page.click('text=Use recording');
    await added(page);
    await fillForm(page);
    const key = await page.inputValue('[name=key]');
    expect(await mediaSent(page)).toEqual([['recording', 'poster']]);
    expect(state.stored.map((each) => [each.key, each.kind, each.type])).toEqual([
      [key, 'recording', 'video/mp4'],
      [key, 'poster', 'image/jpeg'],
    ]);
    expect(await recognized(0, 'recording')).toEqual({
      type: 'video/mp4',
      medium: 'video',
      hasLocation: false,
    });
    expect(await recognized(1, 'poster')).toEqual({ type: 'image/jpeg', hasLocation: false });
    expect(state.asked.map(({ bytes }) => bytes)).toEqual(state.stored.map(({ bytes }) => bytes.length));
  });

  test('a form that asks for sound takes no video, and records without a camera', async () => {
    state.settings = { ask: 'audio' };
    const page = await openForm();
    await choose(page, 'h264-aac.mp4');
    await refused(page, 'Please choose an audio file.');
    expect(await page.locator('text=Record a video').count()).toBe(0);
    await record(page, 'Record audio');
    await added(page);
    expect(storedKinds()).toEqual(['recording']);
    expect(await recognized(0, 'recording')).toEqual({
      type: 'audio/webm',
      medium: 'audio',
      hasLocation: false,
    });
  });

  test('someone who stops at once has recorded nothing, or something short, and nothing has failed', async () => {
    const page = await openForm();
    for (let n = 0; n < 3; n += 1) {
      await page.click('text=Record audio');
      await page.click('text=Stop');
      await page
        .locator('.sources:not([hidden]) [data-is=audio]')
        .or(page.locator('text="Record again"'))
        .waitFor();
      expect(await page.locator('.recorder .error').allInnerTexts()).toEqual(['', '']);
      if (await page.locator('text="Record again"').isVisible()) await page.reload();
    }
  });

  test('a recording can be made again before it is used, and removed after it', async () => {
    const page = await openForm();
    await startRecording(page);
    await page.click('text=Stop');
    await record(page, '"Record again"');
    await added(page);
    expect(await page.locator('.sources').isHidden()).toBe(true);
    await page.click('.chip >> text=Remove');
    expect(await page.locator('.sources').isVisible()).toBe(true);
    await fillForm(page);
    expect(await mediaSent(page)).toEqual([[]]);
    expect(state.stored).toHaveLength(1);
  });

  test('“Send” stops a recording and shows it; the next “Send” uses it, and sends the form after it', async () => {
    const page = await openForm();
    await fillForm(page);
    await startRecording(page);
    await page.click('button.send');
    await page.locator('.stage > audio[src^="blob:"]').waitFor();
    expect(await page.locator('button.send').isEnabled()).toBe(true);
    expect(await page.locator('button.send').innerText()).toBe('Send');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Use recording');
    expect(state.sent).toEqual([]);
    await page.click('button.send');
    await page.waitForURL('**/thanks');
    expect(storedKinds()).toEqual(['recording']);
    expect(state.sent.map((form) => form.getAll('media'))).toEqual([['recording']]);
  });

  test('a form that waits for a photo is not sent before the recording that began meanwhile', async () => {
    const page = await openForm();
    state.mishaps = ['wait'];
    await choosePhoto(page);
    await arrivedAtBucket();
    await fillForm(page);
    await page.click('button.send');
    await startRecording(page);
    state.goOn?.();
    await page.locator('.stage > audio[src^="blob:"]').waitFor();
    expect(await page.locator('.waiting').innerText()).toBe('');
    expect(state.sent).toEqual([]);
    expect(await mediaSent(page)).toEqual([['photo', 'recording']]);
  });

  test.each(['asking', 'recording', 'showing'])(
    '“Start over” ends a recorder that is %s, and its camera',
    async (step) => {
      const page = await openForm(
        {},
        `const real = MediaDevices.prototype.getUserMedia;
        MediaDevices.prototype.getUserMedia = async function (options) {
          const stream = await real.call(this, options);
          await globalThis.allowed;
          return (globalThis.stream = stream);
        };`,
      );
      await fillForm(page);
      await page.reload();
      if (step === 'asking') {
        await page.evaluate(
          '{ globalThis.allowed = new Promise((resolve) => { globalThis.allow = resolve; }); 0 }',
        );
        await page.click('text=Record a video');
      } else {
        await startRecording(page, 'Record a video');
        if (step === 'showing') await page.click('text=Stop');
      }
      await page.click('text=Start over');
      if (step === 'asking') await page.evaluate('globalThis.allow()');
      const ended = 'globalThis.stream?.getTracks().every((each) => each.readyState === "ended")';
      while (!(await page.evaluate(ended))) await waitForFrames(page);
      expect(await page.locator('.stage').innerHTML()).toBe('');
      expect(await page.locator('[data-is=video]').isEnabled()).toBe(true);
    },
  );

  test('a chosen file loses its place and keeps its rotation', async () => {
    const page = await openForm();
    await choose(page, 'location-rotated.mov', 'IMG_2041.MOV');
    await added(page);
    const [recording] = state.stored;
    expect(await recognized(0, 'recording')).toEqual({
      type: 'video/mp4',
      medium: 'video',
      hasLocation: false,
    });
    expect(recording?.bytes.includes('+47.4210') || recording?.bytes.includes('IMG_2041')).toBe(false);
    // The poster shows the rotated video of 160 × 90 pixels upright.
    const poster = state.stored[1]?.bytes ?? Buffer.alloc(0);
    const { width, height } = readJpeg(new Uint8Array(poster));
    expect([width, height]).toEqual([90, 160]);
  });

  test('a chosen MP3 file loses its tags', async () => {
    const page = await openForm();
    const tag = id3('TXXX', '\0LOCATION\0+47.4210+010.9850/');
    const buffer = Buffer.from(joined(tag, bareMp3()));
    await page.setInputFiles('.choose input', { name: 'a.mp3', mimeType: '', buffer });
    await added(page);
    expect(state.stored.map(({ bytes }) => bytes)).toEqual([Buffer.from(bareMp3())]);
  });

  test('a truncated video and one byte too many are refused before they are sent', async () => {
    const page = await openForm();
    const buffer = Buffer.from(fixture('h264-aac.mp4').subarray(0, 4000));
    await page.setInputFiles('.choose input', { name: 'a.mp4', mimeType: 'video/mp4', buffer });
    await refused(page, 'This file is damaged or incomplete.');
    // Playwright sends no file of 100 MB.
    await page.evaluate(`{
      const input = document.querySelector('.choose input');
      const files = new DataTransfer();
      files.items.add(new File([new ArrayBuffer(100 * 1024 * 1024 + 1)], 'a.mp4'));
      input.files = files.files;
      input.dispatchEvent(new Event('change'));
    }`);
    await refused(page, 'This file is larger than 100 MB.');
    expect(await page.locator('.sources').isVisible()).toBe(true);
    expect(state.asked).toEqual([]);
  });

  test('a photo is cropped to a square, seen on its button, and sent without metadata', async () => {
    const page = await openForm();
    const picture = withSegment(fixture('landscape.jpg'), 0xe1, 'Exif\0\0GPS');
    await page.setInputFiles('.photo input', {
      name: 'me.jpg',
      mimeType: 'image/jpeg',
      buffer: Buffer.from(picture),
    });
    await added(page, '.with-photo');
    expect(await page.locator('.photo canvas').isVisible()).toBe(true);
    expect(storedKinds()).toEqual(['photo']);
    expect(await recognized(0, 'photo')).toEqual({ type: 'image/jpeg', hasLocation: false });
    await page.click('.with-photo .chip >> text=Remove');
    expect(await page.locator('.photo canvas').count()).toBe(0);
  });

  test('a photo that was removed, or replaced by another one, is not shown', async () => {
    // The first photo takes long.
    const page = await openForm(
      {},
      `const real = createImageBitmap;
      let slow = true;
      globalThis.createImageBitmap = async (...file) => {
        if (slow) {
          slow = false;
          await new Promise((resolve) => { globalThis.goOn = resolve; });
        }
        return real(...file);
      };
      const append = Element.prototype.append;
      globalThis.canvases = 0;
      Element.prototype.append = function (...nodes) {
        if (nodes[0] instanceof HTMLCanvasElement) canvases += 1;
        append.apply(this, nodes);
      };`,
    );
    await choosePhoto(page);
    await page.click('.with-photo .chip >> text=Remove');
    await choosePhoto(page);
    await added(page, '.with-photo');
    await page.evaluate('globalThis.goOn()');
    await page.waitForTimeout(200);
    expect(await page.evaluate('globalThis.canvases')).toBe(1);
    expect(storedKinds()).toEqual(['photo']);
  });

  test('SVG, HTML and a damaged picture are no photo', async () => {
    const page = await openForm();
    for (const text of ['<svg xmlns="http://www.w3.org/2000/svg"/>', '<!doctype html>', '\xff\xd8\xff\xe0']) {
      const buffer = Buffer.from(text, 'latin1');
      await page.setInputFiles('.photo input', { name: 'me.jpg', mimeType: 'image/jpeg', buffer });
      await refused(page, 'This picture cannot be opened.', '.with-photo');
    }
    expect(state.asked).toEqual([]);
  });

  test.each<[string, typeof state.mishaps, number]>([
    ['the network may be lost twice, and one signed form is enough', ['lose', 'lose'], 1],
    ['a form that has expired is signed again', ['expire'], 2],
  ])('%s', async (_, mishaps, signed) => {
    const page = await openLossy();
    state.mishaps = mishaps;
    await choose(page, 'tone.m4a');
    await added(page);
    expect(storedKinds()).toEqual(['recording']);
    expect(state.asked).toHaveLength(signed);
  });

  test.each<[string, Pick<typeof state, 'mishaps' | 'refusal'>]>([
    ['lost three times', { mishaps: ['lose', 'lose', 'lose', 'lose', 'lose', 'lose'], refusal: undefined }],
    ['refused by the service', { mishaps: [], refusal: [422, { error: { code: 'validation_error' } }] }],
  ])('%s, it offers to try again, and to send the form without it', async (_, failing) => {
    Object.assign(state, failing);
    const page = await openLossy();
    await choose(page, 'h264-aac.mp4');
    const failed = page.locator('.chip', { hasText: 'It could not be sent.' });
    await failed.waitFor();
    await page.click('.chip >> text=Try again');
    await failed.waitFor();
    await fillForm(page);
    expect(await mediaSent(page, 'text=Send without the video')).toEqual([[]]);
  });

  test('“Send” waits for a file, says so, and sends the form after it', async () => {
    const page = await openForm();
    state.mishaps = ['wait'];
    await choose(page, 'tone.m4a');
    await fillForm(page);
    await page.click('button.send');
    await page.locator('.waiting', { hasText: 'Your file is being sent.' }).waitFor();
    await arrivedAtBucket();
    // Still true after ten seconds, enough to send a form without files, and after going back.
    await page.waitForTimeout(10_500);
    await page.evaluate(`dispatchEvent(new Event('pageshow'))`);
    expect(await page.locator('button.send').isDisabled()).toBe(true);
    expect(await page.locator('button.send').innerText()).toBe('Sending …');
    expect(state.sent).toEqual([]);
    state.goOn?.();
    await page.waitForURL('**/thanks');
    expect(state.sent[0]?.getAll('media')).toEqual(['recording']);
  });

  test('someone who waits can send the form without the recording', async () => {
    const page = await openForm();
    state.mishaps = ['wait'];
    await choose(page, 'tone.m4a');
    await arrivedAtBucket();
    await fillForm(page);
    await page.click('button.send');
    expect(await mediaSent(page, 'text=Send without the recording')).toEqual([[]]);
  });

  test('a phone that is locked while it sends goes on afterwards, however often', async () => {
    const page = await openLossy();
    const lock = (isLocked: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${isLocked ? 'hidden' : 'visible'}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    const waiting = () => page.locator('.chip', { hasText: 'Waiting for the connection' }).waitFor();
    await lock(true);
    await choose(page, 'tone.m4a');
    await waiting();
    expect(state.asked).toEqual([]);
    for (let time = 0; time < 4; time += 1) {
      state.mishaps = ['wait and lose'];
      await lock(false);
      await arrivedAtBucket();
      await lock(true);
      state.goOn?.();
      await waiting();
    }
    await lock(false);
    await added(page);
    expect(storedKinds()).toEqual(['recording']);
  });

  test('a phone that is locked while it records keeps what it has', async () => {
    const page = await openForm();
    await startRecording(page);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.click('text=Use recording');
    await added(page);
    expect(await recognized(0, 'recording')).toMatchObject({ medium: 'audio' });
  });

  test('a browser that can no longer read its recording says so, and the words can be sent', async () => {
    const page = await openForm(
      {},
      `Blob.prototype.arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'))`,
    );
    await choose(page, 'h264-aac.mp4');
    await refused(page, 'Your device does not have enough space for the file.');
    await fillForm(page);
    expect(await mediaSent(page)).toEqual([[]]);
  });

  test('without a camera it says what to do', async () => {
    const page = await openForm(
      {},
      `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'))`,
    );
    await page.click('text=Record a video');
    await refused(page, 'We cannot access the camera.');
    expect(await page.locator('.sources').isVisible()).toBe(true);
  });

  test('a form that is shown again keeps the files that have arrived', async () => {
    const key = 'k'.repeat(22);
    const typed = new URLSearchParams([
      ['key', key],
      ['content', 'Short'],
      ['media', 'recording'],
      ['media', 'poster'],
    ]);
    state.view = { key, typed, errors: { content: 'must have 10 to 5000 characters' }, notice: 'invalid' };
    const page = await openForm();
    await added(page);
    await fillForm(page);
    expect(await mediaSent(page)).toEqual([['recording', 'poster']]);
  });

  test('a recording that the service refused is explained, and another one follows', async () => {
    const typed = new URLSearchParams([...Object.entries(valid), ['consent', 'yes']]);
    state.view = { typed, notice: 'media', refused: 'hevc' };
    const page = await openForm({ viewport: { width: 390, height: 800 } });
    await page.locator('.summary', { hasText: 'Many browsers cannot play this video (HEVC).' }).waitFor();
    await expectAccessible(page);
    await choose(page, 'tone.m4a');
    await added(page);
    expect(await mediaSent(page)).toEqual([['recording']]);
  });

  test('a tab that the phone closed keeps the files that have arrived, and “Start over” removes them', async () => {
    const page = await openForm();
    await choose(page, 'tone.m4a');
    await added(page);
    await page.fill('[name=content]', valid.content);
    const key = await page.inputValue('[name=key]');
    await page.reload();
    await added(page);
    expect(await page.inputValue('[name=key]')).toBe(key);
    await page.click('text=Start over');
    expect(await page.locator('[name=media]').count()).toBe(0);
    expect(await page.locator('.sources').isVisible()).toBe(true);
  });

  test('a form whose key a draft changes sends its files again', async () => {
    const page = await openForm();
    await choose(page, 'tone.m4a');
    await added(page);
    await fillForm(page);
    const first = await page.inputValue('[name=key]');
    await page.evaluate(`document.querySelector('[name=key]').value = 'z'.repeat(22)`);
    await page.click('button.send');
    await page.waitForURL('**/thanks');
    expect(state.stored.map(({ key }) => key)).toEqual([first, 'z'.repeat(22)]);
    expect(state.sent[0]?.get('key')).toBe('z'.repeat(22));
    expect(state.sent[0]?.getAll('media')).toEqual(['recording']);
  });

  test('without JavaScript it is a form without media', async () => {
    const page = await openForm({ javaScriptEnabled: false });
    expect(await page.locator('.recorder, .photo').filter({ visible: true }).count()).toBe(0);
  });

  const states: Record<string, (page: Page) => Promise<unknown>> = {
    new: async () => {},
    recording: (page) => startRecording(page, 'Record a video'),
    recorded: async (page) => {
      await page.click('text=Record a video');
      await page.click('text=Stop');
      await page.locator('.stage > video').waitFor();
    },
    added: async (page) => {
      await choose(page, 'h264-aac.mp4');
      await added(page);
      await choosePhoto(page);
      await added(page, '.with-photo');
    },
    refused: async (page) => {
      await choose(page, 'hevc.mp4');
      await refused(page, 'HEVC');
    },
  };

  describe.each(Object.keys(states))('%s', (name) => {
    test.each(someOf(looks))(
      'is sound at %i px, %s, and its targets are large enough',
      async (width, colorScheme) => {
        for (const lang of name === 'new' ? ['en', 'de'] : ['en']) {
          state.settings = { ask: 'photo,video,audio', lang };
          const page = await openForm({ viewport: { width, height: 800 }, colorScheme });
          await waitForFrames(page);
          expect(await page.evaluate('globalThis.shifts')).toEqual([]);
          await states[name]?.(page);
          await expectAccessible(page);
          const targets = page.locator(':is(.recorder, .with-photo) :is(input, button)');
          const heights = await targets.evaluateAll((all) =>
            all.map((each) => each.getBoundingClientRect().height),
          );
          expect(Math.min(...heights.filter((height) => height > 0))).toBeGreaterThanOrEqual(44);
        }
      },
    );
  });
});
