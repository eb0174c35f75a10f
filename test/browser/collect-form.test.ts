/** The form of examples/collect in a browser, copied out of the project, against the running service. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { isolated, jsonOf, type ServiceProcess, startService } from '../service/service-process.ts';
import { describeInBrowser, expectSound, launchBrowser, looks, watchedPages } from './browser.ts';

describeInBrowser('the form', () => {
  let service: ServiceProcess;
  let browser: Browser;
  const newPage = watchedPages();
  let form: { url: string; process: ChildProcess; folder: string };
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(isolated(':memory:')), launchBrowser()]);
    form = await startForm(service);
  });
  afterAll(async () => {
    await browser?.close();
    form?.process.kill();
    await service?.end();
    if (form) await rm(form.folder, { recursive: true });
  });

  async function open(options: BrowserContextOptions = {}) {
    const { page } = await newPage(browser, (url) => url.startsWith(form.url), options);
    await page.goto(form.url);
    return { page };
  }

  interface Testimonial {
    content: string;
    author: Record<string, string>;
    rating?: number;
    type: string;
  }
  async function stored(word: string): Promise<Testimonial[]> {
    const response = await fetch(`${service.url}/v1/testimonials?search=${word}`, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    return (await jsonOf<{ testimonials: Testimonial[] }>(response)).testimonials;
  }

  /** Waits up to five seconds: without scripts, browsers focus an element some time after the page has loaded. */
  async function isFocused(element: Locator): Promise<boolean> {
    for (let tries = 0; tries < 50; tries += 1) {
      if (await element.evaluate((each) => each.matches(':focus'))) return true;
      await element.page().waitForTimeout(100);
    }
    return false;
  }
  const field = (page: Page, label: string) => page.getByLabel(label);
  const sendButton = (page: Page) => page.getByRole('button', { name: 'Send' });
  async function fill(page: Page, content: string) {
    await field(page, 'Your testimonial').fill(content);
    await field(page, 'Your name').fill('Jane Doe');
    await field(page, 'Your e-mail address').fill('jane@example.com');
  }
  async function arrived(page: Page) {
    await page.waitForURL(`${form.url}/thanks`);
    expect(await page.getByRole('heading').innerText()).toBe('Thank you');
  }

  test.each(looks)(
    'at %i pixels in %s the form is rejected, corrected and sent; axe finds nothing, and nothing is requested from other hosts',
    async (width, colorScheme) => {
      const { page } = await open({ viewport: { width, height: 900 }, colorScheme });
      await expectSound(page);
      const word = `sound${width}${colorScheme}`;
      await fill(page, word);
      await field(page, 'Your e-mail address').fill('');
      await field(page, '4 of 5 stars').check();
      await sendButton(page).click();
      await page.getByText('Nothing was sent yet.').waitFor();
      await expectSound(page);
      await fill(page, `${word} and a line.\nAnd another one.`);
      await sendButton(page).click();
      await arrived(page);
      await expectSound(page);
      expect(await stored(word)).toMatchObject([
        {
          content: `${word} and a line.\nAnd another one.`,
          author: { name: 'Jane Doe', email: 'jane@example.com' },
          rating: 4,
          type: 'text',
        },
      ]);
    },
  );

  test('without scripts each error is next to its field, and the summary links to it', async () => {
    const { page } = await open({ javaScriptEnabled: false });
    await sendButton(page).click();
    const summary = page.getByRole('region', { name: 'Please look at this again' });
    expect(await isFocused(summary)).toBe(true);
    expect(await page.title()).toMatch(/^Please look at this again/);
    const said = await summary.getByRole('link').allInnerTexts();
    expect(said).toEqual([
      'Your testimonial is required.',
      'Your name is required.',
      'Your e-mail address is required.',
    ]);
    for (const [i, label] of ['Your testimonial', 'Your name', 'Your e-mail address'].entries()) {
      const input = field(page, label);
      // A screen reader reads these with the field.
      const ids = (await input.getAttribute('aria-describedby'))?.split(' ') ?? [];
      const description = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).innerText()));
      expect(description).toContain(said[i]);
      expect(await input.getAttribute('aria-invalid')).toBe('true');
      await summary.getByRole('link').nth(i).click();
      expect(await isFocused(input)).toBe(true);
    }
    await fill(page, 'Corrected without script');
    await sendButton(page).click();
    await arrived(page);
    const [testimonial] = await stored('corrected');
    expect(testimonial).not.toHaveProperty('rating');
    expect(testimonial?.author).not.toHaveProperty('company');
  });

  test('a double click creates one testimonial', async () => {
    const { page } = await open();
    await fill(page, 'A doubleclicked testimonial');
    await sendButton(page).dblclick();
    await arrived(page);
    expect(await stored('doubleclicked')).toHaveLength(1);
  });

  test('sending again after going back creates nothing new, and a changed text only on purpose', async () => {
    const { page } = await open();
    await fill(page, 'A backwards testimonial');
    await sendButton(page).click();
    await arrived(page);
    await page.reload();
    await page.goBack();
    expect(await field(page, 'Your testimonial').inputValue()).toBe('A backwards testimonial');
    await sendButton(page).click();
    await arrived(page);
    expect(await stored('backwards')).toHaveLength(1);
    await page.goBack();
    await field(page, 'Your testimonial').fill('A backwards testimonial, changed');
    await sendButton(page).click();
    await page.getByText('You have already sent this form').first().waitFor();
    expect(await stored('backwards')).toHaveLength(1);
    await sendButton(page).click();
    await arrived(page);
    expect(await stored('backwards')).toHaveLength(2);
    // A new form creates another testimonial.
    await page.getByRole('link', { name: 'Write another one' }).click();
    expect(await field(page, 'Your testimonial').inputValue()).toBe('');
    await fill(page, 'A backwards testimonial');
    await sendButton(page).click();
    await arrived(page);
    expect(await stored('backwards')).toHaveLength(3);
  });

  test('after an error, a reload and Back send nothing again', async () => {
    const { page } = await open();
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await fill(page, 'short');
    await sendButton(page).click();
    await page.getByText('Nothing was sent yet.').waitFor();
    await page.reload();
    expect(await field(page, 'Your testimonial').inputValue()).toBe('short');
    await page.goBack();
    expect(await field(page, 'Your testimonial').inputValue()).toBe('short');
    await page.goForward();
    await page.getByText('Nothing was sent yet.').waitFor();
    expect(sent).toHaveLength(1);
    await fill(page, 'Forwards and corrected');
    await sendButton(page).click();
    await arrived(page);
    await page.goBack();
    expect(await field(page, 'Your testimonial').inputValue()).toBe('Forwards and corrected');
    await sendButton(page).click();
    await arrived(page);
    expect(await stored('forwards')).toHaveLength(1);
  });

  test('the keyboard is enough, and the focus is visible', async () => {
    const { page } = await open();
    const { keyboard } = page;
    const next = async (text = '') => {
      await keyboard.press('Tab');
      const outline = '(document.activeElement.closest(".star") ?? document.activeElement)';
      expect(await page.evaluate<string>(`getComputedStyle(${outline}).outlineWidth`)).toBe('3px');
      await keyboard.type(text);
    };
    await next('A keyboard is enough');
    await next();
    // Up to five stars, and one back.
    for (let stars = 1; stars <= 5; stars += 1) await keyboard.press('ArrowRight');
    await keyboard.press('ArrowLeft');
    await next('Jane Doe');
    await next('jane@example.com');
    await next('Acme');
    await next();
    await keyboard.press('Enter');
    await arrived(page);
    expect(await stored('keyboard')).toMatchObject([{ rating: 4, author: { company: 'Acme' } }]);
  });
});

/** Copies the example out of the project and starts it there. */
async function startForm({ url, token }: ServiceProcess) {
  const folder = await mkdtemp(join(tmpdir(), 'collect-'));
  await cp(fileURLToPath(new URL('../../examples/collect', import.meta.url)), folder, { recursive: true });
  const settings = {
    TESTIMONIALS_URL: url,
    TESTIMONIALS_TOKEN: token,
    COLLECT_PORT: '0',
    NODE_NO_WARNINGS: '1',
  };
  const child = spawn(process.execPath, [join(folder, 'server.ts')], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  return { url: /http:\S+/.exec(String(line))?.[0] ?? '', process: child, folder };
}
