/** A real Chromium, if one is installed. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

// The headless shell opens a page in a third of the time.
const executablePath = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);
if (!executablePath) console.warn('No Chromium is installed here: the tests in a browser are skipped');

/** The browser of this suite. */
export let browser: Browser;

const opened: BrowserContext[] = [];

/** Returns `describeInBrowser` with these arguments of the browser. */
export const describeWith =
  (...further: string[]) =>
  (name: string, tests: () => void): void => {
    (executablePath ? describe : describe.skip)(name, () => {
      beforeAll(async () => {
        const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'];
        browser = await chromium.launch({
          ...(executablePath && { executablePath }),
          args: [...args, '--disable-component-update', '--no-first-run', ...further],
        });
      });
      afterEach(async () => {
        for (const context of opened.splice(0)) await context.close();
      });
      afterAll(() => browser?.close());
      tests();
    });
  };

/** Describes tests in a browser, skipped if none is installed. Closes the pages of each test at its end. */
export const describeInBrowser = describeWith();

/** A camera and a microphone that need no permission. */
export const fakeDevices = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
/** Lets players start before someone presses anything. */
export const autoplay = '--autoplay-policy=no-user-gesture-required';

/** A phone, as the options of a page. */
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** A phone and a screen, by day and by night. */
export const looks = [
  [390, 'light'],
  [390, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const;

/**
 * Opens a page in its own context; `wrong` collects requests to other hosts, errors, warnings and dialogs.
 * @param isOwn whether the page may request a URL
 * @param init a script that the page runs first
 */
export async function newPage(
  isOwn: (url: string) => boolean,
  options: BrowserContextOptions = {},
  init = '',
) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  opened.push(context);
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('request', (request) => {
    if (!isOwn(request.url())) wrong.push(`request to ${request.url()}`);
  });
  page.on('console', (message) => {
    // htmx logs that a newer request replaces one in flight.
    if (/^htmx:(afterRequest|sendAbort)/.test(message.text())) return;
    if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('dialog', (dialog) => wrong.push(`dialog ${dialog.message()}`));
  await page.addInitScript(`
    globalThis.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      // While a page arrives, the end of a half-parsed card may move, by a thousandth of a shift that counts
      // as good.
      for (const { value, sources } of list.getEntries()) if (value >= 0.0001) shifts.push(value + ' ' + sources.map(({ node }) => node?.nodeName));
    }).observe({ type: 'layout-shift', buffered: true });
    ${init}
  `);
  return { page, wrong };
}

/** Opens pages as `newPage` does, and expects nothing wrong on them at the end of each test. */
export function watchedPages() {
  const watched: string[][] = [];
  afterEach(() => expect(watched.splice(0).flat()).toEqual([]));
  return async (...how: Parameters<typeof newPage>) => {
    const made = await newPage(...how);
    watched.push(made.wrong);
    return made;
  };
}

/** Returns how much the page has moved so far; good is less than 0.1 (web.dev/articles/cls). */
export async function sumOfShifts(page: Page): Promise<number> {
  const shifts = await page.evaluate<string[]>('shifts');
  return shifts.reduce((sum, shift) => sum + Number.parseFloat(shift), 0);
}

/** Waits two frames: until then changes are drawn, and shifts reported. */
export function waitForFrames(page: Page): Promise<unknown> {
  return page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** Waits until a script is true, also on a page whose policy refuses Playwright's own way. */
export async function until(page: Page, script: string): Promise<void> {
  while (!(await page.evaluate(script))) await waitForFrames(page);
}

/** Expects a page without findings of axe, without overflow, and without violations of its policy. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await axeFindings(page)).toEqual([]);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(overflow).toBeLessThanOrEqual(0);
  expect(await page.evaluate('globalThis.violations')).toEqual([]);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the findings of axe, each rule with its first element. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    // Injected above.
    (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(
      { exclude: [] },
      // Otherwise axe spends half of its time on rules that pass.
      { resultTypes: ['violations'] },
    ),
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} ${nodes[0]?.any[0]?.message ?? ''}`,
  );
}
