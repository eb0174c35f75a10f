/** The operator's commands `testimonial approve` and `testimonial reject`: by ids, or all that match a query. */
import type { Command } from 'commander';
import { limits, type Status, type Testimonial } from '../../../functions/domain/testimonial.ts';
import { changeStatus, TestimonialChanged } from '../../../functions/operations/change-status.ts';
import { TestimonialNotFound } from '../../../functions/operations/find-testimonial.ts';
import { type CommandContext, organizationCommand, PartlyFailed, yesOption } from '../command-context.ts';
import { readFilter } from '../filter-options.ts';
import { type Changes, changeMatching, findMatching, type Matching } from '../moderation/change-matching.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/formatting.ts';
import { confirm, interruptible } from '../terminal/interruptible.ts';
import { withStepProgress } from '../terminal/progress.ts';

interface Decision {
  name: string;
  status: Status;
  doing: string;
}

const decisions: readonly Decision[] = [
  { name: 'approve', status: 'approved', doing: 'Approving' },
  { name: 'reject', status: 'rejected', doing: 'Rejecting' },
];

interface Options {
  organization: string;
  where?: string;
  yes?: boolean;
}

/** Adds `testimonial approve` and `testimonial reject` to the commands on testimonials. */
export function addModerationCommands(testimonial: Command, context: CommandContext): void {
  for (const decision of decisions) {
    const { name, status } = decision;
    organizationCommand(testimonial, {
      name,
      description: `Set the status of testimonials to ${status}`,
      examples: [
        `testimonial ${name} --organization acme test_1234567890121`,
        `testimonial ${name} --organization acme --where 'status=pending&rating=5'`,
      ],
    })
      .argument('[id...]', 'ids of testimonials')
      .option(
        '--where <query>',
        "instead of ids: all that match, as in 'status=pending&rating=5'; rating is the smallest",
      )
      .addOption(yesOption())
      .action(async (ids: string[], { organization, where, yes = false }: Options) => {
        if (where === undefined && ids.length === 0) {
          throw new Error(`Name testimonials by their ids, or all that match a query by --where.`);
        }
        if (where !== undefined && ids.length > 0) {
          throw new Error('Name testimonials by their ids or by --where, not by both.');
        }
        await context.onOrganization(organization, (session) =>
          where === undefined
            ? byIds(context, session, ids, status)
            : byQuery(context, session, decision, { where, yes }),
        );
      });
  }
}

async function byIds(
  { io, isJson, show }: CommandContext,
  session: Session,
  ids: readonly string[],
  status: Status,
): Promise<void> {
  const changed: Testimonial[] = [];
  let failures = 0;
  for (const id of new Set(ids)) {
    try {
      const isAnother = (current: Testimonial) => current.status !== status;
      changed.push(await changeStatus(session, session.organization, id, status, isAnother));
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
  show(changed, () => undefined);
  if (failures > 0) throw new PartlyFailed();
}

async function byQuery(
  { io, show }: CommandContext,
  session: Session,
  decision: Decision,
  { where, yes }: { where: string; yes: boolean },
): Promise<void> {
  const { organization } = session;
  const { status, doing } = decision;
  const asked = { filter: readFilter(where), target: status };
  await session.refuseWhileLoading();
  // What matches now: the person is asked about no more and no less.
  const matching = await interruptible(io, 'Nothing was changed.', () =>
    withStepProgress(io, { found: { work: 'Finding', unit: 'testimonial' } }, (progress) =>
      findMatching(session, organization, asked, (found, of) => progress(found, of, 'found')),
    ),
  );
  const total = matching.reduce((sum, { ids }) => sum + ids.length, 0);
  let done: Changes = { changed: 0, leftAlone: 0 };
  const result = () => ({ organization, status, matching: total, ...done });
  if (total === 0) {
    await session.warnOfUnknown();
    return show(result(), () => `Nothing to do: no testimonial matches that is not ${status} already.`);
  }
  await confirm(io, questionOf(decision, organization, matching, asked.filter.rating), yes);
  const whatNext = `What was ${status} stays so; the same command again does the rest.`;
  try {
    await interruptible(io, whatNext, () =>
      withStepProgress(io, { changed: { work: doing, unit: 'testimonial' } }, (progress) =>
        changeMatching(session, organization, { matching, target: status }, (changes) => {
          done = { ...changes };
          progress(done.changed + done.leftAlone, total, 'changed');
        }),
      ),
    );
  } catch (error) {
    io.printError(`${counted(done.changed, 'testimonial')} ${status} until it failed. ${whatNext}`);
    throw error;
  }
  const left =
    done.leftAlone === 0 ? '' : `; ${done.leftAlone.toLocaleString('en')} left alone, changed meanwhile`;
  show(result(), () => `${counted(done.changed, 'testimonial')} ${status}${left}`);
  if (done.leftAlone > 0) throw new PartlyFailed();
}

/** What is asked before anything is changed. */
function questionOf(
  { name }: Decision,
  organization: string,
  matching: readonly Matching[],
  rating: number = limits.rating.max,
): string {
  const total = matching.reduce((sum, { ids }) => sum + ids.length, 0);
  const parts = matching.map(({ ids, status }) => `${ids.length.toLocaleString('en')} ${status}`).join(', ');
  // A filter takes the smallest rating, which is easily forgotten.
  const rated = rating < limits.rating.max ? `, rated ${rating} or more` : '';
  const verb = name.charAt(0).toUpperCase() + name.slice(1);
  return `${verb} ${counted(total, 'testimonial')} of ${organization} (${parts}${rated})?`;
}
