/** The operator's command `index rebuild`: another list index in the place of one, while lists and index updates go on. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { noIndex } from '../../../functions/list-index/index-store.ts';
import { removeOldGenerations } from '../../../functions/list-index/write/generations.ts';
import { rebuildIndex } from '../../../functions/list-index/write/rebuild.ts';
import { takingAll } from '../../../functions/list-index/write/update-index.ts';
import type { CommandContext } from '../command-context.ts';
import { updateIndexBeside } from '../load/load-testimonials.ts';
import type { Operator } from '../session.ts';
import { interruptible } from '../terminal/interruptible.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { longWork } from '../terminal/progress.ts';
import { chosen, organizationsCommand, showStatus, type WhichOrganizations } from './index-status.ts';

/** Adds `index rebuild` to the commands on the list index. */
export function addRebuildCommand(index: Command, context: CommandContext): void {
  const { io, withOperator } = context;
  organizationsCommand(
    index,
    'rebuild',
    'Build the list index anew beside the old one, then switch to it',
  ).action((options: WhichOrganizations) =>
    withOperator(async (operator) => {
      const organizations = await chosen(operator, options);
      // By its name, what a load has stored is shown, and the load given up.
      const rebuilt = options.all ? await withoutLoads(io, operator, organizations) : organizations;
      await rebuildAll(io, operator, rebuilt);
      await showStatus(context, operator, rebuilt);
    }),
  );
}

/** The organizations of which no load is under way: the end of one makes the index itself. */
export async function withoutLoads(
  { printError }: ProgramIo,
  { index }: Operator,
  organizations: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const organization of organizations) {
    if ((await index.readHead(organization))?.load !== undefined) {
      printError(`${organization}: left alone, an import or a seed has not ended, which makes its index`);
    } else found.push(organization);
  }
  return found;
}

/** Rebuilds the indexes of some organizations, and removes what no list reads any more. */
export async function rebuildAll(
  io: ProgramIo,
  operator: Operator,
  organizations: readonly string[],
): Promise<void> {
  const beforeSwitch =
    'Lists read the old postings as before. The index function goes on with it when it comes by, as does this command.';
  await longWork(io, beforeSwitch, async ({ letEnd, progress }) => {
    const indexed = (testimonials: number) => progress(testimonials, 0, 'indexed');
    for (const organization of organizations) {
      await letEnd((signal) => rebuildIndex(operator, organization, { progress: indexed, signal }));
      // What came meanwhile, and what was never indexed, as far as it has settled.
      await updateIndexBeside(operator, organization, takingAll);
    }
  });
  const afterwards =
    'Lists read the new postings; the index function removes the old ones, as does this command.';
  await interruptible(io, afterwards, async () => {
    // Once for all of them.
    let waited: Promise<unknown> | undefined;
    const waitOnce = (milliseconds: number) => {
      if (!waited) io.printError('Removing the old postings, once no list reads them');
      waited ??= (io.sleep ?? wait)(milliseconds);
      return waited;
    };
    for (const organization of organizations) {
      const head = (await operator.index.readHead(organization)) ?? noIndex;
      await removeOldGenerations(operator.index, organization, head, waitOnce);
    }
  });
}
