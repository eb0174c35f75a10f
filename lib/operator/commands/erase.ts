/** The operator's command `testimonial erase`: a person's right to be forgotten. */
import type { Command } from 'commander';
import { Unreadable } from '../../../functions/domain/unreadable.ts';
import { noIndex } from '../../../functions/list-index/index-store.ts';
import { termsVersion } from '../../../functions/list-index/terms-version.ts';
import { eraseEach } from '../../../functions/operations/erase-testimonial.ts';
import { findByAuthor, findTestimonial } from '../../../functions/operations/find-testimonial.ts';
import {
  type CommandContext,
  exampleText,
  organizationOption,
  PartlyFailed,
  repeatable,
  yesOption,
} from '../command-context.ts';
import { awaitErased, leavesWords } from '../erase/remove-words.ts';
import { paceOf } from '../load/pace.ts';
import type { Session } from '../session.ts';
import { beginning, columns, counted, joined, notFoundText, oneLine } from '../terminal/formatting.ts';
import { confirm, interruptible } from '../terminal/interruptible.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { longWork } from '../terminal/progress.ts';
import { eraseFromFile } from './erase-replay.ts';

// Testimonials that are shown before they are erased.
const mostShown = 20;

interface EraseOptions {
  organization?: string;
  email?: string[];
  replay?: string;
  yes?: boolean;
}

/** Adds `testimonial erase` to the commands on testimonials. */
export function addEraseCommand(testimonial: Command, context: CommandContext): void {
  testimonial
    .command('erase')
    .description('Erase testimonials for good: their texts, authors and tags, also in the list index')
    .argument('[id...]', 'ids of testimonials')
    .addOption(organizationOption())
    .addOption(
      repeatable(
        '--email <address>',
        'instead of ids: all of the author with this e-mail address; may be repeated',
      ),
    )
    .option('--replay <file>', 'what the log of erasures names, in a table that was restored from a backup')
    .addOption(yesOption())
    .addHelpText(
      'after',
      exampleText([
        'testimonial erase --organization acme test_1234567890121',
        'testimonial erase --organization acme --email jane@example.com',
        'testimonial erase --replay erased.json --table testimonials-restored',
      ]),
    )
    .action(async (ids: string[], { organization, email, replay, yes = false }: EraseOptions) => {
      if (replay !== undefined) {
        if (organization !== undefined || email !== undefined || ids.length > 0) {
          throw new Error(
            'With --replay, the file names organizations and testimonials, and nothing else does.',
          );
        }
        return eraseFromFile(context, replay, yes);
      }
      if (organization === undefined) {
        throw new Error('Name the organization with --organization, or a log of erasures with --replay.');
      }
      if ((email === undefined) === (ids.length === 0)) {
        throw new Error('Name testimonials by their ids, or their author by --email.');
      }
      const wrong = email?.find((each) => !each.includes('@'));
      if (wrong !== undefined) throw new Error(`${wrong} is no e-mail address.`);
      await context.onOrganization(organization, (session) =>
        email === undefined
          ? eraseAll(context, session, [...new Set(ids)], yes)
          : eraseAuthors(context, session, email, yes),
      );
    });
}

async function eraseAuthors(
  context: CommandContext,
  session: Session,
  emails: readonly string[],
  yes: boolean,
): Promise<void> {
  const { io, show } = context;
  const { organization } = session;
  // What it has yet to store of a person comes in afterwards.
  await session.warnOfLoading();
  const { ids, absent } = await longWork(io, 'Nothing was erased.', ({ progress }) =>
    findByAuthor(session.testimonials, organization, emails, {
      progress: (read) => progress(read, 0, 'looked'),
    }),
  );
  // An erasure that was stopped before its end has no address any more.
  const isFinishing = ids.length === 0 && (await leavesWords(session, organization));
  if (ids.length === 0 && !isFinishing) await session.warnOfUnknown();
  for (const email of absent) io.printError(`No testimonial of ${organization} is by ${email}.`);
  if (isFinishing) {
    await takeWordsOut(io, session);
    return show({ organization, erased: [] }, () => undefined);
  }
  if (ids.length > 0) await eraseAll(context, session, ids, yes);
  if (absent.length > 0) throw new PartlyFailed();
}

/** @param ids each only once, so that the question has the right number */
async function eraseAll(
  { io, show }: CommandContext,
  session: Session,
  ids: readonly string[],
  yes: boolean,
): Promise<void> {
  const { organization } = session;
  const shown = await whatTheyAre(session, ids);
  if (shown !== '') io.printError(shown);
  await confirm(io, `Erase ${counted(ids.length, 'testimonial')} of ${organization} for good?`, yes);
  const named = ids.map((id) => ({ id }));
  const unread: string[] = [];
  const { done, already, absent } = await longWork(
    io,
    'Run it again: what is erased already stays so.',
    (attendance) =>
      eraseEach(session, organization, named, {
        pace: paceOf({ ...session, ...attendance }, organization),
        onOutcome: (tally, id, outcome) => {
          attendance.progress(tally.done.length + tally.already.length, named.length, 'erased');
          if (outcome.kind === 'done' && !outcome.before) unread.push(id);
        },
      }),
  );
  for (const id of already) io.printError(`${id} was erased before`);
  show({ organization, erased: done }, () => done.map((id) => `${id} erased`).join('\n') || undefined);
  // A run before may have erased and not waited for the words to go.
  if (done.length + already.length > 0) await takeWordsOut(io, session);
  for (const id of unread) {
    const repair = `index verify --organization ${organization} --repair`;
    io.printError(`${id} could not be read: run ${repair} to remove words that may be left.`);
  }
  for (const id of absent) io.printError(notFoundText(organization, id));
  if (absent.length > 0) throw new PartlyFailed();
}

/** A line for each, so that nobody is erased by a mistake in a number. */
async function whatTheyAre({ testimonials, organization }: Session, ids: readonly string[]): Promise<string> {
  const shown = ids.slice(0, mostShown);
  const found = shown.map(async (id) => {
    try {
      const { testimonial } = (await findTestimonial(testimonials, organization, id)) ?? {};
      if (!testimonial) return [];
      const { createdAt, author, content } = testimonial;
      return [[id, createdAt.slice(0, 10), oneLine(author.name), beginning(oneLine(content), 50)]];
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return [[id, '', '', `cannot be read: ${error.attribute}`]];
    }
  });
  const rows = (await Promise.all(found)).flat();
  const more = ids.length - shown.length;
  return joined([rows.length > 0 && columns(rows), more > 0 && `and ${counted(more, 'more', 'more')}`]);
}

/** Takes the words of what was erased out of the index. */
export async function takeWordsOut(io: ProgramIo, session: Session): Promise<void> {
  const { organization } = session;
  io.printError('In no list any more. Taking the words out of the index, within a minute');
  const head = (await session.index.readHead(organization)) ?? noIndex;
  if (head.building) io.printError('That waits for a rebuild to end, or for two minutes where it was killed');
  const whatNext =
    'The index function takes the words out of the index, but not out of what a rebuild left: run it again for that.';
  await interruptible(io, whatNext, () => awaitErased(session, organization, io.sleep));
  if (head.terms !== termsVersion) {
    io.printError(
      `The index was made by older rules, and may have kept a word: run index rebuild --organization ${organization}.`,
    );
  }
  io.printError('Gone from the table. Point-in-time backups keep what was there for up to 35 days.');
}
