/** The list parameters and settings of a wall. */
import { isBlank } from '../domain/visible-text.ts';
import type { TextName } from './texts.ts';
import englishTexts from './wall-texts.json' with { type: 'json' };

/** The defaults of a wall's list parameters. If one is empty, the list's own default applies. */
export const wallDefaults = { limit: '12', rating: '', tags: '', search: '', type: '', sort: '', order: '' };

export type WallParameter = keyof typeof wallDefaults;

export const wallParameters = Object.keys(wallDefaults) as WallParameter[]; // of a constant

export const looks = ['columns', 'row', 'single', 'list'] as const;
const themes = ['auto', 'light', 'dark'] as const;
const parts = ['more', 'tags', 'dates', 'stars'] as const;

function refuse(rule: string, name?: string): never {
  throw new Error(rule, { cause: name });
}

/**
 * Returns a function that reads settings with one reader each. A reader returns its default if there is no
 * text, and throws the rule that a text breaks. The function then throws an error with the name of the
 * setting and the rule (`cause` is the name), or passes both to `onInvalid` and uses the default.
 */
export const settingsReader =
  <Settings extends object>(readers: { [Name in keyof Settings]: (text?: string) => Settings[Name] }) =>
  (
    values: Readonly<Record<string, string | undefined>>,
    onInvalid: (rule: string, name: string) => void = refuse,
  ) => {
    const settings: Partial<Settings> = {};
    for (const name of Object.keys(readers) as (keyof Settings & string)[]) {
      // of a constant
      try {
        settings[name] = readers[name](Object.hasOwn(values, name) ? values[name] : undefined);
      } catch (error) {
        onInvalid(`${name} ${error instanceof Error ? error.message : error}`, name);
        settings[name] = readers[name]();
      }
    }
    return settings as Settings; // every setting has a reader
  };

/** Returns the reader of one of these words, of which the first is the default. */
const wordReader =
  <const Word extends string>(allowed: readonly [Word, ...Word[]]) =>
  (text: string = allowed[0]) =>
    allowed.find((word) => word === text) ?? refuse(`must be one of ${allowed.join(', ')}`);

const words = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Returns the reader of a list of these words, separated by commas. */
export const wordListReader =
  <const Word extends string>(allowed: readonly Word[]) =>
  (text = '') =>
    words(text).map(
      (text) => allowed.find((word) => word === text) ?? refuse(`must only contain ${allowed.join(', ')}`),
    );

/** True for a language tag such as `de` or `pt-BR`. */
export function isLanguage(text: string): boolean {
  try {
    return new Intl.NumberFormat(text) !== undefined;
  } catch {
    return false;
  }
}

/** Reads the setting `lang`. */
export const language = (text = 'en') =>
  isLanguage(text) ? text : refuse('must be a language such as de or pt-BR');

/**
 * Returns the reader of the setting `texts`: replacements of the texts with these names, as JSON. Blank ones
 * are left out, because a button or a field needs a name.
 */
export const textsNamed =
  <Name extends string>(names: readonly Name[]) =>
  (json = '{}') => {
    let texts: unknown;
    try {
      texts = JSON.parse(json);
    } catch {}
    if (typeof texts !== 'object' || !texts || Array.isArray(texts))
      return refuse(`must be JSON such as {"${names[0]}":"…"}`);
    const read: { [name in Name]?: string } = {};
    for (const [name, text] of Object.entries(texts)) {
      if (!names.some((each) => each === name)) refuse(`must only contain texts named ${names.join(', ')}`);
      if (typeof text !== 'string') refuse(`must have a text for each name, such as {"${names[0]}":"…"}`);
      if (!isBlank(text)) read[name as Name] = text; // one of the names
    }
    return read;
  };

/** The maximum number of testimonials that a wall can show first. */
export const maxPinned = 24;

/** Reads the setting `pinned`: the ids of testimonials. */
function pinnedIds(text = ''): string[] {
  const ids = words(text);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (!ids.every((id) => /^test_\d+$/.test(id)))
    refuse('must only contain ids of testimonials, such as test_123456789012983041');
  if (twice !== undefined) refuse(`must not contain an id twice: ${twice}`);
  return ids.length > maxPinned ? refuse(`must have at most ${maxPinned} ids`) : ids;
}

const readers = {
  look: wordReader(looks),
  theme: wordReader(themes),
  hide: wordListReader(parts),
  lang: language,
  'own-tags': (text = 'featured') => words(text),
  pinned: pinnedIds,
  texts: textsNamed(Object.keys(englishTexts) as TextName[]), // of a constant
};

export const readSettings = settingsReader(readers);

export type WallSettings = ReturnType<typeof readSettings>;
export type SettingName = keyof WallSettings;

export const settingNames = Object.keys(readers) as SettingName[]; // of a constant
