/** The queue: pending testimonials one after the other, oldest first, with one key for each decision. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import * as v from 'valibot';
import type { SeenVersion } from '../../domain/outcomes.ts';
import { pathOfPage } from '../../domain/page.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import type { TestimonialChange } from '../../domain/testimonial-change.ts';
import { filterNames } from '../../domain/testimonial-filter.ts';
import { counted } from '../../domain/wording.ts';
import { changeSeen } from '../parts/actions.ts';
import { replacesMain } from '../parts/cards.ts';
import { type Desk, type DeskEnv, type DeskPages, findEach, oldestPending } from '../parts/desk.ts';
import { tagField } from '../parts/field.ts';
import { chips, filterForm } from '../parts/filter-form.ts';
import {
  BadForm,
  type FormBody,
  fieldText,
  formOf,
  listQueryOf,
  outOfDateText,
  parametersIn,
  readSeen,
  readTagging,
  seenValue,
  tagsIn,
  withQuery,
} from '../parts/forms.ts';
import { type IconName, icon } from '../parts/icon.ts';
import type { Html } from '../parts/layout.ts';
import { stars } from '../parts/marks.ts';
import { redirectWithNote } from '../parts/note.ts';
import { deskPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';
import {
  byline,
  content,
  day,
  factsOf,
  moreDetails,
  photo,
  player,
  type TestimonialFacts,
  tagList,
} from '../parts/testimonial.ts';
import {
  type Command,
  commandOf,
  emptyReview,
  type NextPage,
  pageAfter,
  pageAfterSkip,
  type Review,
  reviewParameter,
  reviewSchema,
  takesTags,
} from '../review.ts';

const path = `${deskPath}/queue`;

// The page contains the tags to suggest, so that a decision needs no further read.
const maxKnown = 20;

// Without the status, which is always pending.
const queueFilters = [
  'search',
  ...filterNames.filter((name) => name !== 'search' && name !== 'status'),
] as const;

/** A filter in the URL narrows the queue. */
export const queuePages: DeskPages = new Hono<DeskEnv>()
  .get('/', async (c) => {
    const [next] = await findEach(c.var.desk, [c.req.query('next') ?? '']);
    const review = reviewIn(c.req.query('review')) ?? emptyReview;
    return show(c, { review, ...(next && { next }) });
  })
  .post('/', async (c) => {
    const { desk } = c.var;
    const form = readQueueForm(await formOf(c));
    const { known } = form;
    const command = readCommand(form);
    if ('problem' in command) {
      const [next] = await findEach(desk, [command.onPage.id]);
      const { review, typed } = form;
      return show(c, { review, ...(next && { next }) }, { typed, problem: command.problem, known });
    }
    const { message, keepsTags, ...after } =
      command.kind === 'skip'
        ? pageAfterSkip(form.review, command.seen)
        : await pageAfterChange(desk, form, command);
    // The script replaces the page directly. Other browsers need a redirect, so that going back repeats
    // nothing.
    if (c.req.header('hx-request'))
      return show(c, after, { message, known, ...(keepsTags && { typed: form.typed }) });
    const search = searchIn(c);
    search.set('review', reviewParameter(after.review));
    if (after.next) search.set('next', after.next.id);
    return redirectWithNote(c, withQuery(path, search), message);
  });

/** Changes the testimonial, and returns the page after it. */
async function pageAfterChange(
  desk: Desk,
  { review, tagsBefore }: QueueForm,
  command: Exclude<Command, { kind: 'skip' }>,
): Promise<NextPage> {
  const sent = await changeSeen(desk, command.seen, command.change);
  const after = pageAfter(review, command, sent, tagsBefore);
  if (sent.outcome.kind !== 'tooManyTags') return after;
  const [next] = await findEach(desk, [command.seen.id]);
  return { ...after, ...(next && { next }) };
}

/** The form of the page: the pressed key, and the state of the page. */
interface QueueForm {
  review: Review;
  key: string;
  /** The testimonial that the page showed; absent in an empty queue. */
  onPage: SeenVersion | undefined;
  /** The tags, as typed. */
  typed: string;
  /** The tags of that testimonial. */
  tagsBefore: string[];
  /** The tags that the page suggested. */
  known: string[];
}

/** @throws {BadForm} if the form is malformed */
function readQueueForm(body: FormBody): QueueForm {
  const review = reviewIn(fieldText(body, 'review'));
  if (!review) throw new BadForm(outOfDateText);
  const seen = fieldText(body, 'seen');
  return {
    review,
    key: fieldText(body, 'key'),
    onPage: seen ? readSeen(seen) : undefined,
    typed: fieldText(body, 'tags'),
    tagsBefore: tagsListed(body, 'tags-before'),
    known: tagsListed(body, 'known'),
  };
}

/** Reads tags that the page listed. They are separated by commas, which no tag contains. */
function tagsListed(body: FormBody, name: string): string[] {
  return fieldText(body, name)
    .split(',')
    .filter((tag) => tag !== '');
}

/**
 * Returns the command of a key, or the rule that the typed tags break.
 * @throws {BadForm} if the page is out of date
 */
function readCommand({
  review,
  key,
  onPage,
  typed,
}: QueueForm): Command | { problem: string; onPage: SeenVersion } {
  let tags: TestimonialChange = {};
  try {
    if (takesTags(key, tagsIn(typed).length > 0)) tags = readTagging('addTags', typed);
  } catch (error) {
    if (error instanceof BadForm && onPage) return { problem: error.message, onPage };
    throw error;
  }
  const command = commandOf(review, key, onPage, tags);
  if (command) return command;
  throw new BadForm(outOfDateText);
}

function reviewIn(text = ''): Review | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), reviewSchema), text);
  return read.success ? read.output : undefined;
}

function searchIn(c: Context): URLSearchParams {
  return parametersIn(c.req.url, queueFilters);
}

interface ShowOptions {
  message?: string;
  /** Tags to keep in their field, and the rule that they break. */
  typed?: string;
  problem?: string;
  /** Known tags; by default the tags of the latest approvals. */
  known?: readonly string[];
}

/**
 * Shows the next testimonial: `next`, unless someone has decided on it in the meantime, or the oldest pending
 * one.
 */
async function show(
  c: Context<DeskEnv>,
  { review, next }: Omit<NextPage, 'message'>,
  { message, typed = '', problem, known: carried }: ShowOptions = {},
): Promise<Response> {
  const search = searchIn(c);
  const { filter } = listQueryOf(search);
  const { testimonial: oldest, total } = await oldestPending(c.var.desk.testimonials, filter, review.skipped);
  const testimonial = next?.status === 'pending' ? next : oldest;
  const [records, tags] = await Promise.all([
    factsOf(c.var.desk, testimonial ? [testimonial] : []),
    carried ?? latestTags(c.var.desk),
  ]);
  const added = review.decisions.flatMap((each) => each.tags);
  const known = [...new Set([...added, ...tags])].slice(0, maxKnown);
  const { approved, rejected, pending: skips } = review.counts;
  const action = withQuery(path, search);
  const filters = { path, search, names: queueFilters };
  const main = html`<section class="queue">
    <div class="page-head"><h1>Queue ${total > 0 && html`<span class="muted">${total.toLocaleString('en')} pending</span>`}</h1>
      ${filterForm(filters)}</div>
    ${chips(filters)}
    ${
      testimonial
        ? currentCard(
            c.var.desk,
            testimonial,
            records.get(testimonial.id),
            tagging(testimonial, typed, known, problem),
          )
        : await endOf(c.var.desk, Math.min(skips, total), search)
    }
    <form method="post" action="${action}" id="decision" class="decision" ${!testimonial && review.decisions.length === 0 && 'hidden'} ${replacesMain} hx-push-url="false">
      <input type="hidden" name="review" value="${JSON.stringify(review)}">
      <input type="hidden" name="known" value="${known.join()}">
      ${testimonial && html`<input type="hidden" name="seen" value="${seenValue(testimonial)}"><input type="hidden" name="tags-before" value="${testimonial.tags?.join()}">${keyButton('r', 'Reject', 'x-lg')}`}
      ${keyButton('u', 'Undo', 'arrow-counterclockwise', review.decisions.length === 0)}
      ${testimonial && html`${keyButton('s', 'Skip', 'skip-forward')}${keyButton('a', 'Approve', 'check-lg')}`}
    </form>
    ${approved + rejected > 0 && html`<p class="muted tally">${tallyText({ approved, rejected, skipped: skips })}</p>`}
    ${passkeyOffer}
  </section>`;
  return showPage(c, 'queue', main, {
    ...(message !== undefined && { message }),
    ...(search.size === 0 && { pending: total }),
    ...(problem && { status: 422 }),
  });
}

/**
 * The script shows it after a sign-in with a link, which leads to the queue, if this browser supports
 * passkeys.
 */
const passkeyOffer = html`<section class="card passkey-offer" aria-label="Passkey" data-passkey-offer hidden>
      <p>Sign in faster next time<span class="wide">, with your fingerprint, face or PIN</span>.</p>
      <div class="buttons"><a class="button small" href="${deskPath}/me#passkeys">Add a passkey</a>
        <button type="button" class="small quiet">Not now</button></div></section>`;

/** Returns the counts that are not zero, with their names. */
function tallyText(counts: Record<string, number>): string {
  return Object.entries(counts)
    .flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []))
    .join(', ');
}

// On a keyboard, the key t only focuses the field. Enter in the field, or the button, sends the form's key
// `t`.
function tagging(testimonial: Testimonial, typed: string, known: readonly string[], problem?: string): Html {
  return html`<div class="tagging"><label for="queue-tags" data-key="t" aria-keyshortcuts="t">Tags <kbd aria-hidden="true">t</kbd></label>
      ${tagList(testimonial)}
      ${tagField({ id: 'queue-tags', typed, known, problem, form: 'decision' })}
      <button type="submit" form="decision" name="key" value="t">Add tag</button></div>`;
}

/** Returns the tags of the last approved testimonials. */
async function latestTags({ testimonials }: Desk): Promise<string[]> {
  const query = {
    filter: { status: 'approved' },
    sort: 'updatedAt',
    order: 'desc',
    page: 1,
    limit: 25,
  } as const;
  const latest = await testimonials.list(query);
  return latest.testimonials.flatMap(({ tags = [] }) => tags);
}

function currentCard(
  desk: Desk,
  testimonial: Testimonial,
  record: TestimonialFacts | undefined,
  tagging: Html,
): Html {
  // Enter in the field of tags presses the first button of the form.
  return html`<button type="submit" form="decision" name="key" value="t" class="visually-hidden" tabindex="-1" aria-hidden="true"></button>
  <article class="card big" tabindex="-1" data-focus data-swipe aria-labelledby="who">
    <header class="card-head"><h2 id="who" class="who">${photo(desk, testimonial)}<span>${byline(testimonial)}</span></h2>
      <span class="marks">${stars(testimonial.rating)} <span class="muted">${day(testimonial.createdAt)}</span></span></header>
    ${player(desk, testimonial)}
    ${content(testimonial)}
    ${tagging}
    ${moreDetails(testimonial, { record, form: 'decision' })}
  </article>`;
}

/** Explains why there is no testimonial, and what to do next. */
async function endOf(
  { stores, organization, serviceUrl }: Desk,
  skipped: number,
  search: URLSearchParams,
): Promise<Html> {
  const again = withQuery(path, search);
  const empty = (
    title: string,
    text: Html | string,
    more: Html | readonly Html[] = [],
  ) => html`<div class="empty" tabindex="-1" data-focus>
    <p class="empty-title">${title}</p><p class="muted">${text}</p>
    ${more}</div>`;
  if (skipped > 0)
    return empty(
      `You skipped ${counted(skipped, 'testimonial')}`,
      'Nothing else is pending.',
      html`<a class="button solid" href="${again}">Review ${skipped === 1 ? 'it' : 'them'}</a>`,
    );
  if (search.size > 0)
    return empty(
      'Nothing pending matches these filters',
      html`<a class="button small" href="${path}">Show the whole queue</a>`,
    );
  const pages = await stores.pages?.list(organization);
  const first =
    pages?.length === 0 &&
    html`<a href="${deskPath}/pages">Create a form, and send its link to a customer</a>. `;
  const text = html`${first}New testimonials appear here. <a href="${again}">Check again</a>`;
  const links = pages?.map((page) => {
    const url = serviceUrl + pathOfPage(page);
    const link = html`<a href="${url}"><bdi>${page.title}</bdi></a>`;
    return page.kind === 'wall'
      ? html`<p>See what you approved: ${link}</p>`
      : html`<p>Send your form to a customer: ${link}</p><button type="button" data-copy="${url}" hidden>Copy its link</button>`;
  });
  return empty('Nothing is pending', text, links);
}

function keyButton(key: string, label: string, name: IconName, isDisabled = false): Html {
  return html`<button name="key" value="${key}" data-key="${key}" class="key-${key}" aria-keyshortcuts="${key}" ${isDisabled && 'disabled'}>${icon(name)}
    <span>${label} <kbd aria-hidden="true">${key}</kbd></span></button>`;
}
