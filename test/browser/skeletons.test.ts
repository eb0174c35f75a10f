/**
 * The live wall in pages as they are: their resets, boxes and backgrounds. The folder `skeletons` has these
 * pages.
 */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import type { Page as OwnPage } from '../../functions/domain/page.ts';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { linksOf, reservedHeight } from '../../functions/serve-pages/own-pages.ts';
import { looks } from '../../functions/serve-pages/wall-settings.ts';
import { someOf } from '../some-of.ts';
import { browser, describeInBrowser, waitForFrames } from './browser.ts';
import { serveOn, startWallService } from './served-walls.ts';

type Media = Parameters<Page['emulateMedia']>[0];

/** The widths of the window, and how the visitor's device differs, by name. */
const skeletons: Record<string, { widths?: number[]; media?: Media }> = {
  wordpress: {},
  'wordpress-cover': {},
  shopify: {},
  wix: {},
  squarespace: {},
  webflow: {},
  bootstrap: {},
  tailwind: {},
  material: {},
  hero: {},
  modal: {},
  tab: {},
  sidebar: {},
  rtl: {},
  cjk: {},
  strict: {},
  unset: {},
  // At 200 %, a window of 640 pixels has 320.
  zoom: { widths: [320, 480, 960] },
  print: { media: { media: 'print' } },
  motion: { media: { reducedMotion: 'reduce' } },
  'large-screen': { widths: [320, 1920, 3840] },
};
const usualWidths = [320, 768, 1920];

const sentences = [
  'They answered within the hour, and the migration took a single afternoon.',
  'Our whole team uses it every day.',
  'We had tried three other tools before, and none of them could show exact totals. This one does, and it is fast even with all of our history in it.',
  'お客様の声を一つのページにまとめることができました。導入もとても簡単で、サポートの返信も早かったです。',
  'الخدمة ممتازة والدعم سريع جدا، وأنصح بها كل من يريد عرض آراء عملائه على موقعه.',
  'Die Rechtsschutzversicherungsgesellschaft war begeistert. Wir auch.',
];
const authors = [
  ['Maximiliane Hohenstein', 'Donaudampfschifffahrt GmbH', 'Leiterin der Kundenbetreuung'],
  ['Christopher Montgomery-Featherstonehaugh', 'Acme'],
  ['山田 太郎', '株式会社 北海道データ', '代表取締役'],
  ['عبد الرحمن بن محمد'],
  ['Li Na', 'Globex Corporation of Northern California'],
  ['Dr. Annegret Kramp-Wolfenstein'],
] as const;

const testimonials = Array.from({ length: 30 }, (_, i): Testimonial => {
  const [name = '', company, role] = authors[i % authors.length] ?? [];
  const content = Array.from({ length: 1 + ((i * 5) % 4) }, (_, k) => sentences[(i + k) % sentences.length]);
  const date = new Date(Date.UTC(2026, 8, 1 + i)).toISOString();
  return {
    id: `test_10000000${i}`,
    content: content.join(' '),
    type: 'text',
    status: 'approved',
    author: { name, email: 'jane@example.com', ...(company && { company }), ...(role && { role }) },
    ...(i % 3 > 0 && { rating: 5 }),
    tags: i % 4 === 0 ? ['onboarding'] : [],
    createdAt: date,
    updatedAt: date,
  };
});

/** Returns the page of a wall. Its id ends with the first letter of its look. */
const pageOf = (look: string): OwnPage => ({
  id: `4fGhT2kLm9QwErTyUiOpA${look.slice(0, 1)}`,
  organization: 'acme',
  kind: 'wall',
  title: 'Walls',
  settings: { look },
  createdAt: '2026-01-15T10:30:00.000Z',
});

const inspectWalls = readFileSync(`${import.meta.dirname}/inspect-wall.js`, 'utf8');

interface Inspection {
  problems: string[];
  /** The inherited styles of the parts of the wall. */
  styles: Record<string, string[]>;
}

describeInBrowser('a live wall is at home in', () => {
  let site: string;
  let service: string;
  let page: Page;
  // The styles of each look in a page without styles.
  let plain: Map<string, Inspection['styles']>;
  // The service waits until the page is drawn without the script, and then without testimonials, as on a slow
  // line.
  let gates = { script: Promise.withResolvers<void>(), list: Promise.withResolvers<void>() };

  beforeAll(async () => {
    service = await startWallService(
      testimonials,
      (id) => ({ look: looks.find((look) => look.startsWith(id.slice(-1))) ?? '' }),
      ({ pathname }) => (pathname === '/embed.js' ? gates.script : gates.list).promise,
    );
    site = await serveOn(servePage);
    page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
    await page.addInitScript(`
      let sum = 0;
      const add = (entries) => { for (const { value, hadRecentInput } of entries) if (!hadRecentInput) sum += value; };
      const observer = new PerformanceObserver((list) => add(list.getEntries()));
      observer.observe({ type: 'layout-shift', buffered: true });
      globalThis.shift = () => { add(observer.takeRecords()); return sum; };
      globalThis.forgetShift = () => { shift(); sum = 0; };`);
    await page.goto(`${site}/frames`);
    plain = new Map((await inspect('plain', { widths: [1280] })).map(({ look, styles }) => [look, styles]));
  });

  /** Serves a skeleton with the snippet that owners copy, at `/name/theme/look`. */
  function servePage({ pathname }: URL, response: ServerResponse) {
    const [name = '', theme = '', look = ''] = pathname.slice(1).split('/');
    const page = pageOf(look);
    const { snippet } = linksOf(page, service);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (name === 'frames') return response.end('<!doctype html><title>Frames</title><body>');
    if (name === 'plain') return response.end(`<!doctype html><title>Plain</title><body>${snippet}`);
    if (!Object.hasOwn(skeletons, name)) return response.writeHead(404).end();
    if (name === 'strict') {
      const policy = `default-src 'none'; script-src ${service}; connect-src ${service}; style-src 'nonce-bank'`;
      const types = "require-trusted-types-for 'script'; trusted-types 'none'";
      response.setHeader('content-security-policy', `${policy}; ${types}`);
    }
    return response.end(
      readFileSync(`${import.meta.dirname}/skeletons/${name}.html`, 'utf8')
        .replace('{theme}', theme)
        .replace('{nonce}', 'bank')
        .replace('704px', reservedHeight(page.settings))
        .replace('{wall}', snippet),
    );
  }

  /** Shows a skeleton in a frame for each look, theme and width, and returns what is found in each. */
  async function inspect(name: string, { widths = usualWidths, media = {} }: (typeof skeletons)[string]) {
    gates = { script: Promise.withResolvers(), list: Promise.withResolvers() };
    const frames = looks.flatMap((look) =>
      ['light', 'dark'].flatMap((theme) => widths.map((width) => ({ look, theme, width }))),
    );
    const markup = frames.map(
      ({ look, theme, width }) =>
        `<iframe src="/${name}/${theme}/${look}" width="${width}" height="${width < 700 ? 640 : 1000}" style="border: 0"></iframe>`,
    );
    await page.emulateMedia({ media: 'screen', reducedMotion: 'no-preference', ...media });
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(markup.join(''))}`);
    const all = (condition: string) =>
      page.waitForFunction(`[...document.querySelectorAll('iframe')].every(({ contentDocument: page }) => {
        const wall = page?.querySelector('testimonials-wall');
        return wall && ${condition};
      })`);
    // A page whose scripts have not arrived.
    await all(`page.readyState === 'interactive'`);
    await waitForFrames(page);
    gates.script.resolve();
    await all('wall.shadowRoot');
    await waitForFrames(page);
    gates.list.resolve();
    await all(`wall.shadowRoot.querySelector('.card')`);
    // Opening a tab moves the page, as the visitor expects.
    await page.evaluate(`for (const { contentDocument: page } of document.querySelectorAll('iframe')) {
      page.querySelector('[data-open]')?.click();
    }`);
    await waitForFrames(page);
    await page.evaluate(`for (const { contentDocument: page, contentWindow: view } of document.querySelectorAll('iframe')) {
      if (page.querySelector('[data-open]')) view.forgetShift();
    }`);
    await waitForFrames(page);
    const found = await page.evaluate<Inspection[]>(
      `${inspectWalls} inspectWalls(${media?.media === 'print'})`,
    );
    return found.map((each, i) => ({ ...each, ...(frames[i] ?? { look: '', theme: '', width: 0 }) }));
  }

  test.each(someOf(Object.entries(skeletons)))('%s', async (name, device) => {
    const found = await inspect(name, device);
    const problems = found.flatMap(({ problems, styles, look, theme, width }) => {
      const expected = plain.get(look);
      const foreign = Object.entries(styles).flatMap(([part, values]) =>
        values
          .filter((value, i) => value !== expected?.[part]?.[i])
          .map((value) => `${part} inherits ${value}`),
      );
      return [...problems, ...foreign].map((problem) => `${look}, ${theme}, ${width}: ${problem}`);
    });
    expect(problems).toEqual([]);
  });

  test('every background, in every look', async () => {
    await inspect('plain', { widths: [390] });
    const level = fc.integer({ min: 0, max: 255 });
    const opacity = fc.constantFrom(0.04, 0.3, 0.5, 0.9, 1);
    const color = fc
      .tuple(level, level, level, opacity)
      .map(([r, g, b, alpha]) => `rgb(${r} ${g} ${b} / ${alpha})`);
    await fc.assert(
      fc.asyncProperty(fc.array(color, { minLength: 1, maxLength: 3 }), async (layers) => {
        await page.evaluate(
          `for (const { contentDocument } of document.querySelectorAll('iframe')) {
            const { body, documentElement } = contentDocument;
            [documentElement, body, contentDocument.querySelector('testimonials-wall')].forEach(({ style }, i) => {
              style.backgroundColor = ${JSON.stringify(layers)}[i] ?? '';
            });
          }`,
        );
        const found = await page.evaluate<Inspection[]>(`${inspectWalls} inspectWalls(false)`);
        // A background that changes may move the letters.
        const problems = found.flatMap((each) => each.problems).filter((each) => !each.includes('shift'));
        expect(problems).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
