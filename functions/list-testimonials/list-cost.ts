/** What a list cost and what it met: fields of its line in the log, of which CloudWatch makes metrics. */
import type { ListExplanation } from '../operations/list-testimonials.ts';
import type { Cost } from '../persistence/cost-meter.ts';

/** The fields. Those that may be absent say what is wrong with the list index: of most lists nothing is. */
export interface ListLine {
  /** How its rows were found. */
  rows: string;
  readUnits: number;
  rounds: number;
  calls: number;
  /** Testimonials read because the index did not have them yet. */
  unindexed: number;
  /** Whether the function remembered the index head. */
  isWarm: boolean;
  /** How long an update of the index is due, in milliseconds. */
  indexLagMs?: number;
  /** Its postings were made by other rules than those of this version. */
  hasOtherTerms?: true;
}

/** The fields of a list that was answered. */
export function lineOfList(
  { units, writeUnits, rounds, requests }: Cost,
  { rows, unindexed, isWarm, dueSince, hasOtherTerms }: ListExplanation,
  now: Date,
): ListLine {
  return {
    rows: rows.by,
    readUnits: units - writeUnits,
    rounds,
    calls: requests,
    unindexed,
    isWarm,
    ...(dueSince !== undefined && { indexLagMs: Math.max(0, now.getTime() - Date.parse(dueSince)) }),
    ...(hasOtherTerms && { hasOtherTerms }),
  };
}
