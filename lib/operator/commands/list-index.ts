/** The operator's commands on the list index; `index verify` says whether it has what the testimonials say. */
import type { Command } from 'commander';
import { firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { type Difference, verifyIndex } from '../../../functions/list-index/write/verify.ts';
import type { Misplaced } from '../../../functions/list-index/write/verify-places.ts';
import { type CommandContext, PartlyFailed } from '../command-context.ts';
import { type Session, sessionOf } from '../session.ts';
import { counted, displayed, joined } from '../terminal/formatting.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { longWork } from '../terminal/progress.ts';
import { addRebuildCommand, chosenWithoutLoads, rebuildAll } from './index-rebuild.ts';
import { addStatusCommand, organizationsCommand, type WhichOrganizations } from './index-status.ts';

/** Adds `index` and its commands to the program. */
export function addIndexCommands(program: Command, context: CommandContext): void {
  const index = program.command('index').description('Look at, rebuild and verify the list index');
  addStatusCommand(index, context);
  addRebuildCommand(index, context);
  addVerifyCommand(index, context);
}

// More are counted and not listed.
const differencesShown = 20;

/** Adds `index verify` to the commands on the list index. */
function addVerifyCommand(index: Command, { io, withOperator, show }: CommandContext): void {
  organizationsCommand(index, 'verify', 'Compare the list index with the testimonials')
    .option(
      '--repair',
      'rebuild it where it differs, which also removes what is left of erased testimonials; raise a counter that is behind',
    )
    .action(({ repair = false, ...which }: WhichOrganizations & { repair?: boolean }) =>
      withOperator(async (operator) => {
        const all: Verified[] = [];
        for (const organization of await chosenWithoutLoads(io, operator, which)) {
          all.push(await verifyOne(io, sessionOf(operator, organization, io), repair));
        }
        const values = all.map(({ organization, result, count, first }) => {
          return { organization, ...result, differences: count, first };
        });
        show(which.all ? values : values[0], () =>
          all.map((each) => (which.all ? `${each.organization}: ` : '') + verifiedText(each)).join('\n'),
        );
        if (all.some(({ differs }) => differs)) throw new PartlyFailed();
      }),
    );
}

async function verifyOne(io: ProgramIo, session: Session, repair: boolean): Promise<Verified> {
  const { organization } = session;
  await session.refuseWhileLoading();
  const verified = await verify(io, session);
  if (!repair || !verified.differs) return verified;
  io.printError(verifiedText(verified));
  await raiseCounter(session, verified.beyond);
  await rebuildAll(io, session, [organization]);
  return verify(io, session);
}

/**
 * Takes the places that testimonials have beyond the counter, so that none is given twice: items of a backup can be some
 * instants apart (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/backuprestore_HowItWorks.html).
 */
async function raiseCounter(
  { testimonials, organization, now }: Session,
  beyond: readonly Misplaced[],
): Promise<void> {
  const last = await testimonials.counted(organization);
  const { ordinal, updateOrdinal } = last ?? { ordinal: firstPlace - 1, updateOrdinal: firstPlace - 1 };
  const counter = { createdAt: ordinal, updatedAt: updateOrdinal };
  const behind = Math.max(0, ...beyond.map(({ axis, at }) => at - counter[axis]));
  if (behind > 0) await testimonials.takeOrdinals(organization, now(), behind);
}

type Verified = Awaited<ReturnType<typeof verify>>;

/** Compares, and keeps the first differences, and those of the counter. */
async function verify(io: ProgramIo, session: Session) {
  const first: Difference[] = [];
  const beyond: Misplaced[] = [];
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

function differenceText(difference: Difference): string {
  const { kind, at } = difference;
  return 'posting' in difference
    ? `${kind}: ${displayed(JSON.stringify(difference.posting))} at ${at}`
    : `${kind}: the testimonial at ${at.toLocaleString('en')} in the order of ${difference.axis}`;
}
