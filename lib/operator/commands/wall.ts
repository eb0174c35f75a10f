/** The operator's command `wall`: a static site of approved testimonials, for everyone to read. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { queryValues } from '../../../functions/http/validate.ts';
import { listTestimonials } from '../../../functions/operations/list-testimonials.ts';
import { type CommandContext, examples, organizationOption, refuseWhileLoading } from '../command-context.ts';
import { readListQuery } from '../filter-options.ts';
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
export function addWallCommand(program: Command, { io, withOperator, show }: CommandContext): void {
  program
    .command('wall')
    .description('Write a static site of approved testimonials: no e-mail address, no token, no request')
    .addOption(organizationOption().makeOptionMandatory())
    .requiredOption('--out <folder>', 'where it is written: a new or empty folder, or an older wall')
    .option('--count <number>', 'how many testimonials at most, newest first', testimonialCount, 500)
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
    .addHelpText(
      'after',
      examples(
        'wall --organization acme --out wall/',
        "wall --organization acme --out wall/ --where 'tags=support&sort=rating' --count 100",
        'wall --organization acme --out wall/ --about "Acme Analytics" --about-type Product',
      ),
    )
    .action((options: WallCommandOptions) =>
      withOperator(async (operator) => {
        const { organization, out, count, where = '', about = organization, aboutType } = options;
        const query = wallQuery(where);
        // A misspelt name would empty a wall.
        if (!(await operator.organizations.list()).includes(organization)) {
          throw new Error(`There is no organization ${organization}: token list names them.`);
        }
        await refuseWhileLoading(operator, io, organization);
        const deps = { ...operator, heads: new Map() };
        const wall = await readWall((each) => listTestimonials(deps, organization, each), query, count);
        const title = options.title ?? `What customers say about ${about}`;
        await writeWall(out, buildWall(wall, { title, about: { type: aboutType, name: about } }));
        const written = wall.testimonials.length;
        if (written === 0) {
          const matching = where === '' ? '' : ' that matches --where';
          io.printError(`${organization} has no approved testimonial${matching}: the wall is empty.`);
        }
        show(
          { organization, folder: out, testimonials: written },
          () => `${counted(written, 'testimonial')} written to ${out}`,
        );
      }),
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

function testimonialCount(value: string): number {
  if (!/^[1-9]\d{0,4}$/.test(value) || Number(value) > mostTestimonials) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${mostTestimonials}.`);
  }
  return Number(value);
}
