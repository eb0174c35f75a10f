/** A desk: what its pages have at hand for one request. It holds nothing between two. */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Visit } from '../../domain/person.ts';
import type { OrganizationStore, TokenStore } from '../../domain/stores.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import type { TestimonialChange } from '../../domain/testimonial-change.ts';
import { ordinalOfId } from '../../domain/testimonial-id.ts';
import { attemptEach, type Changed, type Seen, type Tally } from '../../operations/attempts.ts';
import { type ChangeDependencies, changeTestimonial } from '../../operations/change-testimonial.ts';
import { eraseTestimonial } from '../../operations/erase-testimonial.ts';
import type { ListDependencies } from '../../operations/list-testimonials.ts';
import type { Html } from './html.ts';
import { layout, type PageName, type Shell } from './layout.ts';
import { oldestPending } from './oldest-pending.ts';

export interface Desk extends Shell {
  stores: ListDependencies & ChangeDependencies & { tokens: TokenStore; organizations: OrganizationStore };
  /** The person who sits at it; absent where that is the operator, who may do everything. */
  visit?: Visit;
  /** The address of the API, where it is known. */
  api?: string;
  /** The origins whose pages may ask the API, where they are known. */
  origins?: readonly string[];
  /** Told each testimonial that was changed, and as it is then; that is absent where it was erased. */
  onChange?: (before: Testimonial, after?: Testimonial) => void;
  /** Told the id of each token that was made or revoked. */
  onToken?: (what: 'made' | 'revoked', id: string) => void;
  /** What is to be known whatever is done, where lists do not have all there is: that an import has not ended. */
  notices?: () => Promise<string[]>;
}

/** What each page's handler finds in its context. */
export interface DeskEnv {
  Variables: { desk: Desk };
}

export type DeskPages = Hono<DeskEnv>;

/** Gives the pages behind it their desk. */
export function atDesk(desk: (c: Context) => Desk): MiddlewareHandler<DeskEnv> {
  return (c, next) => {
    c.set('desk', desk(c));
    return next();
  };
}

/** Whether the person may erase testimonials. */
export function mayErase({ visit }: Desk): boolean {
  return visit?.person.mayErase ?? true;
}

/**
 * Answers with a whole page: what the organization's pages share, around what is the page's own, which may still be on its way
 * meanwhile.
 * @param told its title, where that is not its name; how many testimonials are pending, where it has counted them; and its status
 */
export async function showPage(
  { var: { desk }, html }: Context<DeskEnv>,
  current: PageName,
  main: Html | Promise<Html>,
  {
    title,
    pending: known,
    status = 200,
  }: { title?: string; pending?: number; status?: 200 | 400 | 422 } = {},
): Promise<Response> {
  const around = async () => {
    const notices = (await desk.notices?.()) ?? [];
    if (notices.length > 0) return { notices };
    return { pending: known ?? (await oldestPending(desk.stores, desk.organization, {})).total };
  };
  const [shown, told] = await Promise.all([main, around()]);
  return html(layout(desk, { current, title, ...told }, shown), status);
}

/** The testimonials that are there of some, as they are now. */
export async function findEach(
  { stores, organization }: Desk,
  ids: readonly string[],
): Promise<Testimonial[]> {
  const ordinals = ids.flatMap((id) => ordinalOfId(id) ?? []);
  const found = await stores.testimonials.findMany(organization, [...new Set(ordinals)]);
  const byId = new Map(found.map(({ testimonial }) => [testimonial.id, testimonial]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Changes a testimonial that is still as it was seen. */
export async function change(desk: Desk, seen: Seen, to: TestimonialChange): Promise<Changed> {
  const { stores, organization, visit, onChange } = desk;
  const options = { ifUpdatedAt: seen.updatedAt, ...(visit && { by: visit.person }) };
  const outcome = await changeTestimonial(stores, organization, seen.id, to, options);
  if (outcome.kind === 'done') onChange?.(outcome.before, outcome.testimonial);
  return outcome;
}

/**
 * Changes or erases each of some testimonials that is still as it was seen.
 * @param to `erase`, or the change
 */
export function changeEach(
  desk: Desk,
  seen: readonly Seen[],
  to: TestimonialChange | 'erase',
): Promise<Tally> {
  const { stores, organization, onChange } = desk;
  return attemptEach(seen, async () => async (each) => {
    if (to !== 'erase') return change(desk, each, to);
    const outcome = await eraseTestimonial(stores, organization, each.id, { ifUpdatedAt: each.updatedAt });
    if (outcome.kind === 'done' && outcome.before) onChange?.(outcome.before);
    return outcome;
  });
}
