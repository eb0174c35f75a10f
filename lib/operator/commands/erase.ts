/** The command `testimonial erase`: a person's right to be forgotten. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { Unreadable } from '../../../functions/domain/unreadable.ts';
import {
  addCommand,
  type CommandContext,
  type CommandSession,
  organizationOption,
  PartlyFailed,
  repeatable,
} from '../command-context.ts';
import { eraseByIds, type Replayed, replayErasures } from '../erase/erase-testimonials.ts';
import { readErasures } from '../erase/read-erasures.ts';
import { readWhole } from '../files/whole-file.ts';
import type { OrganizationTools } from '../session.ts';
import { beginning, columns, counted, joined, notFoundText, oneLine } from '../terminal/formatting.ts';
import { confirm, interruptible } from '../terminal/interruptible.ts';
import { longWork } from '../terminal/progress.ts';

// The number of testimonials shown before the question.
const maxShown = 20;

const adviceIfStopped = 'Run the same command again to finish. Erased testimonials stay erased.';

interface EraseOptions {
  organization?: string;
  email?: string[];
  replay?: string;
  yes?: boolean;
}

export function addEraseCommand(testimonial: Command, context: CommandContext): void {
  addCommand(testimonial, 'testimonial erase')
    .argument('[id...]', 'ids of testimonials')
    .addOption(organizationOption())
    .addOption(
      repeatable('--email <address>', 'instead of ids: every testimonial by this author; may be repeated'),
    )
    .option('--replay <file>', 'erase again, in a restored table, the testimonials in this log of erasures')
    .option('--yes', 'do not ask')
    .action(async (ids: string[], { organization, email, replay, yes = false }: EraseOptions) => {
      if (replay !== undefined) {
        if (organization !== undefined || email !== undefined || ids.length > 0)
          throw new Error('Use --replay without ids, --organization and --email: the file contains them.');
        return replayFile(context, replay, yes);
      }
      if (organization === undefined) throw new Error('Add --organization <name>, or --replay <file>.');
      if ((email === undefined) === (ids.length === 0))
        throw new Error('Add the ids of testimonials, or --email <address>.');
      const wrong = email?.find((address) => !address.includes('@'));
      if (wrong !== undefined) throw new Error(`${wrong} is not an e-mail address.`);
      if (email !== undefined)
        return context.onOrganization(organization, (session) => eraseAuthors(session, email, yes));
      const unique = [...new Set(ids)];
      return context.onOrganization(
        organization,
        (session) => askAndErase(session, unique, yes),
        'You can still erase it.',
      );
    });
}

async function eraseAuthors(session: CommandSession, emails: readonly string[], yes: boolean): Promise<void> {
  const { organization, io, show } = session;
  // A running import may still store testimonials by these authors.
  await session.warnOfLoading();
  // Unreadable testimonials are reported and stay, because they can only be erased by their ids.
  const { ids, absent } = await longWork(io, 'Nothing was erased.', ({ progress }) =>
    session.finds.findByAuthor(emails, {
      progress: (read) => progress(read, 0, 'previewed'),
    }),
  );
  // A run that was stopped may have erased the testimonials and left their words in the index. It is unknown
  // whose words these are, so this run removes all that are due.
  const isFinishing = ids.length === 0 && (await session.maintenance.hasWordsToRemove());
  if (ids.length === 0 && !isFinishing) await session.warnOfUnknown();
  for (const email of absent) io.printError(`No testimonial of ${organization} is by ${email}.`);
  if (isFinishing) {
    await finishRemoval(session);
    return show({ organization, erased: [] }, () => undefined);
  }
  if (ids.length > 0) await askAndErase(session, ids, yes);
  if (absent.length > 0) throw new PartlyFailed();
}

/** @param ids without duplicates, so that the question names the right number */
async function askAndErase(session: CommandSession, ids: readonly string[], yes: boolean): Promise<void> {
  const { organization, io, show } = session;
  const summary = await summaryOf(session, ids);
  if (summary !== '') io.printError(summary);
  await confirm(io, `Erase ${counted(ids.length, 'testimonial')} of ${organization} for good?`, yes);
  const { done, already, absent, unreadable } = await longWork(io, adviceIfStopped, (callbacks) =>
    eraseByIds(session, ids, callbacks),
  );
  for (const id of already) io.printError(`${id} was already erased`);
  show({ organization, erased: done }, () => done.map((id) => `${id} erased`).join('\n') || undefined);
  // A run that was stopped may have erased testimonials without removing their words.
  if (done.length + already.length > 0) await finishRemoval(session);
  for (const id of unreadable) {
    const repair = `npm run admin -- index verify --organization ${organization} --repair`;
    io.printError(
      `${id} was unreadable, so the index may still contain some of its words. To remove them, run: ${repair}`,
    );
  }
  for (const id of absent) io.printError(notFoundText(organization, id));
  if (absent.length + unreadable.length > 0) throw new PartlyFailed();
}

/** Returns one line per testimonial, so that the operator notices a mistyped id. */
async function summaryOf({ finds }: OrganizationTools, ids: readonly string[]): Promise<string> {
  const shown = ids.slice(0, maxShown).map(async (id) => {
    try {
      const { testimonial } = (await finds.find(id)) ?? {};
      if (!testimonial) return [];
      const { createdAt, author, content } = testimonial;
      return [[id, createdAt.slice(0, 10), oneLine(author.name), beginning(oneLine(content), 50)]];
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return [[id, '', '', `cannot be read: ${error.attribute}`]];
    }
  });
  const rows = (await Promise.all(shown)).flat();
  const more = ids.length - shown.length;
  return joined([rows.length > 0 && columns(rows), more > 0 && `and ${counted(more, 'more', 'more')}`]);
}

/** Removes the words of erased testimonials from the index, and prints the progress. */
export async function finishRemoval(session: CommandSession): Promise<void> {
  const { organization, io } = session;
  io.printError(
    'Lists no longer show them. Removing their words from the index (usually less than half a minute) …',
  );
  const { isBeingRebuilt, isCurrent } = await session.maintenance.status();
  if (isBeingRebuilt)
    io.printError('Waiting for a rebuild to end first. If it was killed, that takes up to two minutes.');
  const stoppedAdvice =
    'The index function removes the words, except those in postings that a stopped rebuild left. ' +
    'To remove these too, run the same command again.';
  await interruptible(io, stoppedAdvice, () => session.maintenance.awaitWordRemoval(io.sleep ?? wait));
  if (!isCurrent) {
    const rebuild = `npm run admin -- index rebuild --organization ${organization}`;
    io.printError(
      `This index was built by another version and may still contain words of these testimonials. Run: ${rebuild}`,
    );
  }
  io.printError(
    'The testimonials are deleted from the table. Point-in-time backups keep them for up to 35 days.',
  );
}

/** Repeats the erasures that a file lists, in all of its organizations. */
async function replayFile({ io, show, withOperator }: CommandContext, file: string, yes: boolean) {
  const { bytes } = await readWhole(file);
  const erasures = readErasures(bytes.toString(), file);
  const total = [...erasures.values()].reduce((sum, { size }) => sum + size, 0);
  if (total === 0) return show([], () => `Nothing to do: ${file} names no erased testimonial.`);
  const scope = `${counted(total, 'testimonial')} of ${counted(erasures.size, 'organization')}`;
  await withOperator(async (operator) => {
    await confirm(io, `Erase ${scope} again in the table ${operator.table.name}, as ${file} says?`, yes);
    const replayed = await longWork(io, adviceIfStopped, (callbacks) =>
      replayErasures(operator, erasures, callbacks),
    );
    show(replayed, () => replayText(replayed));
    io.printError('Next, run: npm run admin -- index rebuild --all');
  });
}

function replayText(replayed: readonly Replayed[]): string {
  const { done = [], already = [], absent = [] } = Object.groupBy(replayed, ({ outcome }) => outcome);
  return [
    ...done.map(({ organization, id }) => `${id} of ${organization} erased`).toSorted(),
    `${counted(done.length, 'testimonial')} erased; ${already.length.toLocaleString('en')} erased before; ` +
      `${absent.length.toLocaleString('en')} not in the backup`,
  ].join('\n');
}
