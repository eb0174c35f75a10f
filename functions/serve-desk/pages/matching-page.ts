/** An action on all matches of a list, in several requests. Each page carries the progress, so the work can stop and continue. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import type { Testimonial } from '../../domain/testimonial.ts';
import { applyChange } from '../../domain/testimonial-change.ts';
import { filterNames } from '../../domain/testimonial-filter.ts';
import { counted } from '../../domain/wording.ts';
import { nextMatching, OtherEdition } from '../../operations/find-matching.ts';
import { deskPath } from '../parts/assets.ts';
import { confirmErasure } from '../parts/cards.ts';
import { type Action, changeEach, type DeskEnv, readAction, showPage } from '../parts/desk.ts';
import { BadForm, type FormBody, listQueryOf, parametersIn, textOf, withQuery } from '../parts/forms.ts';
import { carriedCount, hiddenFields, progressPage, readCarried } from '../parts/long-work.ts';
import { redirectWithNote } from '../parts/note.ts';

const path = `${deskPath}/list`;

const carried = v.object({
  /** The time of the list that the person saw, in ISO 8601. */
  all: v.pipe(v.string(), v.isoTimestamp()),
  /** The edition of that list. */
  edition: v.string(),
  /** The number of matches in it. */
  of: carriedCount,
  /** The page of the list to continue from. */
  page: carriedCount,
  done: carriedCount,
  tags: v.string(),
});

/**
 * Changes or erases the next matches and shows the progress.
 * @throws {BadForm} if other testimonials may match by now
 */
export async function changeNextMatches(
  c: Context<DeskEnv>,
  { name, done: doneText, to }: Action,
  body: FormBody,
) {
  const { desk } = c.var;
  const before = readCarried(body, carried);
  const { done, of } = before;
  const { search, list } = matchesOf(c);
  const shown = { filter: listQueryOf(search).filter, until: before.all, edition: before.edition };
  const isOpen = (testimonial: Testimonial) =>
    to === 'erase' || ![testimonial, undefined].includes(applyChange(testimonial, to));
  const next = await nextMatching(
    desk.stores,
    desk.organization,
    shown,
    Math.max(1, before.page),
    isOpen,
  ).catch((error: unknown) => {
    if (!(error instanceof OtherEdition)) throw error;
    const soFar = done > 0 ? `${counted(done, 'testimonial')} ${doneText} ` : '';
    throw new BadForm(`${soFar}${error.message} Check the list and select all matches again.`);
  });
  if (!next) {
    const skipped = of - done;
    const note = `${counted(done, 'testimonial')} ${doneText}`;
    const why = 'needed no change, or someone else changed them first.';
    return redirectWithNote(
      c,
      list,
      skipped > 0 ? `${note} ${counted(skipped, 'testimonial')} ${why}` : note,
    );
  }
  const tally = await changeEach(desk, next.matching, to);
  const progress = { ...before, page: next.page, done: done + tally.done.length };
  return continueAt(c, 'progress', { action: name, ...progress });
}

/** Redirects to the page that asks whether to erase all matches. */
export function askToEraseMatches(c: Context, body: FormBody): Response {
  const { all, edition, of } = readCarried(body, carried);
  return continueAt(c, 'erase', { all, edition, of });
}

function continueAt(c: Context, page: string, values: Readonly<Record<string, string | number>>): Response {
  const { search } = matchesOf(c);
  const carriedValues = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) carriedValues.set(name, String(value));
  search.set('carried', String(carriedValues));
  return c.redirect(withQuery(`${path}/${page}`, search), 303);
}

/** Shows how far an action on all matches is, and continues it. */
export function showProgress(c: Context<DeskEnv>): Promise<Response> {
  const body = carriedBody(c);
  const progress = readCarried(body, carried);
  const { name, done } = readAction(c.var.desk, textOf(body, 'action'), progress.tags);
  const { list } = matchesOf(c);
  const main = progressPage({
    title: 'In progress',
    message: html`<p>${progress.done.toLocaleString('en')} of ${counted(progress.of, 'testimonial')} ${done}</p>
      <progress max="${progress.of}" value="${progress.done}" aria-label="Done">${progress.done}</progress>
      <p class="muted">You can stop at any time. To continue later, select all matches again.</p>`,
    path: list,
    values: { action: name, ...progress },
    stopPath: list,
  });
  return showPage(c, 'list', main, { title: 'In progress' });
}

export function confirmErasureOfMatches(c: Context<DeskEnv>): Promise<Response> {
  const { all, edition, of } = readCarried(carriedBody(c), carried);
  const fields = hiddenFields({ all, edition, of });
  return showPage(c, 'list', confirmErasure(of, fields, matchesOf(c).list), { title: 'Erase' });
}

/** Reads the parameter `carried` as the form that it was. */
function carriedBody(c: Context): FormBody {
  return Object.fromEntries(new URLSearchParams(c.req.query('carried')));
}

/** Returns the filter in the URL, and the path of its list without order and page. */
function matchesOf(c: Context) {
  const search = parametersIn(c.req.url, filterNames);
  return { search, list: withQuery(path, search) };
}
