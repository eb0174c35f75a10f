/** The state of an organization's list index and of its imports. */

import type { OpenLoads } from '../../../functions/testimonials/loads.ts';
import type { OpenMaintenance } from '../../../functions/testimonials/maintenance.ts';
import { unfinishedText } from '../import/command-texts.ts';

/** The progress of the index, and the imports that have not ended. */
export type OrganizationStatus = Awaited<ReturnType<typeof readStatus>>;

export async function readStatus(
  { maintenanceOf, loadsOf }: { maintenanceOf: OpenMaintenance; loadsOf: OpenLoads },
  organization: string,
) {
  const { dueSince: _, ...status } = await maintenanceOf(organization).status();
  const loads = loadsOf(organization);
  return {
    organization,
    ...status,
    // Positions for imported history.
    room: await loads.room(),
    // Imports and undos that have lines left to store or erase, and the commands that finish them.
    unended: (await loads.unfinished()).flatMap(({ status }) =>
      status ? { id: status.id, text: unfinishedText(status, organization) } : [],
    ),
  };
}
