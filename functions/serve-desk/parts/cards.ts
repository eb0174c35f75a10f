/** Testimonials as cards, with what can be done with each and with a selection. */
import { html } from 'hono/html';
import type { Decision } from '../../domain/stored-testimonial.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import { counted } from '../../domain/wording.ts';
import { type Desk, mayErase } from './desk.ts';
import { seenValue } from './forms.ts';
import type { Html } from './html.ts';
import { byline, facts, foldedContent, stars, statusPill, tagList } from './testimonial.ts';

/** What a form does can change the whole page; a link, the list alone. */
export const ofForms = html`hx-target="#main" hx-select="#main"`;

interface Shown {
  /** What the cards are for: to be selected, to be decided again, or to be looked at before they are erased. */
  use: 'select' | 'decide' | 'erase';
  /** Who decided on them, by their ids. */
  decisions?: ReadonlyMap<string, Decision>;
}

export function cards(desk: Desk, testimonials: readonly Testimonial[], { use, decisions }: Shown): Html {
  const isSelectable = use === 'select';
  return html`<ul class="cards">${testimonials.map(
    (each) => html`<li class="card" id="${isSelectable ? each.id : `${each.id}-${use}`}">
      <header class="card-head">
        <label class="check who">${isSelectable && html`<input type="checkbox" name="seen" value="${seenValue(each)}">`}<span>${byline(each)}</span></label>
        <span class="marks">${stars(each.rating)} ${statusPill(each.status)}</span>
      </header>
      ${foldedContent(each)}
      ${tagList(each)}
      <footer class="card-foot">${facts(each, decisions?.get(each.id))}${use !== 'erase' && ownButtons(desk, each)}</footer>
    </li>`,
  )}</ul>`;
}

function ownButtons(desk: Desk, each: Testimonial): Html {
  const button = (action: string, label: string, kind: string) =>
    html`<button name="one" value="${action} on ${seenValue(each)}" class="${kind}">${label}<span class="visually-hidden"> the testimonial of ${each.author.name}</span></button>`;
  return html`<div class="buttons">
    ${each.status !== 'approved' && button('approve', 'Approve', 'small approve')}
    ${each.status !== 'rejected' && button('reject', 'Reject', 'small reject')}
    ${mayErase(desk) && button('ask to erase', 'Erase …', 'small quiet danger')}
  </div>`;
}

interface Selection extends Omit<Shown, 'use'> {
  /** Where its form is sent. */
  action: string;
  /** All that match, of which the page shows some; when they were shown, in ISO 8601, and in which edition of the list. */
  matching?: { total: number; until: string; edition: string };
  /** The tags that were typed before. */
  typed?: string | undefined;
}

/** A page of testimonials to select from, and what to do with the selection. */
export function selection(
  desk: Desk,
  testimonials: readonly Testimonial[],
  { action, matching, typed = '', ...shown }: Selection,
): Html {
  const all = matching && matching.total > testimonials.length ? matching : undefined;
  return html`<form method="post" action="${action}" id="selection" class="selection" ${ofForms}>
    <button class="visually-hidden" name="action" value="tag" tabindex="-1" aria-hidden="true"></button>
    <div class="toolbar" role="group" aria-label="With the selected">
      <label class="check select-all" hidden><input type="checkbox" data-select-all> <span data-selected>Select all</span></label>
      ${
        all &&
        html`<label class="check"><input type="checkbox" name="all" value="${all.until}">
          <span>All ${counted(all.total, 'testimonial')} that match</span></label>
          <input type="hidden" name="of" value="${all.total}"><input type="hidden" name="edition" value="${all.edition}">`
      }
      <div class="buttons">
        <button name="action" value="approve" class="approve">Approve</button>
        <button name="action" value="reject" class="reject">Reject</button>
        ${mayErase(desk) && html`<button name="action" value="ask to erase" class="quiet danger">Erase …</button>`}
      </div>
      <div class="buttons tagging">
        <label class="visually-hidden" for="tags-to-change">Tags, separated by commas</label>
        <input id="tags-to-change" name="tags" value="${typed}" placeholder="Tags" autocomplete="off" maxlength="400">
        <button name="action" value="tag">Add tag</button>
        <button name="action" value="untag" class="quiet">Remove tag</button>
      </div>
    </div>
    ${cards(desk, testimonials, { use: 'select', ...shown })}
  </form>`;
}

/**
 * Asks once more before anything is erased.
 * @param form what is sent to do it
 * @param list the address of the list to which it leads back
 */
export function askToErase(count: number, form: Html, list: string): Html {
  return html`<h1 tabindex="-1" data-focus>Erase ${counted(count, 'testimonial')} for good?</h1>
  <p>Texts, authors and tags go from every list and from the index, and nobody can bring them back.
    A wall or an export that was made before still has them.</p>
  <form method="post" action="${list}" ${ofForms}>
    ${form}
    <div class="buttons ask"><button name="action" value="erase" class="danger solid">Erase for good</button>
      <a class="button quiet" href="${list}">Keep ${count === 1 ? 'it' : 'them'}</a></div>
  </form>`;
}
