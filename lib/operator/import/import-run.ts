/** A run of an import or an undo: it shows life in the job, so that no other one is at the same. */
import { importGivenUpMs, showLifeEveryMs } from '../../../functions/timing.ts';
import { counted } from '../terminal/formatting.ts';
import { type ImportJob, type ImportJobStore, isClaimed, type MaybeBegun } from './import-job.ts';

// One run does these steps, and no other beside it. What comes after them any number may do at once.
const ownStates: readonly ImportJob['state'][] = ['begun', 'storing', 'undoing'];

interface RunDependencies {
  jobs: ImportJobStore;
  now: () => Date;
}

export class ImportRun {
  readonly #deps: RunDependencies;
  readonly organization: string;
  /** What tells the import from every other. */
  readonly name: string;
  /** As this run has read or written it last. */
  job: ImportJob | undefined;
  /** Lines that it has dealt with. */
  done = 0;
  /** Lines that it has stored, and no run before it. */
  stored = 0;
  /** Whether it has said that it does a step which is one run's, and goes on with that. */
  isAtIt = false;

  /** @throws where another run is at the import */
  constructor(deps: RunDependencies, organization: string, { name, job }: MaybeBegun) {
    if (job) refuseElsewhere(organization, job, deps.now());
    this.#deps = deps;
    this.organization = organization;
    this.name = name;
    this.job = job;
  }

  /**
   * Writes the job and, in a step that is one run's, that it is this run's.
   * @throws where another run has written it since
   */
  async save<Job extends ImportJob>(next: Job): Promise<Job> {
    const { now, jobs } = this.#deps;
    const isOwn = ownStates.includes(next.state);
    const claimedUntil = isOwn ? new Date(now().getTime() + importGivenUpMs).toISOString() : '';
    const revision = this.job?.revision ?? 0;
    const written = { ...this.#reached(next), revision, claimedUntil };
    const saved = await jobs.replace(this.organization, this.name, written);
    this.job = saved ?? (await jobs.find(this.organization, this.name));
    // What any number may do at once, another run has done.
    const isSame = !isOwn && this.job?.state === next.state;
    this.isAtIt = isOwn && saved !== undefined;
    if (saved || isSame) return saved ?? next;
    if (this.job) refuseElsewhere(this.organization, this.job, now());
    throw new Error('Another run went on with this import meanwhile: run this again.');
  }

  /** With how far it is by now: a run that goes on begins to count anew, and what was said before stays true. */
  #reached<Job extends ImportJob>(job: Job): Job {
    return { ...job, done: Math.max(this.done, job.done ?? 0) };
  }

  /** Says from time to time that this run is at it, and how far. */
  async showLife(): Promise<void> {
    const { job } = this;
    if (!job || !this.isAtIt) return;
    const since = Date.parse(job.claimedUntil ?? '') - importGivenUpMs;
    if (this.#deps.now().getTime() - since >= showLifeEveryMs) await this.save(job);
  }

  /** Does what only this run does; where that fails, any other run may go on at once. */
  async whileAtIt<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const left = this.isAtIt && this.job && { ...this.#reached(this.job), claimedUntil: '' };
      this.isAtIt = false;
      // Whoever cannot say so is given up in a while.
      if (left) await this.#deps.jobs.replace(this.organization, this.name, left).catch(() => {});
      throw error;
    }
  }
}

/** @throws where a run is at an import, or at its undo: which, how far it was, and until when it counts as alive */
export function refuseElsewhere(organization: string, job: ImportJob, now: Date): void {
  const { state, count, done = 0, claimedUntil = '' } = job;
  if (!isClaimed(job, now)) return;
  const what = state === 'undoing' ? 'undoes this import into' : 'imports the same file into';
  const clock = (time: string) => `${time.slice(11, 19)} UTC`;
  const since = clock(new Date(Date.parse(claimedUntil) - importGivenUpMs).toISOString());
  throw new Error(
    `Another run ${what} ${organization}, and had done ${done.toLocaleString('en')} of ${counted(count, 'line')} at ${since}. Wait for its end; if it was stopped, run this again after ${clock(claimedUntil)}.`,
  );
}
