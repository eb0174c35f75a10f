/**
 * Passkeys in a browser, whose authenticator is a virtual one
 * (https://www.w3.org/TR/webauthn-3/#sctn-automation).
 */
import { beforeAll, expect, test } from '@jest/globals';
import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { invitationLink, inviteAgain, invitePerson } from '../../functions/serve-desk/people.ts';
import { adminOf } from '../admin.ts';
import { createTestTable } from '../test-table.ts';
import { describeInBrowser, expectAccessible, phone, watchedPages } from './browser.ts';
import { type ServedDesk, serveDesk } from './served-desk.ts';

describeInBrowser('passkeys', () => {
  let table: Awaited<ReturnType<typeof createTestTable>>;
  let desk: ServedDesk;
  let port: string;
  let url: string;
  const newPage = watchedPages();
  beforeAll(async () => {
    table = await createTestTable();
    desk = await serveDesk(table, { remembers: true });
    ({ port } = new URL(desk.url));
    url = `http://localhost:${port}`;
  });

  let organizations = 0;
  /** Invites an owner of an organization of their own. */
  async function invited(name = 'Ann') {
    organizations += 1;
    const organization = `team-${organizations}`;
    return invitePerson(desk.people, { organization, name, role: 'owner', mayErase: true });
  }

  /** Opens a page on a device with an authenticator of its own. */
  async function onDevice(options: BrowserContextOptions = {}, origin = url) {
    const { page, wrong } = await newPage((asked) => asked.startsWith(`${origin}/`), {
      viewport: phone.viewport,
      ...options,
    });
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return { page, wrong, device: deviceOf(cdp, authenticatorId) };
  }

  function deviceOf(cdp: CDPSession, authenticatorId: string) {
    return {
      verifies: (isUserVerified: boolean) =>
        cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
      credentials: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    };
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const said = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

  async function openLink(page: Page, secret: string) {
    await page.goto(invitationLink(url, secret));
    await press(page, 'Sign in');
    await page.waitForURL('**/desk/queue');
  }
  async function addOnYou(page: Page, name: string) {
    await page.goto(`${url}/desk/me`);
    await page.getByLabel('Name of a new passkey').fill(name);
    await press(page, 'Add a passkey');
    await said(page, 'Passkey added.');
  }
  async function signOut(page: Page) {
    await page.goto(`${url}/desk/me`);
    await press(page, 'Sign out');
    await said(page, 'You are signed out.');
  }
  async function signIn(page: Page) {
    await page.goto(`${url}/desk`);
    await press(page, 'Sign in with a passkey');
  }

  test('the field for a new one stays after another action on “You”', async () => {
    const { secret } = await invited();
    const { page } = await onDevice();
    await openLink(page, secret);
    await page.goto(`${url}/desk/me`);
    await press(page, 'Create a link for another device');
    await page.getByRole('heading', { name: 'Send this link to yourself' }).waitFor();
    await page.getByRole('button', { name: 'Add a passkey', exact: true }).waitFor();
  });

  test.each([
    [390, 'light'],
    [1280, 'dark'],
  ] as const)(
    'at %i pixels in %s, a person signs up, adds one when it is offered, signs out, and comes back by one button',
    async (width, colorScheme) => {
      const { secret, person } = await invited();
      const { page, device } = await onDevice({ viewport: { width, height: 844 }, colorScheme });
      await page.goto(invitationLink(url, secret));
      await page.getByRole('heading', { name: `Sign in to the desk of ${person.organization}` }).waitFor();
      await said(page, 'this link signs you in once.');
      expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
      await expectAccessible(page);
      // A little above the middle of the screen.
      const { top, bottom } = await page.evaluate<{ top: number; bottom: number }>(`(() => {
      const [first, last] = document.querySelectorAll('h1, [data-open]');
      return { top: first.getBoundingClientRect().top, bottom: innerHeight - last.getBoundingClientRect().bottom };
    })()`);
      expect(bottom - top).toBeGreaterThan(32);
      expect(bottom - top).toBeLessThan(160);
      await press(page, 'Sign in');
      await page.waitForURL('**/desk/queue');
      await said(page, 'Sign in faster next time');
      await expectAccessible(page);
      await page.getByRole('link', { name: 'Add a passkey' }).click();
      await expectAccessible(page);
      await press(page, 'Add a passkey');
      await said(page, 'Passkey added.');
      await expectAccessible(page);
      expect(await device.credentials()).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);

      await press(page, 'Sign out');
      await said(page, 'You are signed out.');
      await expectAccessible(page);
      await page.goto(`${url}/desk`);
      expect(await page.getByText('or', { exact: true }).isVisible()).toBe(false);
      // One button, and a way to the link.
      expect(await page.getByRole('button').allInnerTexts()).toEqual([
        'Sign in with a passkey',
        'Sign in with a link instead',
      ]);
      expect(await page.getByLabel('The link from your invitation').isVisible()).toBe(false);
      await expectAccessible(page);
      await press(page, 'Sign in with a passkey');
      await page.waitForURL('**/desk/queue');
      expect(await page.getByText('Sign in faster next time').isVisible()).toBe(false);
      await page.goto(`${url}/desk/me`);
      await said(page, /with the passkey/);

      await page.goto(`${url}/desk/me`);
      await press(page, 'Sign out');
      await press(page, 'Sign in with a link instead');
      expect(await page.getByText('or', { exact: true }).isVisible()).toBe(true);
      const link = invitationLink(url, await inviteAgain(desk.people, person));
      await page.getByLabel('The link from your invitation').fill(link);
      await press(page, 'Continue with the link');
      await page.waitForURL('**/desk/queue');
    },
  );

  test('one that was removed opens nothing, and then the link is in sight', async () => {
    const { secret, person } = await invited();
    const { page, wrong } = await onDevice();
    await openLink(page, secret);
    await addOnYou(page, 'Phone');
    await signOut(page);
    await desk.people.desks.removePasskeys(person.organization, person.id);
    await signIn(page);
    await said(page, 'This desk does not know this passkey, or it was removed.');
    await expectAccessible(page);
    expect(wrong.splice(0)).toEqual([expect.stringContaining('403 (Forbidden)')]);
    // The browser knows of none any more.
    expect(await page.getByLabel('The link from your invitation').isVisible()).toBe(true);
  });

  test('a device makes one passkey of a person, and none without checking that it is them', async () => {
    const { secret } = await invited();
    const { page, device } = await onDevice();
    await openLink(page, secret);
    await device.verifies(false);
    await page.goto(`${url}/desk/me`);
    await press(page, 'Add a passkey');
    await said(page, 'No passkey was chosen, or it took too long. Try again.');
    await device.verifies(true);
    await press(page, 'Add a passkey');
    await said(page, 'Passkey added.');
    await press(page, 'Add a passkey');
    await said(page, 'This device already has a passkey of yours.');
    await expectAccessible(page);
    await signOut(page);
    await device.verifies(false);
    await signIn(page);
    await said(page, 'No passkey was chosen, or it took too long. Try again.');
    await expectAccessible(page);
  });

  test('a service that does not respond is told, and the page stays', async () => {
    const { page, wrong } = await onDevice();
    await page.goto(`${url}/desk`);
    await page.route('**/desk/open/challenge', (route) => route.fulfill({ status: 503, body: '{}' }));
    await press(page, 'Sign in with a passkey');
    await said(page, 'Something went wrong. Check your connection, reload the page and try again.');
    expect(wrong.splice(0)).toEqual([expect.stringContaining('503')]);
  });

  test('the offer stays below the next testimonial until someone declines it, and comes with the next link', async () => {
    const { secret, person } = await invited();
    await adminOf(table)('seed', '--organization', person.organization, '--count', '20');
    const { page } = await onDevice();
    await openLink(page, secret);
    const offer = page.getByText('Sign in faster next time');
    const skip = async () => {
      const card = await page.waitForSelector('.big');
      await press(page, 'Skip');
      await card.waitForElementState('hidden');
    };
    await offer.waitFor();
    await skip();
    expect(await offer.isVisible()).toBe(true);
    await press(page, 'Not now');
    await skip();
    expect(await offer.isVisible()).toBe(false);
    await page.context().clearCookies();
    await openLink(page, await inviteAgain(desk.people, person));
    await offer.waitFor();
  });

  test('an IP address has none, and says so', async () => {
    const { secret } = await invited();
    const address = `http://127.0.0.1:${port}`;
    const { page } = await onDevice({}, address);
    await page.goto(`${address}/desk`);
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false);
    await page.goto(invitationLink(address, secret));
    await press(page, 'Sign in');
    await page.waitForURL('**/desk/queue');
    expect(await page.getByText('Sign in faster next time').isVisible()).toBe(false);
    await page.goto(`${address}/desk/me`);
    await said(page, 'Passkeys do not work here.');
    expect(await page.getByRole('button', { name: 'Add a passkey' }).isVisible()).toBe(false);
    await expectAccessible(page);
  });
});
