/** The brand of an organization, which its forms, walls and link previews show. */
import * as v from 'valibot';

/** Formats that every browser shows. SVG is not allowed, because it can contain scripts. */
const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;

/** The accent color as people see it: in light and in dark pages, `#rrggbb` in lower case. */
const accent = v.object({
  /** The color that an owner chose. */
  chosen: v.string(),
  /**
   * Adjusted for contrast: readable on the page, and as the background of text
   * (functions/domain/read-brand.ts).
   */
  light: v.string(),
  dark: v.string(),
});

const logo = v.object({
  type: v.picklist(logoTypes),
  /** Its bytes, base64. */
  data: v.string(),
  /** In pixels. */
  width: v.number(),
  height: v.number(),
});

/** Schema of a stored brand. All members are optional. */
export const brand = v.object({
  name: v.exactOptional(v.string()),
  accent: v.exactOptional(accent),
  logo: v.exactOptional(logo),
});

export type Brand = v.InferOutput<typeof brand>;
