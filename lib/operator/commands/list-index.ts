/** The commands `index status`, `index rebuild` and `index verify`. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { unlessUnreadable } from '../../../functions/domain/unreadable.ts';
import type { Verification } from '../../../functions/testimonials/maintenance.ts';
import { newerVersionGraceMs, rebuildLeaseMs } from '../../../functions/timing.ts';
import {
  addCommand,
  type CommandContext,
  type CommandPath,
  organizationOption,
  PartlyFailed,
} from '../command-context.ts';
import { roomText } from '../import/command-texts.ts';
import { type OrganizationStatus, readStatus } from '../list-index/read-status.ts';
import { type Operator, sessionOf } from '../session.ts';
import { counted, displayed, joined } from '../terminal/formatting.ts';
import { interruptible, Stopped } from '../terminal/interruptible.ts';
import { longWork } from '../terminal/progress.ts';

export function addIndexCommands(program: Command, context: CommandContext): void {
  const index = addCommand(program, 'index');
  indexCommand(index, context, 'index status', showStatus);
  indexCommand(index, context, 'index rebuild', async (run) => {
    const rebuilt = await chosenOrganizations(run);
    await rebuildEach(run, rebuilt);
    await showStatus(run, rebuilt);
  });
  indexCommand(index, context, 'index verify', showVerified).option(
    '--repair',
    'rebuild an index that differs, which also removes the remains of erased testimonials; raise a counter that is behind',
  );
}

interface Options {
  organization?: string;
  all?: true;
  repair?: true;
}

type Run = Awaited<ReturnType<typeof beginRun>>;

/** Begins one run of a command on the index of one organization or of all organizations. */
async function beginRun(context: CommandContext, operator: Operator, options: Options) {
  const { organization, all } = options;
  if (organization === undefined && !all) throw new Error('Add --organization <name> or --all.');
  if (organization !== undefined) await sessionOf(operator, organization, context.io).warnOfUnknown();
  const organizations = organization === undefined ? await operator.organizations.list() : [organization];
  const failed = new Set<string>();
  return {
    context,
    operator,
    options,
    organizations,
    failed,
    /**
     * Works on organizations one after another and returns the results. With `--all`, prints an error under
     * the name of its organization, and continues with the others. Later calls skip that organization.
     */
    async forEach<Result>(
      names: readonly string[],
      work: (name: string) => Promise<Result>,
    ): Promise<Result[]> {
      const results: Result[] = [];
      for (const current of names.filter((name) => !failed.has(name))) {
        try {
          results.push(await work(current));
        } catch (error) {
          if (!all || error instanceof Stopped) throw error;
          failed.add(current);
          context.io.printError(`${current}: ${context.explain(error)}`);
        }
      }
      return results;
    },
  };
}

function indexCommand(
  index: Command,
  context: CommandContext,
  path: CommandPath,
  work: (run: Run) => Promise<void>,
): Command {
  return addCommand(index, path)
    .addOption(organizationOption())
    .addOption(new Option('--all', 'every organization').conflicts('organization').default(undefined))
    .action((options: Options) =>
      context.withOperator(async (operator) => {
        const run = await beginRun(context, operator, options);
        await work(run);
        if (run.failed.size > 0) throw new PartlyFailed();
      }),
    );
}

async function showStatus({ context, operator, forEach, organizations }: Run, shown = organizations) {
  const all = await forEach(shown, (organization) => readStatus(operator, organization));
  context.show(all, () => all.map(statusText).join('\n'));
}

function statusText(status: OrganizationStatus): string {
  const { organization, indexed, tail, changes, erasures, rebuilt, room } = status;
  const parts = [
    `${organization}: ${counted(tail, 'testimonial')} and ${counted(changes, 'change')} not indexed yet`,
    `last indexed position: ${(indexed - 1).toLocaleString('en')}`,
    erasures > 0 && `words of ${counted(erasures, 'erased testimonial')} not yet removed`,
    status.isNewer &&
      'a newer version built this index, and only that version can update it. ' +
        `If no update comes for ${minutes(newerVersionGraceMs)}, this version rebuilds it`,
    !status.isNewer &&
      !status.isCurrent &&
      'another version built this index. A deployment rebuilds it, or run: ' +
        `npm run admin -- index rebuild --organization ${organization}`,
    rebuilt !== undefined && rebuildText(rebuilt, status.isRebuildNewer === true),
    status.isLoading &&
      'an import or a seed has not ended. Run it again, or show the testimonials stored so far: ' +
        `npm run admin -- index rebuild --organization ${organization}`,
  ];
  return joined([
    joined(parts, '; '),
    room.occupied + room.spent > 0 && roomText(room),
    ...status.unended.map(({ text }) => text),
  ]);
}

function rebuildText(rebuilt: number, isNewer: boolean): string {
  const end = `up to position ${(rebuilt - 1).toLocaleString('en')}`;
  if (!isNewer) return `being rebuilt, ${end}`;
  return `a newer version is rebuilding it, ${end}. If it stops for ${minutes(2 * rebuildLeaseMs)}, this version starts its own rebuild`;
}

function minutes(milliseconds: number): string {
  return counted(milliseconds / 60_000, 'minute');
}

/**
 * Returns the named organization, even during a load, because a rebuild ends the load and shows its
 * testimonials. With `--all`, skips organizations with a load, because the end of the load builds the index.
 */
async function chosenOrganizations({
  context: { io },
  operator,
  options,
  organizations,
}: Run): Promise<string[]> {
  const free: string[] = [];
  for (const organization of organizations) {
    // If the head is unreadable, later work fails with an error that names it.
    const { isLoading } = operator.maintenanceOf(organization);
    if (options.all && (await isLoading().catch(unlessUnreadable)))
      io.printError(`${organization}: skipped, because an import or a seed has not ended`);
    else free.push(organization);
  }
  return free;
}

/**
 * Rebuilds the indexes of organizations, and removes postings that no list reads.
 * @param options.fromFirst true to check also for postings that were removed before
 */
async function rebuildEach(
  { context: { io }, operator, forEach }: Run,
  names: string[],
  { fromFirst = false } = {},
) {
  const beforeSwitch =
    'Lists use the old postings. To continue, run the same command again, or leave it to the index function.';
  await longWork(io, beforeSwitch, async ({ runStoppable, progress }) => {
    const work = { runStoppable, progress: (done: number) => progress(done, 0, 'indexed') };
    await forEach(names, async (organization) => {
      // The outcome is never `stopped`, because `runStoppable` throws.
      const outcome = await operator.maintenanceOf(organization).rebuild(work);
      if (outcome === 'held by another') throw new Error(heldByAnotherText(organization));
    });
  });
  const afterSwitch =
    'Lists use the new postings. To remove the old ones, run the same command again, or leave it to the index function.';
  await interruptible(io, afterSwitch, async () => {
    // One wait is enough for all organizations.
    let waited: Promise<unknown> | undefined;
    const waitOnce = (milliseconds: number) => {
      if (!waited) io.printError('Waiting until no list reads the old postings, then removing them');
      waited ??= (io.sleep ?? wait)(milliseconds);
      return waited;
    };
    await forEach(names, (organization) =>
      operator.maintenanceOf(organization).removeOldGenerations(waitOnce, { fromFirst }),
    );
  });
}

function heldByAnotherText(organization: string): string {
  return (
    `Another process is rebuilding the list index of ${organization}, or was killed less than two minutes ago. ` +
    'The index function continues a rebuild that stopped, and so does this command if you run it again after two minutes.'
  );
}

/** The comparison of one organization's index. */
interface OrganizationVerification extends Verification {
  organization: string;
}

async function showVerified(run: Run): Promise<void> {
  const { context, operator, options } = run;
  const { io } = context;
  const compare = (organization: string): Promise<OrganizationVerification> =>
    longWork(io, 'Nothing was changed.', async ({ progress }) => {
      const onRead = (read: number) => progress(read, 0, 'compared');
      return { organization, ...(await operator.maintenanceOf(organization).verify(onRead)) };
    });
  const all = await run.forEach(await chosenOrganizations(run), async (organization) => {
    await sessionOf(operator, organization, io).refuseWhileLoading();
    const verified = await compare(organization);
    if (!options.repair || !verified.differs) return verified;
    io.printError(verifiedText(verified));
    await operator.maintenanceOf(organization).raiseCounter(verified);
    // The outer `forEach` reports an error under the organization's name.
    const withoutReport: Run['forEach'] = (names, work) => Promise.all(names.map(work));
    // Late writes may have reached generations that were removed long ago.
    await rebuildEach({ ...run, forEach: withoutReport }, [organization], { fromFirst: true });
    return compare(organization);
  });
  const values = all.map(({ differenceCount: differences, highest: _, differs: __, ...verified }) => {
    return { ...verified, differences };
  });
  context.show(options.all ? values : values[0], () =>
    all.map((one) => (options.all ? `${one.organization}: ` : '') + verifiedText(one)).join('\n'),
  );
  if (all.some(({ differs }) => differs)) throw new PartlyFailed();
}

function verifiedText({
  organization,
  differenceCount,
  first,
  ...verified
}: OrganizationVerification): string {
  const { testimonials, postings, otherGenerations, tail } = verified;
  return joined([
    `${counted(testimonials, 'testimonial')} and ${counted(postings, 'posting')} compared: ${counted(differenceCount, 'difference')}`,
    otherGenerations > 0 &&
      `A stopped rebuild left ${counted(otherGenerations, 'other generation')} of postings. To remove them, run: ` +
        `npm run admin -- index rebuild --organization ${organization}`,
    tail > 0 && `${counted(tail, 'testimonial')} not in the index yet`,
    ...first.map((each) => `  ${displayed(each)}`),
    differenceCount > first.length && `  and ${(differenceCount - first.length).toLocaleString('en')} more`,
  ]);
}
