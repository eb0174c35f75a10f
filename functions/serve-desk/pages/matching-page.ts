/**
 * What is done with all testimonials that match: in steps, each of which answers with a page that asks for the next one. The page
 * carries how far that is, so that it may be left and gone on with.
 */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import { changed } from '../../domain/testimonial-change.ts';
import { filterNames } from '../../domain/testimonial-filter.ts';
import { counted } from '../../domain/wording.ts';
import { stepThroughMatching } from '../../operations/attempt-matching.ts';
import { base } from '../base.ts';
import { changeOf, type Deed, deedOf, toldOf } from '../deeds.ts';
import { changeEach, type DeskEnv, type DeskPages, pageOf } from '../desk.ts';
import { askToErase } from '../parts/cards.ts';
import { addressOf, type FormBody, formOf, listQueryOf, parametersIn, textOf } from '../parts/forms.ts';
import type { Html } from '../parts/html.ts';
import { carriedIn, carrying, count, goOn } from '../parts/steps.ts';

/** How far it is, as a form carries it: `all` is when they were shown, `of` how many they were, `page` where the next step begins. */
const carried = v.object({
  all: v.pipe(v.string(), v.isoTimestamp()),
  of: count,
  page: count,
  done: count,
  tags: v.string(),
});

type Carried = v.InferOutput<typeof carried>;

export const matchingPages: DeskPages = new Hono<DeskEnv>().post('/', async (c) => {
  const body = await formOf(c);
  return showStep(c, deedOf(textOf(body, 'action')), body);
});

/** Takes the next step and shows how far that is. */
export async function showStep(c: Context<DeskEnv>, deed: Deed, body: FormBody): Promise<Response> {
  const { desk } = c.var;
  const before = carriedIn(body, carried);
  const to = changeOf(desk, deed, before.tags);
  const search = searchIn(c);
  const step = await stepThroughMatching(desk.stores, desk.organization, {
    filter: listQueryOf(search).filter,
    until: before.all,
    page: Math.max(1, before.page),
    isOpen: (testimonial) => to === 'erase' || ![testimonial, undefined].includes(changed(testimonial, to)),
    attempt: (some) => changeEach(desk, some, to),
  });
  const now = step ? { ...before, page: step.page, done: before.done + step.tally.done.length } : before;
  const main = step ? underWay(deed, now, search) : ended(deed, now, search);
  return c.html(await pageOf(desk, 'list', main, { title: step ? 'Going on' : 'Done' }));
}

/** Asks whether all are to be erased. */
export async function askToEraseAll(c: Context<DeskEnv>, body: FormBody): Promise<Response> {
  const search = searchIn(c);
  const { all, of } = carriedIn(body, carried);
  const main = askToErase({ count: of, form: carrying({ all, of }) }, listAt(search));
  return c.html(await pageOf(c.var.desk, 'list', main, { title: 'Erase' }));
}

/** What narrows the list; how it is ordered and paged does not matter. */
const searchIn = (c: Context) => parametersIn(c.req.url, filterNames);
const listAt = (search: URLSearchParams) => addressOf(`${base}/list`, search);

function underWay(deed: Deed, now: Carried, search: URLSearchParams): Html {
  return goOn({
    title: 'Going on',
    said: html`<p>${now.done.toLocaleString('en')} of ${counted(now.of, 'testimonial')} ${toldOf(deed)}</p>
      <progress max="${now.of}" value="${now.done}" aria-label="Done">${now.done}</progress>
      <p class="muted">What is done is stored. To go on later, select all that match again.</p>`,
    address: addressOf(`${base}/matching`, search),
    values: { action: deed, ...now },
    stop: listAt(search),
  });
}

function ended(deed: Deed, { done, of }: Carried, search: URLSearchParams): Html {
  return html`<h1 tabindex="-1" data-focus>Done</h1>
  <div role="status"><p class="notice">${counted(done, 'testimonial')} ${toldOf(deed)}</p>
  ${of > done ? html`<p class="notice">${counted(of - done, 'testimonial')} left alone: changed by somebody else since they were shown, or there was nothing to change.</p>` : ''}</div>
  <p><a class="button" href="${listAt(search)}">Back to the list</a></p>`;
}
