/** The list, with every parameter of the API, and what is done with one testimonial, a selection, or all that match. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { ListQuery } from '../../domain/list-query.ts';
import { filterNames } from '../../domain/testimonial-filter.ts';
import { counted } from '../../domain/wording.ts';
import { type ListBody, listBodyOf } from '../../list-testimonials/list-body.ts';
import { parameters, readListQuery } from '../../list-testimonials/parameters.ts';
import type { Seen, Tally } from '../../operations/attempts.ts';
import { listTestimonials } from '../../operations/list-testimonials.ts';
import { type Deed, readDeed } from '../deeds.ts';
import { base } from '../parts/base.ts';
import { askToErase, cards, ofForms, selection } from '../parts/cards.ts';
import { changeEach, type Desk, type DeskEnv, type DeskPages, findEach, showPage } from '../parts/desk.ts';
import { filterForm } from '../parts/filter-form.ts';
import {
  addressOf,
  BadForm,
  type FormBody,
  formOf,
  linesOf,
  parametersIn,
  readSeen,
  seenValue,
  textOf,
  textsOf,
} from '../parts/forms.ts';
import type { Html } from '../parts/html.ts';
import { decisionsOn } from '../parts/testimonial.ts';
import { authorForm } from './author-page.ts';
import { askToEraseAll, showStep } from './matching-page.ts';

const path = `${base}/list`;

/** Its forms are sent to its own address, which says what is listed, and its answer tells what became of them. */
export const listPages: DeskPages = new Hono<DeskEnv>()
  .get('/', (c) => show(c))
  .post('/', async (c) => {
    const body = await formOf(c);
    try {
      return await answer(c, body);
    } catch (error) {
      if (!(error instanceof BadForm)) throw error;
      return show(c, { told: problemPart([error.message]), typed: textOf(body, 'tags'), status: 422 });
    }
  });

/** Does what a form asks for: with one by its own button, with those that are selected, or with all that match. */
async function answer(c: Context<DeskEnv>, body: FormBody): Promise<Response> {
  const { desk } = c.var;
  const [ownName, only] = textOf(body, 'one').split(' on ');
  // The button of a card is about that card, whatever is selected.
  const isOne = only !== undefined;
  const name = (isOne && ownName) || textOf(body, 'action');
  const isAll = !isOne && textOf(body, 'all') !== '';
  const seen = (isOne ? [only] : textsOf(body, 'seen')).map(readSeen);
  if (!isAll && seen.length === 0) throw new BadForm('Select testimonials first.');
  if (name === 'ask to erase') return isAll ? askToEraseAll(c, body) : ask(c, seen);
  const deed = readDeed(desk, name, textOf(body, 'tags'));
  if (isAll) return showStep(c, deed, body);
  const tally = await changeEach(desk, seen, deed.to);
  return show(c, { told: await toldPart(desk, deed, tally, searchIn(c)) });
}

function searchIn(c: Context): URLSearchParams {
  return parametersIn(c.req.url, Object.keys(parameters));
}

/** Asks whether those that are still there are to be erased. */
async function ask(c: Context<DeskEnv>, seen: readonly Seen[]): Promise<Response> {
  const { desk } = c.var;
  const list = addressOf(path, searchIn(c));
  const ids = seen.map(({ id }) => id);
  const found = await findEach(desk, ids);
  const form = html`${found.map((each) => html`<input type="hidden" name="seen" value="${seenValue(each)}">`)}
    ${cards(desk, found, { use: 'erase' })}`;
  const main =
    found.length === 0
      ? html`<h1>Erase</h1><p>None of these is there any more. <a href="${list}">Back to the list</a></p>`
      : askToErase(found.length, form, list);
  return showPage(c, 'list', main, { title: 'Erase' });
}

interface Told {
  told?: Html;
  /** Tags that were typed for what could not be done. */
  typed?: string;
  status?: 422;
}

/** Shows the list that an address asks for, or what is wrong with that. */
function show(c: Context<DeskEnv>, { told, typed, status }: Told = {}): Promise<Response> {
  const search = searchIn(c);
  const read = readListQuery(search.toString());
  const shown =
    'wrong' in read
      ? html`<div id="results">${problemPart(linesOf(read.wrong))}</div>`
      : foundPart(c.var.desk, search, read.query, { told, typed });
  const main = html`<h1>Testimonials</h1>${filterForm(search)}${authorForm()}${shown}`;
  return showPage(c, 'list', main, { status: 'wrong' in read ? 400 : (status ?? 200) });
}

async function foundPart(
  desk: Desk,
  search: URLSearchParams,
  query: ListQuery,
  { told, typed }: { told: Html | undefined; typed: string | undefined },
): Promise<Html> {
  const { stores, organization } = desk;
  const until = stores.now().toISOString();
  const listed = await listTestimonials(stores, organization, query);
  const body = listBodyOf(query, listed);
  const { testimonials, pagination } = body;
  const { total } = pagination;
  const decisions = await decisionsOn(desk, testimonials);
  const action = addressOf(path, search);
  const found =
    testimonials.length > 0
      ? selection(desk, testimonials, {
          action,
          matching: { total, until, edition: listed.edition },
          typed,
          decisions,
        })
      : html`<div class="empty"><p class="empty-title">${total === 0 ? 'No testimonials.' : 'No such page.'}</p>
          <p class="muted"><a href="${path}">Show all</a></p></div>`;
  return html`<div id="results" hx-boost="true" hx-target="#results" hx-select="#results" hx-select-oob="#pending,#notices"
      hx-swap="outerHTML show:window:top">
    ${told}
    <div class="results-head">
      <p class="count" role="status">${counted(total, 'testimonial')}</p>
      ${total > 0 && desk.pages.includes('files') && exportLinks(search)}
    </div>
    ${found}
    ${pager(search, pagination)}
  </div>`;
}

function problemPart(lines: readonly string[]): Html {
  return html`<div class="notice wrong" role="alert">${lines.map((line) => html`<p>${line}</p>`)}</div>`;
}

function exportLinks(search: URLSearchParams): Html {
  const narrowed = [...search].filter(([name]) => filterNames.some((each) => each === name));
  const at = (format: string) =>
    `${base}/files/export?${new URLSearchParams([...narrowed, ['format', format]])}`;
  return html`<p class="muted export">Export these:
    <a href="${at('csv')}" hx-boost="false" download>CSV</a> · <a href="${at('ndjson')}" hx-boost="false" download>NDJSON</a></p>`;
}

/** What became of what a form asked for, and what somebody else had changed meanwhile, to be decided again. */
async function toldPart(desk: Desk, deed: Deed, tally: Tally, search: URLSearchParams): Promise<Html> {
  const lines = [
    { some: tally.done, text: deed.told },
    { some: tally.already, text: 'left as before: nothing was to be changed.' },
    { some: tally.absent, text: 'not there any more.' },
    { some: tally.tooManyTags, text: 'would have too many tags: nothing was changed.' },
  ].filter(({ some }) => some.length > 0);
  const conflicts = await findEach(desk, tally.conflict);
  const [it, these, they] = conflicts.length === 1 ? ['it', 'it', 'it is'] : ['them', 'these', 'they are'];
  const changed = () => html`<section class="changed" aria-labelledby="changed">
    <h2 id="changed">Changed by somebody else since you saw ${it}</h2>
    <p class="muted">Nothing was done with ${these}. As ${they} now:</p>
    <form method="post" action="${addressOf(path, search)}" ${ofForms}>${cards(desk, conflicts, { use: 'decide' })}</form>
  </section>`;
  return html`<div class="told" role="status">
    ${lines.map(({ some, text }) => html`<p class="notice">${counted(some.length, 'testimonial')} ${text}</p>`)}
    ${conflicts.length > 0 && changed()}
  </div>`;
}

/** Links to the neighbours and to both ends, and a field for any other page. */
function pager(search: URLSearchParams, { page, totalPages }: ListBody['pagination']): Html | '' {
  if (totalPages <= 1 && page <= 1) return '';
  const others = [...search].filter(([name]) => name !== 'page');
  const link = (to: number, label: string, isThere: boolean) => {
    if (!isThere) return html`<span class="button off" aria-hidden="true">${label}</span>`;
    const query = new URLSearchParams([...others, ['page', String(to)]]);
    return html`<a class="button" href="${path}?${query}">${label}</a>`;
  };
  return html`<nav class="pager" aria-label="Pages">
    ${link(1, 'First', page > 1)}${link(Math.min(page - 1, totalPages), 'Previous', page > 1)}
    <form method="get" action="${path}" class="to-page">
      ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
      <label>Page <input name="page" inputmode="numeric" value="${page}" size="4" autocomplete="off"></label>
      of ${totalPages.toLocaleString('en')}
      <button class="small">Go</button>
    </form>
    ${link(page + 1, 'Next', page < totalPages)}${link(totalPages, 'Last', page < totalPages)}
  </nav>`;
}
