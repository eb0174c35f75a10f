/** The operator's command `testimonial review`: decides on the pending testimonials, one after the other. */
import type { Command } from 'commander';
import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import { changeTestimonial, stillAs } from '../../../functions/operations/change-testimonial.ts';
import { listTestimonials } from '../../../functions/operations/list-testimonials.ts';
import { type CommandContext, organizationCommand } from '../command-context.ts';
import { readFilter } from '../filter-options.ts';
import { pendingTestimonials } from '../moderation/pending-testimonials.ts';
import { type ReviewDependencies, type Reviewed, review, tallyOf } from '../moderation/review.ts';
import type { Session } from '../session.ts';
import type { Person, ProgramIo } from '../terminal/program-io.ts';
import { wrap } from '../terminal/terminal-text.ts';
import { testimonialText } from '../terminal/testimonial-text.ts';

/** Adds `testimonial review` to the commands on testimonials. */
export function addReviewCommand(testimonial: Command, { io, onOrganization, isJson }: CommandContext): void {
  organizationCommand(testimonial, {
    name: 'review',
    description: 'Decide on the pending testimonials one by one, oldest first, by single keys',
    examples: [
      'testimonial review --organization acme',
      "testimonial review --organization acme --where 'rating=4&tags=support'",
    ],
  })
    .option('--where <query>', "only those of them that match, as in 'rating=4'; rating is the smallest")
    .action(({ organization, where }: { organization: string; where?: string }) =>
      onOrganization(organization, async (session) => {
        const { person } = io;
        if (!person || isJson()) {
          throw new Error(
            'A review needs a person at a terminal. Elsewhere take testimonial list --status pending, and ' +
              "testimonial approve or reject by ids or by --where 'status=pending&…'.",
          );
        }
        const filter = where === undefined ? {} : pendingFilter(where);
        await session.warnOfLoading();
        const done: Reviewed[] = [];
        let pending: number | undefined;
        try {
          await review(dependenciesOf(session, io, person, filter), done);
          pending = await countPending(session, filter);
        } finally {
          io.print(summary(organization, done, pending, where));
        }
        if (done.length === 0 && pending === 0) await session.warnOfUnknown();
      }),
    );
}

/**
 * What narrows a review.
 * @throws what a list would refuse or ignore, and another status
 */
function pendingFilter(where: string): TestimonialFilter {
  const filter = readFilter(where);
  if (filter.status !== undefined && filter.status !== 'pending') {
    throw new Error(
      `A review shows pending testimonials only: leave status=${filter.status} out of --where.`,
    );
  }
  return filter;
}

function dependenciesOf(
  session: Session,
  { print }: ProgramIo,
  person: Person,
  filter: TestimonialFilter,
): ReviewDependencies {
  const { organization } = session;
  return {
    next: pendingTestimonials(session, organization, filter),
    change: (seen, status) => changeTestimonial(session, organization, seen.id, { status }, stillAs(seen)),
    keys: person.keys(),
    show(testimonial, left, canUndo) {
      const width = person.columns();
      const undo = canUndo ? '[u]ndo  ' : '';
      print(
        [
          person.style('dim', `── ${left.toLocaleString('en')} left `.padEnd(width, '─')),
          behindBar(testimonialText(testimonial, person), width, person),
          '',
          person.style('bold', `[a]pprove  [r]eject  [s]kip  ${undo}[q]uit`),
        ].join('\n'),
      );
    },
    say: (line) => print(`${line}\n`),
  };
}

/** A text that anybody wrote, none of whose lines can be taken for one of the review's own. */
function behindBar(text: string, width: number, person: Person): string {
  const bar = person.style('dim', '│');
  return wrap(text, width - '│ '.length)
    .split('\n')
    .map((line) => (line === '' ? bar : `${bar} ${line}`))
    .join('\n');
}

async function countPending(session: Session, filter: TestimonialFilter): Promise<number> {
  const query = {
    filter: { ...filter, status: 'pending' },
    sort: 'createdAt',
    order: 'asc',
    page: 1,
    limit: 1,
  } as const;
  return (await listTestimonials(session, session.organization, query)).total;
}

/** What was done and what is left to do; without a count where that could not be learned. */
function summary(
  organization: string,
  reviewed: readonly Reviewed[],
  pending: number | undefined,
  where?: string,
): string {
  const matching = where === undefined ? '' : ' that matches --where';
  const { approved, rejected, skipped } = tallyOf(reviewed);
  const done = `${approved} approved, ${rejected} rejected, ${skipped} skipped.`;
  if (pending === undefined) return `${done} Every decision is stored; another review goes on.`;
  if (pending === 0) {
    return reviewed.length > 0
      ? `${done} None${matching} is pending any more.`
      : `No testimonial of ${organization}${matching} is pending.`;
  }
  const are = pending === 1 ? '1 is' : `${pending.toLocaleString('en')} are`;
  return `${done} ${are} still pending: another review begins with the oldest.`;
}
