/** A manager's day at the desk on a phone, with 3,000 testimonials: with JavaScript, and without. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { invitationLink, invitePerson } from '../../functions/serve-desk/people.ts';
import { adminOf } from '../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { describeInBrowser, expectSound, launchBrowser, newPage } from './browser.ts';
import { type ServedDesk, serveDesk } from './served-desk.ts';

describeInBrowser('a working day on a phone', () => {
  let browser: Browser;
  let api: ApiClient;
  let desk: ServedDesk;
  let url: string;
  beforeAll(async () => {
    api = await createApiClient();
    await adminOf(api.table)('seed', '--organization', 'acme', '--count', '3000');
    desk = await serveDesk(api.table, { remembers: true });
    ({ url } = desk);
    browser = await launchBrowser();
  });

  const total = async (query: string) => (await api.list(query)).body.pagination.total as number;
  const said = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const go = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();

  test.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('%s every step works', async (_, javaScriptEnabled) => {
    const [approved, rejected] = await Promise.all(['status=approved', 'status=rejected'].map(total));
    const tag = `homepage of ${javaScriptEnabled}`;
    for (const content of ['A first text', 'A second text']) {
      await api.create(testimonialBody({ content, author: { name: 'Gus', email: 'gus@example.com' } }));
    }
    const fields = { organization: 'acme', name: 'Ann', role: 'owner', mayErase: true } as const;
    const link = invitationLink(url, (await invitePerson(desk.people, fields)).secret);
    const { page, wrong } = await newPage(browser, (asked) => asked.startsWith(`${url}/`), {
      javaScriptEnabled,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    const times: string[] = [];
    const step = async (name: string, act: () => Promise<unknown>) => {
      const start = performance.now();
      await act();
      times.push(`${name} ${Math.round(performance.now() - start)} ms`);
      // axe is a script.
      if (javaScriptEnabled) await expectSound(page);
    };

    await step('sign in', async () => {
      await page.goto(link);
      if (!javaScriptEnabled) await page.getByLabel('The link from your invitation').fill(link);
      await press(page, javaScriptEnabled ? 'Sign in' : 'Continue with the link');
      await page.getByRole('heading', { name: /^Queue/ }).waitFor();
    });
    await step('invite', async () => {
      await go(page, 'People');
      await page.getByLabel('Name').fill('Bo');
      await press(page, 'Create invitation link');
      await page.getByRole('heading', { name: 'Send this link to Bo' }).waitFor();
    });
    await step('approve ten', async () => {
      await page.getByRole('link', { name: 'Queue' }).click();
      for (let n = 1; n <= 10; n += 1) {
        await press(page, 'Approve');
        await said(page, `${n} approved`);
      }
    });
    await step('reject three', async () => {
      for (let n = 1; n <= 3; n += 1) {
        await press(page, 'Reject');
        await said(page, `10 approved, ${n} rejected`);
      }
    });
    expect(await total('status=approved')).toBe((approved ?? 0) + 10);
    expect(await total('status=rejected')).toBe((rejected ?? 0) + 3);
    await step('tag five', async () => {
      await go(page, 'Testimonials');
      for (let n = 0; n < 5; n += 1) await page.locator('#selection input[name=seen]').nth(n).check();
      await page.fill('#tags-to-change', tag);
      await press(page, 'Add tag');
      await said(page, '5 testimonials tagged.');
    });
    expect(await total(`tags=${encodeURIComponent(tag)}`)).toBe(5);
    await step('erase a person', async () => {
      await page.fill('#filter-search', 'gus@example.com');
      // An address that is sent leads to its person at once.
      if (javaScriptEnabled) await press(page, 'Find everything by gus@example.com');
      else await page.keyboard.press('Enter');
      await page.getByText('gus@example.com', { exact: true }).first().waitFor();
      await page.getByText('2 testimonials, oldest first', { exact: true }).waitFor();
      for (const box of await page.locator('#selection input[name=seen]').all()) await box.check();
      await press(page, 'Erase…');
      await press(page, 'Erase for good');
      await said(page, '2 testimonials erased.');
    });
    expect(await total('search=gus')).toBe(0);
    await step('make a form', async () => {
      await go(page, 'Pages');
      await press(page, 'New form');
      await page.getByLabel('Title', { exact: true }).fill('Tell us');
      await page.getByLabel('Introduction').fill('How was it?');
      if (!javaScriptEnabled) await press(page, 'Preview');
      await page.frameLocator('iframe >> nth=0').getByText('How was it?').waitFor();
      await press(page, 'Save');
      await said(page, 'Saved.');
    });
    const form = `${url}/f/`;
    if (javaScriptEnabled) {
      await press(page, 'Copy Link');
      expect(await copied()).toContain(form);
    } else await said(page, form);
    await step('make a wall', async () => {
      await go(page, 'Pages');
      await press(page, 'New wall');
      await page.getByLabel('Title', { exact: true }).fill('They say');
      await page.getByLabel('Layout').selectOption('row');
      await page.getByRole('switch', { name: 'Dates' }).uncheck();
      if (!javaScriptEnabled) await press(page, 'Preview');
      await page.frameLocator('iframe >> nth=0').locator('#cards.row').waitFor();
      await press(page, 'Save');
      await said(page, 'Saved.');
      await press(page, 'Website code');
    });
    if (javaScriptEnabled) {
      await press(page, 'Copy Wall on your website');
      expect(await copied()).toMatch(/<testimonials-wall page="\w{22}"/);
    } else await said(page, /<testimonials-wall page=/);
    // The last owner would be asked first.
    await desk.signedIn({ role: 'owner', name: 'Otto' });
    await step('sign out', async () => {
      await go(page, 'You');
      await press(page, 'Sign out');
      await said(page, 'You are signed out.');
    });
    expect(wrong).toEqual([]);
    console.info(times.join(', '));
  });
});
