/** The operator's command `index status`: how far the list index is. */
import { type Command, Option } from 'commander';
import { coveredBy, noIndex } from '../../../functions/list-index/index-store.ts';
import { isNewer, termsVersion } from '../../../functions/list-index/terms-version.ts';
import { newerGivenUpMs, rebuildGivenUpMs } from '../../../functions/timing.ts';
import { type CommandContext, exampleText, organizationOption } from '../command-context.ts';
import { idOfImport, isUnended } from '../import/import-job.ts';
import { unendedText } from '../import/report.ts';
import type { Operator } from '../session.ts';
import { counted, joined } from '../terminal/formatting.ts';

/** Adds `index status` to the commands on the list index. */
export function addStatusCommand(index: Command, context: CommandContext): void {
  organizationsCommand(index, 'status', 'Show how far the list index is').action(
    (options: WhichOrganizations) =>
      context.withOperator(async (operator) => {
        await showStatus(context, operator, await chosen(operator, options));
      }),
  );
}

/** What `organizationsCommand` has options for. */
export interface WhichOrganizations {
  organization?: string;
  all?: true;
}

/** Begins a command on the list index of one organization or of all. */
export function organizationsCommand(index: Command, name: string, description: string): Command {
  return index
    .command(name)
    .description(description)
    .addOption(organizationOption())
    .addOption(new Option('--all', 'every organization').conflicts('organization').default(undefined))
    .addHelpText('after', exampleText([`index ${name} --organization demo`, `index ${name} --all`]));
}

/** The organization named, or all. */
export async function chosen(
  { organizations }: Operator,
  { organization, all }: WhichOrganizations,
): Promise<string[]> {
  if (organization !== undefined) return [organization];
  if (!all) throw new Error('Name an organization with --organization, or take --all.');
  return organizations.list();
}

/** Shows how far the list indexes of some organizations are. */
export async function showStatus(
  { show }: CommandContext,
  operator: Operator,
  organizations: readonly string[],
): Promise<void> {
  const found: Awaited<ReturnType<typeof statusOf>>[] = [];
  for (const organization of organizations) found.push(await statusOf(operator, organization));
  show(found, () => found.map(statusText).join('\n'));
}

/** How far the list index of an organization is, and what is to be done about it. */
async function statusOf({ index, jobs, now }: Operator, organization: string) {
  const head = (await index.readHead(organization)) ?? noIndex;
  const { tail, markers } = await index.readRecent(organization, head.indexed);
  const { building } = head;
  const isCovered = coveredBy(head);
  return {
    organization,
    generation: head.generation,
    // Testimonials with a lower ordinal are in the postings; so many, and so many changes, are not yet.
    indexed: head.indexed,
    tail: tail.length,
    changes: markers.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal)).length,
    isCurrent: head.terms === termsVersion,
    // True where this version does not know the rules by which they were made.
    isNewer: isNewer(head.terms),
    isBeingRebuilt: building !== undefined,
    ...(building && { rebuilt: building.indexed, isRebuildNewer: isNewer(building.terms) }),
    // An import or a seed has stored what lists do not have yet.
    isLoading: head.load !== undefined,
    // Imports and undos that have not ended, and how they are ended.
    unended: (await jobs.all(organization)).filter(isUnended).map((each) => {
      return { id: idOfImport(each.name), text: unendedText(each, organization, now()) };
    }),
  };
}

function statusText(status: Awaited<ReturnType<typeof statusOf>>): string {
  const { organization, indexed, tail, changes, rebuilt } = status;
  const parts = [
    `${organization}: indexed up to ordinal ${(indexed - 1).toLocaleString('en')}`,
    `${counted(tail, 'testimonial')} and ${counted(changes, 'change')} not yet`,
    status.isNewer
      ? `made by a newer version, which alone can update it: ${minutes(newerGivenUpMs)} after an update was due without one, ` +
        'this version makes it anew'
      : !status.isCurrent &&
        `made by other rules: a deployment has it rebuilt, or run index rebuild --organization ${organization}, or --all`,
    rebuilt !== undefined && `being rebuilt, up to ordinal ${(rebuilt - 1).toLocaleString('en')}`,
    status.isRebuildNewer &&
      `by a newer version: given up where that shows no life for ${minutes(2 * rebuildGivenUpMs)}`,
    status.isLoading &&
      'an import or seed has not ended: run it again, or show what it stored by index rebuild',
  ];
  return joined([joined(parts, '; '), ...status.unended.map(({ text }) => text)]);
}

function minutes(milliseconds: number): string {
  return counted(milliseconds / 60_000, 'minute');
}
