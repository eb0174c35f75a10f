/**
 * What is done with all testimonials that match: in steps, each of which answers with a page that asks for the next one. The page
 * carries how far that is, so that it may be left and gone on with.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import type { Testimonial } from '../../domain/testimonial.ts';
import { applyChange } from '../../domain/testimonial-change.ts';
import { filterNames } from '../../domain/testimonial-filter.ts';
import { counted } from '../../domain/wording.ts';
import { nextMatching, OtherEdition } from '../../operations/find-matching.ts';
import type { Deed } from '../deeds.ts';
import { base } from '../parts/base.ts';
import { askToErase } from '../parts/cards.ts';
import { changeEach, type DeskEnv, showPage } from '../parts/desk.ts';
import { addressOf, BadForm, type FormBody, listQueryOf, parametersIn } from '../parts/forms.ts';
import { carriedIn, carrying, count, goOn } from '../parts/steps.ts';

/**
 * How far it is, as a form carries it: `all` is when they were shown, `edition` in which edition of the list, `of` how many they were,
 * `page` where the next step begins.
 */
const carried = v.object({
  all: v.pipe(v.string(), v.isoTimestamp()),
  edition: v.string(),
  of: count,
  page: count,
  done: count,
  tags: v.string(),
});

/**
 * Takes the next step and shows how far that is.
 * @throws {BadForm} where others may match by now
 */
export async function showStep(c: Context<DeskEnv>, { name, told, to }: Deed, body: FormBody) {
  const { desk } = c.var;
  const before = carriedIn(body, carried);
  const { done, of } = before;
  const { search, list } = matchingIn(c);
  const shown = { filter: listQueryOf(search).filter, until: before.all, edition: before.edition };
  const isOpen = (testimonial: Testimonial) =>
    to === 'erase' || ![testimonial, undefined].includes(applyChange(testimonial, to));
  const step = await nextMatching(
    desk.stores,
    desk.organization,
    shown,
    Math.max(1, before.page),
    isOpen,
  ).catch((error: unknown) => {
    if (!(error instanceof OtherEdition)) throw error;
    const soFar = done > 0 ? `${counted(done, 'testimonial')} ${told} ` : '';
    throw new BadForm(
      `${soFar}${error.message} Look at the list as it is now, and select all that match again.`,
    );
  });
  if (!step) {
    const main = html`<h1 tabindex="-1" data-focus>Done</h1>
    <div role="status"><p class="notice">${counted(done, 'testimonial')} ${told}</p>
    ${of > done && html`<p class="notice">${counted(of - done, 'testimonial')} left alone: changed by somebody else since they were shown, or there was nothing to change.</p>`}</div>
    <p><a class="button" href="${list}">Back to the list</a></p>`;
    return showPage(c, 'list', main, { title: 'Done' });
  }
  const tally = await changeEach(desk, step.matching, to);
  const now = { ...before, page: step.page, done: done + tally.done.length };
  const main = goOn({
    title: 'Going on',
    said: html`<p>${now.done.toLocaleString('en')} of ${counted(of, 'testimonial')} ${told}</p>
      <progress max="${of}" value="${now.done}" aria-label="Done">${now.done}</progress>
      <p class="muted">What is done is stored. To go on later, select all that match again.</p>`,
    address: list,
    values: { action: name, ...now },
    stop: list,
  });
  return showPage(c, 'list', main, { title: 'Going on' });
}

/** Asks whether all are to be erased. */
export function askToEraseAll(c: Context<DeskEnv>, body: FormBody): Promise<Response> {
  const { all, edition, of } = carriedIn(body, carried);
  const form = carrying({ all, edition, of });
  return showPage(c, 'list', askToErase(of, form, matchingIn(c).list), { title: 'Erase' });
}

/** What narrows the list, and where that is; how it is ordered and paged does not matter. */
function matchingIn(c: Context) {
  const search = parametersIn(c.req.url, filterNames);
  return { search, list: addressOf(`${base}/list`, search) };
}
