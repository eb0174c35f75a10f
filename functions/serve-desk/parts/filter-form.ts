/** The parameters of a list as fields: each of the API, whichever they are. */
import { toJsonSchema } from '@valibot/to-json-schema';
import { html } from 'hono/html';
import { capital } from '../../domain/wording.ts';
import { parameters } from '../../list-testimonials/parameters.ts';
import { base } from './base.ts';
import type { Html } from './html.ts';

type Name = keyof typeof parameters;

/** Parameters that are asked for first; the others are folded. The pager has the page. */
const first: readonly Name[] = ['search', 'status', 'rating'];

/** Labels; a parameter that is not named here has its own name. */
const labels: Partial<Record<Name, string>> = { rating: 'Stars, at least', limit: 'On a page' };

const words: Record<string, string> = {
  createdAt: 'Created',
  updatedAt: 'Changed',
  asc: 'Ascending',
  desc: 'Descending',
};

/** Choices of numbers, which people rarely type. */
const numbers: Partial<Record<Name, readonly string[]>> = {
  rating: ['', '1', '2', '3', '4', '5'],
  limit: ['10', '25', '50', '100'],
};

/** A form that shows at once what is chosen; without a script, by its button. */
export function filterForm(search: URLSearchParams): Html {
  const shown = (name: Name) => fieldOf(name, search.getAll(name).join(','));
  const isNarrowed = folded.some((name) => search.get(name) && search.get(name) !== standardOf(name));
  return html`<form class="filters card" method="get" action="${base}/list" role="search" aria-label="Testimonials"
      hx-get="${base}/list" hx-trigger="submit, change, input delay:300ms from:find [type=search]" hx-target="#results"
      hx-select="#results" hx-swap="outerHTML" hx-push-url="true" hx-sync="this:replace">
    ${first.map(shown)}
    <div class="filter-buttons"><button>Show</button> <a class="button quiet" href="${base}/list">Reset</a></div>
    <details class="folded" ${isNarrowed && 'open'}><summary>Tags, type and order</summary>
      <div class="filters">${folded.map(shown)}</div></details>
  </form>`;
}

const folded = (Object.keys(parameters) as Name[])
  .filter((name) => name !== 'page' && !first.includes(name))
  .toSorted((a, b) => place(a) - place(b));

/** Tags before all, and last how many are on a page. */
function place(name: Name): number {
  return Number(name !== 'tags') + Number(name === 'limit');
}

function standardOf(name: Name): string {
  return String(parameters[name].default ?? '');
}

/**
 * A field of a parameter.
 * @param refused choices that it does not offer
 */
export function fieldOf(name: Name, value: string, refused: readonly string[] = []): Html {
  const { enum: choices } = toJsonSchema(parameters[name].schema, { errorMode: 'ignore' });
  const chosen = value === '' ? standardOf(name) : value;
  const options = choices?.map(String).filter((each) => !refused.includes(each)) ?? numbers[name];
  return field({
    id: `filter-${name}`,
    name,
    label: labels[name] ?? capital(name),
    type: name === 'search' ? 'search' : 'text',
    hint: name === 'tags' ? 'support, featured' : '',
    // What was typed into the address stays to be seen.
    ...(options
      ? { value: chosen, options: options.includes(chosen) ? options : [...options, chosen] }
      : { value }),
  });
}

interface Field {
  id: string;
  name: string;
  label: string;
  value: string;
  type?: 'text' | 'search';
  hint?: string;
  /** What it is, in a line. */
  title?: string;
  /** What there is to choose from, where it is not typed. */
  options?: readonly string[] | undefined;
}

export function field({ id, name, label, value, type = 'text', hint = '', title, options }: Field): Html {
  const option = (each: string) =>
    html`<option value="${each}" ${each === value && 'selected'}>${each === '' ? 'Any' : (words[each] ?? capital(each))}</option>`;
  return html`<div class="field field-${name}" ${title && html`title="${title}"`}><label for="${id}">${label}</label>
    ${
      options
        ? html`<select id="${id}" name="${name}">${options.map(option)}</select>`
        : html`<input id="${id}" name="${name}" type="${type}" value="${value}" placeholder="${hint}" autocomplete="off">`
    }</div>`;
}
