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
  /** An example. */
  hint?: string;
  /** A tooltip. */
  title?: string;
  /** Options to choose from; without them the value is typed. */
  options?: readonly string[] | undefined;
  /** True for a text of several lines. */
  isLong?: boolean | undefined;
  /** The rule that the value breaks. */
  problem?: string | undefined;
}

const optionLabels: Record<string, string> = {
  createdAt: 'Date created',
  updatedAt: 'Date changed',
  asc: 'Oldest or lowest first',
  desc: 'Newest or highest first',
};

/** Returns the words for a value to choose from. */
export function wordOf(value: string): string {
  return optionLabels[value] ?? capital(value);
}

export function field({ id, name, label, value, title, problem, ...kind }: Field): Html {
  const shared = html`id="${id}" name="${name}"${problem && raw(` aria-invalid="true" aria-describedby="${id}-problem" autofocus`)}`;
  return html`<div class="field field-${name}" ${title && html`title="${title}"`}><label for="${id}">${label}</label>
    ${control(shared, value, kind)}${problem && problemText(id, problem)}</div>`;
}

/** Returns the message about a broken rule; a control refers to it with `aria-describedby`. */
function problemText(id: string, problem: string): Html {
  return html`<p class="problem" id="${id}-problem">${problem}</p>`;
}

function control(
  shared: Html,
  value: string,
  { type = 'text', hint = '', options, isLong }: Pick<Field, 'type' | 'hint' | 'options' | 'isLong'>,
): Html {
  const option = (each: string) =>
    html`<option value="${each}" ${each === value && 'selected'}>${each === '' ? 'Any' : wordOf(each)}</option>`;
  if (options) return html`<select ${shared}>${options.map(option)}</select>`;
  // Browsers ignore the line break after <textarea ...>.
  if (isLong) return html`<textarea ${shared} rows="3">\n${value}</textarea>`;
  return html`<input ${shared} type="${type}" value="${value}" placeholder="${hint}" autocomplete="off">`;
}

interface TagField {
  id: string;
  typed: string;
  problem?: string | undefined;
  /** The id of its form, if it stands outside of it. */
  form?: string;
}

/** Returns the field for tags to add, without its label. */
export function tagField({ id, typed, problem, form }: TagField): Html {
  return html`<div class="field"><input id="${id}" name="tags" value="${typed}" placeholder="support, featured" autocomplete="off" maxlength="400"
    ${form && html`form="${form}"`} aria-describedby="${id}-hint${problem && ` ${id}-problem`}" ${problem && raw('aria-invalid="true" autofocus')}>
    <p class="hint" id="${id}-hint">Visitors see the tags of approved testimonials.</p>${problem && problemText(id, problem)}</div>`;
}
