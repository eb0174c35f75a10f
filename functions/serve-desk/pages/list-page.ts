/** The list of testimonials: filters, pages, and actions on one testimonial, a selection, or all matches. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import * as v from 'valibot';
import { emailAddress } from '../../domain/email-address.ts';
import type { ListQuery } from '../../domain/list-query.ts';
import type { SeenVersion } from '../../domain/outcomes.ts';
import { type Page, pinnedBy } from '../../domain/page.ts';
import { statuses, type Testimonial } from '../../domain/testimonial.ts';
import { filterNames } from '../../domain/testimonial-filter.ts';
import { capital, counted } from '../../domain/wording.ts';
import type { ListBody } from '../../list-testimonials/list-body.ts';
import { listBodyOf } from '../../list-testimonials/make-list-body.ts';
import { parameters, readListQuery } from '../../list-testimonials/parameters.ts';
import {
  type Action,
  cardValue,
  changeOrEraseEach,
  type DeskTally,
  readAction,
  readCardValue,
} from '../parts/actions.ts';
import { cards, confirmation, erasureText, mainTarget, replacesMain, selection } from '../parts/cards.ts';
import { type Desk, type DeskEnv, type DeskPages, findEach } from '../parts/desk.ts';
import { chips, fieldOf, filterForm, listFilters, submitted } from '../parts/filter-form.ts';
import { firstStep } from '../parts/first-step.ts';
import {
  BadForm,
  type FormBody,
  fieldText,
  fieldTexts,
  formOf,
  parametersIn,
  problemSentences,
  readSeen,
  seenValue,
  withQuery,
} from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { redirectWithNote } from '../parts/note.ts';
import { isOwnNavigation } from '../parts/own-origin.ts';
import { deskPath, filesPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';
import { factsOf } from '../parts/testimonial.ts';
import { addPath } from './add-page.ts';
import { authorOffer, authorPath, findAllBy } from './author-page.ts';
import { changeNextMatches, confirmMatches, showProgress } from './matching-page.ts';
import { ownWalls, setPin } from './pins-part.ts';

const path = `${deskPath}/list`;

// The maximum page size of a list.
const maxSelected = 100;

/**
 * The list's forms post to its own URL. Actions redirect to the same list, so that going back repeats
 * nothing.
 */
export const listPages: DeskPages = new Hono<DeskEnv>()
  .get('/', showOrFind)
  .get('/erase', askToErase)
  .get('/pin', chooseWall)
  .get('/confirm', confirmMatches)
  .get('/progress', showProgress)
  .post('/', async (c) => {
    const body = await formOf(c);
    try {
      return await act(c, body);
    } catch (error) {
      // This includes `NotAllowed`: the list stays on the page.
      if (!(error instanceof BadForm)) throw error;
      const { field, message } = error;
      const kept = {
        typed: fieldText(body, 'tags'),
        selected: fieldTexts(body, 'seen'),
        status: 422,
      } as const;
      return show(c, { ...kept, [field === 'tags' ? 'problem' : 'failure']: message });
    }
  });

async function act(c: Context<DeskEnv>, body: FormBody): Promise<Response> {
  const { desk } = c.var;
  const { name, one, isAll, seen } = readListForm(body);
  const search = actionSearchIn(c);
  const pageAbout = (page: string) => {
    search.set('ids', seen.map(({ id }) => id).join());
    return c.redirect(withQuery(`${path}/${page}`, search), 303);
  };
  if (name === 'ask to erase') return pageAbout('erase');
  if (one && name === 'choose wall') return pageAbout('pin');
  const pin = one && readPin(name);
  if (pin) return redirectWithNote(c, returnPath(search), await setPin(desk, { ...pin, id: one.id }));
  // An erasure cannot be undone, and the person may no longer be allowed to erase.
  if (name === 'erase') await desk.confirmVisit();
  const action = readAction(desk, name, fieldText(body, 'tags'));
  // Asks first. The form then comes back with `confirmed`.
  if (isAll) return changeNextMatches(c, action, body);
  const tally = await changeOrEraseEach(desk, seen, action.to);
  const text = outcomeText(action, tally);
  if (tally.conflict.length === 0) return redirectWithNote(c, returnPath(search), text);
  // Only the list shows conflicts, even for actions on the page of an author.
  search.set('changed', tally.conflict.join());
  search.delete('author');
  return redirectWithNote(c, withQuery(path, search), text);
}

/** The form of a pressed button: its action, and the selected testimonials or all that match. */
interface ListForm {
  /** As sent, or `erase` to erase all matches. It is a `ButtonAction`, unless the form is out of date. */
  name: string;
  /** The testimonial of a button on a card, which ignores the selection. */
  one: SeenVersion | undefined;
  isAll: boolean;
  /** Ignored if `isAll`. */
  seen: SeenVersion[];
}

/** @throws {BadForm} if nothing is selected, or too many are */
function readListForm(body: FormBody): ListForm {
  const ofCard = readCardValue(fieldText(body, 'one'));
  // The value is the time of the list (matching-page.ts).
  const isAll = !ofCard && fieldText(body, 'all') !== '';
  const typedName = ofCard?.action ?? fieldText(body, 'action');
  // For all matches, every action asks on its own page (`confirmMatches`).
  const name = isAll && typedName === 'ask to erase' ? 'erase' : typedName;
  const seen = ofCard ? [ofCard.seen] : fieldTexts(body, 'seen').map(readSeen);
  if (!isAll && seen.length === 0) throw new BadForm('Select testimonials first.');
  if (seen.length > maxSelected) throw new BadForm(`Select at most ${maxSelected} testimonials.`);
  return { name, one: ofCard?.seen, isAll, seen };
}

/** Reads the action `pin <wall>` or `unpin <wall>`. */
function readPin(name: string): { wallId: string; isPinned: boolean } | undefined {
  const [, verb, wallId = ''] = /^(pin|unpin) (\w+)$/.exec(name) ?? [];
  return verb === undefined ? undefined : { wallId, isPinned: verb === 'pin' };
}

/** Returns the parameters of an action: the parameters of the list, or of the page about an author. */
function actionSearchIn(c: Context): URLSearchParams {
  return parametersIn(c.req.url, [...Object.keys(parameters), 'author']);
}

/** Returns the page to which an action returns. */
function returnPath(search: URLSearchParams): string {
  const author = search.get('author');
  return author === null ? withQuery(path, search) : withQuery(authorPath, new URLSearchParams(author));
}

/**
 * Shows the list. If the search is an e-mail address, goes directly to everything by that person, but not
 * while someone is typing, because the address may be unfinished. htmx sends the button's value only when the
 * form is submitted.
 */
async function showOrFind(c: Context<DeskEnv>): Promise<Response> {
  const { success, output: email } = v.safeParse(emailAddress, searchIn(c).get('search') ?? '');
  const isTyping = c.req.header('hx-request') !== undefined && c.req.query(submitted) === undefined;
  // This search reads a lot, so other websites must not be able to start it.
  if (!success || isTyping || !isOwnNavigation(c)) return show(c);
  const found = await findAllBy(c, email);
  return typeof found === 'string' ? show(c, { none: found }) : found;
}

function searchIn(c: Context): URLSearchParams {
  return parametersIn(c.req.url, Object.keys(parameters));
}

/** Finds the testimonials that a parameter of the URL lists. */
function listedIn(c: Context<DeskEnv>, parameter: 'ids' | 'changed'): Promise<Testimonial[]> {
  return findEach(c.var.desk, (c.req.query(parameter) ?? '').split(',').slice(0, maxSelected));
}

async function askToErase(c: Context<DeskEnv>): Promise<Response> {
  const { desk } = c.var;
  const search = actionSearchIn(c);
  const testimonials = await listedIn(c, 'ids');
  const fields = html`${testimonials.map((each) => html`<input type="hidden" name="seen" value="${seenValue(each)}">`)}
    ${cards(desk, testimonials, { use: 'look' })}`;
  const main =
    testimonials.length === 0
      ? html`<h1>Erase</h1><p>These testimonials no longer exist. <a href="${path}">Back to the list</a></p>`
      : confirmation({
          action: readAction(desk, 'erase', ''),
          count: testimonials.length,
          text: erasureText(testimonials.length),
          fields,
          list: withQuery(path, search),
          back: returnPath(search),
        });
  return showPage(c, 'list', main, { title: 'Erase' });
}

/** Shows the walls on which a testimonial can be pinned or unpinned. */
async function chooseWall(c: Context<DeskEnv>): Promise<Response> {
  const { desk } = c.var;
  const search = actionSearchIn(c);
  const [testimonial] = await listedIn(c, 'ids');
  const walls = await ownWalls(desk);
  if (!testimonial || walls.length === 0) return c.redirect(returnPath(search), 303);
  const wallCard = (wall: Page) => {
    const isPinned = pinnedBy(wall).includes(testimonial.id);
    const [action, label] = isPinned ? (['unpin', 'Unpin'] as const) : (['pin', 'Pin'] as const);
    return html`<li class="card card-head"><h2><bdi>${wall.title}</bdi></h2>
      <button name="one" value="${cardValue(`${action} ${wall.id}`, testimonial)}">${label}<span class="visually-hidden"> ${action === 'pin' ? 'to' : 'from'} ${wall.title}</span></button></li>`;
  };
  const main = html`<p><a class="back" href="${returnPath(search)}">Testimonials</a></p>
    <h1 tabindex="-1" data-focus>Pin to a wall</h1>
    <p class="muted">A wall shows its pinned testimonials first.</p>
    <form method="post" action="${withQuery(path, search)}" ${replacesMain}><ul class="cards">${walls.map(wallCard)}</ul></form>
    ${cards(desk, [testimonial], { use: 'look', walls })}`;
  return showPage(c, 'list', main, { title: 'Pin to a wall' });
}

interface ListOptions {
  /** The text that says that there is no testimonial by a person. */
  none?: string;
  /** The reason that an action failed. */
  failure?: string;
  /** Tags to keep in their field, and the rule that they break. */
  typed?: string;
  problem?: string;
  /** The values of the selected testimonials. */
  selected?: string[];
  status?: 422;
}

/** Shows the list of the URL, or the errors in its parameters. */
function show(c: Context<DeskEnv>, options: ListOptions = {}): Promise<Response> {
  const search = searchIn(c);
  const read = readListQuery(search.toString());
  const results =
    'wrong' in read
      ? html`<div id="results">${problemPart(problemSentences(read.wrong))}</div>`
      : resultsPart(c, search, read.query, options);
  // The back button leaves the list, without a stop for each letter of a search. The field for the order is
  // also replaced, because its words depend on the sort: “Lowest rating first”.
  const live = html`hx-get="${path}" hx-trigger="submit, change from:find .sheet, input delay:300ms from:find [type=search]" hx-target="#results"
      hx-select="#results" hx-swap="outerHTML" hx-replace-url="true" hx-sync="this:replace"
      hx-select-oob="#filter-order"`;
  const status = search.get('status');
  // Without a status, which the tabs choose.
  const beside = html`${fieldOf('search', search.get('search') ?? '', { example: 'Search' })}${status && html`<input type="hidden" name="status" value="${status}">`}`;
  const main = html`<h1 class="visually-hidden">Testimonials</h1>
    ${filterForm({ path, search, names: listFilters, beside, live })}${results}`;
  return showPage(c, 'list', main, { status: 'wrong' in read ? 400 : (options.status ?? 200) });
}

async function resultsPart(
  c: Context<DeskEnv>,
  search: URLSearchParams,
  query: ListQuery,
  { failure, none, ...kept }: ListOptions,
): Promise<Html> {
  const { desk } = c.var;
  // Read before the list, because a `ShownList` must not contain testimonials that arrive during the read.
  const until = desk.now().toISOString();
  const [listed, changed, walls] = await Promise.all([
    desk.testimonials.list(query),
    listedIn(c, 'changed'),
    ownWalls(desk),
  ]);
  const { testimonials, pagination } = listBodyOf(query, listed);
  const { total } = pagination;
  const records = await factsOf(desk, testimonials);
  const head = html`<p class="count" role="status">${counted(total, 'testimonial')}</p>
    <a class="button small" href="${addPath}"><span>Add<span class="wide"> a testimonial</span></span></a>
    ${desk.pages.includes('files') && exportLink(search, total)}`;
  const matching = { total, until, edition: listed.edition };
  const list =
    testimonials.length > 0
      ? selection(desk, testimonials, {
          action: withQuery(path, search),
          head,
          matching,
          records,
          walls,
          ...kept,
        })
      : emptyPart(desk, search, total, none);
  const filters = { path, search, names: listFilters };
  return html`<div id="results" hx-boost="true" hx-target="#results" hx-select="#results"
      hx-select-oob="#pending,#message:innerHTML,#find" hx-swap="outerHTML show:none">
    ${failure !== undefined && problemPart([failure])}
    ${changed.length > 0 && conflictPart(desk, changed, search)}
    ${statusTabs(search)}${chips(filters)}
    ${none === undefined && authorOffer(search.get('search') ?? '')}
    ${none !== undefined && testimonials.length > 0 && html`<p class="notice">${none} The text of ${testimonials.length === 1 ? 'this one' : 'these'} mentions the address:</p>`}
    ${list}
    ${pager(search, pagination)}
  </div>`;
}

/** Explains an empty list and offers the next step. */
function emptyPart(desk: Desk, search: URLSearchParams, total: number, none?: string): Html {
  if (total === 0 && search.size === 0) {
    return html`<div class="empty"><p class="empty-title">There are no testimonials yet.</p>
      <p class="muted">${firstStep(desk)}</p>
      <p><a class="button small" href="${addPath}">Add a testimonial</a></p></div>`;
  }
  const words = search.get('search');
  const status = search.get('status');
  const among = status && status !== 'all' ? ` ${status}` : '';
  // The form above finds an e-mail address.
  if (total === 0 && none === undefined && words?.includes('@')) return html``;
  const title =
    total > 0
      ? 'The list has fewer pages now'
      : words
        ? html`Nothing${among} matches “<bdi>${words}</bdi>”`
        : 'Nothing matches these filters';
  return html`<div class="empty"><p class="empty-title">${none ?? title}</p>
    ${search.size > 0 && total === 0 && html`<p><a class="button small" href="${path}">Show all testimonials</a></p>`}</div>`;
}

/** Returns links to the same list of each status. */
function statusTabs(search: URLSearchParams): Html {
  const current = search.get('status') ?? parameters.status.default;
  const others = [...search].filter(([name]) => name !== 'status' && name !== 'page');
  const tab = (status: string) =>
    html`<li><a href="${path}?${new URLSearchParams([...others, ['status', status]])}" ${status === current && html`aria-current="true"`}>${capital(status)}</a></li>`;
  return html`<nav aria-label="Status"><ul class="tabs">${['all', ...statuses].map(tab)}</ul></nav>`;
}

function problemPart(lines: readonly string[]): Html {
  return html`<div class="notice wrong" role="alert">${lines.map((line) => html`<p>${line}</p>`)}</div>`;
}

function exportLink(search: URLSearchParams, total: number): Html {
  const filter = [...search].filter(([name]) => filterNames.some((each) => each === name));
  const path = withQuery(filesPath, new URLSearchParams(filter));
  return html`<a class="button small quiet" href="${path}#export" hx-boost="false">Export ${total === 1 ? 'it' : 'these'}</a>`;
}

function outcomeText({ name, doneText }: Action, tally: DeskTally): string {
  const wereOf = ({ length }: readonly unknown[]) => (length === 1 ? 'was' : 'were');
  const lines = [
    { ids: tally.done, text: doneText },
    {
      ids: tally.already,
      text: name === 'erase' ? `${wereOf(tally.already)} already erased.` : 'needed no change.',
    },
    { ids: tally.absent, text: 'could not be found.' },
    { ids: tally.tooManyTags, text: 'skipped: too many tags. Remove some first.' },
    {
      ids: tally.unreadable,
      text: `${wereOf(tally.unreadable)} damaged. Some words may remain in the index: ask your administrator to run “index verify --repair”.`,
    },
  ].filter(({ ids }) => ids.length > 0);
  return lines.map(({ ids, text }) => `${counted(ids.length, 'testimonial')} ${text}`).join(' ');
}

/** Offers a new decision on testimonials that someone else has changed in the meantime. */
function conflictPart(desk: Desk, conflicts: readonly Testimonial[], search: URLSearchParams): Html {
  const isOne = conflicts.length === 1;
  return html`<section class="changed" aria-labelledby="changed">
    <h2 id="changed">Someone else changed ${isOne ? 'this testimonial' : 'these testimonials'} first</h2>
    <p class="muted">Your change was not saved. Check the new version and decide again:</p>
    <form method="post" action="${withQuery(path, search)}" ${mainTarget}>${cards(desk, conflicts, { use: 'decide' })}</form>
  </section>`;
}

/** Links to the first, previous, next and last page, and a field for any page. */
function pager(search: URLSearchParams, { page, totalPages }: ListBody['pagination']): Html | '' {
  if (totalPages <= 1 && page <= 1) return '';
  const others = [...search].filter(([name]) => name !== 'page');
  const link = (to: number, label: string, isEnabled: boolean, kind = '') => {
    if (!isEnabled) return html`<span class="button off ${kind}" aria-hidden="true">${label}</span>`;
    const query = new URLSearchParams([...others, ['page', String(to)]]);
    return html`<a class="button ${kind}" href="${path}?${query}">${label}</a>`;
  };
  return html`<nav class="pager" aria-label="Pages" hx-swap="outerHTML show:window:top">
    ${link(1, 'First', page > 1, 'edge')}${link(Math.max(1, Math.min(page - 1, totalPages)), 'Previous', page > 1)}
    <form method="get" action="${path}" class="to-page">
      ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
      <label><span class="wide">Page </span><input name="page" inputmode="numeric" value="${page}" size="4" autocomplete="off"></label>
      of ${totalPages.toLocaleString('en')}
      <button>Go</button>
    </form>
    ${link(page + 1, 'Next', page < totalPages)}${link(totalPages, 'Last', page < totalPages, 'edge')}
  </nav>`;
}
