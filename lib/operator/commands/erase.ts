/** The operator's command `testimonial erase`: a person's right to be forgotten. */
import cliTruncate from 'cli-truncate';
import type { Command } from 'commander';
import { forEachAtOnce } from '../../../functions/concurrency.ts';
import { noIndex } from '../../../functions/list-index/index-store.ts';
import { termsVersion } from '../../../functions/list-index/index-terms.ts';
import { findTestimonial, TestimonialNotFound } from '../../../functions/operations/change-status.ts';
import { eraseTestimonial } from '../../../functions/operations/erase-testimonial.ts';
import { awaitErased, leavesWords } from '../await-erased.ts';
import {
  type CommandContext,
  confirm,
  examples,
  interruptible,
  type Operator,
  organizationOption,
  PartlyFailed,
  warnOfLoading,
  warnOfUnknown,
  yesOption,
} from '../command-context.ts';
import { columns, counted, jsonText } from '../terminal/formatting.ts';
import { withStepProgress } from '../terminal/progress.ts';
import { oneLine } from '../terminal/terminal-text.ts';

// Of those to be erased.
const mostShown = 20;

interface EraseOptions {
  organization: string;
  email?: string;
  yes?: boolean;
}

/** Adds `testimonial erase` to the commands on testimonials. */
export function addEraseCommand(testimonial: Command, { io, withOperator, isJson }: CommandContext): void {
  testimonial
    .command('erase')
    .description('Erase testimonials for good: their texts, authors and tags, also in the list index')
    .argument('[id...]', 'ids of testimonials')
    .addOption(organizationOption().makeOptionMandatory())
    .option('--email <address>', 'instead of ids: all of the author with this e-mail address')
    .addOption(yesOption())
    .addHelpText(
      'after',
      examples(
        'testimonial erase --organization acme test_1234567890121',
        'testimonial erase --organization acme --email jane@example.com',
      ),
    )
    .action(async (given: string[], { organization, email, yes = false }: EraseOptions) => {
      if ((email === undefined) === (given.length === 0)) {
        throw new Error('Name testimonials by their ids, or their author by --email.');
      }
      if (email !== undefined && !email.includes('@')) throw new Error(`${email} is no e-mail address.`);
      await withOperator(async (operator) => {
        // What it has yet to store of a person comes in afterwards.
        if (email !== undefined) await warnOfLoading(operator, io, organization);
        const ids = email === undefined ? given : await idsOf(operator, organization, email);
        if (ids.length === 0) {
          // An erasure that was stopped before its end has no address any more.
          const finishes = await leavesWords(operator, organization);
          if (finishes) await takeOut(operator, organization);
          else await warnOfUnknown(operator, io, organization);
          const line = `No testimonial of ${organization} is by ${email}.`;
          if (!finishes) throw new Error(line);
          if (isJson()) io.print(jsonText({ organization, erased: [] }));
          return io.printError(line);
        }
        for (const line of await whatTheyAre(operator, organization, ids)) io.printError(line);
        await confirm(io, `Erase ${counted(ids.length, 'testimonial')} of ${organization} for good?`, yes);
        const { erased, failed } = await erase(operator, organization, [...new Set(ids)]);
        if (isJson()) io.print(jsonText({ organization, erased }));
        else for (const id of erased) io.print(`${id} erased`);
        // Also of what was erased by a run that did not wait for it.
        if (failed.length < ids.length) await takeOut(operator, organization);
        for (const reason of failed) io.printError(reason);
        if (failed.length > 0) throw new PartlyFailed();
      });
    });

  /** A line for each, so that nobody is erased by a mistake in a number. */
  async function whatTheyAre(
    { testimonials }: Operator,
    organization: string,
    ids: readonly string[],
  ): Promise<string[]> {
    const found = await Promise.all(
      ids
        .slice(0, mostShown)
        .map((id) => findTestimonial(testimonials, organization, id).catch(() => undefined)),
    );
    const rows = found.flatMap((each) => {
      if (!each) return [];
      const { id, createdAt, author, content } = each.testimonial;
      return [[id, createdAt.slice(0, 10), oneLine(author.name), cliTruncate(oneLine(content), 50)]];
    });
    const more = ids.length - mostShown;
    return [
      ...(rows.length > 0 ? [columns(rows)] : []),
      ...(more > 0 ? [`and ${counted(more, 'more', 'more')}`] : []),
    ];
  }

  async function idsOf(operator: Operator, organization: string, email: string): Promise<string[]> {
    const wanted = email.trim().toLowerCase();
    const found: string[] = [];
    await interruptible(io, 'Nothing was erased.', () =>
      withStepProgress(io, { read: { work: 'Looking', unit: 'testimonial' } }, async (progress) => {
        let read = 0;
        for await (const page of operator.testimonials.from(organization, 0)) {
          for (const { testimonial: each } of page) {
            if (each.author.email.toLowerCase() === wanted) found.push(each.id);
          }
          read += page.length;
          progress(read, 0, 'read');
        }
      }),
    );
    return found;
  }

  async function erase(
    operator: Operator,
    organization: string,
    ids: readonly string[],
  ): Promise<{ erased: string[]; failed: string[] }> {
    const erased: string[] = [];
    const failed: string[] = [];
    await interruptible(io, 'Run it again: what is erased already stays so.', () =>
      forEachAtOnce(ids, async (id) => {
        try {
          if (await eraseTestimonial(operator, organization, id)) erased.push(id);
          else io.printError(`${id} was erased before`);
        } catch (error) {
          if (!(error instanceof TestimonialNotFound)) throw error;
          failed.push(error.message);
        }
      }),
    );
    return { erased, failed };
  }

  async function takeOut(operator: Operator, organization: string): Promise<void> {
    io.printError('In no list any more. Taking the words out of the index, within a minute');
    const head = (await operator.index.readHead(organization)) ?? noIndex;
    if (head.building)
      io.printError('That waits for a rebuild to end, or for two minutes where it was stopped');
    const whatNext =
      'The index function takes the words out of the index, but not out of what a rebuild left: run it again for that.';
    await interruptible(io, whatNext, () => awaitErased(operator, organization, io.sleep));
    if (head.terms !== termsVersion) {
      io.printError(
        `The index was made by older rules, and may have kept a word: run index rebuild --organization ${organization}.`,
      );
    }
    io.printError('Gone from the table. Point-in-time backups keep what was there for up to 35 days.');
  }
}
