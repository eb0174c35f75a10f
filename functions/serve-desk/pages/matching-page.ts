/**
 * An action on all matches of a list, in several requests. Each page carries the progress, so the work can
 * stop and continue.
 */
import { hash } from 'node:crypto';
import type { Context } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import { OtherEdition, type SearchCursor, searchStart } from '../../domain/outcomes.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import { applyChange } from '../../domain/testimonial-change.ts';
import { filterNames } from '../../domain/testimonial-filter.ts';
import { counted } from '../../domain/wording.ts';
import { clockErrorMs } from '../../timing.ts';
import { type Action, changeOrEraseEach, readAction } from '../parts/actions.ts';
import { confirmation, erasureText } from '../parts/cards.ts';
import type { DeskEnv } from '../parts/desk.ts';
import {
  BadForm,
  type FormBody,
  fieldText,
  listQueryOf,
  outOfDateText,
  parametersIn,
  withQuery,
} from '../parts/forms.ts';
import { hiddenFields, progressCount, progressPage, readProgress } from '../parts/long-work.ts';
import { consumeNote, redirectWithNote } from '../parts/note.ts';
import { isOwnNavigation } from '../parts/own-origin.ts';
import { deskPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';

const path = `${deskPath}/list`;

// Room for the numbers of an action in progress. Without it, long tags would stop the action halfway.
const progressBytes = 100;

/** The values without the action, which its button or a field `action` sends. */
const carried = v.object({
  /** The time at which the person saw the list, ISO 8601. */
  all: v.pipe(v.string(), v.isoTimestamp()),
  /** The edition of that list. */
  edition: v.string(),
  /** The number of matches in that list. */
  of: progressCount,
  /** The page of the list to continue from; 0 before the first step. */
  page: progressCount,
  /** The `lastReadUpdate` of the search, or empty. */
  foundNone: v.pipe(v.string(), v.regex(/^\d{0,16}$/)),
  done: progressCount,
  tags: v.string(),
  /** Not empty if the person has confirmed the action. */
  confirmed: v.string(),
});

/**
 * Changes or erases the next matches and shows the progress, after the person has confirmed the action.
 * @throws {BadForm} if other testimonials may match now
 */
export async function changeNextMatches(c: Context<DeskEnv>, { name, doneText, to }: Action, body: FormBody) {
  const { desk } = c.var;
  const work = readWork(c, body);
  // Other actions ignore typed tags, which might not fit into a note.
  const before = { ...work, tags: name === 'tag' || name === 'untag' ? work.tags : '' };
  if (before.confirmed === '') return continueAt(c, 'confirm', { ...before, action: name }, progressBytes);
  const { done, of, all: until, edition } = before;
  const { search, list } = matchesOf(c);
  const shown = { filter: listQueryOf(search).filter, until, edition };
  const needsChange = (testimonial: Testimonial) =>
    to === 'erase' || typeof applyChange(testimonial, to) !== 'string';
  const next = await desk.testimonials
    .nextMatching(shown, cursorIn(before), needsChange)
    .catch((error: unknown) => {
      if (!(error instanceof OtherEdition)) throw error;
      const soFar = done > 0 ? `${counted(done, 'testimonial')} ${doneText} ` : '';
      throw new BadForm(`${soFar}${error.message} Check the list and select all matches again.`);
    });
  if (!next) {
    const skipped = of - done;
    const note = `${counted(done, 'testimonial')} ${doneText}`;
    const were = skipped === 1 ? 'was' : 'were';
    const why = `${were} skipped: no change needed, too many tags, changed in the meantime, or damaged.`;
    return redirectWithNote(
      c,
      list,
      skipped > 0 ? `${note} ${counted(skipped, 'testimonial')} ${why}` : note,
    );
  }
  const tally = await changeOrEraseEach(desk, next.matching, to);
  const { page, lastReadUpdate } = next.cursor;
  const foundNone = String(lastReadUpdate ?? '');
  const progress = { ...before, page, foundNone, done: done + tally.done.length };
  return continueAt(c, 'progress', { action: name, ...progress });
}

/**
 * Reads the progress of an action.
 * @throws {BadForm} also if the time of the list is in the future, because it would include testimonials that
 * the person has not seen
 */
function readWork(c: Context<DeskEnv>, body: FormBody) {
  const work = readProgress(body, carried);
  // The functions' clocks may differ.
  if (Date.parse(work.all) > c.var.desk.now().getTime() + clockErrorMs) throw new BadForm(outOfDateText);
  return work;
}

function cursorIn({ page, foundNone }: { page: number; foundNone: string }): SearchCursor {
  return page === 0 ? searchStart : { page, ...(foundNone !== '' && { lastReadUpdate: Number(foundNone) }) };
}

/**
 * Redirects to a page with the values in a note. In a URL, another person's link could start an action, and a
 * reload would repeat one. The note names its list, because another window may replace the note.
 */
function continueAt(
  c: Context<DeskEnv>,
  to: 'confirm' | 'progress',
  values: Readonly<Record<string, string | number>>,
  spareBytes = 0,
): Promise<Response> {
  const { search, listName } = matchesOf(c);
  const texts = Object.entries({ ...values, list: listName }).map(([name, value]) => [name, String(value)]);
  const note = JSON.stringify(Object.fromEntries(texts));
  return redirectWithNote(c, withQuery(`${path}/${to}`, search), note, 'work', spareBytes);
}

const otherWindowText =
  'This action stopped because you started another one in a different window. To continue it, select all matches again.';

/** Shows the progress of an action on all matches, and continues it. */
export async function showProgress(c: Context<DeskEnv>): Promise<Response> {
  const { list, listName } = matchesOf(c);
  const body = await carriedBody(c);
  if (!body) return c.redirect(list, 303);
  if (fieldText(body, 'list') !== listName) return redirectWithNote(c, list, otherWindowText);
  const progress = readWork(c, body);
  const { name, doneText } = readAction(c.var.desk, fieldText(body, 'action'), progress.tags);
  const main = progressPage({
    title: 'In progress',
    message: html`<p>${progress.done.toLocaleString('en')} of ${counted(progress.of, 'testimonial')} ${doneText}</p>
      <progress max="${progress.of}" value="${progress.done}" aria-label="Done">${progress.done}</progress>
      <p class="muted">You can stop at any time. To continue later, select all matches again.</p>`,
    path: list,
    values: { action: name, ...progress },
    stopPath: list,
  });
  return showPage(c, 'list', main, { title: 'In progress' });
}

/** Asks whether to change or erase all matches. */
export async function confirmMatches(c: Context<DeskEnv>): Promise<Response> {
  const { list, listName } = matchesOf(c);
  const body = await carriedBody(c);
  if (!body) return c.redirect(list, 303);
  if (fieldText(body, 'list') !== listName) return redirectWithNote(c, list, otherWindowText);
  const work = readWork(c, body);
  const action = readAction(c.var.desk, fieldText(body, 'action'), work.tags);
  const visitors = (see: string) =>
    `Within a minute, visitors of your walls ${see} ${work.of === 1 ? 'it' : 'them'}.`;
  const texts: Record<string, string> = {
    approve: visitors('see'),
    reject: visitors('no longer see'),
    erase: erasureText(work.of),
    tag: `Adds: ${work.tags}`,
    untag: `Removes: ${work.tags}`,
  };
  const fields = hiddenFields({ ...work, confirmed: 'yes' });
  const main = confirmation({ action, count: work.of, text: texts[action.name] ?? '', fields, list });
  return showPage(c, 'list', main, { title: action.verb });
}

/**
 * Returns the form that this browser carries in a note, once; undefined if another website led to this page.
 */
async function carriedBody(c: Context<DeskEnv>): Promise<FormBody | undefined> {
  if (!isOwnNavigation(c)) return undefined;
  const form = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));
  const { success, output } = v.safeParse(form, await consumeNote(c, 'work'));
  return success ? output : undefined;
}

/**
 * Returns the filter in the URL, and the path of its list without order and page. `listName` identifies that
 * path in notes, which have no room for long filters.
 */
function matchesOf(c: Context) {
  const search = parametersIn(c.req.url, filterNames);
  const list = withQuery(path, search);
  return { search, list, listName: hash('sha256', list, 'base64url').slice(0, 12) };
}
