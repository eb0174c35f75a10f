/**
 * Forms in pages of others: the element, which is as high as its form, and the frame of the other snippet.
 */
import { createServer } from 'node:http';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Brand } from '../../functions/domain/brand.ts';
import { readBrand, readLogo } from '../../functions/domain/read-brand.ts';
import { embedScript, formCode, mediaFormCode } from '../../functions/serve-pages/bundle.ts';
import {
  formPage,
  type PageCode,
  type ShownForm,
  thanksPage,
} from '../../functions/serve-pages/form-page.ts';
import { policyOf } from '../../functions/serve-pages/html-page.ts';
import { linksOf } from '../../functions/serve-pages/own-pages.ts';
import { png } from '../images.ts';
import { listen } from '../listen.ts';
import { someOf } from '../some-of.ts';
import { viewOf } from '../unit/serve-pages/form-view.ts';
import { describeInBrowser, drawn, launchBrowser, watchedPages } from './browser.ts';
import { withOldLibraries, withThrowingBuiltIns } from './old-libraries.ts';
import { serveOn } from './served-walls.ts';

describeInBrowser('a form in a page of another origin', () => {
  let browser: Browser;
  let origin: string;
  let site: string;
  let code: PageCode;
  let mediaCode: PageCode;
  let embed: Uint8Array;
  /** The form that the service shows, and the page around it. */
  let settings: Record<string, string>;
  let view: Partial<ShownForm> & { title?: string };
  let around: (snippet: string) => string;
  let kind: 'snippet' | 'iframe';
  const opened = watchedPages();

  const shown = () =>
    viewOf(settings, {
      url: `${origin}/f/0123456789abcdefghijkl`,
      code: settings.ask ? mediaCode : code,
      ...view,
    });

  beforeAll(async () => {
    [code, mediaCode, embed, browser] = await Promise.all([
      formCode(),
      mediaFormCode(),
      embedScript(),
      launchBrowser('--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'),
    ]);
    const service = createServer((request, response) => {
      const { url = '', method } = request;
      response.setHeader('access-control-allow-origin', '*');
      if (url === '/embed.js') return response.setHeader('content-type', 'text/javascript').end(embed);
      if (method === 'POST') return response.writeHead(303, { location: '/f/1/thanks' }).end();
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policyOf(shown().code, { media: ['blob:'] }),
      });
      if (url === '/elsewhere') return response.end('<!doctype html><title>Elsewhere</title>');
      return response.end(String(url.endsWith('/thanks') ? thanksPage(shown()) : formPage(shown())));
    });
    origin = await listen(service);
    site = await serveOn(({ pathname }, response) => {
      if (pathname === '/another') return response.end('<!doctype html><title>Another</title>');
      const policy = `default-src 'none'; script-src ${origin}; frame-src ${origin} 'self'; style-src 'unsafe-inline'; img-src data:`;
      const types = "require-trusted-types-for 'script'; trusted-types 'none'";
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `${policy}; ${types}`,
      });
      const { [kind]: markup } = linksOf(shown().page, origin, shown().brand);
      response.end(
        `<!doctype html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><h1>Ours</h1>${around(markup)}<p>Below</p>`,
      );
    });
  });
  beforeEach(() => {
    [settings, view, around, kind] = [{}, {}, (snippet) => snippet, 'snippet'];
  });

  async function open(options: BrowserContextOptions = {}, init = ''): Promise<Page> {
    const { page } = await opened(browser, (url) => /^(http:\/\/127|data:)/.test(url), options, init);
    await page.goto(site);
    return page;
  }

  /**
   * Returns the frame of the form. Waits for its page, and until it is as high as this page if the element
   * shows it.
   */
  async function frameOf(page: Page, text = 'Tell us how we did') {
    const frame = page.frameLocator('testimonials-form iframe');
    await frame.getByRole('heading', { name: text, level: 1 }).waitFor();
    while ((await heights(page)).white !== 0) await drawn(page);
    return frame;
  }

  /** Returns how much higher the frame is than its page, and the element than the frame. */
  async function heights(page: Page) {
    const inside = page.frames().find((each) => each.url().startsWith(`${origin}/f/`));
    if (!inside) throw new Error('There is no form.');
    const content = 'Math.ceil(document.documentElement.getBoundingClientRect().height)';
    const white = (await inside.evaluate<number>('innerHeight')) - (await inside.evaluate<number>(content));
    const host = page.locator('testimonials-form, body > iframe').first();
    const element = await host.evaluate((each) => each.clientHeight);
    return { white, element, frame: await inside.evaluate<number>('innerHeight') };
  }

  const sumOfShifts = async (page: Page) =>
    (await page.evaluate<string[]>('shifts')).reduce((sum, shift) => sum + Number.parseFloat(shift), 0);

  const states: [string, Record<string, string>, (string | undefined)?, Brand?][] = [
    ['all fields', {}],
    ['few fields', { hide: 'stars,role,company' }],
    ['a photo and recordings', { ask: 'photo,video,audio' }],
    ['a photo and recordings in German', { ask: 'photo,video,audio', lang: 'de' }],
    ['an invitation in German', { lang: 'de', intro: 'Wie war Ihr Aufenthalt bei uns? '.repeat(12) }],
    [
      'long texts',
      { intro: 'We read every word of it. '.repeat(60), consent: 'I agree.\n'.repeat(30) },
      'Tell us more '.repeat(12),
    ],
    [
      'a logo and a long name',
      {},
      undefined,
      readBrand({
        name: 'The Quokka and Wallaby Trading Company of Western Australia',
        accent: '',
        logo: readLogo(png(440, 112)),
      }),
    ],
  ];
  const widths = [320, 390, 700, 768, 1280];

  describe.each(someOf(states))('with %s', (_, of, title, brand = {}) => {
    test.each(someOf(widths))(
      'is as high as its content at %i px, and the page does not move',
      async (width) => {
        settings = of;
        view = { ...(title && { title }), brand };
        const page = await open({ viewport: { width, height: 900 } });
        await frameOf(page, title?.trim());
        const { element, frame } = await heights(page);
        expect(element).toBe(frame);
        expect(await sumOfShifts(page)).toBeLessThan(0.1);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        );
        expect(await page.evaluate('violations')).toEqual([]);
      },
    );

    test.each(someOf(widths))('has room in the bare frame at %i px', async (width) => {
      [settings, kind] = [of, 'iframe'];
      view = { ...(title && { title }), brand };
      const page = await open({ viewport: { width, height: 900 } });
      await page
        .frameLocator('iframe')
        .getByRole('button', { name: 'Send' })
        .or(page.frameLocator('iframe').locator('button.send'))
        .first()
        .waitFor();
      expect((await heights(page)).white).toBeGreaterThanOrEqual(0);
    });
  });

  test.each(['en', 'de', 'fr', 'es', 'pt'])('has room in the bare frame in the language %s', async (lang) => {
    kind = 'iframe';
    for (const ask of ['', 'photo', 'photo,video,audio']) await expectRoom({ lang, ask });
  });

  test.each(['role', 'role,company'])('has room in the bare frame without %s', async (hide) => {
    kind = 'iframe';
    await expectRoom({ hide });
  });

  async function expectRoom(of: Record<string, string>): Promise<void> {
    settings = of;
    for (const width of widths) {
      const page = await open({ viewport: { width, height: 900 } });
      await page.frameLocator('iframe').locator('button.send').waitFor();
      const { white } = await heights(page);
      expect(white).toBeGreaterThanOrEqual(0);
      // The job title and the company, and the buttons that record, are below each other on a phone.
      expect(white).toBeLessThan(of.ask?.includes('video') ? 450 : 320);
    }
  }

  test.each(['snippet', 'iframe'] as const)('may record in the %s', async (name) => {
    [settings, kind] = [{ ask: 'video' }, name];
    const page = await open({ viewport: { width: 390, height: 900 } });
    const frame = page.frameLocator('iframe');
    await frame.locator('text=Record a video').click();
    await frame.locator('.left', { hasText: /^1:5\d left$/ }).waitFor();
  });

  test('grows with its errors, shows the page after sending from its top, and takes its height and title', async () => {
    around = (snippet) => `${snippet}<div style="height: 3000px"></div>`;
    const page = await open({ viewport: { width: 390, height: 700 } });
    const frame = await frameOf(page);
    const before = await heights(page);
    const element = page.locator('testimonials-form iframe');
    expect(await element.getAttribute('title')).toBe('Tell us how we did');
    await frame.locator('button.send').click();
    await frame.locator('.summary').waitFor();
    while ((await heights(page)).element <= before.element) await drawn(page);
    await frameOf(page);
    await frame.locator('[name="content"]').fill('They answered within the hour.');
    await frame.locator('[name="author.name"]').fill('Jane Doe');
    await frame.locator('[name="author.email"]').fill('jane@example.com');
    await frame.locator('[name=consent]').check();
    await frame.locator('button.send').click();
    await frameOf(page, 'Thank you');
    await page.locator('iframe[title="Thank you"]').waitFor();
    expect((await heights(page)).element).toBeLessThan(500);
    const top = async () => (await page.locator('testimonials-form').boundingBox())?.y ?? Number.NaN;
    while (Math.abs(await top()) > 1) await drawn(page);
  });

  test('does not scroll the page when it arrives', async () => {
    around = (snippet) => `${snippet}<div style="height: 3000px"></div>`;
    const page = await open({ viewport: { width: 1280, height: 700 } });
    await page.evaluate('scrollTo(0, 200)');
    await frameOf(page);
    await drawn(page);
    expect(await page.evaluate('scrollY')).toBe(200);
  });

  test('believes no other sender', async () => {
    around = (snippet) => `${snippet}<iframe src="${origin}/elsewhere" title="Another"></iframe>`;
    const page = await open();
    await frameOf(page);
    const { element } = await heights(page);
    const message = `postMessage({ type: 'testimonials-form', height: 5, title: 'Mine' }, '*')`;
    // The page itself, a frame of the same origin as the form, and the frame of the form after it went to
    // another site.
    await page.evaluate(message);
    const [form, other] = ['/f/', '/elsewhere'].map((path) =>
      page.frames().find((each) => each.url().startsWith(origin + path)),
    );
    await other?.evaluate(`parent.${message}`);
    await drawn(page);
    expect((await heights(page)).element).toBe(element);
    await form?.goto(`${site}/another`);
    await form?.evaluate(`parent.${message}`);
    await drawn(page);
    expect(await page.locator('testimonials-form iframe').getAttribute('title')).toBe('Tell us how we did');
    expect(await page.locator('testimonials-form').evaluate((each) => each.offsetHeight)).toBe(element);
  });

  test('without scripts has a link', async () => {
    const page = await open({ javaScriptEnabled: false });
    const link = page.getByRole('link', { name: 'Tell us how we did' });
    expect(await link.getAttribute('href')).toBe(`${origin}/f/0123456789abcdefghijkl`);
  });

  test.each([
    'zoom: 1.5',
    'transform: scale(0.5)',
    'display: flex; flex-direction: column; align-items: center',
  ])('is as high as its content in a box with %s', async (style) => {
    around = (snippet) => `<div style="${style}">${snippet}</div>`;
    const page = await open();
    await frameOf(page);
    const { element, frame } = await heights(page);
    expect(element).toBe(frame);
    expect(await sumOfShifts(page)).toBeLessThan(0.1);
  });

  test.each([
    ['throw', () => withThrowingBuiltIns(origin)],
    ['are those of old libraries', () => withOldLibraries],
  ])('is filled in, checked and sent in a page whose built-ins %s', async (_, init) => {
    around = (snippet) =>
      `<img name="createElementNS" alt=""><form name="addEventListener"></form>${snippet}`;
    const page = await open({}, init());
    const frame = await frameOf(page);
    await frame.locator('button.send').click();
    await frame.locator('.summary a').first().waitFor();
    await frame.locator('[name="content"]').fill('x'.repeat(9100));
    expect(await frame.locator('.count').first().innerText()).toBe('Characters left: 900');
    await frame.locator('[name="author.name"]').fill('Jane Doe');
    await frame.locator('[name="author.email"]').fill('jane@example');
    await frame.locator('[name=consent]').check();
    expect(await frame.locator('.field .error:visible').innerText()).toBe(
      'Please enter a valid e-mail address.',
    );
    await page.reload();
    await frameOf(page);
    expect(await frame.locator('[name="author.name"]').inputValue()).toBe('Jane Doe');
    await frame.locator('[name="author.email"]').fill('jane@example.com');
    await frame.locator('button.send').click();
    await frameOf(page, 'Thank you');
    await page.reload();
    await frameOf(page);
    expect(await frame.locator('[name="author.name"]').inputValue()).toBe('');
  });

  test('shows another form when its attribute changes, and none twice', async () => {
    const page = await open();
    await frameOf(page);
    view = { title: 'Another form' };
    await page.locator('testimonials-form').evaluate((each) => each.setAttribute('page', 'x'));
    await frameOf(page, 'Another form');
    await page.evaluate(`document.body.append(document.querySelector('testimonials-form'))`);
    await frameOf(page, 'Another form');
    const { element, frame } = await heights(page);
    expect(element).toBe(frame);
  });
});
