/** The theme and the height of the live wall, by the page that it stands on. */
import type { ServerResponse } from 'node:http';
import { beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import { describeInBrowser, drawn, launchBrowser, newPage } from './browser.ts';
import { serveOn, startWallService } from './served-walls.ts';

const testimonials = Array.from(generateTestimonials(40), ({ testimonial }) => testimonial);

describeInBrowser('a live wall', () => {
  let service: string;
  let site: string;
  let browser: Browser;
  // The body of the page now, and the settings of its wall.
  let body: string;
  let settings: Record<string, string>;

  beforeAll(async () => {
    service = await startWallService(testimonials, () => settings);
    site = await serveOn((_, response: ServerResponse) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(
          `<!doctype html><title>Page</title><link rel="icon" href="data:,"><script type="module" src="${service}/embed.js"></script>${body}`,
        ),
    );
    browser = await launchBrowser();
  });

  const element = '<testimonials-wall page="4fGhT2kLm9QwErTyUiOpAs"></testimonials-wall>';

  /** Opens a page and waits for the cards of its wall. */
  async function open(markup: string, of: Record<string, string> = {}, options: BrowserContextOptions = {}) {
    [body, settings] = [markup, of];
    const { page, wrong } = await newPage(browser, () => true, {
      viewport: { width: 800, height: 900 },
      ...options,
    });
    await page.goto(site);
    await page.locator('testimonials-wall .card').first().waitFor({ state: 'attached' });
    await drawn(page);
    return { page, wrong };
  }

  /** Returns the theme of the wall, and `panel` if its texts do not stand on the page's background. */
  const themeOf = async (page: Page) =>
    (await page.locator('testimonials-wall .wall').getAttribute('class'))?.replace('wall ', '').trim();

  const picture = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E';
  const behind = (inside: string, style = '') =>
    `<section style="position: relative"><div style="position: absolute; inset: 0; ${style}">${inside}</div><div style="position: relative">${element}</div></section>`;

  test.each([
    ['a page without styles', element, 'light'],
    ['a black page', `<body style="background: #000">${element}`, 'dark'],
    ['a dark box in a white page', `<div style="background: #123">${element}</div>`, 'dark'],
    [
      'a white box in a dark page',
      `<body style="background: #000"><div style="background: #fff">${element}</div>`,
      'light',
    ],
    [
      'a glass box in a dark page',
      `<body style="background: #111"><div style="background: rgb(255 255 255 / 4%)">${element}</div>`,
      'dark',
    ],
    [
      'a page with a color of another space',
      `<body style="background: oklch(20% 0.05 260)">${element}`,
      'dark',
    ],
    ['a page with a dark color scheme', `<style>:root { color-scheme: dark }</style>${element}`, 'dark'],
    ['a box of a middle color', `<div style="background: #2563eb">${element}</div>`, 'light panel'],
    ['a dark gradient', `<div style="background: linear-gradient(#000, #112)">${element}</div>`, 'dark'],
    ['a picture', `<div style="background: #000 url('${picture}')">${element}</div>`, 'light panel'],
    ['a dark color behind the content', behind('', 'background: #101014'), 'dark'],
    [
      'a dark color inside of a layer',
      behind('<i style="position: absolute; inset: 0; background: #000"></i>'),
      'dark',
    ],
    [
      'a picture behind the content',
      behind(`<img src="${picture}" alt="" style="width: 100%; height: 100%">`),
      'light panel',
    ],
    [
      'a dimmed picture',
      `<section style="position: relative"><img src="${picture}" alt="" style="position: absolute; width: 100%; height: 100%"><div style="position: absolute; inset: 0; background: #000; opacity: 0.9"></div><div style="position: relative">${element}</div></section>`,
      'dark',
    ],
    [
      'a layer elsewhere',
      `<div style="position: absolute; top: 0; height: 9px; width: 9px; background: #000"></div>${element}`,
      'light',
    ],
    [
      'a slot of a dark component',
      `<dark-box>${element}</dark-box><script>customElements.define('dark-box', class extends HTMLElement {
        constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<div style="background: #000"><slot></slot></div>'; }
      });</script>`,
      'dark',
    ],
  ])('on %s has the theme that suits it', async (_, markup, theme) => {
    const { page, wrong } = await open(markup);
    expect(await themeOf(page)).toBe(theme);
    expect(wrong).toEqual([]);
  });

  test('stays light on a white page for visitors who prefer dark', async () => {
    const { page } = await open(element, {}, { colorScheme: 'dark' });
    expect(await themeOf(page)).toBe('light');
  });

  test.each([
    ['light', '#000', 'light panel'],
    ['dark', '#fff', 'dark panel'],
    ['dark', '#000', 'dark'],
    ['light', '#fff', 'light'],
  ])('with the theme %s of its page on %s, its texts are readable', async (theme, background, expected) => {
    const { page } = await open(`<body style="background: ${background}">${element}`, {
      theme,
      look: 'list',
    });
    expect(await themeOf(page)).toBe(expected);
  });

  test.each([
    ['a class', '<style>.night { background: #000 }</style>', `document.documentElement.className = 'night'`],
    ['a style of the body', '', `document.body.style.background = '#000'`],
    [
      'a new style sheet',
      '',
      `document.head.append(Object.assign(document.createElement('style'), { textContent: 'body { background: #000 }' }))`,
    ],
    [
      'a variable that fades',
      '<style>body { background: var(--page, #fff); transition: background-color 20ms }</style>',
      `document.documentElement.style.setProperty('--page', '#000')`,
    ],
    [
      'an attribute',
      '<style>[data-theme="dark"] body { background: #000 }</style>',
      `document.documentElement.dataset.theme = 'dark'`,
    ],
  ])('follows the page when its theme changes by %s', async (_, styles, change) => {
    const { page } = await open(styles + element);
    expect(await themeOf(page)).toBe('light');
    await page.evaluate(change);
    await page.locator('testimonials-wall .wall.dark').waitFor();
  });

  test('follows a page that follows the preference of the visitor', async () => {
    const styles =
      '<style>body { background: #fff } @media (prefers-color-scheme: dark) { body { background: #000 } }</style>';
    const { page } = await open(styles + element);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('testimonials-wall .wall.dark').waitFor();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('testimonials-wall .wall.light').waitFor();
  });

  const below = '<p>Below</p>'.repeat(60);
  const reserved = (pixels: number) =>
    element.replace('>', ` style="display: block; min-height: ${pixels}px">`);
  const whiteBelow = (page: Page) =>
    page.evaluate<number>(`(() => {
      const host = document.querySelector('testimonials-wall');
      return host.offsetHeight - host.shadowRoot.querySelector('.wall').offsetHeight;
    })()`);
  const shift = (page: Page) =>
    page.evaluate<number>(`shifts.reduce((sum, each) => sum + Number.parseFloat(each), 0)`);

  test('of few cards in view keeps its height until the visitor scrolls on, so that the page does not move', async () => {
    const { page } = await open(reserved(800) + below, { limit: '1', hide: 'tags', rating: '5' });
    expect(await whiteBelow(page)).toBeGreaterThan(300);
    expect(await shift(page)).toBe(0);
    await page.mouse.wheel(0, 50);
    await drawn(page);
    await page.evaluate('scrollTo(0, 0)');
    await page.setViewportSize({ width: 800, height: 200 });
    await page.mouse.wheel(0, 1);
    await page.waitForFunction(`document.querySelector('testimonials-wall').style.minHeight === '0px'`);
    expect(await whiteBelow(page)).toBe(0);
  });

  test('of few cards that is out of view has no white below', async () => {
    const { page } = await open(`<div style="height: 1000px"></div>${reserved(800)}${below}`, { limit: '1' });
    expect(await whiteBelow(page)).toBe(0);
    expect(await shift(page)).toBe(0);
  });

  test.each(['columns', 'list'])(
    'of much higher cards keeps the reserved height with the look %s',
    async (look) => {
      const { page } = await open(reserved(500) + below, { look });
      expect(await page.locator('testimonials-wall').evaluate((host) => host.offsetHeight)).toBe(500);
      expect(await shift(page)).toBe(0);
    },
  );

  test.each([
    ['480', ''],
    ['650', 'height="650"'],
    ['380', 'style="--wall-height: 380px" height="650"'],
  ])('reserves %s pixels with %s, and cuts much higher cards off there', async (height, attributes) => {
    const { page } = await open(element.replace('>', ` ${attributes}>`));
    expect(await page.evaluate(`document.querySelector('testimonials-wall').offsetHeight`)).toBe(
      Number(height),
    );
  });

  test('opens in a closed dialog with the height of its cards, and is never focused before', async () => {
    const { page } = await open(
      `<dialog style="width: 500px">${reserved(380)}</dialog><button onclick="document.querySelector('dialog').showModal()">Open</button>`,
      { look: 'row' },
    );
    expect(await page.locator('testimonials-wall .card').first().isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('testimonials-wall .card').first().waitFor();
    await drawn(page);
    expect(await whiteBelow(page)).toBe(0);
  });

  test('is hidden with a box that is invisible or does not react', async () => {
    const { page } = await open(`<div style="visibility: hidden; pointer-events: none">${element}</div>`);
    expect(await page.locator('testimonials-wall .card').first().isVisible()).toBe(false);
    const styles = await page.evaluate(`(() => {
      const name = document.querySelector('testimonials-wall').shadowRoot.querySelector('.name');
      return [getComputedStyle(name).visibility, getComputedStyle(name).pointerEvents];
    })()`);
    expect(styles).toEqual(['hidden', 'none']);
  });
});
