/** Median and spread of repeated measurements. */

export interface Spread {
  median: number;
  /** The quartiles. */
  low: number;
  high: number;
  /** How many measurements these are of. */
  count: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
  return { median: at(0.5), low: at(0.25), high: at(0.75), count: sorted.length };
}
