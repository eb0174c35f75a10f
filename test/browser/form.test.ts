/** A form as people fill it in. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { runsOf, someOf } from '../some-of.ts';
import { viewOf } from '../unit/serve-pages/form-view.ts';
import { hostileTexts } from '../unit/serve-pages/hostile.ts';
import { describeInBrowser, expectAccessible, waitForFrames, watchedPages } from './browser.ts';
import { errorsOf, fillForm, startFormService, valid } from './served-forms.ts';

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
  let service: Awaited<ReturnType<typeof startFormService>>;
  let state: typeof service.state;
  let origin: string;
  const opened = watchedPages();

  beforeAll(async () => {
    service = await startFormService();
    ({ state, origin } = service);
  });
  beforeEach(() => service.reset());

  async function openForm(options: BrowserContextOptions = {}, init = ''): Promise<Page> {
    const { page } = await opened((url) => url.startsWith(`${origin}/`), options, init);
    await page.goto(`${origin}/f/1`);
    return page;
  }

  const send = (page: Page) => page.click('button.send');
  async function sendAway(page: Page): Promise<void> {
    await send(page);
    await page.waitForURL('**/thanks');
  }
  const errorsOn = (page: Page) => page.locator('.field .error:visible').allTextContents();
  const summaryOn = (page: Page) => page.locator('.summary a').allTextContents();
  const keyOn = async (page: Page) =>
    `${await page.inputValue('[name=key]')} ${await page.inputValue('[name=shownAt]')}`;

  async function expectSteady(page: Page): Promise<void> {
    await waitForFrames(page);
    expect(await page.evaluate('globalThis.shifts')).toEqual([]);
  }

  const states: Record<string, () => void> = {
    new: () => {},
    'in error': () => {
      const typed = new URLSearchParams({ content: 'Short', rating: '4', 'author.email': 'jane@' });
      state.view = { typed, errors: errorsOf(typed), notice: 'invalid' };
    },
    'in Hebrew': () => {
      state.settings = {
        lang: 'he',
        texts: JSON.stringify({ name: 'השם שלך', send: 'שליחה' }),
        intro: 'שלום',
      };
    },
    'in Portuguese, with long texts': () => {
      state.settings = { lang: 'pt-BR', intro: 'Muito obrigado. '.repeat(60), consent: 'x'.repeat(500) };
      state.view = { page: viewOf(state.settings, { title: 'W'.repeat(200) }).page };
    },
  };

  describe.each(someOf(Object.keys(states)))('%s', (state) => {
    test.each(someOf([320, 390, 768, 1280]))(
      'is sound and steady at %i px, by day and by night',
      async (width) => {
        states[state]?.();
        for (const colorScheme of ['light', 'dark'] as const) {
          const page = await openForm({ viewport: { width, height: 800 }, colorScheme });
          await expectAccessible(page);
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

  test.each([true, false])('is filled in, sent and thanked for (with scripts: %s)', async (isScripted) => {
    const page = await openForm({ javaScriptEnabled: isScripted });
    const typed = { ...valid, 'author.role': 'Head of Support', 'author.company': 'Acme' };
    await fillForm(page, typed);
    await page.getByLabel('4 of 5 stars').check({ force: true });
    await sendAway(page);
    expect(state.sent.map((each) => Object.fromEntries(each))).toEqual([
      {
        ...typed,
        rating: '4',
        consent: 'yes',
        subject: '',
        key: expect.stringMatching(/^\d{22}$/),
        shownAt: expect.stringMatching(/^17\d{11}$/),
      },
    ]);
  });

  test.each([
    {},
    {
      content: 'Too short',
      'author.name': 'x'.repeat(201),
      'author.email': 'jane',
      'author.role': 'r'.repeat(201),
      'author.company': 'c'.repeat(201),
    },
    {
      content: `too short${'\u200b'.repeat(9)}`,
      'author.name': '\u200b \u3164',
      'author.email': 'jane@localhost',
      'author.role': '\u200b',
      'author.company': '\u2800',
    },
  ])('the script shows the same errors as the server, case %#', async (fields) => {
    const page = await openForm();
    for (const [name, value] of Object.entries<string>(fields)) await page.fill(`[name="${name}"]`, value);
    await send(page);
    await page.locator('.summary').waitFor();
    expect(state.sent).toEqual([]);
    const typed = new URLSearchParams(fields);
    state.view = { typed, errors: errorsOf(typed), notice: 'invalid' };
    const other = await openForm({ javaScriptEnabled: false });
    for (const each of [page, other])
      expect(await each.evaluate('document.activeElement.className')).toBe('summary');
    expect(await errorsOn(page)).toEqual(await errorsOn(other));
    expect(await summaryOn(page)).toEqual(await summaryOn(other));
    expect(await page.textContent('h2')).toBe(await other.textContent('h2'));
  });

  test('a link of the summary goes to its field, whose error goes when it is corrected', async () => {
    const page = await openForm({ hasTouch: true, viewport: { width: 390, height: 600 } });
    await send(page);
    await expectAccessible(page);
    const heights = await page
      .locator('.summary a')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    await page.click('.summary a:has-text("Your e-mail address")');
    expect(await page.evaluate('document.activeElement.id')).toBe('author.email');
    await page.keyboard.type('jane@example.co');
    expect(await errorsOn(page)).toHaveLength(3);
    expect(await page.getAttribute('[name="author.email"]', 'aria-invalid')).toBeNull();
    await fillForm(page);
    expect(await errorsOn(page)).toEqual([]);
    await sendAway(page);
  });

  test.each([true, false])(
    'the summary shrinks as errors are solved, also that of the server (%s)',
    async (isOfServer) => {
      const typed = new URLSearchParams({ content: 'Short' });
      if (isOfServer) state.view = { typed, errors: errorsOf(typed), notice: 'invalid' };
      const page = await openForm();
      await page.fill('[name=content]', 'Short');
      if (!isOfServer) await send(page);
      expect(await summaryOn(page)).toHaveLength(4);
      await page.fill('[name="author.name"]', 'Jane');
      await page.fill('[name="author.email"]', 'jane@');
      expect(await summaryOn(page)).toEqual([
        'Your testimonial – Please write 10 to 10,000 characters.',
        'Your e-mail address – Please enter a valid e-mail address.',
        'Please agree that we may publish your testimonial.',
      ]);
      await expectAccessible(page);
      await page.fill('[name="author.email"]', 'jane@example.com');
      await page.check('[name=consent]');
      expect(await summaryOn(page)).toHaveLength(1);
      expect(await page.isVisible('.summary')).toBe(true);
      await page.fill('[name=content]', valid.content);
      expect(await page.isVisible('.summary')).toBe(false);
      await sendAway(page);
    },
  );

  test('another notice than that of errors stays while someone types', async () => {
    state.view = { typed: new URLSearchParams(valid), notice: 'busy' };
    const page = await openForm();
    await page.fill('[name=content]', 'x');
    expect(await page.isVisible('.summary')).toBe(true);
  });

  test('stars are chosen by a tap and by keys, and the words that take them back are quiet before', async () => {
    const page = await openForm();
    const decoration = () =>
      page.evaluate(`getComputedStyle(document.querySelector('.no-rating')).textDecorationLine`);
    expect(await decoration()).toBe('none');
    await page.focus('[name=rating]:checked');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await page.isChecked('[name=rating][value="2"]')).toBe(true);
    const filled = await page.evaluate(
      `[...document.querySelectorAll('.star svg')].map((each) => getComputedStyle(each).fill !== 'none')`,
    );
    expect(filled).toEqual([true, true, false, false, false]);
    expect(await decoration()).toBe('underline');
    await page.getByLabel('No rating').click();
    expect(await page.isChecked('[name=rating][value=""]')).toBe(true);
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
    const openLink = async (fragment: string) => {
      const { page } = await opened((url) => url.startsWith(`${origin}/`));
      await page.goto(`${origin}/f/1#${fragment}`);
      return page;
    };

    test('fills in the form, leaves the address bar, and survives a reload', async () => {
      const page = await openLink(values);
      expect(await valuesOn(page)).toEqual(filled);
      expect(page.url()).toBe(`${origin}/f/1`);
      await expectSteady(page);
      await expectAccessible(page);
      await page.reload();
      expect(await valuesOn(page)).toEqual(filled);
      expect(await page.isVisible('.restored')).toBe(false);
      await page.fill('[name=content]', valid.content);
      await page.check('[name=consent]');
      await sendAway(page);
      expect(Object.fromEntries(state.sent[0] ?? [])).toMatchObject({
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

    test('fills in neither a field in error nor a hidden one', async () => {
      state.settings = { hide: 'company,role' };
      const typed = new URLSearchParams({ content: valid.content, 'author.email': 'jane@', consent: 'yes' });
      state.view = { typed, errors: errorsOf(typed), notice: 'invalid' };
      const page = await openLink(values);
      expect(await page.inputValue('[name="author.name"]')).toBe('');
      expect(await page.inputValue('[name="author.email"]')).toBe('jane@');
      expect(await page.locator('[name="author.company"], [name="author.role"]').count()).toBe(0);
      expect(page.url()).toBe(`${origin}/f/1`);
    });

    test('fills in nothing that a field would reject', async () => {
      const page = await openLink(`name=Ann&email=ann@&role=${'y'.repeat(201)}`);
      expect(await valuesOn(page)).toEqual(['Ann', '', '', '']);
      expect(await errorsOn(page)).toEqual([]);
    });
  });

  test('the script lets through what the API accepts', async () => {
    const page = await openForm();
    await fillForm(page);
    await page.evaluate(`document.querySelector('form').onsubmit = (event) => event.preventDefault()`);
    const seen = fc.constantFrom('x', '🙂', 'ä'.normalize('NFD'), '👩‍💻', ' ');
    const unseen = fc.constantFrom('', '\n', '\u200b', '\u3164', '\u202a');
    const count = fc.constantFrom(0, 1, 9, 10, 200, 201, 9999, 10_000, 10_001);
    const text = fc
      .tuple(unseen, seen, count, unseen)
      .map(([start, letter, times, end]) => start + letter.repeat(times) + end);
    const user = fc.constantFrom('jane', 'x'.repeat(64), " !#$%&'*+-/=?^_`{|}~.a", '\u202ajane', '');
    const domain = fc.constantFrom('example', '例え', 'bücher', 'b-c', 'y'.repeat(63), 'y'.repeat(64), '');
    const rest = fc.constantFrom('.de', '。jp', '．jp', '｡jp', '.example ', '.com\u202c', '');
    const email = fc.tuple(user, fc.constantFrom('@', ''), domain, rest).map((parts) => parts.join(''));
    const texts = { content: text, 'author.name': text, 'author.role': text, 'author.company': text };
    const check = async (fields: Record<string, string>) => {
      const [wrong, typed] = await page.evaluate<[string[], Record<string, string>]>(`(() => {
        const form = document.querySelector('form');
        const controls = Object.entries(${JSON.stringify(fields)}).map(([name, value]) =>
          Object.assign(form.elements[name], { value }));
        form.requestSubmit();
        return [
          controls.filter((each) => each.ariaInvalid === 'true').map(({ name }) => name),
          Object.fromEntries(controls.map(({ name, value }) => [name, value])),
        ];
      })()`);
      const errors = errorsOf(new URLSearchParams({ ...typed, consent: 'yes' }));
      expect(Object.keys(errors)).toEqual(expect.arrayContaining(wrong));
    };
    await fc.assert(fc.asyncProperty(fc.record({ ...texts, 'author.email': email }), check), {
      numRuns: runsOf(200),
    });
  });

  test('a double click sends once, and the back button gives the button back', async () => {
    const page = await openForm();
    await fillForm(page);
    await page.dblclick('button.send');
    await page.waitForURL('**/thanks');
    expect(state.sent).toHaveLength(1);
    await page.goBack();
    await page.locator('button.send:enabled').waitFor();
    expect(await page.textContent('button.send')).toBe('Send');
  });

  describe('a draft', () => {
    test('survives a reload with its key, moves nothing, and is gone after sending', async () => {
      const page = await openForm();
      const key = await keyOn(page);
      await fillForm(page);
      await page.getByLabel('3 of 5 stars').check({ force: true });
      await page.reload();
      expect(await keyOn(page)).toBe(key);
      for (const [name, value] of Object.entries(valid))
        expect(await page.inputValue(`[name="${name}"]`)).toBe(value);
      expect(await page.isChecked('[name=rating][value="3"]')).toBe(true);
      expect(await page.isChecked('[name=consent]')).toBe(true);
      expect(await page.isVisible('.restored')).toBe(true);
      await expectAccessible(page);
      await expectSteady(page);
      await sendAway(page);
      expect(state.sent.map((each) => `${each.get('key')} ${each.get('shownAt')}`)).toEqual([key]);
      await page.goto(`${origin}/f/1`);
      expect(await page.inputValue('[name=content]')).toBe('');
      expect(await page.isVisible('.restored')).toBe(false);
      expect(await keyOn(page)).not.toBe(key);
    });

    test('is sent with the same key after a lost response', async () => {
      const { page, wrong } = await opened(() => true);
      await page.goto(`${origin}/f/1`);
      await fillForm(page);
      state.losesResponses = true;
      await send(page);
      await page.waitForURL((url) => url.protocol === 'chrome-error:').catch(() => {});
      state.losesResponses = false;
      wrong.length = 0; // the browser reports the lost response
      await page.goto(`${origin}/f/1`);
      await sendAway(page);
      expect(state.sent.length).toBeGreaterThan(1);
      expect(new Set(state.sent.map((each) => each.toString())).size).toBe(1);
    });

    test('can be discarded for the key of the page', async () => {
      const page = await openForm();
      const key = await keyOn(page);
      await fillForm(page);
      await page.reload();
      await page.click('text=Start over');
      expect(await page.inputValue('[name=content]')).toBe('');
      expect(await page.isChecked('[name=consent]')).toBe(false);
      expect(await page.isVisible('.restored')).toBe(false);
      expect(await keyOn(page)).not.toBe(key);
      const own = await keyOn(page);
      await fillForm(page);
      await page.reload();
      expect(await keyOn(page)).toBe(own);
    });

    test('never replaces what the server sent back', async () => {
      const page = await openForm();
      await fillForm(page);
      const typed = new URLSearchParams({ content: 'The text that came back', key: '' });
      state.view = { typed, notice: 'used', key: 'n'.repeat(22) };
      await page.reload();
      expect(await page.inputValue('[name=content]')).toBe('The text that came back');
      expect(await page.inputValue('[name=key]')).toBe('n'.repeat(22));
      // From now on it is the draft.
      state.view = {};
      await page.reload();
      expect(await page.inputValue('[name=content]')).toBe('The text that came back');
      expect(await page.inputValue('[name=key]')).toBe('n'.repeat(22));
    });

    test('that was sent is sent again with the same key after going back, if it is unchanged', async () => {
      const page = await openForm();
      const key = await keyOn(page);
      await fillForm(page);
      await page.reload();
      await sendAway(page);
      // A browser that no longer has the page shows another one, with what was typed.
      await page.goto(`${origin}/f/1`);
      expect(await keyOn(page)).not.toBe(key);
      await fillForm(page);
      await sendAway(page);
      const keyOf = (each?: URLSearchParams) => `${each?.get('key')} ${each?.get('shownAt')}`;
      expect(state.sent.map(keyOf)).toEqual([key, key]);
      await page.goto(`${origin}/f/1`);
      const other = await keyOn(page);
      await fillForm(page);
      await page.fill('[name=content]', 'Another text, which is meant to be sent.');
      await sendAway(page);
      expect(keyOf(state.sent.at(-1))).toBe(other);
    });

    test('has nothing of an empty form', async () => {
      const page = await openForm();
      await page.fill('[name=content]', 'x');
      expect(await page.evaluate('sessionStorage.length')).toBe(1);
      await page.fill('[name=content]', '');
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
    });
  });

  test('works in a browser that refuses storage', async () => {
    const refuse = `Object.defineProperty(globalThis, 'sessionStorage', { get() { throw new DOMException('no', 'SecurityError'); } });`;
    const page = await openForm({}, refuse);
    await send(page);
    await page.locator('.summary').waitFor();
    await fillForm(page);
    await sendAway(page);
    expect(state.sent).toHaveLength(1);
  });

  test('fits 320 px with letters of twice the size', async () => {
    const page = await openForm({ viewport: { width: 320, height: 800 } }, '');
    await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
    await expectAccessible(page);
  });

  test('counters appear near a limit, in the numbers of the language', async () => {
    state.settings = { lang: 'de' };
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
    await expectAccessible(page);
    await page.reload();
    expect(await counter.textContent()).toBe('Zeichen zu viel: 1.234');
    await expectSteady(page);
  });

  test('hostile texts stay text', async () => {
    for (const text of hostileTexts) {
      state.settings = {
        intro: text,
        consent: text,
        texts: JSON.stringify({ invalidTitle: text, required: text }),
      };
      const { page: hostilePage } = viewOf(state.settings, { title: text });
      state.view = { page: hostilePage };
      const page = await openForm({ viewport: { width: 320, height: 700 } });
      await send(page);
      await expectAccessible(page);
      expect(await page.locator('h2:visible').allTextContents()).toEqual([text]);
      expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
      await page.context().close();
    }
  });
});
