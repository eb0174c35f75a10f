import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { linksOf, reservedHeight } from '../../../functions/serve-pages/own-pages.ts';
import { readSettings, settingNames } from '../../../functions/serve-pages/wall-settings.ts';
import englishTexts from '../../../functions/serve-pages/wall-texts.json' with { type: 'json' };

const pins = (count: number) => Array.from({ length: count }, (_, n) => `test_${n}`).join();

const right = {
  look: fc.constantFrom('columns', 'row', 'single', 'list'),
  theme: fc.constantFrom('auto', 'light', 'dark'),
  hide: fc.subarray(['more', 'tags', 'dates', 'stars']).map((parts) => parts.join(' , ')),
  lang: fc.constantFrom('de', 'pt-BR', 'zh-Hant-TW'),
  'own-tags': fc.constantFrom('', ',', 'a, b'),
  pinned: fc.constantFrom('', ',', 'test_123456789012983041', 'test_1 , test_2,', pins(24)),
  texts: fc
    .dictionary(fc.constantFrom(...Object.keys(englishTexts)), fc.string())
    .map((texts) => JSON.stringify(texts)),
};
const wrong = {
  look: fc.constantFrom('', 'Row', 'carousel', 'toString'),
  theme: fc.constantFrom('', 'black', '__proto__'),
  hide: fc.constantFrom('everything', 'tags;dates', 'constructor'),
  lang: fc.constantFrom('', 'en_US', '?'),
  pinned: fc.constantFrom('x', 'pub_1', 'test_1;test_2', 'test_1,test_2,test_1', pins(25)),
  texts: fc.constantFrom(
    '',
    '{',
    'null',
    '1',
    '"more"',
    '["x"]',
    '{"more":1}',
    '{"mor":"x"}',
    '{"toString":"x"}',
  ),
};
const wrongNames = ['look', 'theme', 'hide', 'lang', 'pinned', 'texts'] as const;

describe('the settings of a wall', () => {
  test('ignore invalid parts, and report each once', () => {
    const typed = fc.record(right, { requiredKeys: [] });
    const slips = fc.record(wrong, { requiredKeys: [] });
    fc.assert(
      fc.property(typed, slips, (values, slips) => {
        const said: string[] = [];
        const all = { ...values, ...slips };
        const read = readSettings(all, (rule) => said.push(rule));
        const rest = Object.entries(values).filter(([name]) => !Object.hasOwn(slips, name));
        expect(read).toEqual(readSettings(Object.fromEntries(rest)));
        expect(said.map((rule) => rule.split(' ')[0]).toSorted()).toEqual(Object.keys(slips).toSorted());
        const [first] = settingNames.filter((name) => Object.hasOwn(slips, name));
        if (first) expect(() => readSettings(all)).toThrow(new RegExp(`^${first} must `));
        else expect(readSettings(all)).toEqual(read);
      }),
    );
  });

  test.each(wrongNames)('any text as %s gives a value or a rule, and nothing else', (name) => {
    const text = fc.oneof(fc.string(), fc.json(), wrong[name], right[name]);
    fc.assert(
      fc.property(text, (value) => {
        const rules: string[] = [];
        const read = readSettings({ [name]: value }, (rule) => rules.push(rule));
        for (const rule of rules) expect(rule.startsWith(`${name} must `)).toBe(true);
        expect(rules.length).toBeLessThanOrEqual(1);
        expect(Object.values(read.texts).every((each) => typeof each === 'string')).toBe(true);
      }),
    );
  });
});

test('blank texts of a wall count as not set, and a list is refused', () => {
  expect(readSettings({ texts: '{"more":" ","all":"\u200b"}' }).texts).toEqual({});
  expect(() => readSettings({ texts: '[]' })).toThrow('texts must be JSON such as {');
});

describe('the reserved height', () => {
  /** Returns pixels at a width of the wall. */
  function pixels(look: string, limit: string, width: number): number {
    const numbers = reservedHeight({ look, limit }).match(/\d+/g)?.map(Number) ?? [];
    const [least = 0, all = least, share = 0, most = all] = numbers;
    return Math.min(most, Math.max(least, all - (share / 100) * width));
  }

  // The columns of the style sheet, and a card of ordinary length with the gap below it.
  const columnsAt = (width: number) => Math.max(1, Math.floor((width + 18) / (296 + 18)));
  const cards = (look: string, limit: number, width: number) =>
    72 + 270 * (look === 'list' ? limit : Math.ceil(limit / columnsAt(width)));

  test('is near the height of the cards at every width, if they are not cut off', () => {
    const look = fc.constantFrom('columns', 'list');
    const limit = fc.integer({ min: 1, max: 100 });
    const width = fc.integer({ min: 240, max: 3840 });
    fc.assert(
      fc.property(look, limit, width, (look, limit, width) => {
        const needed = Math.min(704, cards(look, limit, width));
        const reserved = pixels(look, String(limit), width);
        expect(Math.abs(reserved - needed)).toBeLessThan(270);
      }),
    );
  });

  test('stands in the snippet of a wall, whatever is typed into its settings', () => {
    const limit = fc.oneof(fc.string(), fc.constantFrom('-5', '1.5', 'Infinity', '1e9', '0', '24'));
    const settings = fc.record({ look: fc.string(), limit }, { requiredKeys: [] });
    fc.assert(
      fc.property(settings, (settings) => {
        const page = {
          id: '4fGhT2kLm9QwErTyUiOpAs',
          organization: 'acme',
          kind: 'wall',
          title: 'Wall',
        } as const;
        const { snippet } = linksOf({ ...page, settings, createdAt: '' }, 'https://api.example.com/');
        const [, height = ''] =
          /style="display: block; width: 100%; min-height: ([^"]*)"/.exec(snippet) ?? [];
        expect(height).toMatch(/^(\d+px|clamp\(342px, \d+px - 86cqi, 704px\))$/);
      }),
    );
  });
});
