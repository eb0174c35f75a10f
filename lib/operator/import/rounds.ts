/**
 * The rounds of an import: what was undone can be imported again, whole. Each round is an import of its own, by its name, so
 * that its lines get other places and ids than those that were erased.
 */
import type { ImportJob, ImportJobStore } from './import-job.ts';

/** The last round of an import: the one that is there, or the one that is to begin. */
export async function lastRound(
  { jobs }: { jobs: Pick<ImportJobStore, 'find'> },
  organization: string,
  fingerprint: string,
): Promise<{ name: string; job: ImportJob | undefined }> {
  for (let round = 1; ; round += 1) {
    const name = round === 1 ? fingerprint : `${fingerprint}-${round}`;
    const job = await jobs.find(organization, name);
    if (job?.step !== 'undone') return { name, job };
  }
}
