/** The settings of a form or wall as fields. */
import { html } from 'hono/html';
import type { Page } from '../../domain/page.ts';
import { capital } from '../../domain/wording.ts';
import {
  defaultTexts,
  type PageSetting,
  pageDefaults,
  pageSettings,
  readPageSettings,
  validPins,
} from '../../serve-pages/own-pages.ts';
import { readFormSettings } from '../../serve-pages/page-settings.ts';
import type { TextName } from '../../serve-pages/texts.ts';
import { type FormTextName, separateTexts } from '../../serve-pages/translations.ts';
import type { Desk } from '../parts/desk.ts';
import { field } from '../parts/field.ts';
import { type FormBody, fieldText, fieldTexts } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';

/** The rule that a setting breaks. */
export interface Problem {
  /** The setting's name. */
  name: string;
  text: string;
}

/** Returns the rule of the setting that an error names, and throws any other error. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof Error) || typeof error.cause !== 'string') throw error;
  return { name: error.cause, text: `${capital(error.message)}.` };
}

/** Returns the rule that a stored setting breaks. Another version may have stored such a setting. */
export function problemIn(page: Page): Problem | undefined {
  try {
    readPageSettings(page);
  } catch (error) {
    return problemOf(error);
  }
  return undefined;
}

/** Returns the texts that the setting `texts` can replace, in a language. */
function replaceableTexts(kind: Page['kind'], lang?: string): [name: string, text: string][] {
  const separate: string[] = Object.values(separateTexts);
  return Object.entries(defaultTexts(kind, lang)).filter(([name]) => !separate.includes(name));
}

/**
 * Returns the settings of the form. The field for `sort` also chooses the order, and the pinned testimonials
 * have their own list.
 */
function formSettings(kind: Page['kind'], { media }: Desk): [name: string, setting: PageSetting][] {
  const others = ['order', 'pinned', ...(media ? [] : ['ask'])];
  return Object.entries(pageSettings[kind]).filter(([name]) => !others.includes(name));
}

/** Returns the settings as typed. Settings without a field stay, if they are valid. */
export function settingsIn(desk: Desk, body: FormBody, page: Page): Page['settings'] {
  const { kind, settings } = page;
  const typed = (name: string, { parts, choices }: PageSetting): string => {
    if (name === 'texts') return typedTexts(body, kind);
    if (choices) return fieldTexts(body, name).join();
    // A switch shows a part; the setting hides it.
    return parts
      ? Object.keys(parts)
          .filter((part) => !fieldTexts(body, name).includes(part))
          .join()
      : fieldText(body, name);
  };
  const all = formSettings(kind, desk).map(([name, setting]) => [name, typed(name, setting)] as const);
  const fields = { ...settings, ...Object.fromEntries(all) };
  if (kind === 'form') return desk.media ? fields : { ...fields, ask: askIn(settings).join() };
  const [sort = '', order = ''] = fieldText(body, 'sort').split(' ');
  return { ...fields, sort, order, pinned: validPins(page).join() };
}

/** Returns the media that a form asks for; none if the setting is invalid. */
function askIn({ ask }: Page['settings']) {
  return readFormSettings({ ask }, () => {}).ask;
}

/** Returns the setting `texts`: JSON with the replaced texts, or an empty text if no text is replaced. */
function typedTexts(body: FormBody, kind: Page['kind']): string {
  const texts = replaceableTexts(kind).map(
    ([name]) => [name, fieldText(body, `texts.${name}`).trim()] as const,
  );
  const replaced = texts.filter(([, text]) => text !== '');
  return replaced.length === 0 ? '' : JSON.stringify(Object.fromEntries(replaced));
}

/** Returns a field for each setting of a page, and a subheading for each group of them. */
export function settingFields(desk: Desk, page: Page, problem?: Problem): Html {
  const all = formSettings(page.kind, desk);
  const hasField = ['title', 'order', ...all.map(([name]) => name)].some((name) => name === problem?.name);
  return html`${problem && !hasField && html`<p class="problem">${problem.text} Save to correct it.</p>`}${all.map(
    ([name, setting], i) => {
      const isFirst = setting.group !== all[i - 1]?.[1].group;
      return html`${isFirst && html`<h2>${setting.group}</h2>`}${settingField(page, name, setting, problem)}`;
    },
  )}`;
}

function settingField(
  { kind, settings }: Page,
  name: string,
  { label, meaning, options, parts, choices, isLong }: PageSetting,
  problem?: Problem,
): Html {
  // An operator's command may have stored the text of such a setting under `texts`.
  const textName = Object.hasOwn(separateTexts, name) && separateTexts[name as keyof typeof separateTexts];
  const ownText = textName && replacedTexts(settings.texts)[textName];
  const savedOf = (each: string) => settings[each] ?? (ownText || pageDefaults[kind][each]) ?? '';
  const isOrder = name === 'sort';
  const value = isOrder ? `${savedOf('sort')} ${savedOf('order')}` : savedOf(name);
  const isBroken = problem?.name === name || (isOrder && problem?.name === 'order');
  const broken = isBroken ? problem.text : '';
  if (name === 'texts') return textFields(kind, value, settings.lang, broken);
  const listed = value.split(',').map((each) => each.trim());
  const shared = { label, name, problem: broken };
  if (parts) return switches({ ...shared, words: parts, isOn: (part) => !listed.includes(part) });
  if (choices) return switches({ ...shared, words: choices, isOn: (each) => listed.includes(each) });
  // Keeps a value that an operator's command stored.
  const offered = options && [...new Set([...options, value])];
  const hint = options ? '' : `${capital(meaning)}.`;
  const example = (textName && defaultTexts(kind, settings.lang, askIn(settings))[textName]) || '';
  return field({
    id: `page-${name}`,
    name,
    label,
    value,
    hint,
    example,
    options: offered,
    isLong,
    problem: broken,
  });
}

interface Switches {
  label: string;
  name: string;
  /** The words of each switch, by its value. */
  words: Record<string, string>;
  isOn: (value: string) => boolean;
  problem: string;
}

function switches({ label, name, words, isOn, problem }: Switches): Html {
  return html`<fieldset class="field"><legend>${label}</legend>${Object.entries(words).map(
    ([value, word]) =>
      html`<label class="check"><input type="checkbox" role="switch" name="${name}" value="${value}" ${isOn(value) && 'checked'}> ${word}</label>`,
  )}${problem && html`<p class="problem">${problem}</p>`}</fieldset>`;
}

/** Returns the texts in the setting `texts`, including invalid ones. */
function replacedTexts(setting = ''): Record<string, string> {
  try {
    return JSON.parse(setting) ?? {};
  } catch {
    return {};
  }
}

/** The subheadings of the replaceable texts, each by the name of the first text below it. */
const textHeadings: Record<Page['kind'], Partial<Record<string, string>>> = {
  form: {
    content: 'Fields',
    send: 'Sending',
    left: 'Character counter',
    required: 'Error messages',
    usedTitle: 'Problems when sending',
  } satisfies Partial<Record<FormTextName, string>>,
  wall: {
    testimonials: 'Cards',
    more: 'Buttons and links',
    some: 'Counts and messages',
    video: 'Recordings',
  } satisfies Partial<Record<TextName, string>>,
};

/**
 * Returns a field for each text that can be replaced, with the text as its label. A text that is empty by
 * default is a hint below the preceding field, and its label says so: “Below “Your name””.
 */
function textFields(kind: Page['kind'], value: string, lang: string | undefined, problem: string): Html {
  const replaced = replacedTexts(value);
  const all = replaceableTexts(kind, lang);
  // Some hints of forms exist only if the owner writes them.
  const labelOf = (text: string, i: number) => text || `Below “${all[i - 1]?.[1]}”`;
  const textField = ([name, text]: (typeof all)[number], i: number) => {
    const heading = textHeadings[kind][name];
    return html`${heading && html`<h3>${heading}</h3>`}${field({
      id: `page-texts-${name}`,
      name: `texts.${name}`,
      label: labelOf(text, i),
      value: replaced[name] ?? '',
    })}`;
  };
  return html`<details ${problem && 'open'}><summary>Other texts</summary>
    <p class="hint">Leave a field empty to use the text shown above it.</p>${problem && html`<p class="problem">${problem}</p>`}
    ${all.map(textField)}</details>`;
}
