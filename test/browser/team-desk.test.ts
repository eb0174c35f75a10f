/** The desk of a deployment in a browser, from the invitation on. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import {
  invitationLink,
  inviteAgain,
  invitePerson,
  openInvitation,
} from '../../functions/serve-desk/people.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { moderate } from '../moderate.ts';
import { addPage } from '../page-visitor.ts';
import { describeInBrowser, expectSound, launchBrowser, watchedPages } from './browser.ts';
import { type ServedDesk, serveDesk } from './served-desk.ts';

describeInBrowser('the desk of a deployment', () => {
  let browser: Browser;
  let api: ApiClient;
  let desk: ServedDesk;
  let url: string;
  const newPage = watchedPages();
  beforeAll(async () => {
    api = await createApiClient();
    desk = await serveDesk(api.table, { remembers: true });
    ({ url } = desk);
    browser = await launchBrowser();
  });

  const create = (content: string, overrides = {}) => api.create(testimonialBody({ content, ...overrides }));

  /** Opens an invitation. */
  async function open(options: BrowserContextOptions = {}) {
    const { person, secret } = await invitePerson(desk.people, {
      organization: 'acme',
      name: 'Ann',
      role: 'owner',
      mayErase: true,
    });
    const isOwn = (asked: string) => asked.startsWith(`${url}/`) && !asked.includes(secret);
    const phone = { viewport: { width: 390, height: 844 } };
    const { page, wrong } = await newPage(browser, isOwn, { ...phone, ...options });
    await page.goto(invitationLink(url, secret));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    return { page, person, wrong };
  }
  const said = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

  test('a person opens the invitation; a link scanner that runs scripts does not', async () => {
    const { person } = await desk.signedIn({ name: 'Ben' });
    const link = invitationLink(url, await inviteAgain(desk.people, person));
    const scanner = await browser.newPage();
    await scanner.goto(link, { waitUntil: 'networkidle' });
    await scanner.waitForFunction("document.querySelector('#invitation').value.startsWith('tsi_')");
    expect(new URL(scanner.url()).hash).toBe('');
    await scanner.close();
    const { page } = await newPage(browser, (asked) => asked.startsWith(`${url}/`));
    // Changed as by a mail program.
    await page.goto(link.replace('#', '%23'));
    await said(page, 'This link was changed on its way to you');
    expect(page.url()).toBe(`${url}/desk/open`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/desk/queue');
  });

  test('the link and two taps approve a testimonial, and its card is on the first screen', async () => {
    await create('Ada likes it very much', { author: { name: 'Ada', email: 'ada@example.com' } });
    const { page } = await open();
    await page.waitForURL('**/desk/queue');
    const card = await page.locator('.card').first().boundingBox();
    expect(card?.y).toBeLessThan(844 / 2);
    await page.getByRole('button', { name: 'Approve' }).click();
    await said(page, 'Ada’s testimonial is approved.');
    expect((await api.list('status=approved')).body.pagination.total).toBe(1);
    await page.goto(`${url}/desk/list`);
    const first = await page.locator('#selection .card').first().boundingBox();
    expect(first?.y).toBeLessThan(844);
  });

  test.each([
    [390, 'light'],
    [1280, 'dark'],
  ] as const)(
    'at %i pixels in %s axe finds nothing on the sign-in page and the pages of a team',
    async (width, colorScheme) => {
      const { page } = await open({ viewport: { width, height: 900 }, colorScheme });
      await page.waitForURL('**/desk/queue');
      for (const path of ['queue', 'list', 'numbers', 'people', 'me', 'me/sign-out', 'open']) {
        await page.goto(`${url}/desk/${path}`);
        await expectSound(page);
      }
    },
  );

  test('an invitation opens from the sign-in page, and asks a signed-in person first', async () => {
    const { page, person, wrong } = await open();
    await page.waitForURL('**/desk/queue');
    await page.getByRole('link', { name: 'You' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in to your desk' }).waitFor();
    await page.goto(invitationLink(url, await inviteAgain(desk.people, person)));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/desk/queue');

    const { person: eve } = await desk.signedIn({ organization: 'other', name: 'Eve' });
    await page.goto(invitationLink(url, await inviteAgain(desk.people, eve)));
    await page.getByRole('heading', { name: 'You are signed in as Ann at acme' }).waitFor();
    expect(page.url()).toBe(`${url}/desk/open`);
    await expectSound(page);
    await page.getByRole('link', { name: 'Stay signed in as Ann' }).click();
    await page.waitForURL('**/desk/queue');

    const link = invitationLink(url, await inviteAgain(desk.people, eve));
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in with this link instead' }).click();
    await page.waitForURL('**/desk/queue');
    await page.goto(`${url}/desk/me`);
    await said(page, 'other');
    // Nobody has to press anything to learn it.
    await page.goto(link);
    await said(page, 'This link was already used');
    await expectSound(page);
    expect(wrong).toEqual([]);
    await page.getByRole('link', { name: 'Stay signed in as Eve' }).click();
    await page.waitForURL('**/desk/queue');
  });

  test('without JavaScript, going back repeats no action on people', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const posted: number[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'POST') posted.push(response.status());
    });
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const isShown = (name: string) => page.getByRole('heading', { name }).waitFor();
    const backAndForth = async () => {
      await page.goBack();
      await isShown('People');
      await page.goForward();
      await isShown('People');
      expect(await page.getByText('Send this link').count()).toBe(0);
    };
    const team = { organization: 'quiet', role: 'owner', mayErase: true } as const;
    const { secret } = await invitePerson(desk.people, { ...team, name: 'Olivia' });
    await invitePerson(desk.people, { ...team, name: 'Otto' });
    // Has been here.
    await openInvitation(desk.people, (await invitePerson(desk.people, { ...team, name: 'Ota' })).secret);
    const people = async () =>
      (await desk.people.desks.listPeople('quiet')).map(({ name }) => name).toSorted();

    await page.goto(`${url}/desk/open`);
    await page.getByLabel('The link from your invitation').fill(invitationLink(url, secret));
    await press('Continue with the link');
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByLabel('Name').fill('Bo');
    await press('Create invitation link');
    await isShown('Send this link to Bo');
    await backAndForth();
    await press('New invitation link Bo');
    await isShown('Send this link to Bo');
    await page.goBack();
    await isShown('People');
    expect(await people()).toEqual(['Bo', 'Olivia', 'Ota', 'Otto']);
    await press('Cancel invitation Bo');
    await said(page, 'The invitation of Bo was cancelled.');
    await page.getByRole('link', { name: 'Remove… Ota' }).click();
    await press('Remove');
    await said(page, 'Ota was removed.');
    await page.goBack();
    await isShown('People');
    await page.goForward();
    await isShown('People');
    expect(await people()).toEqual(['Olivia', 'Otto']);
    await page.getByRole('link', { name: 'Your passkeys and sessions' }).click();
    await press('Sign out everywhere…');
    // Otto has never signed in.
    await isShown('Sign out everywhere?');
    await press('Sign out everywhere');
    await said(page, 'You are signed out. To come back, sign in with a passkey, or ask an owner');
    await page.goBack();
    await said(page, 'You are not signed in here.');
    await page.goForward();
    await isShown('Sign in to your desk');
    expect(posted).toEqual([303, 303, 303, 303, 303, 303, 303]);
    await context.close();
  });

  test('an action on all matches continues by itself until it is done', async () => {
    for (let n = 0; n < 60; n += 1) await create(`Many bees ${n}`);
    const { page } = await open({ viewport: { width: 1280, height: 900 } });
    await page.waitForURL('**/desk/queue');
    await page.goto(`${url}/desk/list?search=bees`);
    await page.getByRole('checkbox', { name: /^Select these \d+/ }).check();
    await page.getByRole('checkbox', { name: 'All 60 matching testimonials' }).check();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('heading', { name: 'Approve 60 testimonials?' }).waitFor();
    await expectSound(page);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await said(page, /^60 testimonials approved\.$/);
    // The page is the list again, whole and at its own URL.
    expect(new URL(page.url()).pathname).toBe('/desk/list');
    expect(await page.locator('main').count()).toBe(1);
    await page.reload();
    await said(page, '60 testimonials');
    expect((await api.list('search=bees&status=approved')).body.pagination.total).toBe(60);
  });

  test('keys can be turned off, and stay off', async () => {
    await create('An elk that no key decides about');
    const { page } = await open({ viewport: { width: 1280, height: 900 } });
    await page.waitForURL('**/desk/queue');
    await page.goto(`${url}/desk/me`);
    await page.getByLabel('Keyboard shortcuts in the queue').uncheck();
    await page.goto(`${url}/desk/queue?search=elk`);
    await page.keyboard.press('a');
    expect(await page.locator('.decision kbd').first().isVisible()).toBe(false);
    expect(await page.locator('[aria-keyshortcuts]').count()).toBe(0);
    await page.getByRole('button', { name: 'Skip' }).click();
    await said(page, /^Skipped\.$/);
    expect((await api.list('search=elk&status=pending')).body.pagination.total).toBe(1);
    await page.goto(`${url}/desk/me`);
    await page.getByLabel('Keyboard shortcuts in the queue').check();
    await page.goto(`${url}/desk/queue?search=elk`);
    await page.keyboard.press('a');
    await said(page, /is approved/);
  });

  test('an owner makes a form on a phone, changes it, copies its link and removes it', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.waitForURL('**/desk/queue');
    await page.getByRole('link', { name: 'Pages', exact: true }).click();
    await expectSound(page);
    await page.getByRole('button', { name: 'New form' }).click();
    await page.getByRole('heading', { name: 'Tell us' }).waitFor();
    const preview = page.frameLocator('iframe >> nth=0');
    await preview.getByText('Your company').waitFor();
    await expectSound(page);
    await page.getByRole('button', { name: 'Copy Link', exact: true }).click();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(link).toMatch(/\/f\/\w{22}$/);
    await page.getByRole('button', { name: 'QR code' }).click();
    expect(await readCode(page)).toBe(link);
    await expectSound(page);
    await page.getByRole('button', { name: 'Close' }).click();
    // The preview follows each key, and going back does not lead through its versions.
    const before = await page.evaluate('history.length');
    await page.getByLabel('Title', { exact: true }).fill('Tell us');
    await page.getByLabel('Introduction').fill('How was your stay?');
    await preview.getByText('How was your stay?').waitFor();
    await page.getByRole('switch', { name: 'Company' }).uncheck();
    await preview.getByText('Your company').waitFor({ state: 'detached' });
    expect(await page.evaluate('history.length')).toBe(before);
    await page.getByRole('button', { name: 'Save' }).click();
    await said(page, 'Saved.');
    await expectSound(page);
    await page.getByRole('link', { name: 'Remove this form…' }).click();
    await page.getByRole('heading', { name: 'Remove “Tell us”?' }).waitFor();
    await expectSound(page);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('heading', { name: 'Pages' }).waitFor();
    await said(page, 'The form “Tell us” was removed.');
    expect(await page.getByText('Tell us', { exact: true }).count()).toBe(0);
  });

  /** Reads the QR code on a page. */
  async function readCode(page: Page): Promise<string> {
    const size = 300;
    const data = await page.evaluate(`(async () => {
      const image = document.querySelector('.qr img');
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: ${size}, height: ${size} });
      const context = canvas.getContext('2d');
      context.fillStyle = 'white';
      context.fillRect(0, 0, ${size}, ${size});
      context.drawImage(image, 0, 0, ${size}, ${size});
      return Array.from(context.getImageData(0, 0, ${size}, ${size}).data, (byte) => String.fromCharCode(byte)).join('');
    })()`);
    return decodeQR({
      data: Uint8Array.from(Buffer.from(String(data), 'latin1')),
      width: size,
      height: size,
    });
  }

  test.each([
    [390, 'light', true],
    [1280, 'dark', true],
    [390, 'dark', false],
  ] as const)(
    'at %i pixels in %s an owner makes personal links (with scripts: %s)',
    async (width, colorScheme, javaScriptEnabled) => {
      const { id } = await addPage(api.table, { title: 'Tell us' });
      const { page } = await newPage(browser, (asked) => asked.startsWith(`${url}/`), {
        viewport: { width, height: 900 },
        colorScheme,
        javaScriptEnabled,
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const { person } = await desk.signedIn({ name: 'Ann', role: 'owner' });
      const invitation = invitationLink(url, await inviteAgain(desk.people, person));
      await page.goto(invitation);
      if (!javaScriptEnabled) await page.getByLabel('The link from your invitation').fill(invitation);
      const button = javaScriptEnabled ? 'Sign in' : 'Continue with the link';
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.goto(`${url}/desk/pages/${id}`);
      await page.getByRole('link', { name: 'Personal links' }).click();
      const long = 'maximiliane.von.hohenstaufen@a-very-long-subdomain.example.com';
      await page
        .getByLabel('One person per line')
        .fill(`Jane Doe;jane@example.com;CEO;Acme\nMaximiliane;${long}\n;x@example.com`);
      await page.getByRole('button', { name: 'Create links' }).click();
      await said(page, 'Line 3 has no name: x@example.com.');
      const link = `${url}/f/${id}#name=Jane%20Doe&role=CEO&company=Acme&email=jane%40example.com`;
      expect(await page.getByRole('link', { name: 'Open the form as Jane Doe' }).getAttribute('href')).toBe(
        link,
      );
      if (javaScriptEnabled) {
        await expectSound(page);
        await page.getByRole('button', { name: 'Copy link of Jane Doe' }).click();
        await said(page, 'Copied');
        expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download as CSV' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('personal-links.csv');
    },
  );

  test('a wall changes in its preview while its settings change', async () => {
    const { id } = await addPage(api.table, { kind: 'wall', title: 'They say' });
    const { body } = await create('A rated newt', { rating: 4 });
    await moderate(api, 'acme', body.id, 'approved', new Date());
    const { page } = await open({ viewport: { width: 1280, height: 900 } });
    await page.waitForURL('**/desk/queue');
    await page.goto(`${url}/desk/pages/${id}`);
    const preview = page.frameLocator('iframe >> nth=0');
    await preview.locator('.card .stars').first().waitFor();
    await page.getByRole('switch', { name: 'Stars' }).uncheck();
    await preview.locator('.card:not(:has(.stars))').first().waitFor();
    await page.getByLabel('Layout').selectOption('list');
    await preview.locator('#cards.list').waitFor();
    await page.getByLabel('Only with these words').fill('nothing has this');
    await preview.getByText('There are no testimonials yet.').waitFor();
    await expectSound(page);
  });
});
