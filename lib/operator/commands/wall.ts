/** The operator's command `wall`: a static site of approved testimonials, for everyone to read. */
import { type Command, Option } from 'commander';
import { queryValues } from '../../../functions/http/validate.ts';
import { type ReviewedThing, reviewedTypes } from '../../../functions/walls/files/json-ld.ts';
import { makeWall, type Picked, type WallQuery } from '../../../functions/walls/files/read-wall.ts';
import { writeWall } from '../../../functions/walls/files/write-wall.ts';
import { describeSettings, readSettings, type WallSettings } from '../../../functions/walls/settings.ts';
import { type CommandContext, organizationCommand, repeatable, wholeNumberTo } from '../command-context.ts';
import { notWritten } from '../files/whole-file.ts';
import { requireFilter, requireKnownQuery } from '../list-query.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/formatting.ts';
import { interruptible } from '../terminal/interruptible.ts';

// All of them go into one file that a browser reads.
const mostTestimonials = 10_000;

interface WallCommandOptions {
  organization: string;
  out: string;
  count: number;
  where?: string;
  pick?: string[];
  about?: string;
  aboutType: ReviewedThing['type'];
}

const settingOptions = Object.entries(describeSettings()).map(
  ([name, description]) => new Option(`--${name} <text>`, description),
);

/** Adds `wall` to the program. */
export function addWallCommand(program: Command, context: CommandContext): void {
  const command = organizationCommand(program, {
    name: 'wall',
    description: 'Write a static site of approved testimonials: no e-mail address, no token, no request',
    examples: [
      'wall --organization acme --out wall/',
      "wall --organization acme --out wall/ --where 'tags=support&sort=rating' --count 100",
      'wall --organization acme --out wall/ --pick tags=featured --count 12 --look row --hide dates,summary',
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
    .addOption(
      repeatable(
        '--pick <ids>',
        "these first: ids with commas, or a filter as 'tags=featured'; may be repeated",
      ),
    )
    .option('--about <name>', 'what the testimonials are about, as search engines name it')
    .addOption(
      new Option(
        '--about-type <type>',
        'what that is; Google shows no stars for an organization on its own site',
      )
        .choices(reviewedTypes)
        .default('Organization'),
    )
    .action((options: WallCommandOptions) => {
      const given = settingOptions.map((option) => [
        option.name(),
        command.getOptionValue(option.attributeName()),
      ]);
      const settings = readSettings(Object.fromEntries(given));
      return context.onOrganization(options.organization, (session) =>
        writeWallOf(context, session, { ...options, settings }),
      );
    });
  for (const option of settingOptions) command.addOption(option);
}

/** What a page has that shows a wall in an iframe. The frame says its height, and that changes this frame only. */
export const frameSnippet = `<iframe src="https://example.com/wall/" title="Testimonials" width="100%" height="900" style="border: 0"></iframe>
<script>
  addEventListener('message', ({ source, data }) => {
    for (const frame of document.querySelectorAll('iframe'))
      if (frame.contentWindow === source && data?.testimonialsWallHeight > 0)
        frame.height = data.testimonialsWallHeight;
  });
</script>`;

async function writeWallOf(
  { io, show }: CommandContext,
  session: Session,
  options: WallCommandOptions & { settings: WallSettings },
): Promise<void> {
  const { organization, out, count, where = '', pick = [], about = organization, settings } = options;
  const content = { picks: pick.flatMap(picksOf), query: wallQuery(where), count };
  // A misspelt name would empty a wall.
  await session.refuseUnknown();
  await session.refuseWhileLoading();
  const look = { about: { type: options.aboutType, name: about }, settings };
  const written = await interruptible(io, `Run it again: ${out} has no page or a whole one.`, async () => {
    const wall = await makeWall(session, organization, content, look);
    await writeWall(out, wall.built, (error) => notWritten(out, 'name another folder', error));
    return wall.count;
  });
  if (written === 0) {
    const matching = where === '' ? '' : ' that matches --where';
    io.printError(`${organization} has no approved testimonial${matching}: the wall is empty.`);
  }
  show(
    { organization, folder: out, testimonials: written },
    () =>
      `${counted(written, 'testimonial')} written to ${out}\n\nIn a page of yours, as high as it is:\n\n${frameSnippet}`,
  );
}

/**
 * Reads what stands first on a wall.
 * @throws when it is neither ids nor a filter of approved testimonials
 */
function picksOf(text: string): Picked[] {
  if (text.includes('=')) {
    refuseOtherStatus(text, '--pick');
    return [{ filter: requireFilter(text) }];
  }
  const ids = text.split(',').map((id) => id.trim());
  return ids.filter((id) => id !== '').map((id) => ({ id }));
}

function refuseOtherStatus(query: string, option: string): void {
  const { status } = queryValues(query);
  if (!status?.some((value) => value !== 'approved')) return;
  throw new Error(
    `A wall shows approved testimonials only: leave status=${status.join(',')} out of ${option}.`,
  );
}

/**
 * Reads what a wall shows.
 * @throws when it asks for what a wall does not show
 */
function wallQuery(where: string): WallQuery {
  refuseOtherStatus(where, '--where');
  const { page, limit } = queryValues(where);
  if (page || limit) {
    throw new Error('--where takes no page and no limit: --count says how many testimonials the wall has.');
  }
  const { filter, sort, order } = requireKnownQuery(where);
  return { filter, sort, order };
}
