/**
 * The testimonials that walls show first. Owners pin them from a card, and order them next to the settings of
 * the wall.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { matcherOf } from '../../domain/list-query.ts';
import { type Page, pinnedBy } from '../../domain/page.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import { editPage, validPins, withPins } from '../../serve-pages/own-pages.ts';
import { readWallSettings } from '../../serve-pages/page-settings.ts';
import { maxPinned } from '../../serve-pages/wall-settings.ts';
import { type Desk, type DeskEnv, findEach, isOwner } from '../parts/desk.ts';
import { BadForm, fieldText, formOf, NotAllowed, outOfDateText } from '../parts/forms.ts';
import { icon } from '../parts/icon.ts';
import type { Html } from '../parts/layout.ts';
import { stars, statusPill } from '../parts/marks.ts';
import { redirectWithNote } from '../parts/note.ts';
import { deskPath } from '../parts/paths.ts';
import { contentPart } from '../parts/testimonial.ts';
import { pagesOf } from './preview.ts';
import { problemIn } from './settings-fields.ts';

/** Returns the walls that the person at the desk may edit, oldest first. */
export async function ownWalls(desk: Desk): Promise<Page[]> {
  if (!isOwner(desk) || !desk.stores.pages) return [];
  const all = await desk.stores.pages.list(desk.organization);
  return all.filter(({ kind }) => kind === 'wall');
}

/**
 * Changes the current pinned testimonials of a wall, and removes erased ones.
 * @returns the wall after the change, or undefined if it was removed
 */
async function changePins(
  desk: Desk,
  wall: Page,
  change: (ids: readonly string[]) => readonly string[],
): Promise<Page | undefined> {
  const erased = await desk.testimonials.findErased(pinnedBy(wall));
  return editPage(pagesOf(desk), wall, (current) => {
    const pinned = change(validPins(current).filter((id) => !erased.includes(id)));
    if (pinned.length > maxPinned) {
      throw new BadForm(
        `“${wall.title}” already has ${maxPinned} pinned testimonials, the maximum. Unpin one first.`,
      );
    }
    return withPins(current, { pinned: pinned.join() });
  });
}

const removedText = 'This wall was removed. Reload the page.';

/**
 * Pins a testimonial after the others of a wall, or unpins it.
 * @returns a sentence about the outcome
 * @throws {NotAllowed} unless the person may edit walls
 */
export async function setPin(
  desk: Desk,
  { wallId, id, isPinned }: { wallId: string; id: string; isPinned: boolean },
): Promise<string> {
  // A cached visit may be that of an owner who was removed.
  await desk.confirmVisit();
  if (!isOwner(desk)) throw new NotAllowed('Only owners can manage forms and walls. Ask an owner.');
  const wall = (await ownWalls(desk)).find((each) => each.id === wallId);
  const [testimonial] = await findEach(desk, [id]);
  if (!wall) throw new BadForm(removedText);
  if (!testimonial) throw new BadForm('This testimonial no longer exists.');
  const others = (ids: readonly string[]) => ids.filter((each) => each !== id);
  const saved = await changePins(desk, wall, (ids) => {
    if (!isPinned) return others(ids);
    return ids.includes(id) ? ids : [...ids, id];
  });
  if (!saved) throw new BadForm(removedText);
  const { name } = testimonial.author;
  if (!isPinned) return `${name}’s testimonial is no longer pinned to “${wall.title}”.`;
  const pinned = pinnedBy(saved);
  const place = `pinned to “${wall.title}”, number ${pinned.indexOf(id) + 1} of ${pinned.length}`;
  const why = whyNotShown(saved, testimonial);
  return `${name}’s testimonial is ${place}.${why && ` ${why}`}`;
}

/** Returns the reason that a wall does not show a pinned testimonial, or an empty text if it does. */
function whyNotShown(wall: Page, testimonial: Testimonial): string {
  const { status } = testimonial;
  if (status !== 'approved') return `Visitors do not see it while it is ${status}.`;
  if (problemIn(wall)) return 'Visitors do not see the wall until you correct its settings.';
  const { filter, view } = readWallSettings(wall.settings).query;
  return matcherOf(filter, view)(testimonial)
    ? ''
    : 'Visitors do not see it, because it does not match the wall’s filters.';
}

/**
 * Returns the pinned testimonials of a wall in their order, with buttons that move them. A script also lets
 * people drag them.
 */
export async function pinsPart(desk: Desk, wall: Page, at: string): Promise<Html> {
  const testimonials = await findEach(desk, pinnedBy(wall));
  return html`<section class="card part pins" id="pins" aria-labelledby="pins-title">
    <h2 id="pins-title" tabindex="-1">Pinned testimonials</h2>
    <p class="muted">${testimonials.length > 0 ? 'The wall shows them first, in this order. Changes here are saved at once.' : 'Nothing is pinned.'}
      To pin ${testimonials.length > 0 ? 'another one' : 'a testimonial'}, open “More” on its card in <a href="${deskPath}/list?status=approved">Testimonials</a>.</p>
    ${
      testimonials.length > 0 &&
      html`<form method="post" action="${at}/pins" data-pins hx-boost="true" hx-target="#pins" hx-select="#pins" hx-swap="outerHTML"
        hx-push-url="false" hx-select-oob="#message:innerHTML">
      <input type="hidden" name="move" autocomplete="off"><input type="hidden" name="before" autocomplete="off">
      <ol class="pinned">${testimonials.map((each, i) => pinnedItem(wall, each, { isFirst: i === 0, isLast: i === testimonials.length - 1 }))}</ol></form>`
    }</section>`;
}

function pinnedItem(
  wall: Page,
  testimonial: Testimonial,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Html {
  const { id, author, rating, status } = testimonial;
  const why = whyNotShown(wall, testimonial);
  const button = (name: string, label: string, { isOff = false, kind = '' } = {}) =>
    html`<button id="${name}-${id}" name="${name}" value="${id}" class="quiet ${kind}" ${isOff && 'disabled'}>${label}<span class="visually-hidden"> ${author.name}’s testimonial</span></button>`;
  return html`<li data-pin="${id}">
    <span class="grip" data-grip hidden>${icon('grip-vertical')}</span>
    <div class="pinned-text"><p class="marks"><strong><bdi>${author.name}</bdi></strong> ${stars(rating)} ${status !== 'approved' && statusPill(status)}</p>
      ${contentPart(testimonial)}
      ${why && html`<p class="hint">${why}</p>`}</div>
    <div class="buttons">${button('up', 'Move up', { isOff: isFirst })}${button('down', 'Move down', { isOff: isLast })}${button('unpin', 'Unpin', { kind: 'danger' })}</div></li>`;
}

/** Returns the ids after moving one of them before another one, or to the end. */
function moved(ids: readonly string[], id: string, before: string | undefined): string[] {
  if (before === id) return [...ids];
  const others = ids.filter((each) => each !== id);
  const at = before === undefined ? -1 : others.indexOf(before);
  return at < 0 ? [...others, id] : others.toSpliced(at, 0, id);
}

/**
 * The change that each button makes to the pinned ids. They name testimonials rather than positions, so that
 * they still apply if someone else has changed the list.
 */
const moves: Record<string, (ids: readonly string[], id: string, before: string) => readonly string[]> = {
  move: (ids, id, before) => moved(ids, id, before || undefined),
  up: (ids, id) => moved(ids, id, ids[Math.max(0, ids.indexOf(id) - 1)]),
  down: (ids, id) => moved(ids, id, ids[ids.indexOf(id) + 2]),
  unpin: (ids, id) => ids.filter((each) => each !== id),
};

/** Moves or unpins a testimonial of a wall, and shows the outcome. */
export async function movePin(c: Context<DeskEnv>, wall: Page, at: string): Promise<Response> {
  const { desk } = c.var;
  const body = await formOf(c);
  const [name = '', move] = Object.entries(moves).findLast(([each]) => fieldText(body, each) !== '') ?? [];
  const id = fieldText(body, name);
  if (!move || !id) throw new BadForm(outOfDateText);
  let wasPinned = false;
  const saved = await changePins(desk, wall, (ids) => {
    wasPinned = ids.includes(id);
    return wasPinned ? move(ids, id, fieldText(body, 'before')) : ids;
  });
  if (!saved) return c.notFound();
  const pinned = pinnedBy(saved);
  const [testimonial] = await findEach(desk, [id]);
  const whose = testimonial ? `${testimonial.author.name}’s testimonial` : 'The testimonial';
  const outcome = () => {
    if (!wasPinned)
      return `Nothing was changed: ${testimonial ? whose : 'this testimonial'} is no longer pinned.`;
    const place = pinned.indexOf(id) + 1;
    return place === 0 ? `${whose} is no longer pinned.` : `${whose} is number ${place} of ${pinned.length}.`;
  };
  return redirectWithNote(c, `${at}#pins`, outcome());
}
