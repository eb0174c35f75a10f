/**
 * Renews all list indexes after a deployment: rebuilds those that other rules built, one organization after
 * the other. The progress is stored, so that any invocation can continue.
 */
import { Unreadable } from '../../../domain/unreadable.ts';
import { rebuildLeaseMs } from '../../../timing.ts';
import type { IndexDependencies, IndexHead, RenewalStore } from '../index-store.ts';
import { termsVersion } from '../terms-version.ts';
import { beginRebuild } from './acquire-rebuild.ts';

export interface RenewalDependencies extends IndexDependencies {
  renewals: RenewalStore;
}

/** The next action of a renewal for an organization. */
export type RenewalAction =
  /**
   * Nothing to do: no index, an index of this version, an import whose end rebuilds it, or a rebuild that is
   * stuck.
   */
  | 'pass over'
  | 'begin'
  /** No process works on its rebuild, so the next index update continues it. */
  | 'request an update'
  | 'wait';

// A rebuild that fails for this long raises an alarm, and the other organizations continue without it.
const stuckMs = 5 * rebuildLeaseMs;

/** @param now in milliseconds since 1970 */
export function nextRenewalAction(head: IndexHead | undefined, now: number): RenewalAction {
  if (!head || head.load !== undefined) return 'pass over';
  const { building } = head;
  if (building?.terms !== termsVersion) return head.terms === termsVersion ? 'pass over' : 'begin';
  if (building.until > now) return 'wait';
  return now - building.until >= stuckMs ? 'pass over' : 'request an update';
}

interface RenewalOptions {
  /** No organization begins after this time, in milliseconds since 1970. */
  until?: number;
  /** Called if a head cannot be read. The organization is then skipped. If absent, the error is thrown. */
  onUnreadable?: (error: Unreadable) => void;
}

/**
 * Continues a requested renewal, if there is one, without waiting for a rebuild; then requests the rest.
 * @returns the organizations whose rebuilds it began or tried to begin
 */
export async function renewIndexes(
  deps: RenewalDependencies,
  { until = Number.POSITIVE_INFINITY, onUnreadable }: RenewalOptions = {},
): Promise<string[]> {
  const { renewals, index, now } = deps;
  const readHead = (organization: string) =>
    index.readHead(organization).catch((error: unknown) => {
      if (!(onUnreadable && error instanceof Unreadable)) throw error;
      onUnreadable(error);
      return undefined;
    });
  const request = await renewals.read();
  if (!request) return [];
  for await (const organization of renewals.organizations(request.from)) {
    const isLate = now().getTime() >= until;
    const next = isLate ? 'wait' : nextRenewalAction(await readHead(organization), now().getTime());
    if (next === 'pass over') continue;
    if (next === 'begin') await beginRebuild(deps, organization);
    if (next === 'request an update') await index.requestIndexUpdate(organization, now());
    // One at a time: the next one follows when this one is done.
    await renewals.continueFrom(request, organization, now());
    return next === 'begin' ? [organization] : [];
  }
  await renewals.end(request);
  return [];
}
