/** The operator's command `wall`: a static site of approved testimonials, for everyone to read. */
import { type Command, Option } from 'commander';
import { queryValues } from '../../../functions/http/validate.ts';
import { listTestimonials } from '../../../functions/operations/list-testimonials.ts';
import { type CommandContext, organizationCommand, wholeNumberTo } from '../command-context.ts';
import { readListQuery } from '../filter-options.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/formatting.ts';
import { buildWall } from '../wall/build-wall.ts';
import { readWall, type WallQuery } from '../wall/read-wall.ts';
import { type ReviewedThing, reviewedTypes } from '../wall/wall.ts';
import { writeWall } from '../wall/write-wall.ts';

// All of them go into one file that a browser reads.
const mostTestimonials = 10_000;

interface WallCommandOptions {
  organization: string;
  out: string;
  count: number;
  where?: string;
  title?: string;
  about?: string;
  aboutType: ReviewedThing['type'];
}

/** Adds `wall` to the program. */
export function addWallCommand(program: Command, context: CommandContext): void {
  organizationCommand(program, {
    name: 'wall',
    description: 'Write a static site of approved testimonials: no e-mail address, no token, no request',
    examples: [
      'wall --organization acme --out wall/',
      "wall --organization acme --out wall/ --where 'tags=support&sort=rating' --count 100",
      'wall --organization acme --out wall/ --about "Acme Analytics" --about-type Product',
    ],
  })
    .requiredOption('--out <folder>', 'where it is written: a new or empty folder, or an older wall')
    .option(
      '--count <number>',
      'how many testimonials at most, newest first',
      wholeNumberTo(mostTestimonials),
      500,
    )
    .option('--where <parameters>', "only these, or in another order, as in 'rating=4&tags=support'")
    .option('--title <text>', 'heading of the page')
    .option('--about <name>', 'what the testimonials are about, as search engines name it')
    .addOption(
      new Option(
        '--about-type <type>',
        'what that is; Google shows no stars for an organization on its own site',
      )
        .choices(reviewedTypes)
        .default('Organization'),
    )
    .action((options: WallCommandOptions) =>
      context.onOrganization(options.organization, (session) => makeWall(context, session, options)),
    );
}

async function makeWall(
  { io, show }: CommandContext,
  session: Session,
  { organization, out, count, where = '', about = organization, aboutType, title }: WallCommandOptions,
): Promise<void> {
  const query = wallQuery(where);
  // A misspelt name would empty a wall.
  if (!(await session.organizations.list()).includes(organization)) {
    throw new Error(`There is no organization ${organization}: token list names them.`);
  }
  await session.refuseWhileLoading();
  const wall = await readWall((each) => listTestimonials(session, organization, each), query, count);
  const thing = { type: aboutType, name: about };
  await writeWall(
    out,
    buildWall(wall, { title: title ?? `What customers say about ${about}`, about: thing }),
  );
  const written = wall.testimonials.length;
  if (written === 0) {
    const matching = where === '' ? '' : ' that matches --where';
    io.printError(`${organization} has no approved testimonial${matching}: the wall is empty.`);
  }
  show(
    { organization, folder: out, testimonials: written },
    () => `${counted(written, 'testimonial')} written to ${out}`,
  );
}

/**
 * Reads what a wall shows.
 * @throws when it asks for what a wall does not show
 */
function wallQuery(where: string): WallQuery {
  const { status, page, limit } = queryValues(where);
  if (status?.some((value) => value !== 'approved')) {
    throw new Error(
      `A wall shows approved testimonials only: leave status=${status.join(',')} out of --where.`,
    );
  }
  if (page || limit) {
    throw new Error('--where takes no page and no limit: --count says how many testimonials the wall has.');
  }
  // What is ignored would make the wall more than was meant.
  const refuse = (line: string) => {
    throw new Error(line.replace(': it is ignored.', ': look at --where again.'));
  };
  const { filter, sort, order } = readListQuery(where, refuse);
  return { filter, sort, order };
}
