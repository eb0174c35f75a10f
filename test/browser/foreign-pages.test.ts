/** The live wall in pages whose scripts, names and layouts would get in its way. */
import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { linksOf } from '../../functions/serve-pages/own-pages.ts';
import { someOf } from '../some-of.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import { describeInBrowser, drawn, launchBrowser, newPage } from './browser.ts';
import { withOldLibraries, withThrowingBuiltIns } from './old-libraries.ts';
import { serveOn, startWallService } from './served-walls.ts';

const testimonials = Array.from(generateTestimonials(40), ({ testimonial }) => testimonial);
const settings = { limit: '8', texts: '{"more":"More, please"}' };

describeInBrowser('a live wall', () => {
  let service: string;
  let site: string;
  let browser: Browser;
  let head = '';
  let body = '';
  let look = 'columns';
  // The script arrives after it.
  let gate = Promise.resolve();

  beforeAll(async () => {
    const waits = ({ pathname }: URL) => pathname === '/embed.js' && gate;
    service = await startWallService(testimonials, () => ({ ...settings, look }), waits);
    site = await serveOn((_, response: ServerResponse) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(
          `<!doctype html><html lang="en"><head><title>Page</title><link rel="icon" href="data:,">${head}</head><body>${body}`,
        ),
    );
    browser = await launchBrowser();
  });

  const element =
    '<testimonials-wall page="4fGhT2kLm9QwErTyUiOpAs" style="display: block; width: 100%; min-height: 704px"></testimonials-wall>';

  /** Opens a page and waits for the cards of its wall. */
  async function open(markup: string, { init = '', width = 1280 } = {}) {
    gate = Promise.resolve();
    body = `<script type="module" src="${service}/embed.js"></script>${markup}`;
    const { page, wrong } = await newPage(browser, () => true, { viewport: { width, height: 900 } }, init);
    await page.goto(site);
    await page.locator('testimonials-wall .card').first().waitFor({ state: 'attached' });
    return { page, wrong };
  }

  /**
   * Returns how far cards lie over each other, in pixels of the layout, and how far the wall is from their
   * height.
   */
  const overlaps = (page: Page) =>
    page.evaluate<{ cards: number; white: number }>(`(() => {
      const host = document.querySelector('testimonials-wall');
      const cards = [...host.shadowRoot.querySelectorAll('.card')];
      const over = cards.map((a, i) => Math.max(0, ...cards.slice(i + 1).map((b) =>
        a.offsetLeft === b.offsetLeft ? a.offsetTop + a.offsetHeight - b.offsetTop : 0)));
      return { cards: Math.max(...over), white: host.offsetHeight - host.shadowRoot.querySelector('.wall').offsetHeight };
    })()`);

  describe.each([390, 1280])('at %i pixels', (width) => {
    // As docs/pages.md shows it.
    const fallback = '<p>Read what customers say on <a href="/">our wall</a>.</p>';
    test.each([
      ['display: flex; flex-direction: column; align-items: center', fallback],
      ['display: flex; flex-direction: column; align-items: flex-end', fallback],
      ['display: flex; flex-flow: column wrap; place-content: center; align-items: center', fallback],
      ['display: flex; justify-content: center', fallback],
      ['display: grid; place-items: center', fallback],
      ['display: grid; justify-items: end', fallback],
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
      const of = { organization: 'acme', kind, title: 'Wall', settings, createdAt: '' };
      const { snippet } = linksOf({ id: '4fGhT2kLm9QwErTyUiOpAs', ...of }, service);
      const element = snippet.replace('></testimonials-wall>', `>${content}</testimonials-wall>`);
      body = `<main style="${style}">${element}</main><p>Below</p>`;
      const { page } = await newPage(browser, () => true, { viewport: { width, height: 900 } });
      await page.goto(site, { waitUntil: 'commit' });
      await page.locator('testimonials-wall').waitFor({ state: 'attached' });
      await drawn(page);
      script.resolve();
      await page.locator('testimonials-wall .card').first().waitFor({ state: 'attached' });
      await drawn(page);
      const shifts = await page.evaluate<string[]>('shifts');
      expect(shifts.reduce((sum, shift) => sum + Number.parseFloat(shift), 0)).toBeLessThan(0.1);
    });
  });

  describe('while the page is drawn larger or smaller', () => {
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
      const { page } = await open(`<div id="box" style="${style}">${element}</div>`);
      await drawn(page);
      expect((await overlaps(page)).cards).toBeLessThanOrEqual(0);
      expect((await overlaps(page)).white).toBeLessThanOrEqual(1);
      await page.getByRole('button', { name: 'More, please' }).dispatchEvent('click');
      await page.evaluate(`document.getElementById('box').style.cssText = ''`);
      await drawn(page);
      const { cards, white } = await overlaps(page);
      expect(cards).toBeLessThanOrEqual(0);
      expect(white).toBeLessThanOrEqual(1);
    });

    test.each(['', 'transform: scale(0.5)', 'zoom: 0.5', 'zoom: 1.5'])(
      'a high wall is cut off at the height that the page reserves (%s)',
      async (style) => {
        look = 'list';
        const { page } = await open(`<div style="${style}">${element}</div>`);
        await drawn(page);
        look = 'columns';
        expect(await page.evaluate(`document.querySelector('testimonials-wall').offsetHeight`)).toBe(704);
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
      head = '';
      await page.locator('testimonials-wall .wall.light').waitFor({ state: 'attached' });
    });
  });

  describe.each([
    ['throw', () => withThrowingBuiltIns(service)],
    ['are those of old libraries', () => withOldLibraries],
  ])('in a page whose built-ins %s', (_, init) => {
    test.each(someOf(['columns', 'row', 'single', 'list']))(
      '%s shows its cards and texts',
      async (shownLook) => {
        look = shownLook;
        const { page, wrong } = await open(`<section lang="de">${element}</section>`, { init: init() });
        look = 'columns';
        const cards = page.locator('testimonials-wall .card');
        expect(await cards.count()).toBe(8);
        const [first] = testimonials;
        expect(await cards.first().locator('.quote > p').innerText()).toBe(first?.content);
        expect(await page.getByRole('status').innerText()).toBe('Showing 8 of 40 testimonials');
        const next = page.getByRole('button', {
          name: shownLook.match(/row|single/) ? 'Next' : 'More, please',
        });
        await next.click();
        if (shownLook === 'columns' || shownLook === 'list') {
          if ((await cards.count()) === 8) await next.click();
          await cards.nth(15).waitFor();
        }
        await page.setViewportSize({ width: 500, height: 900 });
        await drawn(page);
        expect(wrong).toEqual([]);
      },
    );
  });

  test.each([
    'head',
    'body',
    'addEventListener',
    'createElement',
    'createElementNS',
    'documentElement',
    'baseURI',
    'hidden',
    'host',
  ])('in a page with elements named %s shows its cards', async (name) => {
    const names = ['img', 'form', 'iframe', 'object', 'embed'].map(
      (tag) => `<${tag} name="${name}"></${tag}>`,
    );
    const { page, wrong } = await open(names.join('') + element);
    expect(await page.locator('testimonials-wall .card').count()).toBe(8);
    expect(wrong).toEqual([]);
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
});
