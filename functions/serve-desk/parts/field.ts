/** A form field with its label, and the rule that its value breaks. */
import { html, raw } from 'hono/html';
import { capital } from '../../domain/wording.ts';
import type { Html } from './layout.ts';

interface Field {
  id: string;
  name: string;
  label: string;
  value: string;
  type?: 'text' | 'search';
  /** Shown in an empty field. */
  example?: string;
  /** Shown below the field. */
  hint?: string;
  /** The options to choose from. If absent, the value is typed. */
  options?: readonly string[] | undefined;
  /** The words for an empty option; “Any” by default. */
  none?: string;
  /** Returns the words for an option; those of `wordOf` by default. */
  words?: (value: string) => string;
  /** True for a color, which has an additional color picker. */
  hasPicker?: boolean;
  /** True for an e-mail address, for which phones show a suitable keyboard. */
  isAddress?: boolean;
  /** True for a text of several lines. */
  isLong?: boolean | undefined;
  /** The rule that the value breaks. */
  problem?: string | undefined;
}

const optionLabels: Record<string, string> = {
  createdAt: 'Date created',
  updatedAt: 'Last updated',
  asc: 'Oldest first',
  desc: 'Newest first',
  'createdAt desc': 'Newest first',
  'createdAt asc': 'Oldest first',
  'rating desc': 'Highest rating first',
  'rating asc': 'Lowest rating first',
  all: 'Any',
  auto: 'Automatic',
  single: 'One at a time',
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
};

/** Returns the words for a value in a choice. */
export function wordOf(value: string): string {
  return optionLabels[value] ?? capital(value);
}

export function field({ id, name, label, value, hint, problem, ...kind }: Field): Html {
  const described = describedBy(id, hint, problem);
  return html`<div class="field field-${name}"><label for="${id}">${label}</label>
    ${control(html`id="${id}" name="${name}" ${described.attributes}`, value, kind)}${described.texts}</div>`;
}

/**
 * Returns the hint, the message about a broken rule, and the attributes of the control that refer to both.
 */
export function describedBy(id: string, hint: Html | string = '', problem = '') {
  const ids = [hint && `${id}-hint`, problem && `${id}-problem`].filter((each) => each);
  return {
    attributes: html`${ids.length > 0 && html`aria-describedby="${ids.join(' ')}"`} ${problem && raw('aria-invalid="true" autofocus')}`,
    texts: html`${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}${problem && html`<p class="problem" id="${id}-problem">${problem}</p>`}`,
  };
}

function control(
  shared: Html,
  value: string,
  {
    type = 'text',
    example = '',
    options,
    none = 'Any',
    words = wordOf,
    hasPicker,
    isAddress,
    isLong,
  }: Omit<Field, 'id' | 'name' | 'label' | 'value' | 'hint' | 'problem'>,
): Html {
  const option = (each: string) =>
    html`<option value="${each}" ${each === value && 'selected'}>${each === '' ? none : words(each)}</option>`;
  if (options) return html`<select ${shared}>${options.map(option)}</select>`;
  // Browsers ignore the line break after <textarea ...>.
  if (isLong) return html`<textarea ${shared} rows="3" placeholder="${example}">\n${value}</textarea>`;
  const input = html`<input ${shared} type="${type}" value="${value}" placeholder="${example}" autocomplete="off" ${isAddress && raw('inputmode="email" autocapitalize="none"')}>`;
  if (!hasPicker) return input;
  // Browsers show a value that is not a color as black.
  const color = /^#[0-9a-f]{6}$/i.test(value) ? value : example;
  return html`<div class="with-color">${input}<input type="color" value="${color}" aria-label="Choose a color" autocomplete="off"></div>`;
}

interface TagField {
  id: string;
  typed: string;
  /** Tags to suggest. */
  known: readonly string[];
  problem?: string | undefined;
  /** Shown in the empty field; a tag by default. */
  example?: string;
  /** The id of its form, if the field is outside of it. */
  form?: string;
}

/** Returns the field for tags to add, without its label. */
export function tagField({ id, typed, known, problem, form, ...shown }: TagField): Html {
  const { example = 'For example: support' } = shown;
  const hint = 'Visitors see the tags of approved testimonials.';
  const { attributes, texts } = describedBy(id, hint, problem);
  return html`<div class="field"><input id="${id}" name="tags" value="${typed}" placeholder="${example}" autocomplete="off" maxlength="400"
    list="${id}-known" ${form && html`form="${form}"`} ${attributes}>
    <datalist id="${id}-known">${known.map((tag) => html`<option value="${tag}">`)}</datalist>${texts}</div>`;
}
