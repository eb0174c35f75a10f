/** Brands as owners type them. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { colorsNextToAccent, contrastOf, readBrand, readLogo } from '../../../functions/domain/read-brand.ts';
import { gif, jpeg, png, svg, webp, webpExtended, webpLossless } from '../../images.ts';

const accentOf = (accent: string) => readBrand({ name: '', accent }).accent;

describe('the accent color', () => {
  test('of any brand can be read in light and in dark pages, and texts on it can, too', () => {
    const color = fc
      .integer({ min: 0, max: 0xffffff })
      .map((each) => `#${each.toString(16).padStart(6, '0')}`);
    fc.assert(
      fc.property(color, (chosen) => {
        const { light = '', dark = '', ...rest } = accentOf(chosen) ?? {};
        expect(rest).toEqual({ chosen });
        for (const other of colorsNextToAccent.light)
          expect(contrastOf(light, other)).toBeGreaterThanOrEqual(4.5);
        for (const other of colorsNextToAccent.dark)
          expect(contrastOf(dark, other)).toBeGreaterThanOrEqual(4.5);
        // A color that everyone can read stays as it is.
        const isFine = colorsNextToAccent.light.every((other) => contrastOf(chosen, other) >= 4.5);
        expect(light === chosen).toBe(isFine);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['#FFE000', '#ffe000'],
    ['ffe000', '#ffe000'],
    [' #fe0 ', '#ffee00'],
    ['', undefined],
    ['  ', undefined],
  ])('%j is %s', (typed, chosen) => {
    expect(accentOf(typed)?.chosen).toBe(chosen);
  });

  test.each(['blue', '#12345', '#1234567', '#gggggg', 'rgb(1,2,3)', '#2a56c6;}body{display:none', '０00'])(
    '%j is refused',
    (typed) => {
      expect(() => accentOf(typed)).toThrow('accent must be a color such as #2a56c6');
    },
  );

  test('keeps its contrast on the colors of the style sheets', () => {
    const read = (name: string) =>
      readFileSync(`${import.meta.dirname}/../../../functions/serve-pages/browser/${name}`, 'utf8');
    const [form, wall] = [read('form.css'), read('cards.css') + read('wall.css')];
    const pairs = (styles: string, names: string) =>
      Array.from(
        styles.matchAll(
          new RegExp(`--(?:wall-)?(?:${names})(?::|, ).*?light-dark\\((#\\w+), (#\\w+)\\)`, 'g'),
        ),
      );
    const all = [...pairs(form, 'background|surface|field|on-accent'), ...pairs(wall, 'background|surface')];
    expect(all).toHaveLength(6);
    expect(new Set(all.map(([, light]) => light))).toEqual(new Set(colorsNextToAccent.light));
    expect(new Set(all.map(([, , dark]) => dark))).toEqual(new Set(colorsNextToAccent.dark));
  });
});

test.each([
  ['  Acme\u00a0Inc. ', 'Acme\u00a0Inc.'],
  ['Großhandel'.normalize('NFD'), 'Großhandel'],
  [' \u200b ', undefined],
  ['A'.repeat(100), 'A'.repeat(100)],
])('the name %j', (name, read) => {
  expect(readBrand({ name, accent: '' }).name).toBe(read);
});

test.each(['A'.repeat(101), 'Acme\ufffd', 'Acme\u0000'])('the name %j is refused', (name) => {
  expect(() => readBrand({ name, accent: '' })).toThrow(expect.objectContaining({ cause: 'name' }));
});

describe('a logo', () => {
  test.each([
    ['image/png', png(220, 56), 220, 56],
    ['image/png', png(1000, 1), 1000, 1],
    ['image/webp', webp, 1, 1],
    ['image/webp', webpLossless, 3, 2],
    ['image/webp', webpExtended, 300, 200],
    ['image/jpeg', jpeg, 16, 9],
  ])('%s (%#) is read by its bytes', (type, bytes, width, height) => {
    expect(readLogo(bytes)).toEqual({ type, data: bytes.toString('base64'), width, height });
  });

  test.each<[string, Uint8Array, string]>([
    ['an empty file', Buffer.alloc(0), 'must be a PNG, JPEG or WebP image'],
    ['an SVG', svg, 'must be a PNG, JPEG or WebP image'],
    ['a GIF', gif, 'must be a PNG, JPEG or WebP image'],
    ['HTML', Buffer.from('<!doctype html><title>logo.png</title>'), 'must be a PNG, JPEG or WebP image'],
    ['a PNG that ends in its header', png(9, 9).subarray(0, 18), 'must be a PNG, JPEG or WebP image'],
    ['a PNG of a million pixels in a row', png(1001, 1), 'must have at most 1000 × 1000 pixels'],
    [
      '24 KB and a byte',
      png(9, 9, 24 * 1024 + 1 - png(9, 9).length - 12),
      'must have at most 24 KB; this one has 25 KB',
    ],
  ])('that is %s is refused', (_, bytes, rule) => {
    expect(() => readLogo(bytes)).toThrow(`logo ${rule}`);
  });

  test('may have 24 KB, and random bytes are refused with a sentence', () => {
    const bytes = png(9, 9, 24 * 1024 - png(9, 9).length - 12);
    expect(readLogo(bytes)).toMatchObject({ width: 9 });
    const headers = [png(9, 9), jpeg, webp, gif].map((each) => each.subarray(0, 16));
    const any = fc.tuple(fc.constantFrom(Buffer.alloc(0), ...headers), fc.uint8Array({ maxLength: 64 }));
    fc.assert(
      fc.property(any, ([start, rest]) => {
        try {
          const { width, height } = readLogo(Buffer.concat([start, rest]));
          expect(Math.max(width, height)).toBeLessThanOrEqual(1000);
        } catch (error) {
          expect(String(error)).toMatch(/Error: logo must (be a PNG, JPEG or WebP image|have at most 1000)/);
        }
      }),
    );
  });
});
