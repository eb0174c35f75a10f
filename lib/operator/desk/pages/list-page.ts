/** The list, with every parameter of the API, and what is done with one testimonial or a selection. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Testimonial } from '../../../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../../../functions/domain/testimonial-change.ts';
import type { ListBody } from '../../../../functions/list-testimonials/contract.ts';
import { listBodyOf } from '../../../../functions/list-testimonials/list-body.ts';
import { parameters } from '../../../../functions/list-testimonials/parameters.ts';
import type { Seen } from '../../../../functions/operations/attempts.ts';
import { changeEach } from '../../../../functions/operations/change-testimonial.ts';
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
import { type Html, layout } from '../parts/layout.ts';
import { pager } from '../parts/pager.ts';
import { byline, facts, foldedContent, stars, statusPill, tagList } from '../parts/testimonial.ts';
import { listThatTells, type Told, toldIn, toldLines } from '../parts/told.ts';

/** Adds the list. */
export function listPages(desk: Desk): Hono {
  const app = new Hono();
  app.get('/', async (c) => {
    const search = parametersIn(c.req.url, Object.keys(parameters));
    const told = toldIn(c.req.url);
    const { page, status } = await show(desk, search, told && (await toldPart(desk, told, search)));
    return c.html(page, status);
  });

  app.post('/', async (c) => {
    const body = await c.req.parseBody({ all: true });
    const back = textOf(body, 'back');
    try {
      const { action, seen } = askedIn(body);
      if (action === 'erase') {
        const asked = new URLSearchParams({ back });
        for (const each of seen) asked.append('seen', seenValue(each));
        // htmx would look for a list in the page that asks.
        if (c.req.header('hx-request')) return c.body('', 200, { 'hx-redirect': `/erase?${asked}` });
        return c.redirect(`/erase?${asked}`, 303);
      }
      const change = changes[action](textOf(body, 'tags'));
      const tally = await changeEach(desk.session(), desk.organization, seen, change);
      return c.redirect(listThatTells(back, action, tally), 303);
    } catch (error) {
      if (!(error instanceof BadForm)) throw error;
      const { page } = await show(desk, new URLSearchParams(back), problemPart([error.message]));
      // The address stays that of the list.
      c.header('hx-push-url', 'false');
      return c.html(page, 422);
    }
  });
  return app;
}

/** The page of a list, or of what is wrong with what it asks for. */
async function show(desk: Desk, search: URLSearchParams, told: Html | '' = '') {
  const read = readListQuery(search.toString());
  const titled = { current: 'list', title: 'Testimonials' } as const;
  const frame = await desk.frame();
  if ('wrong' in read) {
    const problem = html`<div id="results">${problemPart(linesOf(read.wrong))}</div>`;
    return { page: layout(frame, titled, listPage(search, problem)), status: 400 } as const;
  }
  const body = listBodyOf(read.query, await listTestimonials(desk.session(), desk.organization, read.query));
  const page = layout(frame, titled, listPage(search, results(search, body, told)));
  return { page, status: 200 } as const;
}

/** What a form asks to be done, but for erasing. */
const changes = {
  approve: () => ({ status: 'approved' }),
  reject: () => ({ status: 'rejected' }),
  tag: (tags) => readTagging('addTags', tags),
  untag: (tags) => readTagging('removeTags', tags),
} as const satisfies Record<string, (tags: string) => TestimonialChange>;

type Action = keyof typeof changes | 'erase';

/**
 * What is to be done with which: with one by its own button, or with those that are selected.
 * @throws {BadForm}
 */
function askedIn(body: FormBody): { action: Action; seen: Seen[] } {
  const [one, only] = textOf(body, 'one').split(' ');
  const name = only === undefined ? textOf(body, 'action') : one;
  const seen = (only === undefined ? textsOf(body, 'seen') : [only]).map(readSeen);
  const action = ([...Object.keys(changes), 'erase'] as Action[]).find((each) => each === name); // of the table
  if (!action) throw new BadForm('The page asked for nothing that can be done.');
  if (seen.length === 0) throw new BadForm('Select testimonials first.');
  return { action, seen };
}

function listPage(search: URLSearchParams, shown: Html): Html {
  return html`<h1>Testimonials</h1>
  ${filterForm(search)}
  ${shown}`;
}

function problemPart(lines: readonly string[]): Html {
  return html`<div class="notice wrong" role="alert">${lines.map((line) => html`<p>${line}</p>`)}</div>`;
}

function results(search: URLSearchParams, { testimonials, pagination }: ListBody, told: Html | ''): Html {
  const { total } = pagination;
  const narrowed = new URLSearchParams(search);
  for (const name of ['page', 'limit', 'sort', 'order']) narrowed.delete(name);
  const back = search.toString();
  return html`<div id="results" hx-boost="true" hx-target="#results" hx-select="#results" hx-select-oob="#pending"
      hx-swap="outerHTML show:window:top">
    ${told}
    <div class="results-head">
      <p class="count" role="status">${counted(total, 'testimonial')}</p>
      ${total === 0 ? '' : exportLinks(narrowed)}
    </div>
    ${
      testimonials.length > 0
        ? selection(testimonials, back)
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

/** What became of the last thing that was asked, and what somebody else had changed meanwhile, to be decided again. */
async function toldPart(desk: Desk, told: Told, search: URLSearchParams): Promise<Html> {
  const { testimonials } = desk.session();
  const found = await Promise.all(
    told.conflict.map((id) => findTestimonial(testimonials, desk.organization, id)),
  );
  const changed = found.flatMap((each) => (each ? [each.testimonial] : []));
  const [it, these, they] = changed.length === 1 ? ['it', 'it', 'it is'] : ['them', 'these', 'they are'];
  return html`<div class="told" role="status">
    ${toldLines(told)}
    ${
      changed.length === 0
        ? ''
        : html`<section class="changed" aria-labelledby="changed">
          <h2 id="changed">Changed by somebody else since you saw ${it}</h2>
          <p class="muted">Nothing was done with ${these}. As ${they} now:</p>
          <form method="post" action="/list"><input type="hidden" name="back" value="${search.toString()}">
            ${cards(changed, { isSelectable: false })}</form>
        </section>`
    }
  </div>`;
}

function selection(testimonials: readonly Testimonial[], back: string): Html {
  return html`<form method="post" action="/list" id="selection" class="selection">
    <input type="hidden" name="back" value="${back}">
    <button class="visually-hidden" name="action" value="tag" tabindex="-1" aria-hidden="true"></button>
    <div class="toolbar" role="group" aria-label="With the selected">
      <label class="check select-all" hidden><input type="checkbox" data-select-all> <span data-selected>Select all</span></label>
      <div class="buttons">
        <button name="action" value="approve" class="approve">Approve</button>
        <button name="action" value="reject" class="reject">Reject</button>
        <button name="action" value="erase" class="quiet danger">Erase …</button>
      </div>
      <div class="buttons tagging">
        <label class="visually-hidden" for="tags-to-change">Tags, separated by commas</label>
        <input id="tags-to-change" name="tags" placeholder="Tags" autocomplete="off" maxlength="400">
        <button name="action" value="tag">Add tag</button>
        <button name="action" value="untag" class="quiet">Remove tag</button>
      </div>
    </div>
    ${cards(testimonials, { isSelectable: true })}
  </form>`;
}

function cards(testimonials: readonly Testimonial[], { isSelectable }: { isSelectable: boolean }): Html {
  return html`<ul class="cards">${testimonials.map(
    (each) => html`<li class="card" id="${isSelectable ? each.id : `${each.id}-changed`}">
      <header class="card-head">
        <label class="check who">${
          isSelectable ? html`<input type="checkbox" name="seen" value="${seenValue(each)}">` : ''
        }<span>${byline(each)}</span></label>
        <span class="marks">${stars(each.rating)} ${statusPill(each.status)}</span>
      </header>
      ${foldedContent(each)}
      ${tagList(each)}
      <footer class="card-foot">${facts(each)}${ownButtons(each)}</footer>
    </li>`,
  )}</ul>`;
}

function ownButtons(each: Testimonial): Html {
  const button = (action: string, label: string, kind: string) =>
    html`<button name="one" value="${action} ${seenValue(each)}" class="${kind}">${label}<span class="visually-hidden"> the testimonial of ${each.author.name}</span></button>`;
  return html`<div class="buttons">
    ${each.status === 'approved' ? '' : button('approve', 'Approve', 'small approve')}
    ${each.status === 'rejected' ? '' : button('reject', 'Reject', 'small reject')}
    ${button('erase', 'Erase …', 'small quiet danger')}
  </div>`;
}
