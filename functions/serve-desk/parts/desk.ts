/** The desk of one request: its stores and its person. It keeps nothing between requests. */
import type { Context, MiddlewareHandler } from 'hono';
import type { Hono } from 'hono/tiny';
import type { OrganizationStore } from '../../accounts/organization-store.ts';
import type { PageStore } from '../../accounts/page-store.ts';
import type { PageKind } from '../../domain/page.ts';
import type { Visit } from '../../domain/person.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import type { TestimonialFilter } from '../../domain/testimonial-filter.ts';
import type { Media } from '../../media/media.ts';
import type { Changes } from '../../testimonials/changes.ts';
import type { CountOperations } from '../../testimonials/counts.ts';
import type { Creates } from '../../testimonials/creates.ts';
import type { Finds } from '../../testimonials/finds.ts';
import type { ListChanges } from '../../testimonials/list-changes.ts';
import type { Lists } from '../../testimonials/lists.ts';
import type { Loads } from '../../testimonials/loads.ts';
import type { PinnedLists } from '../../testimonials/pinned-lists.ts';
import type { TestimonialsPart } from '../../testimonials/read-all.ts';
import type { Shell } from './layout.ts';

interface PageCode {
  style: string;
  script: string;
}

export interface Desk extends Shell {
  /** Pages change testimonials through the functions in actions.ts, which also log. */
  testimonials: Creates &
    Finds &
    Pick<Changes, 'change'> &
    Lists &
    PinnedLists &
    CountOperations &
    ListChanges;
  loads: Loads;
  /** Reads a part of all testimonials, for exports. */
  readPart: (from: number) => Promise<TestimonialsPart>;
  stores: {
    organizations: OrganizationStore;
    /** Absent if the deployment serves no pages. */
    pages?: PageStore;
  };
  /** The time according to the database. */
  now: () => Date;
  /** The person at the desk, possibly from the cache. `confirmVisit` replaces it, so read it afterwards. */
  visit: Visit;
  /**
   * Reads the session and its person again, with strong consistency. Actions on people and pages, and
   * erasures, call it first.
   * @throws {SignedOut} if the session has ended
   */
  confirmVisit: () => Promise<void>;
  /** Removes matching visits from the cache, because their sessions have ended. */
  evictVisits: (matches: (visit: Visit) => boolean) => void;
  /** The key of the session's notes. */
  noteKey: Uint8Array<ArrayBuffer>;
  /** Returns the style sheet and the script of a kind of page, for previews. */
  pageCode: (name: PageKind | 'mediaForm') => PageCode | Promise<PageCode>;
  /** Photos and recordings; absent if the deployment stores none. */
  media?: Media | undefined;
  /** Charges the budget of the desk for bytes that the bucket sends, in nanodollars. */
  payForMedia: (cost: number) => Promise<void>;
  /** The URL of the deployment. */
  serviceUrl: string;
  /** Called after each change. If `after` is absent, the testimonial was erased. */
  onChange: (before: Testimonial, after?: Testimonial) => void;
  /** Called with the id of an unreadable testimonial that was erased. */
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

/** Sets the desk in the context of the subsequent routes. */
export function withDesk(desk: (c: Context) => Desk): MiddlewareHandler<DeskEnv> {
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
 * @param skipped the ids to leave out
 * @returns the testimonial, if any, and the number of pending matches including skipped ones
 */
export async function oldestPending(
  lists: Pick<Lists, 'list'>,
  filter: TestimonialFilter,
  skipped: readonly string[] = [],
): Promise<{ testimonial?: Testimonial; total: number }> {
  const pending = { ...filter, status: 'pending' } as const;
  // One more than the number skipped, so that the page contains another testimonial if there is one.
  for (let limit = skipped.length + 1; ; limit *= 2) {
    const query = { filter: pending, sort: 'createdAt', order: 'asc', page: 1, limit } as const;
    const { testimonials, total } = await lists.list(query);
    const testimonial = testimonials.find(({ id }) => !skipped.includes(id));
    if (testimonial) return { testimonial, total };
    // A list omits testimonials that changed in the meantime or cannot be read, so the next page may have
    // another one.
    const isShort = testimonials.length < Math.min(limit, total);
    if (!isShort || limit >= 2 * total) return { total };
  }
}

/**
 * Returns the current state of testimonials, in the order of `ids`. Leaves out ids without a testimonial, and
 * empty ids.
 */
export async function findEach(
  { testimonials }: Pick<Desk, 'testimonials'>,
  ids: readonly string[],
): Promise<Testimonial[]> {
  const found = await testimonials.findMany(ids);
  return found.map(({ testimonial }) => testimonial);
}
