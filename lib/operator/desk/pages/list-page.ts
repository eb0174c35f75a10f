/** The list, with every parameter of the API, and what is done with one testimonial or a selection. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import type { Testimonial } from '../../../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../../../functions/domain/testimonial-change.ts';
import type { ErrorDetails } from '../../../../functions/http/api-error.ts';
import { describeIssues, queryValues } from '../../../../functions/http/validate.ts';
import type { ListBody } from '../../../../functions/list-testimonials/contract.ts';
import { listBodyOf } from '../../../../functions/list-testimonials/list-body.ts';
import { listQuery } from '../../../../functions/list-testimonials/parameters.ts';
import { listTestimonials } from '../../../../functions/operations/list-testimonials.ts';
import { changeSeen, type Seen } from '../../moderation/change-seen.ts';
import { counted } from '../../terminal/formatting.ts';
import type { Desk } from '../desk.ts';
import { filterForm } from '../parts/filter-form.ts';
import { BadForm, type FormBody, readSeen, readTags, seenValue, textOf, textsOf } from '../parts/forms.ts';
import { type Html, layout } from '../parts/layout.ts';
import type { Told, ToldOutcomes } from '../parts/outcome.ts';
import { pager } from '../parts/pager.ts';
import { byline, facts, foldedContent, stars, statusPill, tagList } from '../parts/testimonial.ts';

/** Adds the list. */
export function listPages(desk: Desk, outcomes: ToldOutcomes): Hono {
  const app = new Hono();
  app.get('/', async (c) => {
    const search = new URL(c.req.url).searchParams;
    const told = outcomes.find(search.get('told'));
    search.delete('told');
    const read = v.safeParse(listQuery, queryValues(search.toString()), { abortPipeEarly: true });
    const frame = await desk.frame();
    if (!read.success) {
      const wrong = describeIssues(read.issues);
      return c.html(layout(frame, titled, listPage(search, refused(wrong))), 400);
    }
    const { query } = read.output;
    const body = listBodyOf(query, await listTestimonials(desk.session(), desk.organization, query));
    return c.html(layout(frame, titled, listPage(search, results(search, body, told))));
  });

  app.post('/', async (c) => {
    const body = await c.req.parseBody({ all: true });
    const back = new URLSearchParams(textOf(body, 'back'));
    const { action, seen } = askedIn(body);
    if (action === 'erase' && seen.length > 0) {
      const asked = new URLSearchParams({ back: back.toString() });
      for (const each of seen) asked.append('seen', seenValue(each));
      // htmx would look for a list in the page that asks.
      if (c.req.header('hx-request')) return c.body('', 200, { 'hx-redirect': `/erase?${asked}` });
      return c.redirect(`/erase?${asked}`, 303);
    }
    back.set('told', outcomes.tell(await act(desk, { action, seen, tags: textOf(body, 'tags') })));
    return c.redirect(`/list?${back}`, 303);
  });
  return app;
}

const titled = { current: 'list', title: 'Testimonials' } as const;

/** What is to be done with which: with one by its own button, or with those that are selected. */
function askedIn(body: FormBody): { action: string; seen: Seen[] } {
  const [action = '', one] = textOf(body, 'one').split(' ');
  if (one !== undefined) return { action, seen: readSeen([one]) };
  return { action: textOf(body, 'action'), seen: readSeen(textsOf(body, 'seen')) };
}

async function act(
  desk: Desk,
  { action, seen, tags }: { action: string; seen: readonly Seen[]; tags: string },
): Promise<Told> {
  if (seen.length === 0) return { problem: 'Select testimonials first.' };
  try {
    const { change, done } = changeOf(action, tags);
    return { outcome: await changeSeen(desk.session(), desk.organization, seen, change), done };
  } catch (error) {
    if (error instanceof BadForm) return { problem: error.message };
    throw error;
  }
}

function changeOf(action: string, tags: string): { change: TestimonialChange; done: string } {
  switch (action) {
    case 'approve':
      return { change: { status: 'approved' }, done: 'approved' };
    case 'reject':
      return { change: { status: 'rejected' }, done: 'rejected' };
    case 'tag':
      return { change: { addTags: readTags(tags), removeTags: [] }, done: 'tagged' };
    case 'untag':
      return { change: { addTags: [], removeTags: readTags(tags) }, done: 'rid of the tag' };
    default:
      throw new BadForm('The page asked for nothing that can be done.');
  }
}

function listPage(search: URLSearchParams, shown: Html): Html {
  return html`<h1>Testimonials</h1>
  ${filterForm(search)}
  ${shown}`;
}

function refused(wrong: ErrorDetails): Html {
  return html`<div id="results"><div class="notice wrong" role="alert">
    ${Object.entries(wrong).map(([field, rule]) => html`<p><strong>${field}</strong> ${rule}.</p>`)}
  </div></div>`;
}

function results(
  search: URLSearchParams,
  { testimonials, pagination }: ListBody,
  told: Told | undefined,
): Html {
  const { total } = pagination;
  const narrowed = new URLSearchParams(search);
  for (const name of ['page', 'limit', 'sort', 'order']) narrowed.delete(name);
  const back = search.toString();
  return html`<div id="results" hx-boost="true" hx-target="#results" hx-select="#results" hx-select-oob="#pending"
      hx-swap="outerHTML show:window:top">
    ${told ? toldPart(told, back) : ''}
    <div class="results-head">
      <p class="count" role="status">${counted(total, 'testimonial')}</p>
      ${total === 0 ? '' : exportLinks(narrowed)}
    </div>
    ${
      testimonials.length > 0
        ? selection('selection', testimonials, back)
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
function toldPart({ problem, outcome, done }: Told, back: string): Html {
  if (problem !== undefined) return html`<p class="notice wrong" role="alert">${problem}</p>`;
  if (!outcome) return html``;
  const { changed, same, gone, full } = outcome;
  const few = [
    outcome.done.length > 0 && `${counted(outcome.done.length, 'testimonial')} ${done}.`,
    same.length > 0 && `${counted(same.length, 'testimonial')} left as before: nothing was to be changed.`,
    gone.length > 0 && `${counted(gone.length, 'testimonial')} not there any more.`,
    full.length > 0 &&
      `${counted(full.length, 'testimonial')} would have too many tags: nothing was changed.`,
  ].filter((line) => line !== false);
  return html`<div class="told" role="status">
    ${few.map((line) => html`<p class="notice">${line}</p>`)}
    ${
      changed.length === 0
        ? ''
        : html`<section class="changed" aria-labelledby="changed">
          <h2 id="changed">Changed by somebody else since you saw ${changed.length === 1 ? 'it' : 'them'}</h2>
          <p class="muted">Nothing was done with ${changed.length === 1 ? 'it' : 'these'}. As ${changed.length === 1 ? 'it is' : 'they are'} now:</p>
          <form method="post" action="/list"><input type="hidden" name="back" value="${back}">
            ${cards(changed, { isSelectable: false })}</form>
        </section>`
    }
  </div>`;
}

function selection(id: string, testimonials: readonly Testimonial[], back: string): Html {
  return html`<form method="post" action="/list" id="${id}" class="selection">
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
