/** The list parameters and settings of a wall: those of a page, and attributes of the live wall. */
import * as v from 'valibot';
import type { TextName } from './texts.ts';
import englishTexts from './wall-texts.json' with { type: 'json' };

/**
 * The defaults of a wall's list parameters; empty if the list's own default applies. `page-settings.ts` checks that none is missing,
 * because browsers load this file without the API's parameters.
 */
export const wallDefaults = { limit: '12', rating: '', tags: '', search: '', type: '', sort: '', order: '' };

export type WallParameter = keyof typeof wallDefaults;

export const wallParameters = Object.keys(wallDefaults) as WallParameter[]; // of a constant

export const looks = ['columns', 'row', 'single', 'list'] as const;
const parts = ['more', 'tags', 'dates', 'stars'] as const;

const words = v.pipe(
  v.string(),
  v.transform((text) => text.split(',').flatMap((word) => word.trim() || [])),
);

/** Schema of a list of some of these words, separated by commas. */
export const listOf = <const Word extends string>(allowed: readonly Word[]) =>
  v.pipe(words, v.array(v.picklist(allowed, `must only contain ${allowed.join(', ')}`)));

/** True for a language tag such as `de` or `pt-BR`. */
export function isLanguage(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** Schema of the setting `lang`. */
export const language = v.optional(
  v.pipe(v.string(), v.check(isLanguage, 'must be a language such as de or pt-BR')),
  'en',
);

/** Schema of the setting `texts`: JSON with replacements of the texts with these names. */
export const textsNamed = <const Name extends string>(names: readonly Name[]) =>
  v.optional(
    v.pipe(
      v.string(),
      v.parseJson({}, `must be JSON such as {"${names[0]}":"…"}`),
      v.record(
        v.picklist(names, `must only contain texts named ${names.join(', ')}`),
        v.string('must only contain texts'),
      ),
    ),
    '{}',
  );

const settings = v.object({
  look: v.optional(v.picklist(looks, `must be one of ${looks.join(', ')}`), 'columns'),
  hide: v.optional(listOf(parts), ''),
  lang: language,
  'own-tags': v.optional(words, 'featured'),
  texts: textsNamed(Object.keys(englishTexts) as TextName[]), // of a constant
});

export type WallSettings = v.InferOutput<typeof settings>;
export type SettingName = keyof WallSettings;

export const settingNames = Object.keys(settings.entries) as SettingName[]; // of a constant

/**
 * Reads the settings of a wall; absent ones have their default.
 * @throws an error that names the invalid setting and its rule
 */
export function readSettings(values: Partial<Record<SettingName, string | undefined>>): WallSettings {
  return settingsOf(settings, values);
}

/**
 * Reads settings of a kind; absent ones have their default.
 * @throws an error that names the invalid setting and its rule; its `cause` is the setting's name
 */
export function settingsOf<Schema extends v.GenericSchema>(
  schema: Schema,
  values: Readonly<Record<string, string | undefined>>,
): v.InferOutput<Schema> {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  const { success, output, issues } = v.safeParse(schema, Object.fromEntries(present), {
    abortPipeEarly: true,
  });
  if (success) return output;
  const [{ path, message }] = issues;
  const name = path?.[0]?.key;
  throw new Error(`${name} ${message}`, { cause: name });
}
