/** A brand in a browser: made at the desk on a phone, and seen on forms, walls and another website. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { pageStore } from '../../functions/accounts/dynamodb-page-store.ts';
import type { Page as OwnPage } from '../../functions/domain/page.ts';
import { readBrand, readLogo } from '../../functions/domain/read-brand.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { png } from '../images.ts';
import { moderate } from '../moderate.ts';
import { addPage } from '../page-visitor.ts';
import { describeInBrowser, expectAccessible, phone, watchedPages } from './browser.ts';
import { pageRoutes, type ServedDesk, serveDesk } from './served-desk.ts';
import { serveOn } from './served-walls.ts';

const colorOfLink = `getComputedStyle(document.querySelector('testimonials-wall').shadowRoot.querySelector('.unfold summary')).color`;

describeInBrowser('a brand', () => {
  let api: ApiClient;
  let desk: ServedDesk;
  let url: string;
  let form: OwnPage;
  let wall: OwnPage;
  const newPage = watchedPages();
  beforeAll(async () => {
    api = await createApiClient();
    desk = await serveDesk(api.table, { routes: await pageRoutes(api.table) });
    ({ url } = desk);
    form = await addPage(api.table, { settings: { link: 'https://www.example.com' } });
    wall = await addPage(api.table, { kind: 'wall' });
    const content = 'They answered within the hour. '.repeat(40);
    const { id } = (await api.create(testimonialBody({ content }))).body;
    await moderate(api, 'acme', id, 'approved', new Date());
  });

  const isLocal = (asked: string) => asked.startsWith('http://127.0.0.1:') || asked.startsWith('data:');
  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const { page } = await newPage(isLocal, options);
    await page.goto(path.startsWith('http') ? path : url + path);
    return page;
  };
  const saved = () => pageStore(api.table).findBrand('acme');

  test('an owner makes it on a phone: a large photo becomes a small logo, and the preview follows', async () => {
    const { page, wrong } = await desk.open('pages', { viewport: phone.viewport }, newPage);
    await page.getByRole('link', { name: 'Name, color and logo' }).click();
    await page.getByLabel('Name').fill('Quokka Ltd');
    const preview = page.frameLocator('iframe >> nth=0');
    await preview.getByText('Quokka Ltd').waitFor();
    await page.getByLabel('Logo', { exact: true }).setInputFiles({
      name: 'photo.png',
      mimeType: 'image/png',
      buffer: png(3000, 2000, 100_000),
    });
    await preview.locator('.brand img').waitFor();
    await page.getByLabel('Color of buttons and links').fill('#ffe000');
    await page.getByText('To keep texts readable').waitFor();
    await page.getByLabel('A wall').check();
    await preview.locator('.card').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. Visitors see it within two minutes.').waitFor();
    await page.getByAltText('The current logo on a light page').waitFor();
    await expectAccessible(page);
    expect((await saved()).logo).toMatchObject({ type: 'image/png', width: 168, height: 112 });
    // The service reports why it refuses a file that is not an image.
    await page.getByLabel('Logo', { exact: true }).setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: Buffer.from('<svg/>'),
    });
    const problem = page.locator('.field:has([aria-invalid="true"][name="logo"]) + .problem');
    await problem.getByText('Logo must be a PNG, JPEG or WebP image.').waitFor();
    // The preview was refused.
    expect(wrong.splice(0).filter((text) => !text.includes('422'))).toEqual([]);
  });

  test.each(['#ffe000', '#000000', '#ffffff', '#7f7f7f', '#ff0000'])(
    'of %s can be read on every page, light and dark, and gives way to nothing else',
    async (accent) => {
      const logo = readLogo(png(440, 112));
      await pageStore(api.table).saveBrand('acme', readBrand({ name: 'Quokka Ltd', accent, logo }));
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const path of [`/f/${form.id}`, `/f/${form.id}/thanks`, `/w/${wall.id}`]) {
          const page = await open(path, { colorScheme, viewport: { width: 320, height: 700 } });
          expect(await page.locator('.brand').innerText()).toBe('Quokka Ltd');
          const image = page.locator('.brand img');
          expect(await image.evaluate((each) => Reflect.get(each, 'naturalWidth'))).toBe(440);
          // Above the cards of a wall and after sending, the logo is smaller with the same proportions.
          const { width, height } = (await image.boundingBox()) ?? { width: 0, height: 0 };
          const widest = path.startsWith('/w/') ? 140 : path.endsWith('/thanks') ? 157 : 220;
          expect(width).toBeCloseTo(widest, 0);
          expect(width / height).toBeCloseTo(440 / 112, 1);
          await expectAccessible(page);
          await page.context().close();
        }
      }
    },
  );

  test.each([
    [390, 844],
    [1280, 1440],
  ])('the page after sending is in the middle of a screen of %i x %i', async (width, height) => {
    const page = await open(`/f/${form.id}/thanks`, { viewport: { width, height } });
    const box = (await page.locator('main').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    expect(box.x + box.width / 2).toBeCloseTo(width / 2, 0);
    expect(box.y + box.height / 2).toBeCloseTo(height / 2, 0);
    await expectAccessible(page);
  });

  describe('on another website', () => {
    let site: string;
    let style = '';
    beforeAll(async () => {
      site = await serveOn((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(`<!doctype html><html lang="en"><title>Ours</title><style>testimonials-wall{${style}}</style>
          <script type="module" src="${url}/embed.js"></script><testimonials-wall page="${wall.id}"></testimonials-wall>`);
      });
    });

    test.each([
      ['', 'rgb(170, 0, 0)'],
      ['--wall-accent: rgb(1, 2, 3)', 'rgb(1, 2, 3)'],
    ])('colors the live element, unless the website sets another color: %j', async (own, color) => {
      style = own;
      await pageStore(api.table).saveBrand('acme', readBrand({ name: '', accent: '#aa0000' }));
      const page = await open(site, { colorScheme: 'light' });
      await page.locator('testimonials-wall .unfold summary').first().waitFor({ state: 'attached' });
      expect(await page.evaluate(colorOfLink)).toBe(color);
    });
  });
});
