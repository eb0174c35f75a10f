/** The page at `/docs`, as a newcomer uses it. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { isolated, type ServiceProcess, startService } from '../service/service-process.ts';
import { someOf } from '../some-of.ts';
import { describeInBrowser, expectAccessible, looks, newPage } from './browser.ts';

describeInBrowser('the page of the running service', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService(isolated(':memory:'));
  });
  afterAll(() => service?.end());

  /** Opens the page; `wrong` collects foreign requests, errors and warnings. */
  async function open(width: number, colorScheme: 'light' | 'dark') {
    const isOwn = (url: string) => url.startsWith(service.url) || url.startsWith('data:');
    const options = { viewport: { width, height: 900 }, colorScheme };
    const { page, wrong } = await newPage(isOwn, options);
    await page.goto(`${service.url}/docs`);
    await page.getByRole('heading', { name: 'First requests' }).waitFor();
    return { page, wrong };
  }

  /** Opens an operation by its summary, and waits for its samples. */
  async function openOperation(page: Page, summary: string): Promise<void> {
    await page.locator('.nav-bar-path, .endpoint-head').getByText(summary, { exact: true }).click();
    await page.locator('.code-sample-wrapper').first().waitFor();
  }

  /** Sends the request that the page has filled in, and waits for a response with this status and text. */
  async function execute(page: Page, status: number, text: string): Promise<void> {
    const button = page.getByRole('button', { name: 'Execute' });
    await button.click();
    await page.getByText(`(${status})`).waitFor();
    await page.locator('api-request code').filter({ hasText: text }).first().waitFor();
    // It fades in again, with less contrast meanwhile.
    await button.and(page.locator(':enabled')).waitFor();
    await button.evaluate(`async (element) => {
      await new Promise(requestAnimationFrame);
      await Promise.all(element.getAnimations().map(({ finished }) => finished));
    }`);
  }

  test.each(someOf(looks))(
    'creates and lists at %i pixels in %s, and axe finds nothing',
    async (width, scheme) => {
      const { page, wrong } = await open(width, scheme);
      await expectAccessible(page);
      await openOperation(page, 'Create a testimonial');
      await execute(page, 201, '"status": "pending"');
      await expectAccessible(page);
      await openOperation(page, 'List testimonials');
      await execute(page, 200, 'Amazing product!');
      await expectAccessible(page);
      expect(wrong).toEqual([]);
    },
  );

  test('the samples of each operation get the response that the document promises', async () => {
    const { page } = await open(1280, 'light');
    const paths: Record<string, Record<string, { summary: string; responses: object }>> = Object(
      await (await fetch(`${service.url}/docs/openapi.json`)).json(),
    ).paths;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(operations).toHaveLength(3);
    for (const { summary, responses } of operations) {
      await openOperation(page, summary);
      await page.getByRole('heading', { name: summary }).waitFor();
      const [curl = '', javaScript = ''] = await page.locator('.code-sample-wrapper code').allTextContents();
      const [success] = Object.keys(responses);
      const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' });
      expect(run('bash', '-c', curl.replace('curl', 'curl -s'))).toMatch(`HTTP/1.1 ${success}`);
      expect(run(process.execPath, '--input-type=module', '-e', javaScript)).toMatch(`${success} {`);
    }
  });

  test('the keyboard is enough', async () => {
    const { page } = await open(1280, 'light');
    const tabTo = async (text: string) => {
      for (let i = 0; i < 60; i += 1) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate<string>(
          `(() => { let at = document.activeElement; while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return at.innerText; })()`,
        );
        if (focused?.trim().toLowerCase() === text) return;
      }
      throw new Error(`The keyboard does not reach ${text}`);
    };
    await tabTo('create a testimonial');
    await page.keyboard.press('Enter');
    await page.locator('.code-sample-wrapper').first().waitFor();
    await tabTo('execute');
    await page.keyboard.press('Enter');
    await page.getByText('(201)').waitFor();
  });

  test('a page of another site gets no token', async () => {
    const foreign = { headers: { 'sec-fetch-site': 'cross-site' } };
    expect((await fetch(`${service.url}/docs/token`, foreign)).status).toBe(404);
  });
});
