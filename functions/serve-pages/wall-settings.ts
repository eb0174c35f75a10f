/** The list parameters and settings of a wall: those of a page, and attributes of the live wall. Browsers load it without a library. */
import { collect, isIn, listed, matchesOf, namesOf, ownOf } from './stand-ins.ts';
import type { TextName } from './texts.ts';
import englishTexts from './wall-texts.json' with { type: 'json' };

/**
 * The defaults of a wall's list parameters; empty if the list's own default applies. `page-settings.ts` checks that none is missing,
 * because browsers load this file without the API's parameters.
 */
export const wallDefaults = { limit: '12', rating: '', tags: '', search: '', type: '', sort: '', order: '' };

export type WallParameter = keyof typeof wallDefaults;

export const wallParameters = namesOf(wallDefaults);

export const looks = ['columns', 'row', 'single', 'list'] as const;
/** True for a look whose cards scroll sideways. */
export const isRow = (look?: string) => look === 'row' || look === 'single';

const themes = ['auto', 'light', 'dark'] as const;
const parts = ['more', 'tags', 'dates', 'stars'] as const;

function refuse(rule: string, name?: string): never {
  throw new Error(rule, { cause: name });
}

/**
 * Returns a function that reads settings by readers of their texts. A reader returns its default if there is no text, and throws the
 * rule that a text breaks. The function throws the name of the setting and the rule (`cause` is the name), or passes both to `onSlip` and
 * uses the default.
 */
export const settingsBy =
  <Settings extends object>(readers: { [Name in keyof Settings]: (text?: string) => Settings[Name] }) =>
  (
    values: Readonly<Record<string, string | undefined>>,
    onSlip: (rule: string, name: string) => void = refuse,
  ) => {
    const settings: Partial<Settings> = {};
    const own = ownOf(values);
    for (const name of namesOf(readers)) {
      try {
        settings[name] = readers[name](own[name]);
      } catch (error) {
        onSlip(`${name} ${error instanceof Error ? error.message : error}`, name);
        settings[name] = readers[name]();
      }
    }
    return settings as Settings; // every setting has a reader
  };

/** Returns the reader of one of these words. The first one is the default. */
const oneOf =
  <const Word extends string>(allowed: readonly [Word, ...Word[]]) =>
  (text: string = allowed[0]) =>
    isIn(allowed, text) ? text : refuse(`must be one of ${listed(allowed)}`);

const words = (text: string) => matchesOf(text, /[^\s,](?:[^,]*[^\s,])?/g);

/** Returns the reader of a list of some of these words, separated by commas. */
export const listOf =
  <const Word extends string>(allowed: readonly Word[]) =>
  (text = '') =>
    collect(words(text), (word) =>
      isIn(allowed, word) ? word : refuse(`must only contain ${listed(allowed)}`),
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
 * Returns the reader of the setting `texts`: replacements of the texts with these names, as JSON or as its object. A page can replace
 * JSON.parse, so browsers parse the JSON.
 */
export const textsNamed =
  <Name extends string>(names: readonly Name[]) =>
  (typed: string | object = {}) => {
    let texts: unknown = typed;
    try {
      if (typeof typed === 'string') texts = JSON.parse(typed);
    } catch {}
    if (typeof texts !== 'object' || !texts) return refuse(`must be JSON such as {"${names[0]}":"…"}`);
    const own: Record<string, unknown> = { ...texts };
    for (const name of namesOf(own)) {
      if (!isIn(names, name)) refuse(`must only contain texts named ${listed(names)}`);
      if (typeof own[name] !== 'string') refuse('must only contain texts');
    }
    return own as { [name in Name]?: string }; // checked above
  };

const readers = {
  look: oneOf(looks),
  theme: oneOf(themes),
  hide: listOf(parts),
  lang: language,
  'own-tags': (text = 'featured') => words(text),
  texts: textsNamed<TextName>(namesOf(englishTexts)),
};

/** Reads the settings of a wall. */
export const readSettings = settingsBy(readers);

export type WallSettings = ReturnType<typeof readSettings>;
export type SettingName = keyof WallSettings;

export const settingNames: readonly SettingName[] = namesOf(readers);

// In pixels: a card of ordinary length with the gap below it, the buttons, and the height at which most walls are cut off.
const [card, buttons, most] = [270, 72, 704];

/**
 * Returns the height that the cards of a wall need, for CSS: reserved, it keeps the page from shifting when they arrive. In columns
 * it falls with the width of the nearest container around the wall, or of the window.
 */
export function reservedHeight({ look, limit = '' }: Readonly<Record<string, string>>): string {
  if (isRow(look)) return '380px';
  const all = buttons + card * +(/^\d+$/.exec(limit) ? limit : wallDefaults.limit);
  if (look === 'list') return `${Math.min(most, all)}px`;
  return `clamp(${buttons + card}px, ${all + card}px - 86cqi, ${most}px)`;
}
