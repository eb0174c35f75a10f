/**
 * Making all list indexes anew by the rules of this version: one organization after the other, without an operator, begun by each
 * deployment. What is left to do is where the rebuilds stand, and the organization at which this is: any invocation goes on.
 */
import { Unreadable } from '../../domain/unreadable.ts';
import { rebuildGivenUpMs } from '../../timing.ts';
import type { IndexDependencies, IndexHead, RenewalStore } from '../index-store.ts';
import { termsVersion } from '../terms-version.ts';
import { beginRebuild } from './rebuild.ts';

export interface RenewalDependencies extends IndexDependencies {
  renewals: RenewalStore;
}

/** The next thing that a renewal does with an organization. */
export type NextOfRenewal =
  /** It is as it should be, or an import shows all that it has when it ends. */
  | 'pass over'
  | 'begin'
  /** Its rebuild was left: whoever updates it goes on with that. */
  | 'ask for it'
  | 'wait';

// Its failures raise an alarm; the others do not wait for it.
const stuckMs = 5 * rebuildGivenUpMs;

/** @param now in milliseconds since the epoch */
export function nextOfRenewal(head: IndexHead | undefined, now: number): NextOfRenewal {
  if (!head || head.load !== undefined) return 'pass over';
  const { building } = head;
  if (building?.terms !== termsVersion) return head.terms === termsVersion ? 'pass over' : 'begin';
  if (building.until > now) return 'wait';
  return now - building.until >= stuckMs ? 'pass over' : 'ask for it';
}

interface RenewalOptions {
  /** No organization is begun after it, in milliseconds since the epoch. */
  until?: number;
  /** Told of a head that cannot be read: its organization is passed over. Without it, that is an error. */
  onUnreadable?: (error: Unreadable) => void;
}

/**
 * Goes on with the renewal that was asked for, if there is one, as far as it goes without waiting; then asks for the rest.
 * @returns the organizations that it was at
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
  const begun: string[] = [];
  for await (const organization of renewals.organizations(request.from)) {
    const isLate = now().getTime() >= until;
    const next = isLate ? 'wait' : nextOfRenewal(await readHead(organization), now().getTime());
    if (next === 'pass over') continue;
    if (next === 'begin') {
      await beginRebuild(deps, organization);
      begun.push(organization);
    }
    if (next === 'ask for it') await index.requestIndexUpdate(organization, now());
    // One at a time: the next when this one is done.
    await renewals.goOn(request, organization, now());
    return begun;
  }
  await renewals.end(request);
  return begun;
}
