/** What the benchmark has measured. */
import type { ColdStart } from '../cold-start.ts';
import type { CreateCost, Throughput } from '../creates.ts';
import type { IndexUpdateCost, IndexUpdateLoad } from '../index-updates.ts';
import type { ListResult } from '../measure-lists.ts';
import type { Overhead } from '../overhead.ts';
import type { SimulatedList } from '../simulate.ts';
import type { DearestList, LongWrite, Situation } from '../situations.ts';

export interface Results {
  sizes: number[];
  repetitions: number;
  /** How often the filter design is asked: up to a size several times, above it once. */
  filterRepetitions: { repetitions: number; upTo: number; largest: number };
  machine: string;
  lists: ListResult[];
  simulated: SimulatedList[];
  creates: CreateCost[];
  throughput: Throughput[];
  indexUpdates: IndexUpdateCost[];
  indexUpdateLoads: IndexUpdateLoad[];
  situations: Situation[];
  longWrites: LongWrite[];
  dearest: DearestList[];
  overhead: Overhead[];
  coldStarts: ColdStart[];
  /** undefined when it is not installed. */
  postgresqlVersion: string | undefined;
  node: string;
}
