/** What is to be done next for an import: all that is decided of it is decided here, before it is done. */
import type { ImportJob, JobBeside, PlacedJob } from './import-job.ts';
import type { Repeated } from './likely-repeated.ts';

/** Why lines may not be meant to be stored as they are. */
export interface Doubts {
  /** Lines that are there already. */
  repeated: Repeated | undefined;
  /** Another import has not ended, which is given up for this one. */
  besideUnended: boolean;
  /** Others are refused. */
  hasRefused: boolean;
  /** Columns that look like fields are left out. */
  hasLost: boolean;
}

/** What was seen of an organization into which nothing of the file is stored yet. */
export interface Surroundings {
  /** Nothing was ever stored there, but for a load that has not ended. */
  isEmpty: boolean;
  /** A load into it has not ended. */
  isLoading: boolean;
  /** Somebody began to import this very file meanwhile. */
  isBegunElsewhere: boolean;
  /** Lines that find no place between those that are there. */
  lacking: number;
  /** Present where there is reason for some. */
  doubts?: Doubts;
}

export interface Situation {
  job: ImportJob | undefined;
  /** Good lines of the file, and whether they have times that are to be kept. */
  file: { count: number; isOfPast: boolean };
  surroundings: Surroundings;
  /** Nothing may be written. */
  dryRun: boolean;
  /** The doubts were told, and the lines are to be stored all the same. */
  isAgreed: boolean;
}

export type Refusal = 'other version' | 'same file' | 'undone' | 'other load' | 'no places';

export type NextStep =
  | { kind: 'refuse'; why: Refusal }
  | { kind: 'ask'; doubts: Doubts }
  /** Write the job. */
  | { kind: 'begin' }
  /** Take places by the times of the lines: those of the past, or the first of an organization. */
  | { kind: 'place'; job: BegunJob }
  /** Store behind what is there. */
  | { kind: 'append'; job: BegunJob }
  | { kind: 'store'; job: PlacedJob | JobBeside }
  /** See to it that lists have what is stored, cheaply. */
  | { kind: 'index'; job: PlacedJob | JobBeside }
  /** All is done, or nothing is to be done. */
  | { kind: 'end' };

type BegunJob = Extract<ImportJob, { step: 'begun' }>;

/** The next thing to do. Whoever has done it asks again, with the situation as it is then. */
export function nextStep({ job, file, surroundings, dryRun, isAgreed }: Situation): NextStep {
  const { isEmpty, isLoading, isBegunElsewhere, lacking, doubts } = surroundings;
  const refuse = (why: Refusal): NextStep => ({ kind: 'refuse', why });
  if (job?.step === 'undoing' || job?.step === 'undone') return refuse('undone');
  // The lines have their places by their numbers.
  if (job && 'isPlaced' in job && job.count !== file.count) return refuse('other version');
  if (!job && isBegunElsewhere) return refuse('same file');
  if (!job && isLoading) return refuse('other load');
  if (lacking > 0) return refuse('no places');
  if (dryRun || file.count === 0) return { kind: 'end' };
  if (!job) return doubts && !isAgreed ? { kind: 'ask', doubts } : { kind: 'begin' };
  switch (job.step) {
    case 'begun':
      return { kind: isEmpty || file.isOfPast ? 'place' : 'append', job };
    case 'storing':
      return { kind: 'store', job };
    case 'stored':
      return { kind: 'index', job };
    case 'ended':
    case 'givenUp':
      return { kind: 'end' };
  }
}
