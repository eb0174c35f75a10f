/** The table on which commands and pages work, and one of its organizations. */
import type { Table } from '../../functions/dynamodb/table.ts';
import { openCounts } from '../../functions/testimonials/counts.ts';
import { openFinds } from '../../functions/testimonials/finds.ts';
import { openListChanges } from '../../functions/testimonials/list-changes.ts';
import { ListMemory, openLists } from '../../functions/testimonials/lists.ts';
import { type Loads, openLoads } from '../../functions/testimonials/loads.ts';
import { ownIndexing } from '../../functions/testimonials/maintenance.ts';
import { openReadAll } from '../../functions/testimonials/read-all.ts';
import { unfinishedText } from './import/command-texts.ts';
import { tableStores } from './table-stores.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** The tools of commands: the stores and the loads of a table, and the clock of its database. */
export type Operator = ReturnType<typeof operatorOf>;

/** @param clock this machine's time, in milliseconds */
export function operatorOf(table: Table, clock?: () => number) {
  return { ...tableStores(table, clock), loadsOf: openLoads(table, { indexing: ownIndexing }) };
}

/** Lists do not show the testimonials of an unfinished import yet. The message has a line per command. */
export class IncompleteLists extends Error {
  override name = 'IncompleteLists';
}

/** One organization of a table. */
export type OrganizationTools = ReturnType<typeof sessionOf>;

/** @param memory the memory of earlier lists */
export function sessionOf(
  operator: Operator,
  organization: string,
  { printError }: Pick<ProgramIo, 'printError'>,
  memory = new ListMemory(),
) {
  const { table, clock, loadsOf } = operator;
  const loads = loadsOf(organization);
  const isKnown = async () => (await operator.organizations.list()).includes(organization);
  const checkName = 'Check the name. To list the organizations, run: npm run admin -- index status --all';
  return {
    ...operator,
    organization,
    memory,
    lists: openLists(table, { memory, clock })(organization),
    counts: openCounts(table, { memory, clock })(organization),
    finds: openFinds(table)(organization),
    all: () => openReadAll(table)(organization),
    changes: operator.changesOf(organization),
    listChanges: openListChanges(table, { memory, clock })(organization),
    maintenance: operator.maintenanceOf(organization),
    loads,
    /** Prints a warning if the organization does not exist: its name may be misspelled. */
    async warnOfUnknown(): Promise<void> {
      if (!(await isKnown())) printError(`There is no organization ${organization}. ${checkName}`);
    },
    /** @throws if the organization does not exist: its name may be misspelled */
    async refuseUnknown(): Promise<void> {
      if (!(await isKnown())) throw new Error(`There is no organization ${organization}. ${checkName}`);
    },
    /** Prints a warning and returns true if an import or a seed has not ended. */
    async warnOfLoading(): Promise<boolean> {
      const load = await unfinishedLoad(loads, organization);
      if (load) printError(load.text);
      return load !== undefined;
    },
    /**
     * Prints a warning if an import has not ended.
     * @throws if lists do not show its testimonials yet, because an incomplete result could look complete
     */
    async refuseWhileLoading(): Promise<void> {
      const load = await unfinishedLoad(loads, organization);
      if (load?.isHidden) throw new IncompleteLists(load.text);
      if (load) printError(load.text);
    },
  };
}

/**
 * Returns the warning about an import or a seed that has not ended. `isHidden`: no list shows its
 * testimonials yet.
 */
async function unfinishedLoad(loads: Loads, organization: string) {
  const all = await loads.unfinished();
  const load = all.find(({ isHidden }) => isHidden) ?? all[0];
  if (!load) return undefined;
  const { isHidden, status } = load;
  const line = status
    ? unfinishedText(status, organization)
    : `An import or a seed of ${organization} has not ended. Wait for it, or run it again if it was stopped.`;
  const hasLines = status?.state !== 'begun';
  if (!isHidden || !hasLines) return { text: line, isHidden };
  // Each line ends with its command: a full stop after it would be pasted, too.
  const text = [
    `Lists of ${organization} do not show all testimonials yet. ${line}`,
    `To show those stored so far, run: npm run admin -- index rebuild --organization ${organization}`,
  ].join('\n');
  return { text, isHidden };
}
