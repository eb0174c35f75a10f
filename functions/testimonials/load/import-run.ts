/** One run of an import or an undo. It renews a claim in the job, so that no other run does the same work. */

import { counted } from '../../../lib/operator/terminal/formatting.ts';
import { importGivenUpMs, renewClaimEveryMs } from '../../timing.ts';
import { type ImportJob, type ImportJobStore, isClaimed, type NamedImport } from './import-job.ts';

// Only one run at a time may work in these states. Several runs may do the work that follows.
const claimedStates: readonly ImportJob['state'][] = ['begun', 'storing', 'undoing'];

interface RunDependencies {
  jobs: ImportJobStore;
  now: () => Date;
}

export class ImportRun {
  readonly #deps: RunDependencies;
  readonly organization: string;
  readonly name: string;
  /** As last read or written by this run. */
  job: ImportJob | undefined;
  /** Lines that this run has stored or erased, or found already stored or erased. */
  done = 0;
  /** Lines that this run itself has stored. */
  stored = 0;
  /** True while this run holds the claim. */
  hasClaim = false;

  /** @throws when another run works on the import */
  constructor(deps: RunDependencies, organization: string, last: NamedImport<ImportJob | undefined>) {
    if (last.job) refuseIfClaimed(organization, last.job, deps.now());
    this.#deps = deps;
    this.organization = organization;
    this.name = last.name;
    this.job = last.job;
  }

  /**
   * Writes the job, and this run's claim if its state needs one.
   * @throws when another run has written the job since
   */
  async save<Job extends ImportJob>(next: Job): Promise<Job> {
    const { now, jobs } = this.#deps;
    const needsClaim = claimedStates.includes(next.state);
    const claimedUntil = needsClaim ? new Date(now().getTime() + importGivenUpMs).toISOString() : '';
    const revision = this.job?.revision ?? 0;
    const written = { ...this.#withProgress(next), revision, claimedUntil };
    const saved = await jobs.replace(this.organization, this.name, written);
    this.job = saved ?? (await jobs.find(this.organization, this.name));
    this.hasClaim = needsClaim && saved !== undefined;
    // Without a claim, another run may have done the same work.
    if (saved || (!needsClaim && this.job?.state === next.state)) return saved ?? next;
    if (this.job) refuseIfClaimed(this.organization, this.job, now());
    throw new Error('Another run has continued this import. Run this command again.');
  }

  /** Never lowers `done`: a run that continues an import counts from zero. */
  #withProgress<Job extends ImportJob>(job: Job): Job {
    return { ...job, done: Math.max(this.done, job.done ?? 0) };
  }

  /** Renews the claim if that is due, and writes the progress. */
  async renewClaim(): Promise<void> {
    const { job } = this;
    if (!job || !this.hasClaim) return;
    const claimedAt = Date.parse(job.claimedUntil ?? '') - importGivenUpMs;
    if (this.#deps.now().getTime() - claimedAt >= renewClaimEveryMs) await this.save(job);
  }

  /** Does work under the claim, and gives the claim up if the work fails. */
  async underClaim<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const released = this.hasClaim && this.job && { ...this.#withProgress(this.job), claimedUntil: '' };
      this.hasClaim = false;
      // If this fails too, the claim expires.
      if (released) await this.#deps.jobs.replace(this.organization, this.name, released).catch(() => {});
      throw error;
    }
  }
}

/**
 * @throws when a run works on the import or its undo; the error names its progress and the end of its claim
 */
export function refuseIfClaimed(organization: string, job: ImportJob, now: Date): void {
  const { state, count, done = 0, claimedUntil = '' } = job;
  if (!isClaimed(job, now)) return;
  const clock = (time: string) => `${time.slice(11, 19)} UTC`;
  const since = clock(new Date(Date.parse(claimedUntil) - importGivenUpMs).toISOString());
  const subject =
    state === 'undoing'
      ? 'This import is already being undone in'
      : 'This file is already being imported into';
  throw new Error(
    `${subject} ${organization} (${done.toLocaleString('en')} of ${counted(count, 'line')} at ${since}). Wait for it to finish. If it was stopped, run this command again after ${clock(claimedUntil)}.`,
  );
}
