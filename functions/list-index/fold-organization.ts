/** Folding an organization until what was asked for is folded, or the time is over. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Change } from '../domain/stores.ts';
import {
  type FoldDependencies,
  type FoldStep,
  foldStep,
  forgetAfterMs,
  forgetCovered,
  settledMs,
} from './fold.ts';
import { noIndex } from './index-store.ts';
import { FoldStalled } from './posting-edits.ts';

/** Testimonials a step: written within a second or two, far within the time that a step has. */
export const stepSize = 1000;

const leaseMs = 60_000;
// Between two looks at a lease that another fold has.
const leaseRetryMs = 2000;
// Between two looks for what should have settled and has not.
const unsettledRetryMs = 1000;

export interface FoldGoal {
  /** The highest ordinal that has to be in the index; 0 for none. */
  ordinal: number;
  /** True when the changes announced at the beginning have to be in the index, and forgotten. */
  changes: boolean;
}

export interface FoldReport {
  steps: number;
  folded: number;
  changes: number;
  postingsWritten: number;
  /** True when the goal was reached. */
  done: boolean;
}

export interface FoldRun extends FoldDependencies {
  /** Names this run in the lease. */
  owner: string;
  /** When to stop, in milliseconds since the epoch. */
  until: number;
  /** Waits; tests pass one that moves their clock. */
  sleep?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Folds an organization in bounded steps. Waits for what has not settled yet rather than leave it behind, and
 * forgets changes once no list can need them.
 */
export async function foldOrganization(
  run: FoldRun,
  organization: string,
  goal: FoldGoal,
): Promise<FoldReport> {
  const { index, testimonials, now, owner, until, sleep = wait } = run;
  const report: FoldReport = { steps: 0, folded: 0, changes: 0, postingsWritten: 0, done: false };
  const toForget: { step: FoldStep; at: number }[] = [];
  const time = () => now().getTime();
  let size = stepSize;
  // Changes announced later have records of their own.
  let awaited: Change[] | undefined;
  let settledAt: number | undefined;

  try {
    while (time() < until) {
      if (!(await index.takeLease(organization, owner, time(), time() + leaseMs))) {
        await sleep(Math.min(leaseRetryMs, Math.max(0, until - time())));
        continue;
      }
      const due = toForget.filter(({ at }) => at <= time());
      for (const each of due) {
        await forgetCovered(run, organization, each.step);
        toForget.splice(toForget.indexOf(each), 1);
      }
      const head = (await index.readHead(organization)) ?? noIndex;
      const announced = goal.changes ? await testimonials.announcedChanges(organization) : [];
      awaited ??= announced;
      const left = awaited.filter((change) => includes(announced, change));
      const isFolded =
        (goal.ordinal === 0 || head.indexed > goal.ordinal) &&
        left.every((change) => isToBeForgotten(toForget, change));
      if (isFolded && left.length === 0) {
        report.done = true;
        break;
      }
      if (isFolded) {
        await sleep(Math.min(until, ...toForget.map(({ at }) => at)) - time());
        continue;
      }
      // All that is asked for at once: a posting is then written once for all of it.
      settledAt ??= await settlingOf(run, organization, goal, awaited);
      if (time() < settledAt) {
        await sleep(Math.min(settledAt, until) - time());
        continue;
      }
      const step = await foldStep(run, organization, size).catch((error: unknown) => {
        if (!(error instanceof FoldStalled) || size === 1) throw error;
        return undefined;
      });
      if (!step) {
        // Too much for one step on this machine.
        size = Math.ceil(size / 4);
        continue;
      }
      report.steps += 1;
      report.folded += step.folded;
      report.postingsWritten += step.written;
      const fresh = step.covered.filter((change) => !isToBeForgotten(toForget, change));
      if (fresh.length > 0) {
        report.changes += fresh.length;
        toForget.push({ step: { ...step, covered: fresh }, at: time() + forgetAfterMs });
      }
      // Clocks differ: what should have settled has not.
      if (!step.more && step.folded === 0 && fresh.length === 0) await sleep(unsettledRetryMs);
    }
  } finally {
    // It runs out by itself; an error here must not hide the one that ended the fold.
    await index.releaseLease(organization, owner).catch(() => {});
  }
  return report;
}

/** When the newest of what is asked for has settled, in milliseconds since the epoch. */
async function settlingOf(
  { testimonials, now }: FoldRun,
  organization: string,
  { ordinal }: FoldGoal,
  awaited: readonly Change[],
): Promise<number> {
  const newest = await testimonials.find(organization, ordinal);
  const times = awaited.map(({ time }) => time.getTime());
  const last = Math.max(newest ? Date.parse(newest.createdAt) : 0, ...times);
  return Math.min(last, now().getTime()) + settledMs;
}

function isToBeForgotten(toForget: { step: FoldStep }[], change: Change): boolean {
  return toForget.some(({ step }) => includes(step.covered, change));
}

function includes(changes: readonly Change[], { ordinal, time, kind }: Change): boolean {
  return changes.some(
    (each) => each.ordinal === ordinal && each.kind === kind && each.time.getTime() === time.getTime(),
  );
}
