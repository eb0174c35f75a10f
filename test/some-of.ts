/** Chooses the cases that a run plays, of matrices that are too large for each run and of random cases. */
import fc from 'fast-check';

/** True if each run plays all cases: `EVERY_CASE=true npm run test:browser`. */
export const isWhole = process.env.EVERY_CASE === 'true';

/** Returns a random quarter of the cases, in their order. */
export function someOf<Case>(cases: readonly Case[]): readonly Case[] {
  if (isWhole) return cases;
  const length = Math.ceil(cases.length / 4);
  const [some = []] = fc.sample(fc.subarray([...cases], { minLength: length, maxLength: length }), 1);
  return some;
}

/** Returns how many random cases a test plays: `RUNS=10 npm test` plays ten times as many. */
export function runsOf(count: number): number {
  return Math.ceil(count * Number(process.env.RUNS ?? 1));
}
