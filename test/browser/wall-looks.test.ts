/**
 * Every look of a wall, hosted and live, at every size: nothing is wider or longer than necessary, and axe
 * finds nothing.
 */
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { embedScript } from '../../functions/serve-pages/bundle.ts';
import { someOf } from '../some-of.ts';
import { axeFindings, browser, describeInBrowser, newPage, waitForFrames } from './browser.ts';
import { dataAt, serveOn, wallAt } from './served-walls.ts';

const widths = [320, 390, 768, 1280];
const counts = [0, 1, 3, 100];
const reservedHeight = { columns: 704, list: 704, row: 480, single: 480 };
type Look = keyof typeof reservedHeight;

const texts = [
  'Ten letter',
  'They answered within the hour. '.repeat(200).slice(0, 6000),
  'w'.repeat(6000),
  'שלום עולם, it works.',
];
const names = ['Jane Doe', 'שלום עולם', 'N'.repeat(200)];

function testimonialOf(i: number): Testimonial {
  return {
    id: `test_1000000000${i}`,
    content: texts[i % texts.length] ?? '',
    author: {
      name: names[i % names.length] ?? '',
      email: 'jane@example.com',
      ...(i % 2 > 0 && { company: i % 3 > 0 ? 'Acme Inc.' : 'C'.repeat(200) }),
      ...(i % 4 > 1 && { role: ['Head of Support', 'מנהלת שיווק', 'R'.repeat(200)][i % 3] ?? '' }),
    },
    ...(i % 4 > 0 && { rating: ([1, 2, 3, 4, 5] as const)[i % 5] }),
    tags: ['support', 't'.repeat(50), 'featured', 'תמיכה'].slice(0, i % 5),
    type: 'text',
    status: 'approved',
    createdAt: '2026-01-15T10:30:00.000Z',
    updatedAt: '2026-01-15T10:30:00.000Z',
  };
}

const testimonialsOf = (count: number) => Array.from({ length: count }, (_, i) => testimonialOf(i));

describeInBrowser('a wall of every look', () => {
  let origin: string;
  let page: Page;
  const wrong: string[] = [];
  let sendRest = () => {};
  let rest = Promise.resolve();

  beforeAll(async () => {
    origin = await serveOn(respond);
    // Other suites test the policy. Here it would block the test's own scripts.
    page = await browser.newPage({ bypassCSP: true });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
    });
    page.on('pageerror', (error) => wrong.push(error.message));
  });

  /** Serves all walls, and the API of the live ones. */
  async function respond(url: URL, response: ServerResponse) {
    const [kind = '', look = '', count = '', dir = '', file = ''] = url.pathname.slice(1).split('/');
    const send = (content: string | Uint8Array, type: string) =>
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content);
    // The id of a live wall has its look and the number of its testimonials.
    const [, of = '', number] = /^\/w\/(\w+)-(\d+)\.json$/.exec(url.pathname) ?? [];
    if (number !== undefined) {
      const data = dataAt(url, testimonialsOf(Number(number)), { look: of, limit: '100' });
      return send(data, 'application/json');
    }
    const testimonials = testimonialsOf(Number(count));
    if (file === 'embed.js') return send(await embedScript(), 'text/javascript');
    if (file === 'page.css') return send(await readFile('examples/live-wall/page.css'), 'text/css');
    if (kind === 'live') return send(livePage(look, count, dir), 'text/html');
    const wall = wallAt(url, testimonials, { look, limit: '24', lang: dir === 'rtl' ? 'ar' : 'en' });
    if (kind !== 'slow') return send(wall, 'text/html');
    // Sends two cards, fewer than there are columns, and the others once the test has seen these.
    const end = [...wall.matchAll(/<li class="card"/g)][2]?.index ?? 0;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.write(wall.slice(0, end));
    await rest;
    return response.end(wall.slice(end));
  }

  /** Returns a page with a live wall. */
  function livePage(look: string, count: string, dir: string): string {
    return `<!doctype html><html lang="en" dir="${dir}"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width"><title>Page</title><link rel="icon" href="data:,">
      <link rel="stylesheet" href="page.css"><style>html { background: light-dark(#fff, #111); }</style><script type="module" src="embed.js"></script></head>
      <body><main><h1>Page</h1><testimonials-wall page="${look}-${count}">
      <p>Read on <a href="#there">another page</a>.</p></testimonials-wall><p>Below</p></main></body></html>`;
  }

  /** Returns the problems with the page's layout. */
  const measured = (isReserved: number) =>
    page.evaluate<string[]>(`(() => {
      const found = [];
      const { scrollWidth, scrollHeight } = document.documentElement;
      if (scrollWidth > innerWidth) found.push(scrollWidth - innerWidth + ' pixels too wide');
      const end = Math.ceil(document.body.getBoundingClientRect().bottom + scrollY);
      if (scrollHeight > Math.max(innerHeight, end)) found.push(scrollHeight - end + ' pixels of white below');
      const wall = document.querySelector('testimonials-wall');
      const root = wall?.shadowRoot ?? document;
      if (wall) {
        const { top, height } = wall.getBoundingClientRect();
        const inside = root.querySelector('.buttons')?.getBoundingClientRect().bottom - top || 0;
        const needed = root.querySelector('.card') ? Math.max(${isReserved}, inside) : 100;
        if (height > needed + 1) found.push(height - needed + ' empty pixels in the wall');
      }
      // A hosted wall without testimonials has no list.
      const list = root.querySelector('.cards')?.getBoundingClientRect();
      for (const card of root.querySelectorAll('.columns > .card, .list > .card')) {
        const { left, right } = card.getBoundingClientRect();
        if (left < list.left - 1 || right > list.right + 1) found.push('a card outside the list');
      }
      const sides = [...root.querySelectorAll('.columns > .card')].flatMap((card) => {
        const { left, right } = card.getBoundingClientRect();
        return [left, right];
      });
      if (sides.length > 0 && Math.max(...sides) - Math.min(...sides) < list.width - 1) found.push('a column without a card');
      return found;
    })()`);

  const kinds = ['hosted', 'live'].flatMap((kind) =>
    (Object.keys(reservedHeight) as Look[]).flatMap(
      (
        look, // of a constant
      ) => (['ltr', 'rtl'] as const).map((dir) => [kind, look, dir] as const),
    ),
  );

  test.each(someOf(kinds))('%s, %s, %s: fits, and axe finds nothing', async (kind, look, dir) => {
    for (const count of counts) {
      // Alternates the color schemes between small and large walls.
      const colorScheme = (dir === 'rtl') === count > 1 ? 'dark' : 'light';
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.goto(`${origin}/${kind}/${look}/${count}/${dir}/`);
      if (count > 0) await page.locator('.card').first().waitFor();
      else await page.waitForLoadState('networkidle');
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await waitForFrames(page);
        expect({ width, count, found: await measured(reservedHeight[look]) }).toEqual({
          width,
          count,
          found: [],
        });
      }
      // The longest wall takes a second in axe and adds nothing.
      if (count > 3 && dir === 'ltr') continue;
      await page.setViewportSize({ width: count === 3 ? 320 : 1280, height: 800 });
      await waitForFrames(page);
      expect({ count, found: await axeFindings(page) }).toEqual({ count, found: [] });
    }
    expect(wrong.splice(0)).toEqual([]);
  });

  test.each(['hosted', 'live'])('a single card is no line across a desktop: %s', async (kind) => {
    for (const [width, most] of [
      [1280, 640],
      [390, 390],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${origin}/${kind}/columns/1/ltr/`);
      const box = await page.locator('.card').boundingBox();
      expect(box?.width).toBeLessThanOrEqual(most);
      expect(box?.width).toBeGreaterThan(Math.min(most, 500) * 0.8);
    }
  });

  test('in a narrow card the date follows the name, or the company, at once', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${origin}/hosted/columns/3/ltr/`);
    const gaps = await page.evaluate<number[]>(`[...document.querySelectorAll('.who')].map((who) => {
      const [name, company, time] = ['.name', '.affiliation', 'time'].map((each) => who.querySelector(each)?.getBoundingClientRect());
      // The name is beside a short company.
      if (company && time.left > company.left + 1) return time.bottom - company.bottom;
      return time.top - (company ?? name).bottom;
    })`);
    expect(gaps).toHaveLength(3);
    for (const gap of gaps) expect(Math.abs(gap)).toBeLessThan(1.5);
  });

  test.each(['columns', 'row', 'single'])(
    'nothing moves in a page with the look %s that arrives slowly',
    async (look) => {
      rest = new Promise((resolve) => {
        sendRest = resolve;
      });
      const { page: slow } = await newPage(() => true);
      await slow.goto(`${origin}/slow/${look}/100/ltr/`, { waitUntil: 'commit' });
      await slow.locator('.card').nth(1).waitFor({ state: 'attached' });
      // A row is drawn when it is whole.
      if (look === 'columns') await waitForFrames(slow);
      sendRest();
      await slow.locator('.card').nth(23).waitFor({ state: 'attached' });
      await slow.waitForLoadState('load');
      await waitForFrames(slow);
      expect(await slow.evaluate('shifts')).toEqual([]);
    },
  );

  /** Returns a script that is true once this card is the first visible one of a row. */
  const firstSeen = (index: number) => `(() => {
    const list = document.querySelector('#cards') ?? document.querySelector('testimonials-wall').shadowRoot.querySelector('#cards');
    const [from, to] = [list, list.children[${index}]].map((each) => each.getBoundingClientRect());
    return Math.abs(to.left - from.left) < 2 || Math.abs(to.right - from.right) < 2 ? true : undefined;
  })()`;

  test.each([
    ['hosted', 'ltr'],
    ['live', 'rtl'],
  ])('the buttons of a row scroll it, and wrap around at its ends: %s, %s', async (kind, dir) => {
    await page.setViewportSize({ width: 320, height: 800 });
    await page.goto(`${origin}/${kind}/row/3/${dir}/`);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.waitForFunction(firstSeen(1));
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.waitForFunction(firstSeen(0));
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.waitForFunction(firstSeen(2));
  });

  test.each(['hosted', 'live'])('a row whose cards all fit shows no buttons: %s', async (kind) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${origin}/${kind}/row/1/ltr/`);
    await page.locator('.buttons.needless').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
  });

  test('the look single advances by itself until the visitor stops it, and never with reduced motion', async () => {
    const clocked = await browser.newPage({ bypassCSP: true, viewport: { width: 390, height: 800 } });
    const position = () =>
      clocked.evaluate<number>(
        `document.querySelector('#cards').scrollLeft / document.querySelector('#cards').clientWidth`,
      );
    const wait = () => clocked.clock.runFor(9000);
    await clocked.emulateMedia({ reducedMotion: 'no-preference' });
    await clocked.clock.install();
    await clocked.goto(`${origin}/hosted/single/3/ltr/`);
    await clocked.locator('.buttons .stop').waitFor();
    await clocked.emulateMedia({ reducedMotion: 'reduce' });
    await wait();
    expect(await position()).toBe(0);
    expect(await clocked.locator('.stop').isVisible()).toBe(false);
    await clocked.emulateMedia({ reducedMotion: 'no-preference' });
    await wait();
    await clocked.waitForFunction(firstSeen(1));
    await clocked.getByRole('button', { name: 'Stop' }).click();
    await clocked.mouse.move(0, 0);
    await clocked.evaluate('document.activeElement.blur()');
    await wait();
    expect(Math.round(await position())).toBe(1);
    await clocked.close();
  });
});
