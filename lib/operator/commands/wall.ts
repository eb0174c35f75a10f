/** The command `wall`, which writes approved testimonials as a static page. */
import { type Command, Option } from 'commander';
import { queryValues } from '../../../functions/http/validate.ts';
import { type ReviewedThing, reviewedTypes } from '../../../functions/walls/files/json-ld.ts';
import { makeWall, type Picked, type WallQuery } from '../../../functions/walls/files/read-wall.ts';
import { writeWall } from '../../../functions/walls/files/write-wall.ts';
import { describeSettings, readSettings, type WallSettings } from '../../../functions/walls/settings.ts';
import { type CommandContext, organizationCommand, repeatable, wholeNumberTo } from '../command-context.ts';
import { notWritten } from '../files/whole-file.ts';
import { requireFilter, requireListQuery } from '../list-query.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/formatting.ts';
import { interruptible } from '../terminal/interruptible.ts';

// Browsers load all testimonials in one file.
const maxTestimonials = 10_000;

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

export function addWallCommand(program: Command, context: CommandContext): void {
  const command = organizationCommand(program, {
    name: 'wall',
    description: 'Write approved testimonials as a static page, without e-mail addresses',
    examples: [
      'wall --organization acme --out wall/',
      "wall --organization acme --out wall/ --where 'tags=support&sort=rating' --count 100",
      'wall --organization acme --out wall/ --pick tags=featured --count 12 --look row --hide dates,summary',
      'wall --organization acme --out wall/ --about "Acme Analytics" --about-type Product',
    ],
  })
    .requiredOption('--out <folder>', 'folder to write to: new, empty, or with an older wall')
    .option('--count <number>', 'maximum number of testimonials', wholeNumberTo(maxTestimonials), 500)
    .option('--where <parameters>', "filter and order, such as 'rating=4&tags=support'")
    .addOption(
      repeatable(
        '--pick <ids>',
        "testimonials to show first: ids separated by commas, or a filter such as 'tags=featured'; may be repeated",
      ),
    )
    .option('--about <name>', 'name of the reviewed organization or product, for search engines')
    .addOption(
      new Option(
        '--about-type <type>',
        'whether --about is an organization or a product; Google shows no stars for an organization on its own website',
      )
        .choices(reviewedTypes)
        .default('Organization'),
    )
    .action((options: WallCommandOptions) => {
      const values = settingOptions.map((option) => [
        option.name(),
        command.getOptionValue(option.attributeName()),
      ]);
      const settings = readSettings(Object.fromEntries(values));
      return context.onOrganization(options.organization, (session) =>
        writeWallOf(context, session, { ...options, settings }),
      );
    });
  for (const option of settingOptions) command.addOption(option);
}

/** The snippet that shows a wall in an iframe, with the height that the wall reports. */
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
  // A misspelled name would empty the wall.
  await session.refuseUnknown();
  await session.refuseWhileLoading();
  const look = { about: { type: options.aboutType, name: about }, settings };
  const written = await interruptible(
    io,
    `Run it again. Until then ${out} has the old page or none.`,
    async () => {
      const wall = await makeWall(session, organization, content, look);
      await writeWall(out, wall.built, (error) => notWritten(out, 'name another folder', error));
      return wall.count;
    },
  );
  if (written === 0) {
    const matching = where === '' ? '' : ' that matches --where';
    io.printError(`The wall is empty: ${organization} has no approved testimonial${matching}.`);
  }
  show(
    { organization, folder: out, testimonials: written },
    () =>
      `${counted(written, 'testimonial')} written to ${out}\n\nTo show the wall in another page:\n\n${frameSnippet}`,
  );
}

/** @throws if it is neither ids nor a filter of approved testimonials */
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
    `A wall shows approved testimonials only. Remove status=${status.join(',')} from ${option}.`,
  );
}

/** @throws for parameters that do not apply to a wall */
function wallQuery(where: string): WallQuery {
  refuseOtherStatus(where, '--where');
  const { page, limit } = queryValues(where);
  if (page || limit) {
    throw new Error('--where cannot contain page or limit. Use --count for the number of testimonials.');
  }
  const { filter, sort, order } = requireListQuery(where);
  return { filter, sort, order };
}
