/** What an import remembers of itself, so that it can be stopped anywhere and go on. */

/** Places at the end of both orders, for lines that follow each other. */
export interface Block {
  /** The first of its lines, by their numbers among the good ones, from 0. */
  line: number;
  /** How many lines. */
  count: number;
  /** The places of the first of them; those of the others follow. */
  ordinal: number;
  updateOrdinal: number;
  /** When it was taken, ISO 8601. */
  time: string;
}

export interface ImportJob {
  /** Good lines of the file. */
  count: number;
  /** When the import began, ISO 8601: the createdAt of what has none of its own, where the organization was empty. */
  time: string;
  /**
   * True where the organization was empty: the lines keep their times, status and ids, have places that follow from
   * these, and are shown all at once. Not decided before the job stores.
   */
  isFirst: boolean;
  step: 'begun' | 'storing' | 'stored' | 'ended';
  /** True when it ended without its rest. */
  isGivenUp?: true;
  /**
   * Where lines are put that come after others. A line that a later block has as well goes to the first of them whose
   * place is not sealed; a sealed place stays so, and every run finds the same.
   */
  blocks: Block[];
  /** Counts the writes of the job. */
  revision: number;
}

/** Whether an import stores beside what is there, and has not ended. */
export function isUnended({ isFirst, step }: ImportJob): boolean {
  return !isFirst && (step === 'storing' || step === 'stored');
}

export interface ImportJobStore {
  /** Ends the imports of other files that store beside what is there and have not ended: none of them goes on. */
  giveUpOthers(organization: string, fingerprint: string): Promise<void>;

  /** The fingerprints of imports that store beside what is there, and have not ended. */
  unended(organization: string): Promise<string[]>;

  /** @param fingerprint of the file and of how it is read */
  find(organization: string, fingerprint: string): Promise<ImportJob | undefined>;

  /**
   * Replaces the job that has the revision of `next` (0 for none), which is raised.
   * @returns the job as it is then, or undefined when it had another revision
   */
  replace(organization: string, fingerprint: string, next: ImportJob): Promise<ImportJob | undefined>;
}
