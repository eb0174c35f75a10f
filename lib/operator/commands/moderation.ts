/**
 * The commands `testimonial approve`, `reject` and `tag`: by ids, or for all testimonials that match a query.
 */
import type { Command } from 'commander';
import { limits, type Testimonial } from '../../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../../functions/domain/testimonial-change.ts';
import { Unreadable } from '../../../functions/domain/unreadable.ts';
import { readTagChange } from '../../../functions/serve-desk/parts/forms.ts';
import {
  type CommandContext,
  type CommandPath,
  type CommandSession,
  PartlyFailed,
  repeatable,
} from '../command-context.ts';
import { requireFilter } from '../list-query.ts';
import {
  type ChangeTotals,
  changeMatching,
  countMatching,
  type StatusMatches,
} from '../moderate/change-matching.ts';
import { capital, counted, joined, notFoundText } from '../terminal/formatting.ts';
import { confirm } from '../terminal/interruptible.ts';
import { longWork } from '../terminal/progress.ts';

/** A change with its words: `approve`, `approved`. */
interface WordedChange {
  name: string;
  done: string;
  /** The end of the sentence about a testimonial that needs no change: `is already approved`. */
  already: string;
  change: TestimonialChange;
}

interface Options {
  organization: string;
  where?: string;
  yes?: boolean;
  add?: string[];
  remove?: string[];
}

export function addModerationCommands(testimonial: Command, context: CommandContext): void {
  const changeCommand = (path: CommandPath) =>
    context
      .organizationCommand(testimonial, path)
      .argument('[id...]', 'ids of testimonials')
      .option(
        '--where <query>',
        "instead of ids: a query such as 'status=pending&rating=5', to change every testimonial that matches; rating is a minimum",
      )
      .option('--yes', 'do not ask');
  const decisions = [
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ] as const;
  for (const [name, status] of decisions) {
    changeCommand(`testimonial ${name}`).action((ids: string[], options: Options) =>
      decide(context, ids, options, {
        name,
        done: status,
        already: `is already ${status}`,
        change: { status },
      }),
    );
  }
  changeCommand('testimonial tag')
    .addOption(repeatable('--add <tag>', 'a tag to add; may be repeated'))
    .addOption(repeatable('--remove <tag>', 'a tag to remove; may be repeated'))
    .action((ids: string[], options: Options) => decide(context, ids, options, tagging(options)));
}

function tagging({ add = [], remove = [] }: Options): WordedChange {
  if (add.length + remove.length === 0) throw new Error('Add --add <tag> or --remove <tag>.');
  const change = readTagChange({ addTags: add, removeTags: remove });
  const already =
    add.length === 0
      ? 'has none of these tags'
      : remove.length === 0
        ? 'already has these tags'
        : 'needs no other tags';
  return { name: 'tag', done: 'tagged', already, change };
}

async function decide(
  context: CommandContext,
  ids: readonly string[],
  { organization, where, yes = false }: Options,
  worded: WordedChange,
): Promise<void> {
  if ((where === undefined) === (ids.length === 0))
    throw new Error('Add the ids of testimonials, or --where <query>.');
  await context.onOrganization(organization, (session) =>
    where === undefined ? byIds(session, ids, worded) : byQuery(session, worded, { where, yes }),
  );
}

async function byIds(
  session: CommandSession,
  ids: readonly string[],
  { change, done, already }: WordedChange,
) {
  const { organization, changes, io, isJson, show } = session;
  const changed: Testimonial[] = [];
  let hasFailed = false;
  const fail = (line: string) => {
    hasFailed = true;
    io.printError(line);
  };
  for (const id of new Set(ids)) {
    try {
      const outcome = await changes.change(id, change);
      if (outcome.kind === 'done') {
        changed.push(outcome.testimonial);
        if (!isJson()) io.print(`${id} ${done}`);
      } else if (outcome.kind === 'already') io.printError(`${id} ${already}. Nothing changed.`);
      else if (outcome.kind === 'absent') fail(notFoundText(organization, id));
      else fail(`${id} would have more than ${limits.tags.max} tags. Remove some of them first`);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      fail(`${error.message}. ${id} is left out.`);
    }
  }
  show(changed, () => undefined);
  if (hasFailed) throw new PartlyFailed();
}

async function byQuery(
  session: CommandSession,
  worded: WordedChange,
  { where, yes }: { where: string; yes: boolean },
): Promise<void> {
  const { organization, io, show } = session;
  const { done, change } = worded;
  const filter = requireFilter(where);
  await session.refuseWhileLoading();
  const matching = await countMatching(session.listChanges, filter, change);
  const total = matching.reduce((sum, each) => sum + each.total, 0);
  let counts: ChangeTotals = { changed: 0, unchanged: 0, full: 0 };
  const leftAlone = () => Math.max(0, total - counts.changed - counts.unchanged - counts.full);
  const result = () => ({ organization, ...change, matching: total, ...counts, leftAlone: leftAlone() });
  if (total === 0) {
    await session.refuseUnknown();
    return show(result(), () => `Nothing to do. No testimonial matches, or all of them are ${done} already.`);
  }
  await confirm(io, questionOf(worded, organization, { matching, total }, filter.rating), yes);
  const advice = 'Run the same command again to change the rest.';
  try {
    await longWork(io, advice, (callbacks) => {
      const pace = session.maintenance.pace({
        sleep: callbacks.sleep,
        onWait: (outstanding) => callbacks.progress(outstanding, 0, 'pacing'),
      });
      const progress = (now: ChangeTotals) => {
        counts = now;
        callbacks.progress(total - leftAlone(), total, 'changed');
      };
      return changeMatching(session.listChanges, matching, change, { pace, progress });
    });
  } catch (error) {
    io.printError(
      `The command failed after ${counted(counts.changed, 'testimonial')} ${counts.changed === 1 ? 'was' : 'were'} ${done}. ${advice}`,
    );
    throw error;
  }
  const number = (count: number) => count.toLocaleString('en');
  const parts = [
    `${counted(counts.changed, 'testimonial')} ${done}`,
    counts.unchanged > 0 && `${number(counts.unchanged)} ${done} already`,
    leftAlone() > 0 && `${number(leftAlone())} skipped: changed in the meantime, erased or unreadable`,
    counts.full > 0 &&
      `${number(counts.full)} skipped, because they would have more than ${limits.tags.max} tags`,
  ];
  show(result(), () => joined(parts, '; '));
  if (leftAlone() + counts.full > 0) throw new PartlyFailed();
}

function questionOf(
  { name }: WordedChange,
  organization: string,
  { matching, total }: { matching: readonly StatusMatches[]; total: number },
  rating: number = limits.rating.max,
): string {
  const parts = matching.map(({ status, total: ofStatus }) => `${ofStatus.toLocaleString('en')} ${status}`);
  // Stated, because people forget that the filter means the lowest rating.
  const rated = rating < limits.rating.max ? `, rated ${rating} or more` : '';
  return `${capital(name)} ${counted(total, 'testimonial')} of ${organization} (${parts.join(', ')}${rated})?`;
}
