/** The state of an organization's list index and of its imports. */
import type { OpenMaintenance } from '../../../functions/testimonials/maintenance.ts';
import { type ImportJobStore, idOfImport, isUnended } from '../import/import-job.ts';
import { historyRoom } from '../import/positions.ts';
import { unendedText } from '../import/report.ts';

/** The progress of the index, and the imports that have not ended. */
export type OrganizationStatus = Awaited<ReturnType<typeof readStatus>>;

export async function readStatus(
  { maintenanceOf, jobs, now }: { maintenanceOf: OpenMaintenance; jobs: ImportJobStore; now: () => Date },
  organization: string,
) {
  const { dueSince: _, ...status } = await maintenanceOf(organization).status();
  return {
    organization,
    ...status,
    // Positions for imported history.
    room: historyRoom(await jobs.placements(organization)),
    // Imports and undos that have not ended, and how to end them.
    unended: (await jobs.all(organization)).filter(isUnended).map((unended) => {
      return { id: idOfImport(unended.name), text: unendedText(unended, organization, now()) };
    }),
  };
}
