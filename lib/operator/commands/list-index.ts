/** The operator's commands on the list index: how far it is, another one in its place, and what it lacks. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { unlessUnreadable } from '../../../functions/domain/unreadable.ts';
import { coveredBy, noIndex } from '../../../functions/list-index/index-store.ts';
import { isNewer, termsVersion } from '../../../functions/list-index/terms-version.ts';
import { removeOldGenerations } from '../../../functions/list-index/write/generations.ts';
import { rebuildIndex } from '../../../functions/list-index/write/rebuild.ts';
import { takingAll } from '../../../functions/list-index/write/update-index.ts';
import {
  type BeyondCounter,
  type Difference,
  verifyIndex,
  type WrongHead,
} from '../../../functions/list-index/write/verify.ts';
import { newerGivenUpMs, rebuildGivenUpMs } from '../../../functions/timing.ts';
import { type CommandContext, exampleText, organizationOption, PartlyFailed } from '../command-context.ts';
import { idOfImport, isUnended } from '../import/import-job.ts';
import { historyRoom, roomText } from '../import/positions.ts';
import { unendedText } from '../import/report.ts';
import { updateIndexBeside } from '../load/load-testimonials.ts';
import { type Operator, type Session, sessionOf } from '../session.ts';
import { counted, displayed, joined } from '../terminal/formatting.ts';
import { interruptible, Stopped } from '../terminal/interruptible.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { longWork } from '../terminal/progress.ts';

/** Adds `index` and its commands to the program. */
export function addIndexCommands(program: Command, context: CommandContext): void {
  const index = program.command('index').description('Look at, rebuild and verify the list index');
  addStatusCommand(index, context);
  addRebuildCommand(index, context);
  addVerifyCommand(index, context);
}

function addStatusCommand(index: Command, context: CommandContext): void {
  organizationsCommand(index, 'status', 'Show how far the list index is').action(
    (options: WhichOrganizations) =>
      context.withOperator(async (operator) => {
        const isolated = isolating(context, options);
        await showStatus(context, operator, await chosen(context.io, operator, options), isolated);
        isolated.end();
      }),
  );
}

/** What `organizationsCommand` has options for. */
interface WhichOrganizations {
  organization?: string;
  all?: true;
}

/** Begins a command on the list index of one organization or of all. */
function organizationsCommand(index: Command, name: string, description: string): Command {
  return index
    .command(name)
    .description(description)
    .addOption(organizationOption())
    .addOption(new Option('--all', 'every organization').conflicts('organization').default(undefined))
    .addHelpText('after', exampleText([`index ${name} --organization demo`, `index ${name} --all`]));
}

/** The organization named, or all. */
async function chosen(
  io: ProgramIo,
  operator: Operator,
  { organization, all }: WhichOrganizations,
): Promise<string[]> {
  if (organization !== undefined) {
    await sessionOf(operator, organization, io).warnOfUnknown();
    return [organization];
  }
  if (!all) throw new Error('Name an organization with --organization, or take --all.');
  return operator.organizations.list();
}

type Isolated = ReturnType<typeof isolating>;

/** Works on organizations one after another. With `--all`, prints the error of one under its name and goes on with the others. */
function isolating({ io, explain }: CommandContext, { all }: WhichOrganizations) {
  const failed = new Set<string>();
  return {
    /** @returns the results of those that have not failed, now or before */
    async each<Result>(
      organizations: readonly string[],
      work: (organization: string) => Promise<Result>,
    ): Promise<Result[]> {
      const results: Result[] = [];
      for (const organization of organizations.filter((each) => !failed.has(each))) {
        try {
          results.push(await work(organization));
        } catch (error) {
          if (!all || error instanceof Stopped) throw error;
          failed.add(organization);
          io.printError(`${organization}: ${explain(error)}`);
        }
      }
      return results;
    },
    /** @throws {PartlyFailed} when one has failed */
    end(): void {
      if (failed.size > 0) throw new PartlyFailed();
    },
  };
}

/** Shows how far the list indexes of some organizations are. */
async function showStatus(
  { show }: CommandContext,
  operator: Operator,
  organizations: readonly string[],
  isolated: Isolated,
): Promise<void> {
  const found = await isolated.each(organizations, (organization) => statusOf(operator, organization));
  show(found, () => found.map(statusText).join('\n'));
}

/** How far the list index of an organization is, and what is to be done about it. */
async function statusOf({ testimonials, index, jobs, now }: Operator, organization: string) {
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
    // Erased testimonials whose words index updates have yet to take out of the postings.
    erasures: (await Array.fromAsync(testimonials.erasureTexts(organization))).flat().length,
    isCurrent: head.terms === termsVersion,
    // True where this version does not know the rules by which they were made.
    isNewer: isNewer(head.terms),
    isBeingRebuilt: building !== undefined,
    ...(building && { rebuilt: building.indexed, isRebuildNewer: isNewer(building.terms) }),
    // An import or a seed has stored what lists do not have yet.
    isLoading: head.load !== undefined,
    // The positions for imported history.
    room: historyRoom(await jobs.placements(organization)),
    // Imports and undos that have not ended, and how they are ended.
    unended: (await jobs.all(organization)).filter(isUnended).map((each) => {
      return { id: idOfImport(each.name), text: unendedText(each, organization, now()) };
    }),
  };
}

function statusText(status: Awaited<ReturnType<typeof statusOf>>): string {
  const { organization, indexed, tail, changes, erasures, rebuilt, room } = status;
  const parts = [
    `${organization}: indexed up to ordinal ${(indexed - 1).toLocaleString('en')}`,
    `${counted(tail, 'testimonial')} and ${counted(changes, 'change')} not yet`,
    erasures > 0 && `words of ${counted(erasures, 'erased testimonial')} not yet removed`,
    status.isNewer
      ? `made by a newer version, which alone can update it: ${minutes(newerGivenUpMs)} after an update was due without one, ` +
        'this version makes it anew'
      : !status.isCurrent &&
        `made by other rules: a deployment has it rebuilt, or run index rebuild --organization ${organization}, or --all`,
    rebuilt !== undefined && `being rebuilt, up to ordinal ${(rebuilt - 1).toLocaleString('en')}`,
    status.isRebuildNewer &&
      `by a newer version: this version begins its own where that shows no life for ${minutes(2 * rebuildGivenUpMs)}`,
    status.isLoading &&
      'an import or seed has not ended: run it again, or show what it stored by index rebuild',
  ];
  const hasHistory = room.held + room.closed > 0;
  return joined([
    joined(parts, '; '),
    hasHistory && roomText(room),
    ...status.unended.map(({ text }) => text),
  ]);
}

function minutes(milliseconds: number): string {
  return counted(milliseconds / 60_000, 'minute');
}

function addRebuildCommand(index: Command, context: CommandContext): void {
  const { io, withOperator } = context;
  organizationsCommand(
    index,
    'rebuild',
    'Build the list index anew beside the old one, then switch to it',
  ).action((options: WhichOrganizations) =>
    withOperator(async (operator) => {
      const isolated = isolating(context, options);
      const rebuilt = await chosenWithoutLoads(io, operator, options);
      await rebuildAll(io, operator, rebuilt, isolated);
      await showStatus(context, operator, rebuilt, isolated);
      isolated.end();
    }),
  );
}

/**
 * The organization named, even where a load is under way: what it stored is shown, and the load given up. Or all but those: the
 * end of a load makes the index itself.
 */
async function chosenWithoutLoads(
  io: ProgramIo,
  operator: Operator,
  which: WhichOrganizations,
): Promise<string[]> {
  const found: string[] = [];
  for (const organization of await chosen(io, operator, which)) {
    // The work with a head that cannot be read fails, and names it.
    const head = which.all && (await operator.index.readHead(organization).catch(unlessUnreadable));
    if (head && head.load !== undefined) {
      io.printError(`${organization}: left alone, an import or a seed has not ended, which makes its index`);
    } else found.push(organization);
  }
  return found;
}

/**
 * Rebuilds the indexes of some organizations, and removes postings that no list reads any more.
 * @param oldest the first generation whose postings are looked for; by default the oldest that was not removed before
 */
async function rebuildAll(
  io: ProgramIo,
  operator: Operator,
  organizations: readonly string[],
  isolated: Isolated,
  oldest?: number,
): Promise<void> {
  const beforeSwitch =
    'Lists read the old postings as before. The index function goes on with it when it comes by, as does this command.';
  await longWork(io, beforeSwitch, async ({ letEnd, progress }) => {
    const indexed = (testimonials: number) => progress(testimonials, 0, 'indexed');
    await isolated.each(organizations, async (organization) => {
      const rebuild = () =>
        letEnd((signal) => rebuildIndex(operator, organization, { progress: indexed, signal }));
      const rebuilt = await rebuild();
      // What came meanwhile, and what was never indexed, as far as it has settled.
      await updateIndexBeside(operator, organization, takingAll);
      // Where the head was lost, the first update does not take testimonials of the past.
      if (!rebuilt && oldest !== undefined) await rebuild();
    });
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
    await isolated.each(organizations, async (organization) => {
      const head = (await operator.index.readHead(organization)) ?? noIndex;
      await removeOldGenerations(operator.index, organization, head, waitOnce, oldest);
    });
  });
}

// More are counted and not listed.
const differencesShown = 20;

function addVerifyCommand(index: Command, context: CommandContext): void {
  const { io, withOperator, show } = context;
  organizationsCommand(index, 'verify', 'Compare the list index with the testimonials')
    .option(
      '--repair',
      'rebuild it where it differs, which also removes what is left of erased testimonials; raise a counter that is behind',
    )
    .action(({ repair = false, ...which }: WhichOrganizations & { repair?: boolean }) =>
      withOperator(async (operator) => {
        const organizations = await chosenWithoutLoads(io, operator, which);
        const isolated = isolating(context, which);
        const all = await isolated.each(organizations, (organization) =>
          verifyOne(context, sessionOf(operator, organization, io), repair),
        );
        const values = all.map(({ organization, result, count, first }) => {
          return { organization, ...result, differences: count, first };
        });
        show(which.all ? values : values[0], () =>
          all.map((one) => (which.all ? `${one.organization}: ` : '') + verifiedText(one)).join('\n'),
        );
        if (all.some(({ differs }) => differs)) throw new PartlyFailed();
        isolated.end();
      }),
    );
}

async function verifyOne(context: CommandContext, session: Session, repair: boolean): Promise<Verified> {
  const { io } = context;
  const { organization } = session;
  await session.refuseWhileLoading();
  const verified = await verify(io, session);
  if (!repair || !verified.differs) return verified;
  io.printError(verifiedText(verified));
  await raiseCounter(session, verified.beyond);
  // Also writes that came late into generations which were removed long ago.
  await rebuildAll(io, session, [organization], isolating(context, { organization }), 1);
  return verify(io, session);
}

/**
 * Takes the places that testimonials have beyond the counter, so that none is given twice: items of a backup can be some
 * instants apart (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/backuprestore_HowItWorks.html).
 */
async function raiseCounter(
  { testimonials, organization, now }: Session,
  beyond: readonly BeyondCounter[],
): Promise<void> {
  const last = await testimonials.readCounter(organization);
  const { ordinal, updateOrdinal } = last ?? { ordinal: firstPlace - 1, updateOrdinal: firstPlace - 1 };
  const counter = { createdAt: ordinal, updatedAt: updateOrdinal };
  const behind = Math.max(0, ...beyond.map(({ axis, at }) => at - counter[axis]));
  if (behind > 0) await testimonials.takeOrdinals(organization, now(), behind);
}

type Verified = Awaited<ReturnType<typeof verify>>;

/** Compares, and keeps the first differences, and those of the counter. */
async function verify(io: ProgramIo, session: Session) {
  const first: Difference[] = [];
  const beyond: BeyondCounter[] = [];
  let count = 0;
  const onDifference = (difference: Difference) => {
    count += 1;
    if (difference.kind === 'beyond the counter') beyond.push(difference);
    if (first.length < differencesShown) first.push(difference);
  };
  const { organization } = session;
  const result = await longWork(io, 'Nothing was changed.', ({ progress }) =>
    verifyIndex(session, organization, onDifference, (read) => progress(read, 0, 'compared')),
  );
  return { organization, result, count, first, beyond, differs: count > 0 || result.otherGenerations > 0 };
}

function verifiedText({ organization, result, count, first }: Verified): string {
  const { testimonials, postings, otherGenerations, tail } = result;
  const left = `${counted(otherGenerations, 'other generation')} of postings left by a rebuild that was stopped: run index rebuild --organization ${organization}`;
  return joined([
    `${counted(testimonials, 'testimonial')} and ${counted(postings, 'posting')} compared: ${counted(count, 'difference')}`,
    otherGenerations > 0 && left,
    tail > 0 && `${counted(tail, 'testimonial')} not in the index yet`,
    ...first.map((each) => `  ${differenceText(each)}`),
    count > first.length && `  and ${(count - first.length).toLocaleString('en')} more`,
  ]);
}

function headText({ claim, at }: WrongHead): string {
  if (claim === 'missing') return 'the index head is missing: lists read all testimonials';
  return `wrong head: ${claim} leaves out ${at.toLocaleString('en')}, which the postings or testimonials have`;
}

function differenceText(difference: Difference): string {
  const { kind, at } = difference;
  if ('posting' in difference) return `${kind}: ${displayed(JSON.stringify(difference.posting))} at ${at}`;
  if ('claim' in difference) return headText(difference);
  return `${kind}: the testimonial at ${at.toLocaleString('en')} in the order of ${difference.axis}`;
}
