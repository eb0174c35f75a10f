/** Testimonials as cards, with buttons for each one and for a selection. */
import { html } from 'hono/html';
import { type Page, pinnedBy } from '../../domain/page.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import { counted } from '../../domain/wording.ts';
import { type Action, type ButtonAction, cardValue } from './actions.ts';
import { type Desk, mayErase } from './desk.ts';
import { tagField } from './field.ts';
import { seenValue } from './forms.ts';
import type { Html } from './layout.ts';
import { stars, statusPill } from './marks.ts';
import {
  byline,
  contentPart,
  day,
  moreDetails,
  photo,
  player,
  type TestimonialFacts,
  tagList,
} from './testimonial.ts';

/**
 * htmx attributes of a form whose response replaces the whole page, not just the list. A screen reader reads
 * the message.
 */
export const mainTarget = html`hx-target="#main" hx-select="#main" hx-select-oob="#pending,#message:innerHTML"`;

/**
 * htmx attributes of a form outside of a list. Its response replaces the page, unless it is not a page of the
 * desk.
 */
export const replacesMain = html`hx-boost="true" hx-swap="outerHTML show:window:top" ${mainTarget}`;

interface CardOptions {
  /** The use of the cards: to select them, to decide on them again, or only to look at them. */
  use: 'select' | 'decide' | 'look';
  /** The records of the testimonials, by id. */
  records?: ReadonlyMap<string, TestimonialFacts>;
  /** The values of the selected testimonials (`seenValue`). */
  selected?: readonly string[];
  /** The walls on which the person may pin testimonials. */
  walls?: readonly Page[];
  /**
   * True if all are by one person, so that cards have no link to everything by that person. The name in the
   * page's heading is that of the first testimonial.
   */
  isOfOne?: boolean;
}

export function cards(
  desk: Desk,
  testimonials: readonly Testimonial[],
  { use, records, selected = [], walls = [], isOfOne = false }: CardOptions,
): Html {
  const isSelectable = use === 'select';
  const box = (seen: string) =>
    html`<input type="checkbox" name="seen" value="${seen}" ${selected.includes(seen) && 'checked'}>`;
  const [first] = testimonials;
  // The heading of the page names them, unless their names differ.
  const isKnown = isOfOne && first !== undefined && testimonials.every((each) => isNamedAs(first, each));
  const who = (each: Testimonial) => {
    const picture = photo(desk, each);
    if (isKnown && !isSelectable && !picture) return '';
    const name = html`<span class="${isKnown && 'visually-hidden'}">${byline(each)}</span>`;
    return html`<label class="check who ${isKnown && 'known'}">${isSelectable && box(seenValue(each))}
      <span>${picture}${name}</span></label>`;
  };
  return html`<ul class="cards">${testimonials.map(
    (each) => html`<li class="card" id="${isSelectable ? each.id : `${each.id}-${use}`}">
      <header class="card-head">
        ${who(each)}
        <span class="marks">${stars(each.rating)} ${statusPill(each.status)} ${pinnedTo(walls, each).length > 0 && html`<span class="pill">Pinned</span>`} <span class="muted">${day(each.createdAt)}</span></span>
      </header>
      ${player(desk, each)}
      ${contentPart(each)}
      ${tagList(each)}
      <footer class="card-foot">${moreDetails(each, {
        record: records?.get(each.id),
        ...(isSelectable && !isOfOne && { form: 'selection' }),
        ...(use !== 'look' && {
          button: html`${pinButton(walls, each)}${mayErase(desk) && cardButton(each, 'ask to erase', 'Erase…', 'small quiet danger')}`,
        }),
      })}${use !== 'look' && cardButtons(each)}</footer>
    </li>`,
  )}</ul>`;
}

/** True if both have the same byline. */
function isNamedAs({ author: one }: Testimonial, { author: other }: Testimonial): boolean {
  return one.name === other.name && one.role === other.role && one.company === other.company;
}

function pinnedTo(walls: readonly Page[], { id }: Testimonial): Page[] {
  return walls.filter((wall) => pinnedBy(wall).includes(id));
}

/**
 * Returns the button that pins an approved testimonial to the only wall or unpins it, or that leads to a
 * choice of walls.
 */
function pinButton(walls: readonly Page[], each: Testimonial): Html | '' {
  const [wall] = walls;
  const isPinned = pinnedTo(walls, each).length > 0;
  if (!wall || (each.status !== 'approved' && !isPinned)) return '';
  if (walls.length > 1)
    return cardButton(each, 'choose wall', isPinned ? 'Pin or unpin…' : 'Pin to a wall…', 'small');
  return isPinned
    ? cardButton(each, `unpin ${wall.id}`, `Unpin from “${wall.title}”`, 'small')
    : cardButton(each, `pin ${wall.id}`, `Pin to “${wall.title}”`, 'small');
}

function cardButtons(each: Testimonial): Html {
  return html`<div class="buttons">
    ${each.status !== 'rejected' && cardButton(each, 'reject', 'Reject', each.status === 'approved' ? 'small quiet reject' : 'small reject')}
    ${each.status !== 'approved' && cardButton(each, 'approve', 'Approve', each.status === 'rejected' ? 'small quiet approve' : 'small approve')}
  </div>`;
}

function cardButton(each: Testimonial, action: ButtonAction, label: string, kind: string): Html {
  return html`<button name="one" value="${cardValue(action, each)}" class="${kind}">${label}<span class="visually-hidden"> ${each.author.name}’s testimonial</span></button>`;
}

interface Selection extends Omit<CardOptions, 'use'> {
  action: string;
  /** The markup above the cards, after “Select all”. */
  head?: Html;
  /**
   * All matches, including those on other pages: their number, the time of the list (ISO 8601), and its
   * edition.
   */
  matching?: { total: number; until: string; edition: string } | undefined;
  /** Tags to keep in their field, and the rule that they break. */
  typed?: string | undefined;
  problem?: string | undefined;
}

/**
 * Returns testimonials to select from. The actions on the selection are visible while something is selected.
 * The only testimonial of a person has its own actions, and nothing to select.
 */
export function selection(
  desk: Desk,
  testimonials: readonly Testimonial[],
  { action, head, matching, typed, problem, ...shown }: Selection,
): Html {
  const all = matching && matching.total > testimonials.length ? matching : undefined;
  const isAlone = shown.isOfOne && testimonials.length === 1;
  const hasSelectAll = testimonials.length > 1 || all;
  const label = all ? html`Select <span class="wide">these </span>${testimonials.length}` : 'Select all';
  // Enter in the field of tags presses the first button of the form.
  return html`<form method="post" action="${action}" id="selection" class="selection" ${shown.isOfOne ? replacesMain : mainTarget}>
    ${!isAlone && html`<button class="visually-hidden" name="action" value="tag" tabindex="-1" aria-hidden="true"></button>`}
    ${
      (hasSelectAll || head) &&
      html`<div class="results-head">
      ${hasSelectAll && html`<label class="check select-all" hidden><input type="checkbox" data-select-all> <span>${label}</span></label>`}
      ${head}</div>`
    }
    ${cards(desk, testimonials, { use: isAlone ? 'decide' : 'select', ...shown })}
    ${!isAlone && toolbar(desk, testimonials, { matching: all, typed, problem })}
  </form>`;
}

function toolbar(
  desk: Desk,
  testimonials: readonly Testimonial[],
  { matching: all, typed = '', problem }: Pick<Selection, 'matching' | 'typed' | 'problem'>,
): Html {
  const known = [...new Set(testimonials.flatMap(({ tags = [] }) => tags))];
  return html`<div class="toolbar" role="group" aria-label="Actions on the selection">
      <strong data-selected></strong>
      ${
        all &&
        html`<label class="check"><input type="checkbox" name="all" value="${all.until}">
        <span>All ${counted(all.total, 'matching testimonial')}</span></label>
        <input type="hidden" name="of" value="${all.total}"><input type="hidden" name="edition" value="${all.edition}">`
      }
      <div class="buttons">
        <button name="action" value="reject" class="reject">Reject</button>
        <button name="action" value="approve" class="approve">Approve</button>
        ${mayErase(desk) && html`<button name="action" value="ask to erase" class="quiet danger">Erase…</button>`}
        <button type="button" class="quiet" data-clear hidden>Clear</button>
      </div>
      <div class="tagging">
        <label class="visually-hidden" for="tags-to-change">Tags, separated by commas</label>
        ${tagField({ id: 'tags-to-change', typed, known, problem, example: 'Tags' })}
        <button name="action" value="tag">Add tag</button>
        <button name="action" value="untag" class="quiet">Remove tag</button>
      </div>
    </div>`;
}

/** Describes the effect of an erasure. */
export function erasureText(count: number): string {
  const [parts, them] =
    count === 1 ? ['Its text, author and tags', 'it'] : ['Their texts, authors and tags', 'them'];
  return `${parts} disappear from every list. You cannot undo this. Backups keep ${them} for up to 35 days, and earlier exports still contain ${them}.`;
}

interface Confirmation {
  action: Action;
  count: number;
  /** The effect of the action. */
  text: string;
  /** The form fields that carry it out. */
  fields: Html;
  /** The path that carries it out. */
  list: string;
  /** The page to go back to; the list by default. */
  back?: string;
}

/** Returns the page that asks before testimonials are erased, or before many are changed. */
export function confirmation({
  action: { name, verb },
  count,
  text,
  fields,
  list,
  back = list,
}: Confirmation): Html {
  const isErasure = name === 'erase';
  return html`<h1 tabindex="-1" data-focus>${verb} ${name === 'untag' && 'from '}${counted(count, 'testimonial')}${isErasure && ' for good'}?</h1>
  <p>${text}</p>
  <form method="post" action="${list}" ${replacesMain}>
    ${fields}
    <div class="buttons ask"><button name="action" value="${name}" class="${isErasure && 'danger'} solid">${verb}${isErasure && ' for good'}</button>
      <a class="button quiet" href="${back}">${isErasure ? `Keep ${count === 1 ? 'it' : 'them'}` : 'Cancel'}</a></div>
  </form>`;
}
