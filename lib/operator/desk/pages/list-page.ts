/** The list, with every parameter of the API, and what is done with one testimonial or a selection. */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Testimonial } from '../../../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../../../functions/domain/testimonial-change.ts';
import type { ListBody } from '../../../../functions/list-testimonials/contract.ts';
import { listBodyOf } from '../../../../functions/list-testimonials/list-body.ts';
import { parameters } from '../../../../functions/list-testimonials/parameters.ts';
import type { Seen, Tally } from '../../../../functions/operations/attempts.ts';
import { changeEach } from '../../../../functions/operations/change-testimonial.ts';
import { eraseEach } from '../../../../functions/operations/erase-testimonial.ts';
import { findTestimonial } from '../../../../functions/operations/find-testimonial.ts';
import { listTestimonials } from '../../../../functions/operations/list-testimonials.ts';
import { readListQuery } from '../../list-query.ts';
import { counted } from '../../terminal/formatting.ts';
import type { Desk } from '../desk.ts';
import { filterForm } from '../parts/filter-form.ts';
import {
  BadForm,
  type FormBody,
  linesOf,
  parametersIn,
  readSeen,
  readTagging,
  seenValue,
  textOf,
  textsOf,
} from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { byline, facts, foldedContent, stars, statusPill, tagList } from '../parts/testimonial.ts';

/** Adds the list. Its forms are sent to its own address, which says what is listed, and its answer tells what became of them. */
export function listPages(desk: Desk): Hono {
  const app = new Hono();
  app.get('/', (c) => show(c, desk));

  app.post('/', async (c) => {
    const body = await c.req.parseBody({ all: true });
    const session = desk.session();
    try {
      const { action, seen } = askedIn(body);
      if (action === 'ask to erase') {
        const found = await findEach(
          desk,
          seen.map(({ id }) => id),
        );
        const main = askToErase(found, listAt(searchIn(c)));
        return c.html(await desk.page('list', main, { title: 'Erase' }));
      }
      const tally =
        action === 'erase'
          ? await eraseEach(session, desk.organization, seen)
          : await changeEach(session, desk.organization, seen, changes[action](textOf(body, 'tags')));
      const conflicts = await findEach(desk, tally.conflict);
      return show(c, desk, toldPart(action, { tally, conflicts }, searchIn(c)));
    } catch (error) {
      if (!(error instanceof BadForm)) throw error;
      return show(c, desk, problemPart([error.message]), 422);
    }
  });
  return app;
}

function searchIn(c: Context): URLSearchParams {
  return parametersIn(c.req.url, Object.keys(parameters));
}

function listAt(search: URLSearchParams): string {
  return search.size === 0 ? '/list' : `/list?${search}`;
}

/** The testimonials that are there of some, as they are now. */
async function findEach(desk: Desk, ids: readonly string[]): Promise<Testimonial[]> {
  const { testimonials } = desk.session();
  const found = await Promise.all(ids.map((id) => findTestimonial(testimonials, desk.organization, id)));
  return found.flatMap((each) => (each ? [each.testimonial] : []));
}

/** Shows the list that an address asks for, or what is wrong with that. */
async function show(
  c: Context,
  desk: Desk,
  told: Html | '' = '',
  status: 200 | 422 = 200,
): Promise<Response> {
  const search = searchIn(c);
  const read = readListQuery(search.toString());
  const page = (shown: Html) => {
    return desk.page('list', html`<h1>Testimonials</h1>${filterForm(search)}${shown}`);
  };
  if ('wrong' in read) {
    return c.html(await page(html`<div id="results">${problemPart(linesOf(read.wrong))}</div>`), 400);
  }
  const body = listBodyOf(read.query, await listTestimonials(desk.session(), desk.organization, read.query));
  return c.html(await page(results(search, body, told)), status);
}

/** What a form asks to be changed. */
const changes = {
  approve: () => ({ status: 'approved' }),
  reject: () => ({ status: 'rejected' }),
  tag: (tags) => readTagging('addTags', tags),
  untag: (tags) => readTagging('removeTags', tags),
} as const satisfies Record<string, (tags: string) => TestimonialChange>;

/** What can be done, as it is told. */
const deeds: Record<keyof typeof changes | 'erase', string> = {
  approve: 'approved',
  reject: 'rejected',
  tag: 'tagged',
  untag: 'rid of the tag',
  erase: 'erased; the words leave the index within a minute',
};

type Deed = keyof typeof deeds;

/**
 * What is to be done with which: with one by its own button, or with those that are selected.
 * @throws {BadForm}
 */
function askedIn(body: FormBody): { action: Deed | 'ask to erase'; seen: Seen[] } {
  const [one, only] = textOf(body, 'one').split(' on ');
  const name = only === undefined ? textOf(body, 'action') : one;
  const seen = (only === undefined ? textsOf(body, 'seen') : [only]).map(readSeen);
  const actions = [...(Object.keys(deeds) as Deed[]), 'ask to erase'] as const; // of the table
  const action = actions.find((each) => each === name);
  if (!action) throw new BadForm('The page asked for nothing that can be done.');
  if (seen.length === 0) throw new BadForm('Select testimonials first.');
  return { action, seen };
}

function problemPart(lines: readonly string[]): Html {
  return html`<div class="notice wrong" role="alert">${lines.map((line) => html`<p>${line}</p>`)}</div>`;
}

// What a form does can change the whole page; a link, the list alone.
const ofForms = html`hx-target="#main" hx-select="#main"`;

function results(search: URLSearchParams, { testimonials, pagination }: ListBody, told: Html | ''): Html {
  const { total } = pagination;
  const narrowed = new URLSearchParams(search);
  for (const name of ['page', 'limit', 'sort', 'order']) narrowed.delete(name);
  return html`<div id="results" hx-boost="true" hx-target="#results" hx-select="#results" hx-select-oob="#pending"
      hx-swap="outerHTML show:window:top">
    ${told}
    <div class="results-head">
      <p class="count" role="status">${counted(total, 'testimonial')}</p>
      ${total === 0 ? '' : exportLinks(narrowed)}
    </div>
    ${
      testimonials.length > 0
        ? selection(testimonials, search)
        : html`<div class="empty"><p class="empty-title">${total === 0 ? 'No testimonials.' : 'No such page.'}</p>
            <p class="muted"><a href="/list">Show all</a></p></div>`
    }
    ${pager(search, pagination)}
  </div>`;
}

function exportLinks(narrowed: URLSearchParams): Html {
  const path = (format: string) => `/files/export?${new URLSearchParams([...narrowed, ['format', format]])}`;
  return html`<p class="muted export">Export these:
    <a href="${path('csv')}" hx-boost="false" download>CSV</a> · <a href="${path('ndjson')}" hx-boost="false" download>NDJSON</a></p>`;
}

/** What became of what a form asked for, and what somebody else had changed meanwhile, to be decided again. */
function toldPart(
  deed: Deed,
  { tally, conflicts }: { tally: Tally; conflicts: readonly Testimonial[] },
  search: URLSearchParams,
): Html {
  const lines = [
    { some: tally.done, text: `${deeds[deed]}.` },
    { some: tally.already, text: 'left as before: nothing was to be changed.' },
    { some: tally.absent, text: 'not there any more.' },
    { some: tally.tooManyTags, text: 'would have too many tags: nothing was changed.' },
  ].filter(({ some }) => some.length > 0);
  const [it, these, they] = conflicts.length === 1 ? ['it', 'it', 'it is'] : ['them', 'these', 'they are'];
  return html`<div class="told" role="status">
    ${lines.map(({ some, text }) => html`<p class="notice">${counted(some.length, 'testimonial')} ${text}</p>`)}
    ${
      conflicts.length === 0
        ? ''
        : html`<section class="changed" aria-labelledby="changed">
          <h2 id="changed">Changed by somebody else since you saw ${it}</h2>
          <p class="muted">Nothing was done with ${these}. As ${they} now:</p>
          <form method="post" action="${listAt(search)}" ${ofForms}>${cards(conflicts, 'decide')}</form>
        </section>`
    }
  </div>`;
}

function selection(testimonials: readonly Testimonial[], search: URLSearchParams): Html {
  return html`<form method="post" action="${listAt(search)}" id="selection" class="selection" ${ofForms}>
    <button class="visually-hidden" name="action" value="tag" tabindex="-1" aria-hidden="true"></button>
    <div class="toolbar" role="group" aria-label="With the selected">
      <label class="check select-all" hidden><input type="checkbox" data-select-all> <span data-selected>Select all</span></label>
      <div class="buttons">
        <button name="action" value="approve" class="approve">Approve</button>
        <button name="action" value="reject" class="reject">Reject</button>
        <button name="action" value="ask to erase" class="quiet danger">Erase …</button>
      </div>
      <div class="buttons tagging">
        <label class="visually-hidden" for="tags-to-change">Tags, separated by commas</label>
        <input id="tags-to-change" name="tags" placeholder="Tags" autocomplete="off" maxlength="400">
        <button name="action" value="tag">Add tag</button>
        <button name="action" value="untag" class="quiet">Remove tag</button>
      </div>
    </div>
    ${cards(testimonials, 'select')}
  </form>`;
}

/** @param use what a card is for: to be selected, to be decided again, or to be looked at before it is erased */
function cards(testimonials: readonly Testimonial[], use: 'select' | 'decide' | 'erase'): Html {
  const selectable = (each: Testimonial) =>
    use === 'select' ? html`<input type="checkbox" name="seen" value="${seenValue(each)}">` : '';
  return html`<ul class="cards">${testimonials.map(
    (each) => html`<li class="card" id="${use === 'select' ? each.id : `${each.id}-${use}`}">
      <header class="card-head">
        <label class="check who">${selectable(each)}<span>${byline(each)}</span></label>
        <span class="marks">${stars(each.rating)} ${statusPill(each.status)}</span>
      </header>
      ${foldedContent(each)}
      ${tagList(each)}
      <footer class="card-foot">${facts(each)}${use === 'erase' ? '' : ownButtons(each)}</footer>
    </li>`,
  )}</ul>`;
}

function ownButtons(each: Testimonial): Html {
  const button = (action: string, label: string, kind: string) =>
    html`<button name="one" value="${action} on ${seenValue(each)}" class="${kind}">${label}<span class="visually-hidden"> the testimonial of ${each.author.name}</span></button>`;
  return html`<div class="buttons">
    ${each.status === 'approved' ? '' : button('approve', 'Approve', 'small approve')}
    ${each.status === 'rejected' ? '' : button('reject', 'Reject', 'small reject')}
    ${button('ask to erase', 'Erase …', 'small quiet danger')}
  </div>`;
}

/**
 * Asks once more before anything is erased, with that before one's eyes.
 * @param list the address of the list to which it leads back
 */
function askToErase(testimonials: readonly Testimonial[], list: string): Html {
  const number = counted(testimonials.length, 'testimonial');
  if (testimonials.length === 0) {
    return html`<h1>Erase</h1><p>None of these is there any more. <a href="${list}">Back to the list</a></p>`;
  }
  return html`<h1 tabindex="-1" data-focus>Erase ${number} for good?</h1>
  <p>Texts, authors and tags go from every list and from the index, and nobody can bring them back.
    A wall or an export that was made before still has them.</p>
  <form method="post" action="${list}">
    ${testimonials.map((each) => html`<input type="hidden" name="seen" value="${seenValue(each)}">`)}
    ${cards(testimonials, 'erase')}
    <div class="buttons ask"><button name="action" value="erase" class="danger solid">Erase for good</button>
      <a class="button quiet" href="${list}">Keep ${testimonials.length === 1 ? 'it' : 'them'}</a></div>
  </form>`;
}

/** Links to the neighbours and to both ends, and a field for any other page. */
export function pager(search: URLSearchParams, { page, totalPages }: ListBody['pagination']): Html | '' {
  if (totalPages <= 1 && page <= 1) return '';
  const others = [...search].filter(([name]) => name !== 'page');
  const link = (to: number, label: string, isThere: boolean) => {
    if (!isThere) return html`<span class="button off" aria-hidden="true">${label}</span>`;
    const query = new URLSearchParams([...others, ['page', String(to)]]);
    return html`<a class="button" href="/list?${query.toString()}">${label}</a>`;
  };
  return html`<nav class="pager" aria-label="Pages">
    ${link(1, 'First', page > 1)}${link(Math.min(page - 1, totalPages), 'Previous', page > 1)}
    <form method="get" action="/list" class="to-page">
      ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
      <label>Page <input name="page" inputmode="numeric" value="${page}" size="4" autocomplete="off"></label>
      of ${totalPages.toLocaleString('en')}
      <button class="small">Go</button>
    </form>
    ${link(page + 1, 'Next', page < totalPages)}${link(totalPages, 'Last', page < totalPages)}
  </nav>`;
}
