/** What an import needs, and what it is asked to do. */
import type { OrganizationStore } from '../../../functions/domain/stores.ts';
import type { LoadDependencies } from '../load/load-testimonials.ts';
import type { ReadingDependencies } from './agree-reading.ts';
import type { FileOptions } from './check-file.ts';
import type { ImportJobStore } from './import-job.ts';
import type { KnownImport } from './import-report.ts';
import type { Doubts } from './next-step.ts';

export interface ImportDependencies extends Omit<LoadDependencies, 'progress'>, ReadingDependencies {
  jobs: ImportJobStore;
  organizations: Pick<OrganizationStore, 'add'>;
  progress: (done: number, total: number, step: 'read' | 'checked' | 'stored' | 'indexed') => void;
  /**
   * Asked before lines are stored that may not be meant to be stored as they are.
   * @throws when they are not to be stored
   */
  confirm: (doubts: Doubts, report: KnownImport) => Promise<void>;
  clock?: () => number;
  /** Lines whose places are taken at once, at least. */
  linesABlock?: number;
}

export interface ImportOptions extends FileOptions {
  /** Tells what would happen, and does nothing. */
  dryRun: boolean;
  /** All lines are created now, whatever their times; in the order of these. */
  asNew: boolean;
}
