import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Brand } from '../../functions/domain/brand.ts';
import { readBrand, readLogo } from '../../functions/domain/read-brand.ts';
import { linksOf } from '../../functions/serve-pages/own-pages.ts';
import { png } from '../images.ts';
import { someOf } from '../some-of.ts';
import { viewOf } from '../unit/serve-pages/form-view.ts';
import { describeWith, fakeDevices, sumOfShifts, waitForFrames, watchedPages } from './browser.ts';
import { withOldLibraries } from './old-libraries.ts';
import { fillForm, startFormService } from './served-forms.ts';
import { serveOn } from './served-walls.ts';

describeWith(...fakeDevices)('a form in a page of another origin', () => {
  let service: Awaited<ReturnType<typeof startFormService>>;
  /** The page that the service shows. */
  let state: typeof service.state;
  let origin: string;
  /** The page around the form. */
  let site: string;
  let around: (snippet: string) => string;
  let kind: 'snippet' | 'iframe';
  const opened = watchedPages();

  beforeAll(async () => {
    service = await startFormService();
    ({ state, origin } = service);
    site = await serveOn(({ pathname }, response) => {
      if (pathname === '/another') return response.end('<!doctype html><title>Another</title>');
      const policy = `default-src 'none'; script-src ${origin}; frame-src ${origin} 'self'; style-src 'unsafe-inline'; img-src data:`;
      const types = "require-trusted-types-for 'script'; trusted-types 'none'";
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `${policy}; ${types}`,
      });
      const { page, brand } = viewOf(state.settings, state.view);
      const { [kind]: markup } = linksOf(page, origin, brand);
      response.end(
        `<!doctype html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><h1>Ours</h1>${around(markup)}<p>Below</p>`,
      );
    });
  });
  beforeEach(() => {
    service.reset();
    [around, kind] = [(snippet) => snippet, 'snippet'];
  });

  async function open(options: BrowserContextOptions = {}, init = ''): Promise<Page> {
    const { page } = await opened((url) => /^(http:\/\/127|data:)/.test(url), options, init);
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
    while ((await heights(page)).white !== 0) await waitForFrames(page);
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

  interface State {
    settings: Record<string, string>;
    title?: string;
    brand?: Brand;
  }
  const name = 'The Quokka and Wallaby Trading Company of Western Australia';
  const states: Record<string, State> = {
    'all fields': { settings: {} },
    'few fields': { settings: { hide: 'stars,role,company' } },
    'no job title': { settings: { hide: 'role' } },
    'a photo and recordings': { settings: { ask: 'photo,video,audio' } },
    'an invitation in German': {
      settings: { lang: 'de', intro: 'Wie war Ihr Aufenthalt bei uns? '.repeat(12) },
    },
    'long texts': {
      settings: { intro: 'We read every word of it. '.repeat(60), consent: 'I agree.\n'.repeat(30) },
      title: 'Tell us more '.repeat(12),
    },
    'a logo and a long name': {
      settings: {},
      brand: readBrand({ name, accent: '', logo: readLogo(png(440, 112)) }),
    },
  };
  for (const lang of ['de', 'fr', 'es', 'pt']) {
    for (const ask of ['', 'photo', 'photo,video,audio'])
      states[`the media “${ask}” in the language ${lang}`] = { settings: { lang, ask } };
  }
  const widths = [320, 390, 700, 768, 1280];

  describe.each(someOf(Object.entries(states)))('with %s', (_, { settings: of, ...shownAs }) => {
    test.each(someOf(widths))(
      'is as high as its content at %i px, and the page does not move',
      async (width) => {
        [state.settings, state.view] = [of, shownAs];
        const page = await open({ viewport: { width, height: 900 } });
        await frameOf(page, shownAs.title?.trim());
        const { element, frame } = await heights(page);
        expect(element).toBe(frame);
        expect(await sumOfShifts(page)).toBeLessThan(0.1);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        );
        expect(await page.evaluate('violations')).toEqual([]);
      },
    );

    test.each(someOf(widths))(
      'has room in the bare frame at %i px, and no more than it may need',
      async (width) => {
        [state.settings, state.view, kind] = [of, shownAs, 'iframe'];
        const page = await open({ viewport: { width, height: 900 } });
        await page.frameLocator('iframe').locator('button.send').waitFor();
        const { white } = await heights(page);
        expect(white).toBeGreaterThanOrEqual(0);
        // The job title and the company, and the buttons that record, are below each other on a phone.
        // A long introduction or name may need fewer lines than the frame has room for.
        if (!of.intro && !shownAs.brand) expect(white).toBeLessThan(of.ask?.includes('video') ? 450 : 320);
      },
    );
  });

  test.each(['snippet', 'iframe'] as const)('may record in the %s', async (name) => {
    [state.settings, kind] = [{ ask: 'video' }, name];
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
    while ((await heights(page)).element <= before.element) await waitForFrames(page);
    await frameOf(page);
    await fillForm(frame);
    await frame.locator('button.send').click();
    await frameOf(page, 'Thank you');
    await page.locator('iframe[title="Thank you"]').waitFor();
    expect((await heights(page)).element).toBeLessThan(500);
    const top = async () => (await page.locator('testimonials-form').boundingBox())?.y ?? Number.NaN;
    while (Math.abs(await top()) > 1) await waitForFrames(page);
  });

  test('does not scroll the page when it arrives', async () => {
    around = (snippet) => `${snippet}<div style="height: 3000px"></div>`;
    const page = await open({ viewport: { width: 1280, height: 700 } });
    await page.evaluate('scrollTo(0, 200)');
    await frameOf(page);
    await waitForFrames(page);
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
    await waitForFrames(page);
    expect((await heights(page)).element).toBe(element);
    await form?.goto(`${site}/another`);
    await form?.evaluate(`parent.${message}`);
    await waitForFrames(page);
    expect(await page.locator('testimonials-form iframe').getAttribute('title')).toBe('Tell us how we did');
    expect(await page.locator('testimonials-form').evaluate((each) => each.offsetHeight)).toBe(element);
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

  test('shows another form when its attribute changes, and none twice, beside old libraries and names of its methods', async () => {
    around = (snippet) =>
      `<img name="createElementNS" alt=""><form name="addEventListener"></form>${snippet}`;
    const page = await open({}, withOldLibraries);
    await frameOf(page);
    state.view = { title: 'Another form' };
    await page.locator('testimonials-form').evaluate((each) => each.setAttribute('page', 'x'));
    await frameOf(page, 'Another form');
    await page.evaluate(`document.body.append(document.querySelector('testimonials-form'))`);
    await frameOf(page, 'Another form');
    const { element, frame } = await heights(page);
    expect(element).toBe(frame);
  });
});
