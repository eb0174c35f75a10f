/**
 * The claim of a process on a load or its undo. The process renews it in the record of the load, so that no
 * other process does the same work.
 */
import { LoadRefused } from '../../domain/loads.ts';
import { claimExpiryMs, renewClaimEveryMs } from '../../timing.ts';
import { isClaimed, type LoadRecord, type LoadStore, type NamedLoad, statusOf } from './load-record.ts';

// In these states, only one process at a time may work. Several processes can do the work that follows.
const claimedStates: readonly LoadRecord['state'][] = ['begun', 'storing', 'undoing'];

interface ClaimDependencies {
  loads: LoadStore;
  now: () => Date;
}

/**
 * A process's view of a load: its record and, once `save` takes it, the claim. Opening the load takes no
 * claim.
 */
export class Claim {
  readonly #deps: ClaimDependencies;
  readonly organization: string;
  /** The name of the load. */
  readonly name: string;
  /** The record of the load, as last read or written by this process. */
  record: LoadRecord | undefined;
  /** The number of lines that this process has stored or erased, or found already stored or erased. */
  done = 0;
  /** The number of lines that this process itself has stored. */
  stored = 0;
  /** True while this process holds the claim. `save` takes it. */
  isHeld = false;

  /** @throws {LoadRefused} when another process works on the load */
  constructor(deps: ClaimDependencies, organization: string, last: NamedLoad<LoadRecord | undefined>) {
    const { name, record } = last;
    if (record) refuseIfClaimed(organization, { name, record }, deps.now());
    this.#deps = deps;
    this.organization = organization;
    this.name = name;
    this.record = record;
  }

  /**
   * Writes the record, with this process's claim if the state needs one.
   * @param next its `revision` and `claimedUntil` are replaced, and `done` is never lowered
   * @throws {LoadRefused} when another process has written the record since
   */
  async save<OfLoad extends LoadRecord>(next: OfLoad): Promise<OfLoad> {
    const { organization, name } = this;
    const { now, loads } = this.#deps;
    const needsClaim = claimedStates.includes(next.state);
    const claimedUntil = needsClaim ? new Date(now().getTime() + claimExpiryMs).toISOString() : '';
    const revision = this.record?.revision ?? 0;
    const written = { ...this.#withProgress(next), revision, claimedUntil };
    const saved = await loads.replace(organization, name, written);
    this.record = saved ?? (await loads.find(organization, name));
    this.isHeld = needsClaim && saved !== undefined;
    // Without a claim, another process may have done the same work.
    if (saved || (!needsClaim && this.record?.state === next.state)) return saved ?? next;
    if (this.record) refuseIfClaimed(organization, { name, record: this.record }, now());
    throw new LoadRefused({ why: 'taken over' });
  }

  /** Never lowers `done`, because a process that continues a load counts from zero. */
  #withProgress<OfLoad extends LoadRecord>(record: OfLoad): OfLoad {
    return { ...record, done: Math.max(this.done, record.done ?? 0) };
  }

  /** Renews the claim if the renewal is due, and writes the progress. */
  async renew(): Promise<void> {
    const { record } = this;
    if (!record || !this.isHeld) return;
    const claimedAt = Date.parse(record.claimedUntil ?? '') - claimExpiryMs;
    if (this.#deps.now().getTime() - claimedAt >= renewClaimEveryMs) await this.save(record);
  }

  /** Runs work and releases the claim if the work fails. Calls can be nested: the inner one releases it. */
  async releaseOnFailure<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const released = this.isHeld && this.record && { ...this.#withProgress(this.record), claimedUntil: '' };
      this.isHeld = false;
      // If this fails too, the claim expires.
      if (released) await this.#deps.loads.replace(this.organization, this.name, released).catch(() => {});
      throw error;
    }
  }
}

/** @throws {LoadRefused} when a process works on the load or its undo */
export function refuseIfClaimed(organization: string, load: NamedLoad, now: Date): void {
  if (isClaimed(load.record, now))
    throw new LoadRefused({ why: 'busy', organization, status: statusOf(load, now) });
}
