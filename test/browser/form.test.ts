/** A form as people fill it in. */
import { createServer, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import * as v from 'valibot';
import { testimonialInput } from '../../functions/domain/testimonial.ts';
import { isBlank } from '../../functions/domain/visible-text.ts';
import type { ErrorDetails } from '../../functions/http/api-error.ts';
import { describeIssues } from '../../functions/http/validate.ts';
import { formCode } from '../../functions/serve-pages/bundle.ts';
import {
  formPage,
  type PageCode,
  type ShownForm,
  thanksPage,
} from '../../functions/serve-pages/form-page.ts';
import { policyOf } from '../../functions/serve-pages/html-page.ts';
import { listen } from '../listen.ts';
import { someOf } from '../some-of.ts';
import { viewOf } from '../unit/serve-pages/form-view.ts';
import { hostileTexts } from '../unit/serve-pages/hostile.ts';
import { describeInBrowser, drawn, expectSound, launchBrowser, watchedPages } from './browser.ts';

const valid = {
  content: 'They answered within the hour, and it works.',
  'author.name': 'Jane Doe',
  'author.email': 'jane@example.com',
};

/** Returns the broken rules of a form, in the API's words. */
function errorsOf(sent: URLSearchParams): ErrorDetails {
  const field = (name: string) => (isBlank(sent.get(name) ?? '') ? undefined : sent.get(name));
  const optional = { role: field('author.role'), company: field('author.company') };
  const typed = Object.fromEntries(Object.entries(optional).filter(([, value]) => value));
  const { issues = [] } = v.safeParse(testimonialInput, {
    content: field('content'),
    type: 'text',
    author: { name: field('author.name'), email: field('author.email'), ...typed },
  });
  return { ...describeIssues(issues), ...(!sent.has('consent') && { consent: 'is required' }) };
}

interface Size {
  kind: 'field' | 'choice' | 'link';
  height: number;
  font: number;
}

/** Returns the sizes of everything that people press, without what they do not see. */
const sizesOfTargets = `
  [...document.querySelectorAll('input:not([type=hidden], [name=subject]), textarea, button, a')].map((each) => ({
    kind: each.matches('a') ? 'link' : each.matches('[type=radio], [type=checkbox], button') ? 'choice' : 'field',
    height: (each.closest('.choice') ?? each.closest('li') ?? each).getBoundingClientRect().height,
    font: parseFloat(getComputedStyle(each).fontSize),
  })).filter(({ height }) => height > 0)`;

describeInBrowser('a form', () => {
  let browser: Browser;
  let origin: string;
  let code: PageCode;
  /** The settings and the view of the next response. */
  let settings: Record<string, string>;
  let view: Partial<ShownForm>;
  /** The forms that arrived. */
  let sent: URLSearchParams[];
  let keys = 0;
  let losesResponses = false;
  const opened = watchedPages();

  async function respond(request: IncomingMessage): Promise<[status: number, body: string]> {
    if (request.url === '/frame')
      return [200, `<!doctype html><iframe src="${origin}/f/1" title="Form"></iframe>`];
    const shown = viewOf(settings, {
      url: `${origin}/f/1`,
      code,
      key: String(++keys).padStart(22, '0'),
      shownAt: 1_700_000_000_000 + keys,
      typed: new URLSearchParams(),
      ...view,
    });
    if (request.url === '/f/1/thanks') return [200, String(await thanksPage(shown))];
    if (request.method !== 'POST') return [200, String(await formPage(shown))];
    const typed = new URLSearchParams(await textOf(request));
    sent.push(typed);
    const errors = errorsOf(typed);
    if (Object.keys(errors).length === 0) return [303, ''];
    const key = typed.get('key') ?? '';
    return [200, String(await formPage({ ...shown, key, typed, errors, notice: 'invalid' }))];
  }

  beforeAll(async () => {
    const server = createServer(async (request, response) => {
      const [status, body] = await respond(request);
      if (losesResponses && request.method === 'POST') return void request.socket.destroy();
      response.writeHead(status, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'private, no-cache', // as the service sends
        ...(request.url !== '/frame' && { 'content-security-policy': policyOf(code) }),
        ...(status === 303 && { location: '/f/1/thanks' }),
      });
      response.end(body);
    });
    [origin, code, browser] = await Promise.all([listen(server), formCode(), launchBrowser()]);
  });
  beforeEach(() => {
    [settings, view, sent, losesResponses] = [{}, {}, [], false];
  });

  async function openForm(options: Parameters<typeof opened>[2] = {}, init = ''): Promise<Page> {
    const { page } = await opened(browser, (url) => url.startsWith(`${origin}/`), options, init);
    await page.goto(`${origin}/f/1`);
    return page;
  }

  async function fill(page: Page, fields: Record<string, string> = valid): Promise<void> {
    for (const [name, value] of Object.entries(fields)) await page.fill(`[name="${name}"]`, value);
    await page.check('[name=consent]');
  }

  const send = (page: Page) => page.click('button.send');
  const errorsOn = (page: Page) => page.locator('.field .error:visible').allTextContents();
  const summaryOn = (page: Page) => page.locator('.summary a').allTextContents();
  const keyOn = async (page: Page) =>
    `${await page.inputValue('[name=key]')} ${await page.inputValue('[name=shownAt]')}`;

  async function expectSteady(page: Page): Promise<void> {
    await drawn(page);
    expect(await page.evaluate('globalThis.shifts')).toEqual([]);
  }

  const states: Record<string, () => void> = {
    new: () => {},
    'in error': () => {
      const typed = new URLSearchParams({ content: 'Short', rating: '4', 'author.email': 'jane@' });
      view = { typed, errors: errorsOf(typed), notice: 'invalid' };
    },
    'in Hebrew': () => {
      settings = { lang: 'he', texts: JSON.stringify({ name: 'השם שלך', send: 'שליחה' }), intro: 'שלום' };
    },
    'in Portuguese, with long texts': () => {
      settings = { lang: 'pt-BR', intro: 'Muito obrigado. '.repeat(60), consent: 'x'.repeat(500) };
      view = { page: viewOf(settings, { title: 'W'.repeat(200) }).page };
    },
  };

  describe.each(someOf(Object.keys(states)))('%s', (state) => {
    test.each(someOf([320, 390, 768, 1280]))(
      'is sound and steady at %i px, by day and by night',
      async (width) => {
        states[state]?.();
        for (const colorScheme of ['light', 'dark'] as const) {
          const page = await openForm({ viewport: { width, height: 800 }, colorScheme });
          await expectSound(page);
          await expectSteady(page);
          const sizes = await page.evaluate<Size[]>(sizesOfTargets);
          expect(sizes.length).toBeGreaterThan(10);
          for (const { height, font, kind } of sizes) {
            expect(height).toBeGreaterThanOrEqual(kind === 'link' ? 24 : 44);
            if (kind === 'field') expect(font).toBeGreaterThanOrEqual(16);
          }
          await page.context().close();
        }
      },
    );
  });

  test.each([320, 1280])('the page after sending is sound at %i px, by day and by night', async (width) => {
    settings = { link: 'https://www.example.com', lang: 'de' };
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openForm({ viewport: { width, height: 800 }, colorScheme });
      await page.goto(`${origin}/f/1/thanks`);
      await expectSound(page);
      await expectSteady(page);
      expect(await page.getAttribute('a', 'href')).toBe('https://www.example.com');
    }
  });

  describe.each([true, false])('with javaScriptEnabled: %s', (javaScriptEnabled) => {
    test('is filled in, sent and thanked for', async () => {
      const page = await openForm({ javaScriptEnabled });
      await fill(page, { ...valid, 'author.role': 'Head of Support', 'author.company': 'Acme' });
      await page.getByLabel('4 of 5 stars').check({ force: true });
      await send(page);
      await page.waitForURL('**/thanks');
      expect(await page.textContent('h1')).toBe('Thank you');
      expect(Object.fromEntries(sent[0] ?? [])).toEqual({
        ...valid,
        'author.role': 'Head of Support',
        'author.company': 'Acme',
        rating: '4',
        consent: 'yes',
        subject: '',
        key: expect.stringMatching(/^\d{22}$/),
        shownAt: expect.stringMatching(/^17\d{11}$/),
      });
      expect(sent).toHaveLength(1);
    });

    test.each([
      [{}],
      [{ content: '  ', 'author.name': ' ', 'author.email': ' ' }],
      [
        {
          content: 'Too short',
          'author.name': 'x'.repeat(201),
          'author.email': 'jane',
          'author.role': 'r'.repeat(201),
          'author.company': 'c'.repeat(201),
        },
      ],
      [{ content: `${'x'.repeat(10_001)}`, 'author.name': 'Jane', 'author.email': 'jane@localhost' }],
      [
        {
          content: `too short${'\u200b'.repeat(9)}`,
          'author.name': '\u200b \u3164',
          'author.role': '\u200b',
          'author.company': '\u2800',
        },
      ],
    ])('shows the same errors for %#', async (fields) => {
      const page = await openForm({ javaScriptEnabled });
      for (const [name, value] of Object.entries<string>(fields)) await page.fill(`[name="${name}"]`, value);
      await send(page);
      await page.locator('.summary').waitFor();
      expect(sent).toHaveLength(javaScriptEnabled ? 0 : 1);
      expect(await page.evaluate('document.activeElement.className')).toBe('summary');
      const expected = await errorsOn(page);
      expect(await summaryOn(page)).toEqual(expected.map((each) => expect.stringContaining(each)));
      // The server shows the same for the same fields.
      const typed = new URLSearchParams(fields);
      view = { typed, errors: errorsOf(typed), notice: 'invalid' };
      const other = await openForm({ javaScriptEnabled: false });
      expect(await errorsOn(other)).toEqual(expected);
      expect(await summaryOn(other)).toEqual(await summaryOn(page));
      expect(await other.textContent('h2')).toBe(await page.textContent('h2'));
    });
  });

  test.each(['taro@例え。jp', 'taro@example．jp', 'taro@example｡jp'])(
    '%s is sent, as the API accepts it with the full stop of its keyboard',
    async (address) => {
      const page = await openForm();
      await fill(page);
      // Chromium writes a typed domain in ASCII, other browsers leave it.
      await page.evaluate(`document.querySelector('[type=email]').value = '${address}'`);
      await send(page);
      await page.waitForURL('**/thanks');
      expect(sent.map((each) => each.get('author.email'))).toEqual([address]);
      expect(errorsOf(sent[0] ?? new URLSearchParams())).toEqual({});
    },
  );

  test('a link of the summary goes to its field, whose error goes when it is corrected', async () => {
    const page = await openForm({ hasTouch: true, viewport: { width: 390, height: 600 } });
    await send(page);
    await expectSound(page);
    const heights = await page
      .locator('.summary a')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    await page.click('.summary a:has-text("Your e-mail address")');
    expect(await page.evaluate('document.activeElement.id')).toBe('author.email');
    await page.keyboard.type('jane@example.co');
    expect(await errorsOn(page)).toHaveLength(3);
    expect(await page.getAttribute('[name="author.email"]', 'aria-invalid')).toBeNull();
    await fill(page);
    expect(await errorsOn(page)).toEqual([]);
    await send(page);
    await page.waitForURL('**/thanks');
  });

  test.each([true, false])(
    'the summary shrinks as errors are solved, also that of the server (%s)',
    async (isOfServer) => {
      const typed = new URLSearchParams({ content: 'Short' });
      if (isOfServer) view = { typed, errors: errorsOf(typed), notice: 'invalid' };
      const page = await openForm();
      await page.fill('[name=content]', 'Short');
      if (!isOfServer) await send(page);
      expect(await summaryOn(page)).toEqual([
        'Your testimonial – Please write 10 to 10,000 characters.',
        'Please enter your name.',
        'Please enter your e-mail address.',
        'Please agree that we may publish your testimonial.',
      ]);
      await page.fill('[name="author.name"]', 'Jane');
      await page.fill('[name="author.email"]', 'jane@');
      expect(await summaryOn(page)).toEqual([
        'Your testimonial – Please write 10 to 10,000 characters.',
        'Your e-mail address – Please enter a valid e-mail address.',
        'Please agree that we may publish your testimonial.',
      ]);
      await expectSound(page);
      await page.fill('[name="author.email"]', 'jane@example.com');
      await page.check('[name=consent]');
      expect(await summaryOn(page)).toHaveLength(1);
      expect(await page.isVisible('.summary')).toBe(true);
      await page.fill('[name=content]', valid.content);
      expect(await page.isVisible('.summary')).toBe(false);
      await send(page);
      await page.waitForURL('**/thanks');
    },
  );

  test('another notice than that of errors stays while somebody types', async () => {
    view = { typed: new URLSearchParams(valid), notice: 'busy' };
    const page = await openForm();
    await page.fill('[name=content]', 'x');
    expect(await page.isVisible('.summary')).toBe(true);
  });

  test('a rating can be taken back with quieter words, by a tap and by keys', async () => {
    const page = await openForm();
    const decoration = () =>
      page.evaluate(`getComputedStyle(document.querySelector('.no-rating')).textDecorationLine`);
    expect(await decoration()).toBe('none');
    await page.getByLabel('4 of 5 stars').check({ force: true });
    expect(await decoration()).toBe('underline');
    await page.getByLabel('No rating').click();
    expect(await page.isChecked('[name=rating][value=""]')).toBe(true);
    expect(await decoration()).toBe('none');
    await page.keyboard.press('ArrowLeft');
    expect(await page.isChecked('[name=rating][value="5"]')).toBe(true);
  });

  describe('a personal link', () => {
    const values = 'name=Jane%20Doe&role=Head%20%28EU%29&company=A%26B&email=jane%2Bnews%40example.com';
    const filled = ['Jane Doe', 'jane+news@example.com', 'Head (EU)', 'A&B'];
    const names = ['author.name', 'author.email', 'author.role', 'author.company'];
    const valuesOn = async (page: Page) => {
      const present = [];
      for (const name of names) present.push(await page.inputValue(`[name="${name}"]`));
      return present;
    };
    const openLink = async (fragment: string, options: Parameters<typeof openForm>[0] = {}) => {
      const { page } = await opened(browser, (url) => url.startsWith(`${origin}/`), options);
      await page.goto(`${origin}/f/1#${fragment}`);
      return page;
    };

    test('fills in the form, leaves the address bar, and survives a reload', async () => {
      const page = await openLink(values);
      expect(await valuesOn(page)).toEqual(filled);
      expect(page.url()).toBe(`${origin}/f/1`);
      await expectSteady(page);
      await expectSound(page);
      await page.reload();
      expect(await valuesOn(page)).toEqual(filled);
      expect(await page.isVisible('.restored')).toBe(false);
      await page.fill('[name=content]', valid.content);
      await page.check('[name=consent]');
      await send(page);
      await page.waitForURL('**/thanks');
      expect(Object.fromEntries(sent[0] ?? [])).toMatchObject({
        'author.name': 'Jane Doe',
        'author.email': 'jane+news@example.com',
      });
      await page.goto(`${origin}/f/1`);
      expect(await valuesOn(page)).toEqual(['', '', '', '']);
    });

    test('keeps what was typed before, and a change of its values', async () => {
      const page = await openForm();
      await page.fill('[name="author.name"]', 'J. Doe');
      await page.goto(`${origin}/f/1#${values}`);
      await page.waitForURL(`${origin}/f/1`);
      expect(await valuesOn(page)).toEqual(['J. Doe', ...filled.slice(1)]);
      await page.fill('[name="author.company"]', '');
      await page.reload();
      expect(await valuesOn(page)).toEqual(['J. Doe', ...filled.slice(1, 3), '']);
      expect(await page.isVisible('.restored')).toBe(true);
      await page.click('text=Start over');
      expect(await valuesOn(page)).toEqual(filled);
      await page.reload();
      expect(await page.isVisible('.restored')).toBe(false);
    });

    test('fills in no field in error', async () => {
      const typed = new URLSearchParams({ content: valid.content, 'author.email': 'jane@', consent: 'yes' });
      view = { typed, errors: errorsOf(typed), notice: 'invalid' };
      const page = await openLink(values);
      expect(await valuesOn(page)).toEqual(['', 'jane@', ...filled.slice(2)]);
    });

    test('fills in no hidden field, and sends none', async () => {
      settings = { hide: 'company,role' };
      const page = await openLink(values);
      expect(await page.inputValue('[name="author.name"]')).toBe('Jane Doe');
      expect(await page.locator('[name="author.company"], [name="author.role"]').count()).toBe(0);
      expect(page.url()).toBe(`${origin}/f/1`);
    });

    test.each([
      [
        'other names',
        'content=Hi&rating=5&consent=yes&key=1&subject=x&author.name=Eve&__proto__=x',
        ['', '', '', ''],
      ],
      [
        'an invalid address and a long text',
        `name=Ann&email=ann@&role=${'y'.repeat(201)}`,
        ['Ann', '', '', ''],
      ],
      [
        'markup',
        'name=%3Cimg%20src=x%20onerror=%22globalThis.wasRun=true%22%3E',
        ['<img src=x onerror="globalThis.wasRun=true">', '', '', ''],
      ],
    ])('with %s does no harm', async (_, fragment, expected) => {
      const page = await openLink(fragment);
      expect(await valuesOn(page)).toEqual(expected);
      expect(await page.inputValue('[name=content]')).toBe('');
      expect(await page.isChecked('[name=consent]')).toBe(false);
      expect(await page.inputValue('[name=key]')).toMatch(/^\d{22}$/);
      expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
      expect(await errorsOn(page)).toEqual([]);
    });

    test('works in a frame and beside an open form, and without scripts the form is complete', async () => {
      const page = await openForm();
      await page.evaluate(`location.hash = '${values}'`);
      await page.waitForURL(`${origin}/f/1`);
      expect(await valuesOn(page)).toEqual(filled);
      await page.goto(`${origin}/frame`);
      await page.evaluate(
        `document.querySelector('iframe').outerHTML = '<iframe src="${origin}/f/1#${values}"></iframe>'`,
      );
      const name = page.frameLocator('iframe').locator('[name="author.name"]');
      while ((await name.inputValue()) === '') await drawn(page);
      expect(await name.inputValue()).toBe('Jane Doe');
      const bare = await openLink(values, { javaScriptEnabled: false });
      expect(await valuesOn(bare)).toEqual(['', '', '', '']);
      await fill(bare);
      await send(bare);
      await bare.waitForURL(/thanks/);
    });
  });

  test.each([
    { content: '🙂'.repeat(10) },
    { content: `\n  ${'ä'.normalize('NFD').repeat(10_000)}  ` },
    { content: `${'x'.repeat(5000)}\n${'🙂'.repeat(4999)}` },
    { content: `\u200b${'ä'.repeat(10_000)}\u3164`, 'author.name': '👩‍💻' },
    { 'author.name': 'X' },
    { 'author.email': 'jane@bücher.de' },
    { 'author.email': '\u202ajane@example.com\u202c' },
    { 'author.company': '  ', 'author.role': '👩‍💻'.repeat(40) },
    { 'author.email': " !#$%&'*+-/=?^_`{|}~.a@b-c.example " },
    { 'author.email': `${'x'.repeat(64)}@${'y'.repeat(63)}.example` },
  ])('the script lets through what the API accepts (%#)', async (fields) => {
    const page = await openForm();
    await fill(page, { ...valid, ...fields });
    await send(page);
    await page.waitForURL('**/thanks');
  });

  test('a double click sends once, and the back button gives the button back', async () => {
    const page = await openForm();
    await fill(page);
    await page.dblclick('button.send');
    await page.waitForURL('**/thanks');
    expect(sent).toHaveLength(1);
    await page.goBack();
    await page.locator('button.send:enabled').waitFor();
    expect(await page.textContent('button.send')).toBe('Send');
  });

  // Browsers discard a page in the cache after a POST to its URL, and Chromium here keeps no page for going
  // back.
  test('has the same key and text after going back without scripts', async () => {
    const page = await openForm({ javaScriptEnabled: false });
    const key = await keyOn(page);
    await fill(page);
    await send(page);
    await page.waitForURL('**/thanks');
    await page.goBack();
    expect(await keyOn(page)).toBe(key);
    expect(await page.inputValue('[name=content]')).toBe(valid.content);
  });

  describe('a draft', () => {
    test('survives a reload with its key, moves nothing, and is gone after sending', async () => {
      const page = await openForm();
      const key = await keyOn(page);
      await fill(page);
      await page.getByLabel('3 of 5 stars').check({ force: true });
      await page.reload();
      expect(await keyOn(page)).toBe(key);
      for (const [name, value] of Object.entries(valid))
        expect(await page.inputValue(`[name="${name}"]`)).toBe(value);
      expect(await page.isChecked('[name=rating][value="3"]')).toBe(true);
      expect(await page.isChecked('[name=consent]')).toBe(true);
      expect(await page.isVisible('.restored')).toBe(true);
      await expectSound(page);
      await expectSteady(page);
      await send(page);
      await page.waitForURL('**/thanks');
      expect(sent.map((each) => `${each.get('key')} ${each.get('shownAt')}`)).toEqual([key]);
      await page.goto(`${origin}/f/1`);
      expect(await page.inputValue('[name=content]')).toBe('');
      expect(await page.isVisible('.restored')).toBe(false);
      expect(await keyOn(page)).not.toBe(key);
    });

    test('is sent with the same key after a lost response', async () => {
      const { page, wrong } = await opened(browser, () => true);
      await page.goto(`${origin}/f/1`);
      await fill(page);
      losesResponses = true;
      await send(page);
      await page.waitForURL((url) => url.protocol === 'chrome-error:').catch(() => {});
      losesResponses = false;
      wrong.length = 0; // the browser reports the lost response
      await page.goto(`${origin}/f/1`);
      await send(page);
      await page.waitForURL('**/thanks');
      expect(sent.length).toBeGreaterThan(1);
      expect(new Set(sent.map((each) => each.toString())).size).toBe(1);
    });

    test('can be discarded for the key of the page', async () => {
      const page = await openForm();
      const key = await keyOn(page);
      await fill(page);
      await page.reload();
      await page.click('text=Start over');
      expect(await page.inputValue('[name=content]')).toBe('');
      expect(await page.isChecked('[name=consent]')).toBe(false);
      expect(await page.isVisible('.restored')).toBe(false);
      expect(await keyOn(page)).not.toBe(key);
      const own = await keyOn(page);
      await fill(page);
      await page.reload();
      expect(await keyOn(page)).toBe(own);
    });

    test('never replaces what the server sent back', async () => {
      const page = await openForm();
      await fill(page);
      const typed = new URLSearchParams({ content: 'The text that came back', key: '' });
      view = { typed, notice: 'used', key: 'n'.repeat(22) };
      await page.reload();
      expect(await page.inputValue('[name=content]')).toBe('The text that came back');
      expect(await page.inputValue('[name=key]')).toBe('n'.repeat(22));
      // It is the draft from now on.
      view = {};
      await page.reload();
      expect(await page.inputValue('[name=content]')).toBe('The text that came back');
      expect(await page.inputValue('[name=key]')).toBe('n'.repeat(22));
    });

    test('that was sent is sent again with the same key after going back, if it is unchanged', async () => {
      const page = await openForm();
      const key = await keyOn(page);
      await fill(page);
      await page.reload();
      await send(page);
      await page.waitForURL('**/thanks');
      // A browser that no longer has the page shows another one, with what was typed.
      await page.goto(`${origin}/f/1`);
      expect(await keyOn(page)).not.toBe(key);
      await fill(page);
      await send(page);
      await page.waitForURL('**/thanks');
      const keyOf = (each?: URLSearchParams) => `${each?.get('key')} ${each?.get('shownAt')}`;
      expect(sent.map(keyOf)).toEqual([key, key]);
      await page.goto(`${origin}/f/1`);
      const other = await keyOn(page);
      await fill(page);
      await page.fill('[name=content]', 'Another text, which is meant to be sent.');
      await send(page);
      await page.waitForURL('**/thanks');
      expect(keyOf(sent.at(-1))).toBe(other);
    });

    test('has nothing of an empty form', async () => {
      const page = await openForm();
      await page.fill('[name=content]', 'x');
      expect(await page.evaluate('sessionStorage.length')).toBe(1);
      await page.fill('[name=content]', '');
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
    });
  });

  test('works in a frame that refuses storage', async () => {
    const refuse = `Object.defineProperty(globalThis, 'sessionStorage', { get() { throw new DOMException('no', 'SecurityError'); } });`;
    const { page } = await opened(browser, (url) => url.startsWith(`${origin}/`), {}, refuse);
    await page.goto(`${origin}/frame`);
    const frame = page.frameLocator('iframe');
    await frame.locator('button.send').click();
    await frame.locator('.summary').waitFor();
    for (const [name, value] of Object.entries(valid)) await frame.locator(`[name="${name}"]`).fill(value);
    await frame.locator('[name=consent]').check();
    await frame.locator('button.send').click();
    await frame.getByText('Thank you').waitFor();
    expect(sent).toHaveLength(1);
  });

  test('fits 320 px with letters of twice the size', async () => {
    const page = await openForm({ viewport: { width: 320, height: 800 } }, '');
    await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
    await expectSound(page);
  });

  test('counters appear near a limit, in the numbers of the language', async () => {
    settings = { lang: 'de' };
    const page = await openForm();
    const counter = page.locator('.count').first();
    for (const [length, expected] of [
      [8999, ''],
      [9000, 'Verbleibende Zeichen: 1.000'],
      [10_000, 'Verbleibende Zeichen: 0'],
      [11_234, 'Zeichen zu viel: 1.234'],
      [5, ''],
    ] as const) {
      await page.fill('[name=content]', ` ${'🙂'.repeat(length)}\n`);
      expect(await counter.textContent()).toBe(expected);
    }
    await page.fill('[name=content]', 'x'.repeat(11_234));
    await expectSound(page);
    await page.reload();
    expect(await counter.textContent()).toBe('Zeichen zu viel: 1.234');
    await expectSteady(page);
  });

  test('stars are chosen with the keyboard', async () => {
    const page = await openForm();
    await page.focus('[name=rating]:checked');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await page.isChecked('[name=rating][value="2"]')).toBe(true);
    const filled = await page.evaluate(
      `[...document.querySelectorAll('.star svg')].map((each) => getComputedStyle(each).fill !== 'none')`,
    );
    expect(filled).toEqual([true, true, false, false, false]);
  });

  test('hostile texts stay text', async () => {
    for (const text of hostileTexts) {
      settings = {
        intro: text,
        consent: text,
        thanks: text,
        texts: JSON.stringify({ name: text, invalidTitle: text, required: text }),
      };
      const typed = new URLSearchParams({ content: text, 'author.company': text });
      const { page: hostilePage } = viewOf(settings, { title: text });
      view = { page: hostilePage, typed, errors: { content: text, [text]: text }, notice: 'invalid' };
      const page = await openForm({ viewport: { width: 320, height: 700 } });
      await send(page);
      await expectSound(page);
      expect(await page.locator('h1').allTextContents()).toEqual([text]);
      expect(await page.inputValue('[name=content]')).toBe(text);
      await page.goto(`${origin}/f/1/thanks`);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
      await page.context().close();
    }
  });
});
