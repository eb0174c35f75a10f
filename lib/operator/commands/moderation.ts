/**
 * The operator's commands `testimonial approve`, `testimonial reject` and `testimonial tag`: by ids, or all that match a query.
 */
import type { Command } from 'commander';
import { limits, type Status, type Testimonial } from '../../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../../functions/domain/testimonial-change.ts';
import { Unreadable } from '../../../functions/domain/unreadable.ts';
import type { Tally } from '../../../functions/operations/attempts.ts';
import { changeEach, changeTestimonial } from '../../../functions/operations/change-testimonial.ts';
import { findMatching, type Matching } from '../../../functions/operations/find-matching.ts';
import { readTagChange } from '../../../functions/serve-desk/parts/forms.ts';
import {
  type CommandContext,
  organizationCommand,
  PartlyFailed,
  repeatable,
  yesOption,
} from '../command-context.ts';
import { requireFilter } from '../list-query.ts';
import { paceOf } from '../load/pace.ts';
import type { Session } from '../session.ts';
import { capital, counted, joined, notFoundText } from '../terminal/formatting.ts';
import { confirm } from '../terminal/interruptible.ts';
import { longWork } from '../terminal/progress.ts';

/** A change, and how it is spoken of. */
interface Decision {
  name: string;
  done: string;
  change: TestimonialChange;
}

const statusCommands = [
  { name: 'approve', status: 'approved' },
  { name: 'reject', status: 'rejected' },
] as const satisfies { name: string; status: Status }[];

interface Options {
  organization: string;
  where?: string;
  yes?: boolean;
  /** Tags. */
  add?: string[];
  remove?: string[];
}

/** Adds `testimonial approve`, `reject` and `tag` to the commands on testimonials. */
export function addModerationCommands(testimonial: Command, context: CommandContext): void {
  for (const { name, status } of statusCommands) {
    changeCommand(testimonial, {
      name,
      description: `Set the status of testimonials to ${status}`,
      examples: [
        `testimonial ${name} --organization acme test_1234567890121`,
        `testimonial ${name} --organization acme --where 'status=pending&rating=5'`,
      ],
    }).action((ids: string[], options: Options) =>
      decide(context, ids, options, { name, done: status, change: { status } }),
    );
  }
  changeCommand(testimonial, {
    name: 'tag',
    description: 'Add and remove tags of testimonials',
    examples: [
      'testimonial tag --organization acme test_1234567890121 --add featured --remove draft',
      "testimonial tag --organization acme --where 'status=approved&rating=5' --add featured",
    ],
  })
    .addOption(repeatable('--add <tag>', 'a tag that they are to have; may be repeated'))
    .addOption(repeatable('--remove <tag>', 'a tag that they are not to have; may be repeated'))
    .action((ids: string[], options: Options) => decide(context, ids, options, tagging(options)));
}

/** Begins a command that changes testimonials. */
function changeCommand(
  testimonial: Command,
  described: { name: string; description: string; examples: string[] },
): Command {
  return organizationCommand(testimonial, described)
    .argument('[id...]', 'ids of testimonials')
    .option(
      '--where <query>',
      "instead of ids: all that match, as in 'status=pending&rating=5'; rating is the smallest",
    )
    .addOption(yesOption());
}

function tagging({ add = [], remove = [] }: Options): Decision {
  if (add.length + remove.length === 0) throw new Error('Name tags with --add or --remove.');
  const change = readTagChange({ addTags: add, removeTags: remove });
  return { name: 'tag', done: 'tagged', change };
}

async function decide(
  context: CommandContext,
  ids: readonly string[],
  { organization, where, yes = false }: Options,
  decision: Decision,
): Promise<void> {
  if ((where === undefined) === (ids.length === 0)) {
    throw new Error('Name testimonials by their ids, or all that match a query by --where.');
  }
  await context.onOrganization(organization, (session) =>
    where === undefined
      ? byIds(context, session, ids, decision)
      : byQuery(context, session, decision, { where, yes }),
  );
}

async function byIds(
  { io, isJson, show }: CommandContext,
  session: Session,
  ids: readonly string[],
  { change, done }: Decision,
): Promise<void> {
  const { organization } = session;
  const made: Testimonial[] = [];
  let hasFailed = false;
  for (const id of new Set(ids)) {
    const outcome = await changeTestimonial(session, organization, id, change).catch((error: unknown) => {
      if (error instanceof Unreadable) return error;
      throw error;
    });
    if (outcome instanceof Unreadable) {
      hasFailed = true;
      io.printError(`${outcome.message}. ${id} is left out.`);
    } else if (outcome.kind === 'done') {
      made.push(outcome.testimonial);
      if (!isJson()) io.print(`${id} ${done}`);
    } else if (outcome.kind === 'already') {
      io.printError(`${id} was ${done} before: nothing was changed`);
    } else {
      hasFailed = true;
      io.printError(
        outcome.kind === 'absent'
          ? notFoundText(organization, id)
          : `Testimonial ${id} would have more than ${limits.tags.max} tags: remove some of them`,
      );
    }
  }
  show(made, () => undefined);
  if (hasFailed) throw new PartlyFailed();
}

async function byQuery(
  { io, show }: CommandContext,
  session: Session,
  decision: Decision,
  { where, yes }: { where: string; yes: boolean },
): Promise<void> {
  const { organization } = session;
  const { done, change } = decision;
  const asked = { filter: requireFilter(where), change };
  await session.refuseWhileLoading();
  // What matches now: the person is asked about no more and no less.
  const matching = await longWork(io, 'Nothing was changed.', ({ progress }) =>
    findMatching(session, organization, asked, (found, of) => progress(found, of, 'looked')),
  );
  const total = matching.length;
  let made = countsOf();
  const result = () => ({ organization, ...change, matching: total, ...made });
  if (total === 0) {
    await session.refuseUnknown();
    return show(result(), () => `Nothing to do: no testimonial matches that is not ${done} already.`);
  }
  await confirm(io, questionOf(decision, organization, matching, asked.filter.rating), yes);
  const whatNext = `What was ${done} stays so; the same command again does the rest.`;
  try {
    await longWork(io, whatNext, (attendance) =>
      changeEach(session, organization, matching, change, {
        pace: paceOf({ ...session, ...attendance }, organization),
        progress(tally) {
          made = countsOf(tally);
          attendance.progress(made.changed + made.leftAlone + made.full, total, 'changed');
        },
      }),
    );
  } catch (error) {
    io.printError(`${counted(made.changed, 'testimonial')} ${done} until it failed. ${whatNext}`);
    throw error;
  }
  const parts = [
    `${counted(made.changed, 'testimonial')} ${done}`,
    made.leftAlone > 0 && `${made.leftAlone.toLocaleString('en')} left alone, changed meanwhile`,
    made.full > 0 &&
      `${made.full.toLocaleString('en')} left alone, which would have more than ${limits.tags.max} tags`,
  ];
  show(result(), () => joined(parts, '; '));
  if (made.leftAlone + made.full > 0) throw new PartlyFailed();
}

function countsOf(tally?: Tally) {
  const { done = [], already = [], conflict = [], absent = [], tooManyTags = [] } = tally ?? {};
  return {
    changed: done.length,
    leftAlone: already.length + conflict.length + absent.length,
    full: tooManyTags.length,
  };
}

/** What is asked before anything is changed. */
function questionOf(
  { name }: Decision,
  organization: string,
  matching: readonly Matching[],
  rating: number = limits.rating.max,
): string {
  const parts = Object.entries(Object.groupBy(matching, ({ status }) => status))
    .map(([status, some]) => `${some.length.toLocaleString('en')} ${status}`)
    .join(', ');
  // A filter takes the smallest rating, which is easily forgotten.
  const rated = rating < limits.rating.max ? `, rated ${rating} or more` : '';
  return `${capital(name)} ${counted(matching.length, 'testimonial')} of ${organization} (${parts}${rated})?`;
}
