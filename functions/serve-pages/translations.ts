/**
 * The texts of forms and walls by language, in files that are read when a page needs them. The function's
 * bundle has the same files.
 */
import { existsSync, readFileSync } from 'node:fs';
import type en from './assets/translations/en.json';
import { fillIn, type TextValues } from './texts.ts';

export type FormTextName = keyof typeof en.form;

/** The texts of forms that ask for photos or recordings. */
export type MediaTextName = keyof typeof en.media;

/** The texts by name. */
type Translation = Record<'form' | 'media' | 'wall', Record<string, string>>;

const loaded = new Map<string, Translation | undefined>();

/** Returns the texts in a language, if they are translated. The texts for `pt-BR` are those for `pt`. */
export function translationOf(lang: string): Translation | undefined {
  const { language } = new Intl.Locale(lang);
  if (!loaded.has(language)) {
    const file = new URL(`./assets/translations/${language}.json`, import.meta.url);
    loaded.set(language, existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);
  }
  return loaded.get(language);
}

export function englishFormTexts(): (typeof en)['form'] {
  return translationOf('en')?.form as (typeof en)['form']; // the file that the type describes
}

/** The texts that have their own settings, by the names of these settings. */
export const separateTexts = {
  consent: 'consent',
  thanks: 'thanks',
  'link-text': 'link',
} as const satisfies Record<string, FormTextName>;

type FormWords = {
  lang: string;
  /** Replacements of texts. `required` also replaces the texts about each missing field. */
  texts: { [name in FormTextName]?: string };
  /** The media that the form asks for, which the consent names. */
  ask?: readonly ('photo' | 'video' | 'audio')[];
} & { [setting in keyof typeof separateTexts]?: string | undefined };

/**
 * Returns a function that returns a form's texts: the texts of its settings, then the translations into its
 * language, then the English texts. It formats the numbers of placeholders.
 */
export function formVoice({ lang, texts, ask = [], ...settings }: FormWords) {
  const english = { ...englishFormTexts(), ...englishMediaTexts() };
  const all = { ...english, ...translationOf(lang)?.form, ...translationOf(lang)?.media };
  all.consent = all[consentTo(ask)];
  const { required = '' } = texts;
  if (required)
    Object.assign(all, { contentRequired: required, nameRequired: required, emailRequired: required });
  Object.assign(all, texts);
  for (const [setting, name] of Object.entries(separateTexts)) {
    all[name] = settings[setting as keyof typeof separateTexts] || all[name]; // of a constant
  }
  return (name: FormTextName | MediaTextName, values: TextValues = {}): string =>
    fillIn(all[name], values, lang);
}

/** Returns the texts of a form by name. */
export type FormVoice = ReturnType<typeof formVoice>;

function englishMediaTexts(): (typeof en)['media'] {
  return translationOf('en')?.media as (typeof en)['media']; // the file that the type describes
}

/** Returns the name of the text of the consent to publish the media that a form asks for. */
function consentTo(ask: readonly string[]): FormTextName | MediaTextName {
  const isRecorded = ask.some((each) => each !== 'photo');
  if (ask.includes('photo')) return isRecorded ? 'consentBoth' : 'consentPhoto';
  return isRecorded ? 'consentRecording' : 'consent';
}
