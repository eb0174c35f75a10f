/** Form fields for the parameters of a list. */
import { html } from 'hono/html';
import * as v from 'valibot';
import { capital } from '../../domain/wording.ts';
import { parameters } from '../../list-testimonials/parameters.ts';
import { field, wordOf } from './field.ts';
import { withQuery } from './forms.ts';
import { icon } from './icon.ts';
import type { Html } from './layout.ts';

type Name = keyof typeof parameters;

/** Labels that differ from the parameter's name. */
const labels: Partial<Record<Name, string>> = { rating: 'Minimum rating', limit: 'Per page' };

const examples: Partial<Record<Name, string>> = {
  search: 'Words or a name',
  tags: 'For example: support, featured',
};

const choicesOfNumbers: Partial<Record<Name, readonly string[]>> = {
  rating: ['', '1', '2', '3', '4', '5'],
  limit: ['10', '25', '50', '100'],
};

/** The parameter that shows that the form was submitted, rather than sent while someone types. */
export const submitted = 'submitted';

interface Filters {
  path: string;
  search: URLSearchParams;
  /** The names of the filters in the sheet. */
  names: readonly Name[];
  /** The field next to the button that opens the sheet. */
  beside?: Html;
  /** htmx attributes. */
  live?: Html;
}

/**
 * Returns the form that filters a page. A button opens its sheet, which is a popover, so that it needs no
 * script.
 */
export function filterForm({ path, search, names, beside, live }: Filters): Html {
  const isOther = (name: string) => name !== 'page' && !names.some((each) => each === name);
  const others = new URLSearchParams([...search].filter(([name]) => isOther(name)));
  return html`<form class="find" id="find" method="get" action="${path}" role="search" aria-label="Testimonials" ${live}>
    ${beside}
    <button type="button" popovertarget="filters">${icon('sliders')} Filters</button>
    <div popover id="filters" class="sheet" role="dialog" aria-label="Filters">
      <div class="page-head"><h2>Filters</h2>
        <button type="button" class="small quiet" popovertarget="filters" popovertargetaction="hide">Close</button></div>
      <div class="filters">${names.map((name) => fieldOf(name, search.getAll(name).join(','), { sort: search.get('sort') }))}</div>
      <div class="buttons"><button class="solid" ${live && html`name="${submitted}" value="yes"`}>Show matches</button> <a class="button quiet" href="${withQuery(path, others)}">Reset</a></div>
    </div>
  </form>`;
}

/** Returns a link for each active filter, which removes the filter. */
export function chips({ path, search, names }: Filters): Html | '' {
  const set = names.filter((name) => search.get(name) && search.get(name) !== defaultOf(name));
  if (set.length === 0) return '';
  const chip = (name: Name) => {
    const others = [...search].filter(([each]) => each !== name && each !== 'page');
    const isTyped = name === 'search' || name === 'tags';
    const value = isTyped
      ? search.getAll(name).join(', ')
      : wordsOf(name, search.get('sort'))(search.get(name) ?? '');
    return html`<li><a class="chip" href="${withQuery(path, new URLSearchParams(others))}"><span class="visually-hidden">Remove the filter </span>${labelOf(name)}: <bdi>${value}</bdi> ${icon('x-lg')}</a></li>`;
  };
  return html`<ul class="chips" aria-label="Filters">${set.map(chip)}</ul>`;
}

/** The filters of the list's sheet: tags first, the number per page last. Tabs choose a status. */
export const listFilters = (Object.keys(parameters) as Name[]) // of a constant
  .filter((name) => !['page', 'search', 'status'].includes(name))
  .toSorted((a, b) => rank(a) - rank(b));

function rank(name: Name): number {
  return Number(name !== 'tags') + Number(name === 'limit');
}

function labelOf(name: Name): string {
  return labels[name] ?? capital(name);
}

function defaultOf(name: Name): string {
  return String(parameters[name].default ?? '');
}

/** Returns the words for the values of a parameter. The words for the order depend on the sort. */
function wordsOf(name: Name, sort: string | null): (value: string) => string {
  return (value) => wordOf(name === 'order' && sort === 'rating' ? `rating ${value}` : value);
}

interface FieldOptions {
  example?: string;
  /** The sort of the list, if it is not the date. */
  sort?: string | null;
}

export function fieldOf(
  name: Name,
  value: string,
  { example = examples[name] ?? '', sort = null }: FieldOptions = {},
): Html {
  const chosen = value === '' ? defaultOf(name) : value;
  const offered = offeredWords(name) ?? choicesOfNumbers[name];
  // A value from the URL is shown even if it is not an option.
  const options = offered && [...new Set([...offered, chosen])].toSorted(byNumber);
  return field({
    id: `filter-${name}`,
    name,
    label: labelOf(name),
    type: name === 'search' ? 'search' : 'text',
    example,
    words: wordsOf(name, sort),
    ...(options ? { value: chosen, options } : { value }),
  });
}

/** Returns the words that a parameter accepts, if they are a closed set. */
function offeredWords(name: Name): readonly string[] | undefined {
  const { enum: words } = v.getMetadata(parameters[name].schema);
  return words as readonly string[] | undefined; // from the metadata of `oneOf`
}

/** Orders numbers, and keeps the order of words. */
function byNumber(a: string, b: string): number {
  return Number(a) - Number(b) || 0;
}
