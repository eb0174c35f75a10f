/**
 * The desk of one request: its stores, its person, and the changes its pages make. It keeps nothing between
 * requests.
 */
import type { Context, MiddlewareHandler } from 'hono';
import type { Hono } from 'hono/tiny';
import type { OrganizationStore } from '../../accounts/organization-store.ts';
import type { PageStore } from '../../accounts/page-store.ts';
import type { Changed, Erased, Seen, Tally } from '../../domain/outcomes.ts';
import type { PageKind } from '../../domain/page.ts';
import type { Visit } from '../../domain/person.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import type { TestimonialChange } from '../../domain/testimonial-change.ts';
import type { TestimonialFilter } from '../../domain/testimonial-filter.ts';
import type { Media } from '../../media/media.ts';
import type { Part } from '../../testimonials/all.ts';
import type { Changes } from '../../testimonials/changes.ts';
import type { Counting } from '../../testimonials/counts.ts';
import type { Creates } from '../../testimonials/creates.ts';
import type { Finds } from '../../testimonials/finds.ts';
import type { ListChanges } from '../../testimonials/list-changes.ts';
import type { Lists } from '../../testimonials/lists.ts';
import type { Loads } from '../../testimonials/loads.ts';
import type { PinnedLists } from '../../testimonials/pinned-lists.ts';
import { BadForm, outOfDateText, readSeen, readTagging, seenValue } from './forms.ts';
import type { Shell } from './layout.ts';

interface PageCode {
  style: string;
  script: string;
}

export interface Desk extends Shell {
  /** Pages change testimonials with `changeSeen` and `changeOrEraseEach`, which log. */
  testimonials: Creates & Finds & Changes & Lists & PinnedLists & Counting & ListChanges;
  loads: Loads;
  /** Reads a part of all testimonials, for exports. */
  readPart: (from: number) => Promise<Part>;
  stores: {
    organizations: OrganizationStore;
    /** Absent if the deployment serves no pages. */
    pages?: PageStore;
  };
  /** The time according to the database. */
  now: () => Date;
  /** The person at the desk, possibly from memory. `confirmVisit` replaces it: read it afterwards. */
  visit: Visit;
  /**
   * Reads the session and its person again, strongly consistent. Actions on people and pages, and erasures,
   * call it first.
   * @throws {SignedOut} if the session has ended
   */
  confirmVisit: () => Promise<void>;
  /** Forgets the remembered visits that match, because their sessions have ended. */
  forgetVisits: (matches: (visit: Visit) => boolean) => void;
  /** The key of the session's notes. */
  noteKey: Uint8Array<ArrayBuffer>;
  /** Returns the style sheet and the script of a kind of page, for previews. */
  pageCode: (name: PageKind | 'mediaForm') => PageCode | Promise<PageCode>;
  /** Photos and recordings; absent if the deployment has none. */
  media?: Media | undefined;
  /** Charges the budget of the desk for bytes that the bucket sends, in nanodollars. */
  payForMedia: (cost: number) => Promise<void>;
  /** The URL of the deployment. */
  api: string;
  /** Called after each change; without `after`, the testimonial was erased. */
  onChange: (before: Testimonial, after?: Testimonial) => void;
  /** Called with the id of a testimonial that was erased although it could not be read. */
  onUnreadableErased: (id: string) => void;
  /**
   * Called with the id of each person who was invited, removed or signed out, or whose feed was made or
   * ended.
   */
  onPerson: (event: 'invited' | 'removed' | 'signedOut' | 'feedMade' | 'feedEnded', id: string) => void;
  /** Adds to the log line of the request. */
  log: (more: object) => void;
}

/** The session of a request has ended. */
export class SignedOut extends Error {
  override name = 'SignedOut';
}

export interface DeskEnv {
  Variables: {
    desk: Desk;
    /** True for the preview of a page, which the desk frames. */
    isPreview?: boolean;
  };
}

export type DeskPages = Hono<DeskEnv>;

/** Sets the desk in the context of the routes behind it. */
export function atDesk(desk: (c: Context) => Desk): MiddlewareHandler<DeskEnv> {
  return (c, next) => {
    c.set('desk', desk(c));
    return next();
  };
}

export function isOwner({ visit }: Desk): boolean {
  return visit.person.role === 'owner';
}

export function mayErase({ visit }: Desk): boolean {
  return visit.person.mayErase;
}

/**
 * Finds the oldest pending testimonial that matches a filter.
 * @param skipped ids to pass over
 * @returns the testimonial, if any, and the number of pending matches including skipped ones
 */
export async function oldestPending(
  lists: Pick<Lists, 'list'>,
  filter: TestimonialFilter,
  skipped: readonly string[] = [],
): Promise<{ testimonial?: Testimonial; total: number }> {
  const pending = { ...filter, status: 'pending' } as const;
  // One more than were skipped, so that the page contains another testimonial if there is one.
  for (let limit = skipped.length + 1; ; limit *= 2) {
    const query = { filter: pending, sort: 'createdAt', order: 'asc', page: 1, limit } as const;
    const { testimonials, total } = await lists.list(query);
    const testimonial = testimonials.find(({ id }) => !skipped.includes(id));
    if (testimonial) return { testimonial, total };
    // A list omits testimonials that changed meanwhile or cannot be read: the next page may have another one.
    const isShort = testimonials.length < Math.min(limit, total);
    if (!isShort || limit >= 2 * total) return { total };
  }
}

/** Returns the current state of the testimonials that still exist, in the order of their ids. */
export async function findEach(
  { testimonials }: Pick<Desk, 'testimonials'>,
  ids: readonly string[],
): Promise<Testimonial[]> {
  const found = await testimonials.findMany(ids);
  return found.map(({ testimonial }) => testimonial);
}

/** An action on the testimonials of a list. */
export interface Action {
  name: string;
  /** Begins “… 3 testimonials”. */
  verb: string;
  /** Completes “3 testimonials …”. */
  done: string;
  to: TestimonialChange | 'erase';
}

const actions = {
  approve: { verb: 'Approve', done: 'approved.', to: () => ({ status: 'approved' }) },
  reject: { verb: 'Reject', done: 'rejected.', to: () => ({ status: 'rejected' }) },
  tag: { verb: 'Tag', done: 'tagged.', to: (tags) => readTagging('addTags', tags) },
  untag: { verb: 'Untag', done: 'untagged.', to: (tags) => readTagging('removeTags', tags) },
  erase: {
    verb: 'Erase',
    done: 'erased.',
    to: () => 'erase',
  },
} satisfies Record<string, Pick<Action, 'verb' | 'done'> & { to: (tags: string) => Action['to'] }>;

type ActionName = keyof typeof actions;

/** What a button asks for: an action, or a page that asks before one. */
export type ButtonAction = ActionName | 'ask to erase' | 'choose wall' | `pin ${string}` | `unpin ${string}`;

/** Returns the value of a button on a card: its action, and the testimonial as it is shown. */
export function cardValue(action: ButtonAction, seen: Seen): string {
  return `${action} on ${seenValue(seen)}`;
}

/**
 * Reads the value of a button on a card; undefined if none was pressed.
 * @throws {BadForm}
 */
export function readCardValue(value: string): { action: string; seen: Seen } | undefined {
  const [action = '', seen] = value.split(' on ');
  return seen === undefined ? undefined : { action, seen: readSeen(seen) };
}

/**
 * Reads an action from a form.
 * @param tags the tags as typed
 * @throws {BadForm} for an unknown action, one the person may not take, or invalid tags
 */
export function readAction(desk: Desk, name: string, tags: string): Action {
  if (!Object.hasOwn(actions, name)) throw new BadForm(outOfDateText);
  const action = actions[name as ActionName]; // by the line above
  // Not `NotAllowed`: the page stays, and says so.
  if (name === 'erase' && !mayErase(desk)) {
    throw new BadForm('You may not erase testimonials. Ask the person who invited you.');
  }
  return { ...action, name, to: action.to(tags) };
}

/**
 * Reads an action as `readAction` does. An erasure, which nobody can undo, confirms the session before: then
 * the person is asked for as they are now.
 */
export async function readConfirmedAction(desk: Desk, name: string, tags: string): Promise<Action> {
  if (name === 'erase') await desk.confirmVisit();
  return readAction(desk, name, tags);
}

/** A change that a person sent, and its outcome. */
export interface SentChange {
  outcome: Changed;
  /**
   * True if the person sent it before, and the response was lost: its outcome is `already`. False for tags:
   * only a decision is stored with its person.
   */
  isRepeated: boolean;
}

/** Changes a testimonial, unless someone changed it since it was seen. */
export async function changeSeen(desk: Desk, seen: Seen, to: TestimonialChange): Promise<SentChange> {
  const { testimonials, visit, onChange } = desk;
  const options = { ifUpdatedAt: seen.updatedAt, by: visit.person };
  const outcome = await testimonials.change(seen.id, to, options);
  if (outcome.kind === 'done') onChange(outcome.before, outcome.testimonial);
  return { outcome, isRepeated: wasSentBefore(desk, seen, to, outcome) };
}

/**
 * Returns true if this person has made the decision since it was seen: the response to that request was lost.
 */
function wasSentBefore({ visit }: Desk, seen: Seen, to: Action['to'], outcome: Changed | Erased): boolean {
  // Only `already` has a decision.
  if (to === 'erase' || to.status === undefined || !('decision' in outcome)) return false;
  const { decision } = outcome;
  return decision !== undefined && decision.id === visit.person.id && decision.at > seen.updatedAt;
}

/**
 * The outcomes by kind. `done` also has repeated ones, and those in `unreadable`: erased testimonials that
 * could not be read, of whose words the index may still contain some.
 */
export type DeskTally = Tally & { unreadable: string[] };

/** Changes or erases testimonials, except those that someone changed since they were seen. */
export async function changeOrEraseEach(
  desk: Desk,
  seen: readonly Seen[],
  to: Action['to'],
): Promise<DeskTally> {
  const { testimonials, visit, onChange, onUnreadableErased } = desk;
  // As `changeMany` tallies them, except that a repeated `already` counts as done.
  const tally: DeskTally = {
    done: [],
    already: [],
    conflict: [],
    absent: [],
    tooManyTags: [],
    unreadable: [],
  };
  const seenById = new Map(seen.map((each) => [each.id, each]));
  const onOutcome = (_: Tally, id: string, outcome: Changed | Erased) => {
    const each = seenById.get(id);
    tally[each && wasSentBefore(desk, each, to, outcome) ? 'done' : outcome.kind].push(id);
    if (outcome.kind !== 'done') return;
    if (outcome.before === 'unreadable') {
      tally.unreadable.push(id);
      onUnreadableErased(id);
    } else {
      onChange(outcome.before, 'testimonial' in outcome ? outcome.testimonial : undefined);
    }
  };
  await testimonials.changeMany(seen, to, { by: visit.person, onOutcome });
  return tally;
}
