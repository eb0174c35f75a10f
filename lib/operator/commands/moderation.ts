/** The operator's commands `testimonial approve` and `testimonial reject`: by ids, or all that match a query. */
import type { Command } from 'commander';
import { limits, type Status, type Testimonial } from '../../../functions/domain/testimonial.ts';
import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import {
  changeStatus,
  TestimonialChanged,
  TestimonialNotFound,
} from '../../../functions/operations/change-status.ts';
import { type Changes, changeMatching, findMatching, type Matching } from '../change-matching.ts';
import {
  type CommandContext,
  confirm,
  examples,
  interruptible,
  type Operator,
  organizationOption,
  PartlyFailed,
  refuseWhileLoading,
  warnOfUnknown,
  yesOption,
} from '../command-context.ts';
import { readFilter } from '../filter-options.ts';
import { counted, jsonText } from '../terminal/formatting.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { beginProgress, type Progress } from '../terminal/progress.ts';

const commands = {
  approve: { status: 'approved', doing: 'Approving' },
  reject: { status: 'rejected', doing: 'Rejecting' },
} as const satisfies Record<string, { status: Status; doing: string }>;

type Name = keyof typeof commands;
const names = Object.keys(commands) as Name[]; // of the table above

interface Options {
  organization: string;
  where?: string;
  yes?: boolean;
}

/** Adds `testimonial approve` and `testimonial reject` to the commands on testimonials. */
export function addModerationCommands(testimonial: Command, context: CommandContext): void {
  for (const name of names) {
    const { status } = commands[name];
    testimonial
      .command(name)
      .description(`Set the status of testimonials to ${status}`)
      .argument('[id...]', 'ids of testimonials')
      .addOption(organizationOption().makeOptionMandatory())
      .option(
        '--where <query>',
        "instead of ids: all that match, as in 'status=pending&rating=5'; rating is the smallest",
      )
      .addOption(yesOption())
      .addHelpText(
        'after',
        examples(
          `testimonial ${name} --organization acme test_1234567890121`,
          `testimonial ${name} --organization acme --where 'status=pending&rating=5'`,
        ),
      )
      .action(async (ids: string[], { organization, where, yes = false }: Options) => {
        if (where === undefined && ids.length === 0) {
          throw new Error(`Name testimonials by their ids, or all that match a query by --where.`);
        }
        if (where !== undefined && ids.length > 0) {
          throw new Error('Name testimonials by their ids or by --where, not by both.');
        }
        await context.withOperator((operator) =>
          where === undefined
            ? byIds(context, operator, organization, ids, status)
            : byQuery(context, operator, { organization, where, yes }, name),
        );
      });
  }
}

async function byIds(
  { io, isJson }: CommandContext,
  operator: Operator,
  organization: string,
  ids: readonly string[],
  status: Status,
): Promise<void> {
  const changed: Testimonial[] = [];
  let failures = 0;
  for (const id of new Set(ids)) {
    try {
      const isAnother = (current: Testimonial) => current.status !== status;
      changed.push(await changeStatus(operator, organization, id, status, isAnother));
      if (!isJson()) io.print(`${id} ${status}`);
    } catch (error) {
      if (error instanceof TestimonialChanged)
        io.printError(`${id} was ${status} before: nothing was changed`);
      else if (error instanceof TestimonialNotFound) {
        failures += 1;
        io.printError(error.message);
      } else throw error;
    }
  }
  if (isJson()) io.print(jsonText(changed));
  if (failures > 0) throw new PartlyFailed();
}

async function byQuery(
  { io, show }: CommandContext,
  operator: Operator,
  { organization, where, yes }: { organization: string; where: string; yes: boolean },
  name: Name,
): Promise<void> {
  const { status, doing } = commands[name];
  const filter = readFilter(where);
  await refuseWhileLoading(operator, io, organization);
  const matching = await find(io, operator, organization, { filter, target: status });
  const total = matching.reduce((sum, { ids }) => sum + ids.length, 0);
  let { changed, leftAlone }: Changes = { changed: 0, leftAlone: 0 };
  const result = () => ({ organization, status, matching: total, changed, leftAlone });
  if (total === 0) {
    await warnOfUnknown(operator, io, organization);
    show(result(), () => `Nothing to do: no testimonial matches that is not ${status} already.`);
    return;
  }
  const parts = matching.map((each) => `${each.ids.length.toLocaleString('en')} ${each.status}`).join(', ');
  const { rating = limits.rating.max } = filter;
  // A filter takes the smallest rating, which is easily forgotten.
  const rated = rating < limits.rating.max ? `, rated ${rating} or more` : '';
  const question = `${capitalized(name)} ${counted(total, 'testimonial')} of ${organization} (${parts}${rated})?`;
  await confirm(io, question, yes);

  const whatNext = `What was ${status} stays so; the same command again does the rest.`;
  const progress = beginProgress(io, { work: doing, unit: 'testimonial', total });
  try {
    await interruptible(io, whatNext, () =>
      changeMatching(operator, organization, { matching, target: status }, (changes) => {
        ({ changed, leftAlone } = changes);
        progress.to(changed + leftAlone);
      }),
    );
  } catch (error) {
    progress.end();
    io.printError(`${counted(changed, 'testimonial')} ${status} until it failed. ${whatNext}`);
    throw error;
  }
  progress.end();
  const others = leftAlone === 0 ? '' : `; ${leftAlone.toLocaleString('en')} left alone, changed meanwhile`;
  show(result(), () => `${counted(changed, 'testimonial')} ${status}${others}`);
  if (leftAlone > 0) throw new PartlyFailed();
}

/** What matches now: the person is asked about no more and no less. */
async function find(
  io: ProgramIo,
  operator: Operator,
  organization: string,
  asked: { filter: TestimonialFilter; target: Status },
): Promise<Matching[]> {
  let progress: Progress | undefined;
  let matching: Matching[] = [];
  try {
    await interruptible(io, 'Nothing was changed.', async () => {
      matching = await findMatching(operator, organization, asked, (found, total) => {
        progress ??= beginProgress(io, { work: 'Finding', unit: 'testimonial', total });
        progress.to(found);
      });
    });
  } finally {
    progress?.end();
  }
  return matching;
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
