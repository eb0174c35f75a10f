/** The list of testimonials: filters, pages, and actions on one testimonial, a selection, or all matches. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { ListQuery } from '../../domain/list-query.ts';
import { filterNames } from '../../domain/testimonial-filter.ts';
import { counted } from '../../domain/wording.ts';
import { type ListBody, listBodyOf } from '../../list-testimonials/list-body.ts';
import { parameters, readListQuery } from '../../list-testimonials/parameters.ts';
import type { Seen, Tally } from '../../operations/attempts.ts';
import { listTestimonials } from '../../operations/list-testimonials.ts';
import { deskPath } from '../parts/assets.ts';
import { cards, confirmErasure, mainTarget, selection } from '../parts/cards.ts';
import {
  type Action,
  changeEach,
  type Desk,
  type DeskEnv,
  type DeskPages,
  findEach,
  readAction,
  showPage,
} from '../parts/desk.ts';
import { filterForm } from '../parts/filter-form.ts';
import {
  BadForm,
  type FormBody,
  formOf,
  linesOf,
  parametersIn,
  readSeen,
  seenValue,
  textOf,
  textsOf,
  withQuery,
} from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { recordsOf } from '../parts/testimonial.ts';
import { authorForm } from './author-page.ts';
import { changeNextMatches, confirmErasureOfMatches } from './matching-page.ts';

const path = `${deskPath}/list`;

/** The list's forms post to its own URL, so the response shows the same list again. */
export const listPages: DeskPages = new Hono<DeskEnv>()
  .get('/', (c) => show(c))
  .post('/', async (c) => {
    const body = await formOf(c);
    try {
      return await act(c, body);
    } catch (error) {
      if (!(error instanceof BadForm)) throw error;
      return show(c, { outcome: problemPart([error.message]), typed: textOf(body, 'tags'), status: 422 });
    }
  });

async function act(c: Context<DeskEnv>, body: FormBody): Promise<Response> {
  const { desk } = c.var;
  const [cardAction, cardSeen] = textOf(body, 'one').split(' on ');
  // A card's own button ignores the selection.
  const isOne = cardSeen !== undefined;
  const name = (isOne && cardAction) || textOf(body, 'action');
  const isAll = !isOne && textOf(body, 'all') !== '';
  const seen = (isOne ? [cardSeen] : textsOf(body, 'seen')).map(readSeen);
  if (!isAll && seen.length === 0) throw new BadForm('Select testimonials first.');
  if (name === 'ask to erase') return isAll ? confirmErasureOfMatches(c, body) : askToErase(c, seen);
  const action = readAction(desk, name, textOf(body, 'tags'));
  if (isAll) return changeNextMatches(c, action, body);
  const tally = await changeEach(desk, seen, action.to);
  return show(c, { outcome: await outcomePart(desk, action, tally, searchIn(c)) });
}

function searchIn(c: Context): URLSearchParams {
  return parametersIn(c.req.url, Object.keys(parameters));
}

async function askToErase(c: Context<DeskEnv>, seen: readonly Seen[]): Promise<Response> {
  const { desk } = c.var;
  const list = withQuery(path, searchIn(c));
  const ids = seen.map(({ id }) => id);
  const testimonials = await findEach(desk, ids);
  const fields = html`${testimonials.map((each) => html`<input type="hidden" name="seen" value="${seenValue(each)}">`)}
    ${cards(desk, testimonials, { use: 'erase' })}`;
  const main =
    testimonials.length === 0
      ? html`<h1>Erase</h1><p>These testimonials no longer exist. <a href="${list}">Back to the list</a></p>`
      : confirmErasure(testimonials.length, fields, list);
  return showPage(c, 'list', main, { title: 'Erase' });
}

interface ListOptions {
  /** The outcome of an action, above the list. */
  outcome?: Html;
  /** Tags to keep in their field after an error. */
  typed?: string;
  status?: 422;
}

/** Shows the list of the URL, or the errors in its parameters. */
function show(c: Context<DeskEnv>, options: ListOptions = {}): Promise<Response> {
  const search = searchIn(c);
  const read = readListQuery(search.toString());
  const results =
    'wrong' in read
      ? html`<div id="results">${problemPart(linesOf(read.wrong))}</div>`
      : resultsPart(c.var.desk, search, read.query, options);
  const main = html`<h1>Testimonials</h1>${filterForm(search)}${authorForm()}${results}`;
  return showPage(c, 'list', main, { status: 'wrong' in read ? 400 : (options.status ?? 200) });
}

async function resultsPart(
  desk: Desk,
  search: URLSearchParams,
  query: ListQuery,
  { outcome, typed }: ListOptions,
): Promise<Html> {
  const { stores, organization } = desk;
  const until = stores.now().toISOString();
  const listed = await listTestimonials(stores, organization, query);
  const { testimonials, pagination } = listBodyOf(query, listed);
  const { total } = pagination;
  const records = await recordsOf(desk, testimonials);
  const list =
    testimonials.length > 0
      ? selection(desk, testimonials, {
          action: withQuery(path, search),
          matching: { total, until, edition: listed.edition },
          typed,
          records,
        })
      : html`<div class="empty"><p class="empty-title">${total === 0 ? 'No testimonials found' : 'This page does not exist'}</p>
          <p class="muted"><a href="${path}">Show all testimonials</a></p></div>`;
  return html`<div id="results" hx-boost="true" hx-target="#results" hx-select="#results" hx-select-oob="#pending,#notices"
      hx-swap="outerHTML show:window:top">
    ${outcome}
    <div class="results-head">
      <p class="count" role="status">${counted(total, 'testimonial')}</p>
      ${total > 0 && desk.pages.includes('files') && exportLinks(search)}
    </div>
    ${list}
    ${pager(search, pagination)}
  </div>`;
}

function problemPart(lines: readonly string[]): Html {
  return html`<div class="notice wrong" role="alert">${lines.map((line) => html`<p>${line}</p>`)}</div>`;
}

function exportLinks(search: URLSearchParams): Html {
  const filter = [...search].filter(([name]) => filterNames.some((each) => each === name));
  const at = (format: string) =>
    `${deskPath}/files/export?${new URLSearchParams([...filter, ['format', format]])}`;
  return html`<p class="muted export">Export these as
    <a href="${at('csv')}" hx-boost="false" download>CSV</a> or <a href="${at('ndjson')}" hx-boost="false" download>NDJSON</a></p>`;
}

/** Shows the outcome of an action, and offers a new decision on testimonials that someone else changed meanwhile. */
async function outcomePart(desk: Desk, action: Action, tally: Tally, search: URLSearchParams): Promise<Html> {
  const lines = [
    { ids: tally.done, text: action.done },
    { ids: tally.already, text: 'needed no change.' },
    { ids: tally.absent, text: 'could not be found.' },
    { ids: tally.tooManyTags, text: 'not changed: too many tags. Remove some tags first.' },
  ].filter(({ ids }) => ids.length > 0);
  const conflicts = await findEach(desk, tally.conflict);
  const isOne = conflicts.length === 1;
  const conflictPart = () => html`<section class="changed" aria-labelledby="changed">
    <h2 id="changed">Someone else changed ${isOne ? 'this testimonial' : 'these testimonials'} first</h2>
    <p class="muted">You changed nothing here. Look at ${isOne ? 'it' : 'them'} again and decide:</p>
    <form method="post" action="${withQuery(path, search)}" ${mainTarget}>${cards(desk, conflicts, { use: 'decide' })}</form>
  </section>`;
  return html`<div class="outcome" role="status">
    ${lines.map(({ ids, text }) => html`<p class="notice">${counted(ids.length, 'testimonial')} ${text}</p>`)}
    ${conflicts.length > 0 && conflictPart()}
  </div>`;
}

/** Links to the first, previous, next and last page, and a field for any other. */
function pager(search: URLSearchParams, { page, totalPages }: ListBody['pagination']): Html | '' {
  if (totalPages <= 1 && page <= 1) return '';
  const others = [...search].filter(([name]) => name !== 'page');
  const link = (to: number, label: string, isEnabled: boolean) => {
    if (!isEnabled) return html`<span class="button off" aria-hidden="true">${label}</span>`;
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
