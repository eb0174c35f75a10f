/** The limits of the settings that an owner saves. */
import { describe, expect, test } from '@jest/globals';
import type { PageKind } from '../../../functions/domain/page.ts';
import { checkPageSettings, defaultTexts } from '../../../functions/serve-pages/own-pages.ts';

const check = (kind: PageKind, settings: Record<string, string>) => () =>
  checkPageSettings({ kind, settings });

const textsOf = (names: string[], length: number) =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, '素'.repeat(length)])));

const pins = (...numbers: number[]) => numbers.map((n) => `test_${100_000_000_000 + n}983041`).join();

describe('within the limits a setting is saved as it was typed', () => {
  test.each<[PageKind, Record<string, string>]>([
    ['form', { intro: '👍'.repeat(2000) }],
    ['form', { link: `https://www.example.com/${'a'.repeat(1976)}` }],
    ['form', { 'link-text': '素'.repeat(2000) }],
    ['form', { texts: '{"required":"Missing","nameRequired":"Who?"}' }],
    ['form', { lang: 'de-DE-u-nu-arab-co-phonebk' }],
    ['form', { texts: textsOf(['send'], 2000) }],
    ['wall', { 'own-tags': Array.from({ length: 20 }, (_, i) => `${i}${'t'.repeat(48)}`).join(', ') }],
  ])('%s %#', (kind, settings) => {
    expect(check(kind, settings)()).toEqual(settings);
  });
});

describe('beyond them it is refused by name', () => {
  test.each<[PageKind, Record<string, string>, string, RegExp]>([
    ['form', { intro: 'a'.repeat(2001) }, 'intro', /2,?000/],
    ['form', { link: `https://www.example.com/${'a'.repeat(2000)}` }, 'link', /at most 2,000 characters/],
    ['form', { 'link-text': 'a\u0007b' }, 'link-text', /control characters/],
    ['form', { link: 'https://user@example.com' }, 'link', /must not contain a user name or password/],
    ['form', { link: 'https://:secret@example.com/' }, 'link', /must not contain a user name or password/],
    ['form', { lang: `de-${'u-nu-arab-'.repeat(4)}x-abc` }, 'lang', /must/],
    ['form', { lang: 'en-x-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd' }, 'lang', /at most 35 characters/],
    ['form', { texts: textsOf(['send'], 2001) }, 'texts', /at most 2,000 characters in “send”/],
    ['form', { texts: '{"__proto__":"x"}' }, 'texts', /must only contain texts named/],
    ['wall', { texts: textsOf(['more'], 2001) }, 'texts', /at most 2,000 characters in “more”/],
    ['wall', { 'own-tags': 't'.repeat(51) }, 'own-tags', /1 to 50 characters/],
    [
      'wall',
      { 'own-tags': Array.from({ length: 21 }, (_, i) => `t${i}`).join() },
      'own-tags',
      /at most 20 tags/,
    ],
    ['wall', { 'own-tags': 'a\u0007b' }, 'own-tags', /control characters/],
    ['wall', { search: 'a'.repeat(400_000) }, 'search', /must/],
    ['wall', { pinned: 'Ada' }, 'pinned', /must only contain ids of testimonials, such as test_/],
    ['wall', { pinned: 'test_123' }, 'pinned', /must only contain ids of testimonials; test_123 is not one/],
    ['wall', { pinned: pins(1, 2, 1) }, 'pinned', /must not contain an id twice: test_/],
    ['wall', { pinned: pins(...Array(25).keys()) }, 'pinned', /must have at most 24 ids/],
  ])('%s %#', (kind, settings, name, rule) => {
    const error = expect.objectContaining({ cause: name, message: expect.stringMatching(rule) });
    expect(check(kind, settings)).toThrow(error);
  });

  test('with all of them together', () => {
    const settings = { intro: '素'.repeat(2000), consent: '素'.repeat(2000), thanks: '素'.repeat(2000) };
    expect(check('form', settings)()).toEqual(settings);
    const texts = textsOf(Object.keys(defaultTexts('form')).slice(0, 3), 2000);
    expect(check('form', { ...settings, texts })).toThrow('at most 32 KB together');
  });
});
