/**
 * Reads the brand that an owner typed: checks its name, adjusts its color, and checks the bytes of its logo.
 */
import * as v from 'valibot';
import type { Brand } from './brand.ts';
import { sizeOfImage } from './image-size.ts';
import { text } from './text.ts';
import { isBlank } from './visible-text.ts';

/** The largest logo, in bytes. Every page contains it. */
export const maxLogoBytes = 24 * 1024;
const maxLogoSide = 1000;

/** WCAG 2.2, 1.4.3. */
const minContrast = 4.5;

/**
 * The colors that an accent must contrast with: page backgrounds, and text on a button. Must match the style
 * sheets.
 */
export const colorsNextToAccent = {
  light: ['#ffffff', '#f7f5f1'],
  dark: ['#121318', '#1b1d24', '#15171d', '#10131c'],
} as const;

export interface TypedBrand {
  name: string;
  /** `#rrggbb` or `#rgb`; empty for the color of the service. */
  accent: string;
  logo?: Brand['logo'];
}

/**
 * Reads a brand. Empty fields are absent.
 * @throws an error that names the field (`cause`) and the rule it breaks
 */
export function readBrand({ name, accent, logo }: TypedBrand): Brand {
  const read = v.safeParse(text({ min: 1, max: 100 }), name);
  if (!isBlank(name) && !read.success) refuse('name', read.issues[0].message);
  const typed = accent.trim().toLowerCase();
  const hex = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(typed)?.[1];
  if (typed && !hex) refuse('accent', 'must be a color such as #2a56c6');
  // A short color has each digit once.
  const chosen = hex === undefined ? undefined : `#${hex.length === 3 ? hex.replace(/./g, '$&$&') : hex}`;
  return {
    ...(!isBlank(name) && read.success && { name: read.output }),
    ...(chosen !== undefined && { accent: withContrast(chosen) }),
    ...(logo && { logo }),
  };
}

/** Returns the color for light and for dark pages, darkened or lightened until texts are readable. */
function withContrast(chosen: string): NonNullable<Brand['accent']> {
  return { chosen, light: readable(chosen, 'light'), dark: readable(chosen, 'dark') };
}

/** Mixes a color with black or white, in steps of two percent, until texts are readable. */
function readable(chosen: string, scheme: keyof typeof colorsNextToAccent): string {
  const end = scheme === 'light' ? 0 : 255;
  const mixed = (share: number) => channelsOf(chosen).map((each) => Math.round(each + (end - each) * share));
  let color = chosen;
  for (let share = 0.02; !isReadable(color, scheme); share += 0.02) {
    color = `#${mixed(Math.min(1, share))
      .map((each) => each.toString(16).padStart(2, '0'))
      .join('')}`;
  }
  return color;
}

/** True if text in the color is readable on every page of a scheme, and text of the scheme on the color. */
function isReadable(color: string, scheme: keyof typeof colorsNextToAccent): boolean {
  return colorsNextToAccent[scheme].every((other) => contrastOf(color, other) >= minContrast);
}

/** Returns the contrast of two colors, from 1 to 21 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio). */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/**
 * Returns the relative luminance of a color, from 0 to 1
 * (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance).
 */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((each) => {
    const share = each / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns red, green and blue, from 0 to 255, of a color such as `#2a56c6`. */
function channelsOf(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}

/**
 * Reads the file of a logo: its type and size by its bytes, never by its name.
 * @throws an error that names the rule it breaks; its `cause` is `logo`
 */
export function readLogo(bytes: Uint8Array): NonNullable<Brand['logo']> {
  if (bytes.length > maxLogoBytes) {
    refuse(
      'logo',
      `must have at most ${maxLogoBytes / 1024} KB; this one has ${Math.ceil(bytes.length / 1024)} KB`,
    );
  }
  const size = sizeOfImage(bytes);
  if (!size) refuse('logo', 'must be a PNG, JPEG or WebP image');
  const { type, width, height } = size;
  if (!(width > 0 && height > 0 && width <= maxLogoSide && height <= maxLogoSide)) {
    refuse('logo', `must have at most ${maxLogoSide} × ${maxLogoSide} pixels`);
  }
  return { type, data: Buffer.from(bytes).toString('base64'), width, height };
}

function refuse(name: string, rule: string): never {
  throw new Error(`${name} ${rule}`, { cause: name });
}
