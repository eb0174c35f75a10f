/** The live wall in pages of others: their scripts and names, boxes and backgrounds. */
import type { ServerResponse } from 'node:http';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { linksOf } from '../../functions/serve-pages/own-pages.ts';
import { someOf } from '../some-of.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import { describeInBrowser, newPage, sumOfShifts, waitForFrames } from './browser.ts';
import { withOldLibraries } from './old-libraries.ts';
import { serveOn, startWallService } from './served-walls.ts';

const testimonials = Array.from(generateTestimonials(40), ({ testimonial }) => testimonial);

describeInBrowser('a live wall', () => {
  let service: string;
  let site: string;
  // The parts of the page, and the settings of its wall.
  let head: string;
  let body: string;
  let settings: Record<string, string>;
  // The script arrives after it.
  let gate: Promise<void>;

  beforeAll(async () => {
    const waits = ({ pathname }: URL) => pathname === '/embed.js' && gate;
    service = await startWallService(testimonials, () => settings, waits);
    site = await serveOn((_, response: ServerResponse) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(
          `<!doctype html><html lang="en"><head><title>Page</title><link rel="icon" href="data:,">${head}</head><body>${body}`,
        ),
    );
  });
  beforeEach(() => {
    [head, settings, gate] = ['', { limit: '8', texts: '{"more":"More, please"}' }, Promise.resolve()];
  });

  const element = '<testimonials-wall page="4fGhT2kLm9QwErTyUiOpAs"></testimonials-wall>';
  const reserved = (pixels: number) =>
    element.replace('>', ` style="display: block; min-height: ${pixels}px">`);

  /** Opens a page and waits for the cards of its wall. */
  async function open(markup: string, options: BrowserContextOptions = {}, init = '') {
    body = `<script type="module" src="${service}/embed.js"></script>${markup}`;
    const viewport = { width: 800, height: 900 };
    const { page, wrong } = await newPage(() => true, { viewport, ...options }, init);
    await page.goto(site);
    await page.locator('testimonials-wall .card').first().waitFor({ state: 'attached' });
    await waitForFrames(page);
    return { page, wrong };
  }

  const heightOf = (page: Page) =>
    page.evaluate<number>(`document.querySelector('testimonials-wall').offsetHeight`);
  const whiteBelow = (page: Page) =>
    page.evaluate<number>(`(({ offsetHeight, shadowRoot }) =>
      offsetHeight - shadowRoot.querySelector('.wall').offsetHeight)(document.querySelector('testimonials-wall'))`);

  describe.each([390, 1280])('at %i pixels', (width) => {
    // As docs/pages.md shows it.
    const fallback = '<p>Read what customers say on <a href="/">our wall</a>.</p>';
    test.each([
      ['display: flex; flex-direction: column; align-items: center', fallback],
      ['display: flex; flex-flow: column wrap; place-content: center; align-items: center', fallback],
      ['display: flex; justify-content: center', fallback],
      ['display: grid; place-items: center', fallback],
      ['text-align: center', fallback],
      ['position: relative; left: 50%; width: 80%; translate: -50% 0', fallback],
      ['display: inline-block', fallback],
      ['width: fit-content; margin-inline: auto', ''],
      ['display: grid; justify-content: center', ''],
      ['display: table; margin: auto', ''],
    ])('nothing moves when the script arrives in a box with %s', async (style, content) => {
      const script = Promise.withResolvers<void>();
      gate = script.promise;
      const kind = 'wall' as const;
      const of = { organization: 'acme', kind, title: 'Wall', settings: {}, createdAt: '' };
      const { snippet } = linksOf({ id: '4fGhT2kLm9QwErTyUiOpAs', ...of }, service);
      const element = snippet.replace('></testimonials-wall>', `>${content}</testimonials-wall>`);
      body = `<main style="${style}">${element}</main><p>Below</p>`;
      const { page } = await newPage(() => true, { viewport: { width, height: 900 } });
      await page.goto(site, { waitUntil: 'commit' });
      await page.locator('testimonials-wall').waitFor({ state: 'attached' });
      await waitForFrames(page);
      script.resolve();
      await page.locator('testimonials-wall .card').first().waitFor({ state: 'attached' });
      await waitForFrames(page);
      expect(await sumOfShifts(page)).toBeLessThan(0.1);
    });
  });

  describe('while the page is drawn larger or smaller', () => {
    /** Returns how far cards lie over each other, in pixels of the layout. */
    const overlap = (page: Page) =>
      page.evaluate<number>(`(() => {
        const cards = [...document.querySelector('testimonials-wall').shadowRoot.querySelectorAll('.card')];
        return Math.max(...cards.map((a, i) => Math.max(0, ...cards.slice(i + 1).map((b) =>
          a.offsetLeft === b.offsetLeft ? a.offsetTop + a.offsetHeight - b.offsetTop : 0))));
      })()`);

    test.each([
      ['appears from nothing', 'transform: scale3d(0, 0, 1)'],
      ['is half as large', 'transform: scale(0.5)'],
      ['is enlarged by a property of its own', 'scale: 1.6'],
      ['is turned', 'transform: rotate(20deg)'],
      ['lies in perspective', 'transform: perspective(300px) rotateY(60deg)'],
      ['is zoomed out', 'zoom: 0.6'],
      ['is zoomed in', 'zoom: 1.7'],
      ['is zoomed and scaled', 'zoom: 1.3; transform: scale(0.2)'],
    ])('in a box that %s, cards do not overlap, also when the box is as usual again', async (_, style) => {
      const { page } = await open(`<div id="box" style="${style}">${reserved(704)}</div>`);
      expect(await overlap(page)).toBeLessThanOrEqual(0);
      expect(await whiteBelow(page)).toBeLessThanOrEqual(1);
      await page.getByRole('button', { name: 'More, please' }).dispatchEvent('click');
      await page.evaluate(`document.getElementById('box').style.cssText = ''`);
      await waitForFrames(page);
      expect(await overlap(page)).toBeLessThanOrEqual(0);
      expect(await whiteBelow(page)).toBeLessThanOrEqual(1);
    });

    test.each(['', 'transform: scale(0.5)', 'zoom: 0.5', 'zoom: 1.5'])(
      'a high wall is cut off at the height that the page reserves (%s)',
      async (style) => {
        settings = { limit: '8', look: 'list' };
        const { page } = await open(`<div style="${style}">${reserved(704)}</div>`);
        expect(await heightOf(page)).toBe(704);
        const shown = await page.evaluate<string[]>(`(() => {
          const { shadowRoot: root } = document.querySelector('testimonials-wall');
          const end = root.querySelector('.cut').getBoundingClientRect().bottom;
          return [...root.querySelectorAll('.card')].map((card) =>
            (card.getBoundingClientRect().bottom <= end + 1) + ' ' + !card.inert);
        })()`);
        expect(new Set(shown)).toEqual(new Set(['true true', 'false false']));
      },
    );

    test('the theme is found again when an animation of the page ends', async () => {
      head = `<style>
        @keyframes appear { from { transform: scale3d(0, 0, 1) } }
        .night { position: relative; animation: appear 50ms 20ms both }
        .night > i { position: absolute; inset: 0 0 0 50%; background: #000 }
      </style>`;
      const { page } = await open(
        `<div class="night"><i></i><div style="position: relative">${element}</div></div>`,
      );
      await page.locator('testimonials-wall .wall.light').waitFor({ state: 'attached' });
    });
  });

  describe('in a page whose built-ins are those of old libraries', () => {
    test.each(someOf(['columns', 'row', 'single', 'list']))('%s shows its cards and texts', async (look) => {
      settings.look = look;
      const { page, wrong } = await open(
        `<section lang="de">${reserved(704)}</section>`,
        {},
        withOldLibraries,
      );
      const cards = page.locator('testimonials-wall .card');
      expect(await cards.count()).toBe(8);
      const [first] = testimonials;
      expect(await cards.first().locator('.quote > p').innerText()).toBe(first?.content);
      expect(await page.getByRole('status').innerText()).toBe('Showing 8 of 40 testimonials');
      const next = page.getByRole('button', {
        name: look.match(/row|single/) ? 'Next' : 'More, please',
      });
      await next.click();
      if (look === 'columns' || look === 'list') {
        if ((await cards.count()) === 8) await next.click();
        await cards.nth(15).waitFor();
      }
      await page.setViewportSize({ width: 500, height: 900 });
      await waitForFrames(page);
      expect(wrong).toEqual([]);
    });
  });

  const fields = [
    'parentElement',
    'assignedSlot',
    'previousElementSibling',
    'getRootNode',
    'getBoundingClientRect',
    'querySelectorAll',
    'matches',
    'getAttribute',
    'closest',
    'style',
    'children',
    'firstElementChild',
  ].map((name) => `<input type="hidden" name="${name}">`);
  test.each([
    ['in a form', (inside: string) => `<form lang="fr" style="background: #000">${inside}</form>`],
    [
      'before a form',
      (inside: string) => `<section style="position: relative">
        <form style="position: absolute; inset: 0; background: #000">${fields.join('')}</form>
        <div style="position: relative">${inside}</div></section>`,
    ],
  ])(
    '%s whose fields have the names of its properties shows its cards in the theme that suits it',
    async (_, around) => {
      const { page, wrong } = await open(around(`${fields.join('')}${element}`));
      await page.locator('testimonials-wall .wall.dark').waitFor();
      expect(await page.locator('testimonials-wall .card').count()).toBe(8);
      expect(wrong).toEqual([]);
    },
  );

  /** Returns the theme of the wall, and `panel` if its texts do not stand on the page's background. */
  const themeOf = async (page: Page) =>
    (await page.locator('testimonials-wall .wall').getAttribute('class'))?.replace('wall ', '').trim();

  const picture = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E';
  const behind = (inside: string, style = '') =>
    `<section style="position: relative"><div style="position: absolute; inset: 0; ${style}">${inside}</div><div style="position: relative">${element}</div></section>`;

  test.each([
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
    [
      'a white page in a box with a dark color scheme',
      `<div style="color-scheme: dark">${element}</div>`,
      'light',
    ],
    [
      'a dark page in a box with a light color scheme',
      `<style>:root { color-scheme: dark }</style><div style="color-scheme: light">${element}</div>`,
      'dark',
    ],
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

  const meta = '<meta name="color-scheme" content="light dark">';
  test.each([
    ['a page without a color scheme', '', 'light'],
    // The scheme of the body does not change the canvas.
    ['a body with both color schemes', '<style>body { color-scheme: light dark }</style>', 'light'],
    ['a page with a light color scheme', '<style>:root { color-scheme: only light }</style>', 'light'],
    ['a page with both color schemes', '<style>:root { color-scheme: light dark }</style>', 'dark'],
    ['a page whose meta element has both', meta, 'dark'],
    ['a light body in such a page', `${meta}<style>body { color-scheme: light }</style>`, 'dark'],
  ])('for visitors who prefer dark, on %s, has the theme that suits it', async (_, markup, theme) => {
    head = markup;
    const { page } = await open(element, { colorScheme: 'dark' });
    expect(await themeOf(page)).toBe(theme);
  });

  test.each([
    ['light', '#000', 'light panel'],
    ['dark', '#fff', 'dark panel'],
    ['dark', '#000', 'dark'],
    ['light', '#fff', 'light'],
  ])('with the theme %s of its page on %s, its texts are readable', async (theme, background, expected) => {
    settings = { theme, look: 'list' };
    const { page } = await open(`<body style="background: ${background}">${element}`);
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

  test('of few cards in view keeps its height until the visitor scrolls on, so that the page does not move', async () => {
    settings = { limit: '1', hide: 'tags', rating: '5' };
    const { page } = await open(reserved(800) + below);
    expect(await whiteBelow(page)).toBeGreaterThan(300);
    expect(await sumOfShifts(page)).toBe(0);
    await page.mouse.wheel(0, 50);
    await waitForFrames(page);
    await page.evaluate('scrollTo(0, 0)');
    await page.setViewportSize({ width: 800, height: 200 });
    await page.mouse.wheel(0, 1);
    await page.waitForFunction(`document.querySelector('testimonials-wall').style.minHeight === '0px'`);
    expect(await whiteBelow(page)).toBe(0);
  });

  test('of few cards that is out of view has no white below', async () => {
    settings = { limit: '1' };
    const { page } = await open(`<div style="height: 1000px"></div>${reserved(800)}${below}`);
    expect(await whiteBelow(page)).toBe(0);
    expect(await sumOfShifts(page)).toBe(0);
  });

  test.each([
    ['480', ''],
    ['650', 'height="650"'],
    ['380', 'style="--wall-height: 380px" height="650"'],
  ])('reserves %s pixels with %s, and cuts much higher cards off there', async (height, attributes) => {
    settings = {};
    const { page } = await open(element.replace('>', ` ${attributes}>`));
    expect(await heightOf(page)).toBe(Number(height));
  });

  test('opens in a closed dialog with the height of its cards, and is never focused before', async () => {
    settings = { look: 'row' };
    const { page } = await open(
      `<dialog style="width: 500px">${reserved(380)}</dialog><button onclick="document.querySelector('dialog').showModal()">Open</button>`,
    );
    expect(await page.locator('testimonials-wall .card').first().isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('testimonials-wall .card').first().waitFor();
    await waitForFrames(page);
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
