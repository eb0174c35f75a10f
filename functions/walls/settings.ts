/**
 * How a wall looks, described once: the command has these as options, the desk as fields, the live wall as attributes.
 * Each is given as a text.
 */
import * as v from 'valibot';
import { englishTexts, type TextName } from './texts.ts';

export const looks = ['columns', 'row', 'single', 'list'] as const;
const parts = ['more', 'tags', 'dates', 'stars', 'summary'] as const;

const words = v.pipe(
  v.string(),
  v.transform((text) => text.split(',').flatMap((word) => word.trim() || [])),
);

/** Whether a text names a language, as `de` or `pt-BR`. */
export function isLanguage(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

const names = Object.keys(englishTexts) as TextName[]; // of a constant
const texts = v.pipe(
  v.string(),
  v.parseJson({}, 'must be JSON as {"more":"Mehr zeigen"}'),
  v.record(
    v.picklist(names, `must have texts of these names: ${names.join(', ')}`),
    v.string('must have texts only'),
  ),
);

const settings = v.object({
  title: v.exactOptional(v.string()),
  look: v.optional(v.picklist(looks, `must be one of ${looks.join(', ')}`), 'columns'),
  hide: v.optional(v.pipe(words, v.array(v.picklist(parts, `must be of ${parts.join(', ')}`))), ''),
  lang: v.optional(v.pipe(v.string(), v.check(isLanguage, 'must be a language as de or pt-BR')), 'en'),
  'own-tags': v.optional(words, 'featured'),
  texts: v.optional(texts, '{}'),
});

export type WallSettings = v.InferOutput<typeof settings>;
export type SettingName = keyof WallSettings;

export const settingNames = Object.keys(settings.entries) as SettingName[]; // of a constant

/** What each is, in a line. A function, which scripts that do not ask for it are bundled without. */
export const describeSettings = (): Record<SettingName, string> => ({
  title: 'heading of the page',
  look: `how cards stand: ${looks.join(', ')}`,
  hide: `what is left out, with commas: ${parts.join(', ')}`,
  lang: 'language of dates and numbers, as de or pt-BR',
  'own-tags': 'tags of your own that nobody is shown, with commas',
  texts: 'what the wall says itself, as JSON: {"more":"Mehr zeigen"}',
});

/**
 * Reads settings; what is not given is as usual.
 * @throws an error that names the setting and its rule
 */
export function readSettings(given: Partial<Record<SettingName, string | undefined>>): WallSettings {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  const { success, output, issues } = v.safeParse(settings, Object.fromEntries(entries));
  if (success) return output;
  const [{ path, message }] = issues;
  throw new Error(`${path?.[0]?.key} ${message}`);
}
