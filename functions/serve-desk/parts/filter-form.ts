/** Form fields for the parameters of a list. */
import { toJsonSchema } from '@valibot/to-json-schema';
import { html } from 'hono/html';
import { capital } from '../../domain/wording.ts';
import { parameters } from '../../list-testimonials/parameters.ts';
import { deskPath } from './assets.ts';
import { field } from './field.ts';
import type { Html } from './layout.ts';

type Name = keyof typeof parameters;

/** The fields that are always visible. */
const first: readonly Name[] = ['search', 'status', 'rating'];

/** Labels that differ from the parameter's name. */
const labels: Partial<Record<Name, string>> = { rating: 'Minimum rating', limit: 'Per page' };

const choicesOfNumbers: Partial<Record<Name, readonly string[]>> = {
  rating: ['', '1', '2', '3', '4', '5'],
  limit: ['10', '25', '50', '100'],
};

/** Returns the form that filters the list. It updates the list as you type; without JavaScript, at the press of its button. */
export function filterForm(search: URLSearchParams): Html {
  const current = (name: Name) => fieldOf(name, search.getAll(name).join(','));
  const isOpen = more.some((name) => search.get(name) && search.get(name) !== defaultOf(name));
  return html`<form class="filters card" method="get" action="${deskPath}/list" role="search" aria-label="Testimonials"
      hx-get="${deskPath}/list" hx-trigger="submit, change, input delay:300ms from:find [type=search]" hx-target="#results"
      hx-select="#results" hx-swap="outerHTML" hx-push-url="true" hx-sync="this:replace">
    ${first.map(current)}
    <div class="filter-buttons"><button>Show</button> <a class="button quiet" href="${deskPath}/list">Reset</a></div>
    <details class="more-filters" ${isOpen && 'open'}><summary>More filters and order</summary>
      <div class="filters">${more.map(current)}</div></details>
  </form>`;
}

const more = (Object.keys(parameters) as Name[])
  .filter((name) => name !== 'page' && !first.includes(name))
  // Tags first, the number per page last.
  .toSorted((a, b) => rank(a) - rank(b));

function rank(name: Name): number {
  return Number(name !== 'tags') + Number(name === 'limit');
}

function defaultOf(name: Name): string {
  return String(parameters[name].default ?? '');
}

/**
 * Returns the field of a parameter.
 * @param excluded options to leave out
 */
export function fieldOf(name: Name, value: string, excluded: readonly string[] = []): Html {
  const { enum: choices } = toJsonSchema(parameters[name].schema, { errorMode: 'ignore' });
  const chosen = value === '' ? defaultOf(name) : value;
  const options = choices?.map(String).filter((each) => !excluded.includes(each)) ?? choicesOfNumbers[name];
  return field({
    id: `filter-${name}`,
    name,
    label: labels[name] ?? capital(name),
    type: name === 'search' ? 'search' : 'text',
    hint: name === 'tags' ? 'support, featured' : '',
    // A value from the URL is shown even if it is not an option.
    ...(options
      ? { value: chosen, options: options.includes(chosen) ? options : [...options, chosen] }
      : { value }),
  });
}
