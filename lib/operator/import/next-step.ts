/** What is to be done next for an import: all that is decided of it is decided here, before it is done. */
import type { ImportJob } from './import-job.ts';
import type { Repeated } from './likely-repeated.ts';

/** Why lines look as if they were, or would be, stored twice. */
export interface Doubts {
  /** Lines that are there already. */
  repeated: Repeated | undefined;
  /** Another import has not ended, which is given up for this one. */
  besideUnended: boolean;
}

/** What was seen of an organization into which nothing of the file is stored yet. */
export interface Surroundings {
  /** Nothing was ever stored there, but for a load that has not ended. */
  isEmpty: boolean;
  /** A load into it has not ended. */
  isLoading: boolean;
  /** Somebody began to import this very file meanwhile. */
  isBegunElsewhere: boolean;
  /** Present where there is reason for some. */
  doubts?: Doubts;
}

export interface Situation {
  job: ImportJob | undefined;
  /** Good lines of the file, and whether they have times or a status that are to be kept. */
  file: { count: number; hasHistory: boolean };
  surroundings: Surroundings;
  /** Nothing may be written. */
  dryRun: boolean;
  /** The doubts were told, and the lines are to be stored all the same. */
  isAgreed: boolean;
}

export type Refusal = 'other version' | 'same file' | 'other load' | 'history';

export type NextStep =
  | { kind: 'refuse'; why: Refusal }
  | { kind: 'ask'; doubts: Doubts }
  /** Write the job. */
  | { kind: 'begin' }
  /** Try to get the first places of an organization that looks empty. */
  | { kind: 'claim'; job: JobIn<'begun'> }
  /** Store behind what is there. */
  | { kind: 'append'; job: JobIn<'begun'> }
  | { kind: 'store'; job: JobIn<'storing' | 'stored'> }
  /** See to it that lists have what is stored, cheaply. */
  | { kind: 'index'; job: JobIn<'storing' | 'stored'> }
  /** All is done, or nothing is to be done. */
  | { kind: 'end' };

type JobIn<Step extends ImportJob['step']> = Extract<ImportJob, { step: Step }>;

/** The next thing to do. Whoever has done it asks again, with the situation as it is then. */
export function nextStep({ job, file, surroundings, dryRun, isAgreed }: Situation): NextStep {
  const { isEmpty, isLoading, isBegunElsewhere, doubts } = surroundings;
  const refuse = (why: Refusal): NextStep => ({ kind: 'refuse', why });
  // The lines have their places by their numbers.
  if (job && job.count !== file.count) return refuse('other version');
  if (!job && isBegunElsewhere) return refuse('same file');
  if (!job && isLoading) return refuse('other load');
  const isOpen = !job || job.step === 'begun';
  if (isOpen && file.hasHistory && !isEmpty) return refuse('history');
  if (dryRun || file.count === 0) return { kind: 'end' };
  if (!job) return doubts && !isAgreed ? { kind: 'ask', doubts } : { kind: 'begin' };
  switch (job.step) {
    case 'begun':
      return { kind: isEmpty ? 'claim' : 'append', job };
    case 'storing':
      return { kind: 'store', job };
    case 'stored':
      return { kind: 'index', job };
    case 'ended':
    case 'givenUp':
      return { kind: 'end' };
  }
}
