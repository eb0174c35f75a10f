/** A manager's day at the desk on a phone whose browser runs no scripts. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { invitationLink, invitePerson } from '../../functions/serve-desk/people.ts';
import { adminOf } from '../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { describeInBrowser, phone, watchedPages } from './browser.ts';
import { owner, type ServedDesk, serveDesk } from './served-desk.ts';

describeInBrowser('a working day without JavaScript', () => {
  let api: ApiClient;
  let desk: ServedDesk;
  const newPage = watchedPages();
  beforeAll(async () => {
    api = await createApiClient();
    await adminOf(api.table)('seed', '--organization', 'acme', '--count', '300');
    for (const content of ['A first text', 'A second text']) {
      await api.create(testimonialBody({ content, author: { name: 'Gus', email: 'gus@example.com' } }));
    }
    desk = await serveDesk(api.table, { remembers: true });
  });

  const total = async (query: string) => (await api.list(query)).body.pagination.total as number;
  const said = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const go = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();

  test('every step works', async () => {
    const { url } = desk;
    const [approved = 0, rejected = 0] = await Promise.all(['status=approved', 'status=rejected'].map(total));
    const link = invitationLink(url, (await invitePerson(desk.people, owner)).secret);
    const options = { ...phone, javaScriptEnabled: false };
    const { page } = await newPage((asked) => asked.startsWith(`${url}/`), options);

    // Sign in and invite a colleague.
    await page.goto(link);
    await page.getByLabel('The link from your invitation').fill(link);
    await press(page, 'Continue with the link');
    await page.getByRole('heading', { name: /^Queue/ }).waitFor();
    await go(page, 'People');
    await page.getByLabel('Name').fill('Bo');
    await press(page, 'Create invitation link');
    await page.getByRole('heading', { name: 'Send this link to Bo' }).waitFor();
    // Nothing is sent again.
    for (const move of ['goBack', 'goForward'] as const) {
      await page[move]();
      await page.getByRole('heading', { name: 'People' }).waitFor();
      expect(await page.getByText('Send this link').count()).toBe(0);
    }

    // Decide, and take the last decision back.
    await page.getByRole('link', { name: 'Queue' }).click();
    for (let n = 1; n <= 3; n += 1) {
      await press(page, 'Approve');
      await said(page, `${n} approved`);
    }
    for (let n = 1; n <= 2; n += 1) {
      await press(page, 'Reject');
      await said(page, `3 approved, ${n} rejected`);
    }
    await press(page, 'Undo');
    await said(page, /is back in the queue\.$/);
    await page.reload();
    await page.goBack();
    expect(await total('status=approved')).toBe(approved + 3);
    expect(await total('status=rejected')).toBe(rejected + 1);

    // Find some in the list, and tag them.
    await go(page, 'Testimonials');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Order').selectOption('asc');
    await press(page, 'Show matches');
    expect(page.url()).toContain('order=asc');
    for (let n = 0; n < 5; n += 1) await page.locator('#selection input[name=seen]').nth(n).check();
    await page.fill('#tags-to-change', 'homepage');
    await page.keyboard.press('Enter');
    await said(page, '5 testimonials tagged.');
    expect(await total('tags=homepage')).toBe(5);

    // Erase everything by a person.
    await page.fill('#filter-search', 'gus@example.com');
    await page.keyboard.press('Enter');
    await page.getByText('2 testimonials, oldest first', { exact: true }).waitFor();
    for (const box of await page.locator('#selection input[name=seen]').all()) await box.check();
    await press(page, 'Erase…');
    await press(page, 'Erase for good');
    await said(page, '2 testimonials erased.');
    expect(await total('search=gus')).toBe(0);

    // Make a form and a wall.
    const make = async (kind: string, settings: () => Promise<unknown>, preview: string) => {
      await go(page, 'Pages');
      await press(page, `New ${kind}`);
      await settings();
      await press(page, 'Preview');
      await page.frameLocator('iframe >> nth=0').locator(preview).waitFor();
      await press(page, 'Save');
      await said(page, 'Saved.');
    };
    const introduction = () => page.getByLabel('Introduction').fill('How was it?');
    await make('form', introduction, 'text=How was it?');
    await said(page, `${url}/f/`);
    await make('wall', () => page.getByLabel('Layout').selectOption('row'), '#cards.row');
    await press(page, 'Website code');
    await said(page, /<testimonials-wall page=/);

    // The last owner would be asked first.
    await desk.signedIn({ role: 'owner', name: 'Otto' });
    await go(page, 'You');
    await press(page, 'Sign out');
    await said(page, 'You are signed out.');
  });
});
