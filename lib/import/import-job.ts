/** What an import remembers of itself, so that it can be stopped anywhere and go on. */

/** The places of a line, where it could not have those of its job. */
export interface MovedLine {
  ordinal: number;
  updateOrdinal: number;
  /** When it took them, ISO 8601. */
  time: string;
}

export interface ImportJob {
  /** Good lines of the file. */
  count: number;
  /** When the import began, ISO 8601: the createdAt of what has none of its own. */
  time: string;
  /** True where the organization was empty: the lines keep their times, status and ids, and are shown all at once. */
  isFirst: boolean;
  /** The places that the lines take, in the order of the file, begin here; 1 for both where they keep their times. */
  firstOrdinal: number;
  firstUpdateOrdinal: number;
  /** Lines that have other places, by their number among the good ones, from 0. */
  moved: Record<string, MovedLine>;
  /** Once its places are its own. */
  hasBegun: boolean;
  /** Once all is stored and indexed. */
  hasEnded: boolean;
  /** Counts the writes of the job. */
  revision: number;
}

export interface ImportJobStore {
  /** @param fingerprint of the file and of how it is read */
  find(organization: string, fingerprint: string): Promise<ImportJob | undefined>;

  /**
   * Replaces the job that has the revision of `next` (0 for none), which is raised.
   * @returns the job as it is then, or undefined when it had another revision
   */
  replace(organization: string, fingerprint: string, next: ImportJob): Promise<ImportJob | undefined>;
}
