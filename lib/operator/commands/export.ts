/** The operator's command `export`: an organization's testimonials as a file. */
import { constants } from 'node:fs';
import { access, link, open, rm } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { matcherOf } from '../../../functions/domain/testimonial-filter.ts';
import { countTestimonials } from '../../../functions/list-index/list-testimonials.ts';
import { exportText } from '../../export/export-testimonials.ts';
import { type Format, formatOf, formats } from '../../import/read-lines.ts';
import {
  type CommandContext,
  examples,
  interruptible,
  organizationOption,
  warnOfUnknown,
} from '../command-context.ts';
import { filterOptions, type ListOptions, queryOfOptions } from '../list-query.ts';
import { withStepProgress } from '../progress.ts';
import { counted } from '../text.ts';

type ExportOptions = ListOptions & { organization: string; format?: Format; out?: string };

/** Adds `export` to the program. */
export function addExportCommand(program: Command, { io, withOperator }: CommandContext): void {
  const command = program
    .command('export')
    .description('Export testimonials, oldest first; import takes the file')
    .addOption(organizationOption().makeOptionMandatory())
    .addOption(
      new Option('--format <format>', 'of the file (default: by its name, or ndjson)').choices(formats),
    )
    .option('--out <file>', 'a file that does not exist yet (default: standard output)');
  for (const option of filterOptions()) command.addOption(option);
  command
    .addHelpText(
      'after',
      examples(
        'export --organization acme --out acme.ndjson',
        'export --organization acme --status approved --out approved.csv',
      ),
    )
    .action(({ organization, out, ...options }: ExportOptions) =>
      withOperator(async (operator) => {
        const { filter } = queryOfOptions(options);
        const format = options.format ?? (out === undefined ? undefined : formatOf(out)) ?? 'ndjson';
        await warnOfUnknown(operator, io, organization);
        const counts = await countTestimonials({ ...operator, heads: new Map() }, organization);
        const total = counts.reduce((sum, count) => sum + count, 0);
        let exported = 0;
        const write = (to: (text: string) => Promise<unknown>) =>
          withStepProgress(io, { read: { work: 'Exporting', unit: 'testimonial' } }, async (progress) => {
            const text = exportText(operator.testimonials, organization, format, {
              matches: matcherOf(filter),
              onRead: (read, matching) => {
                exported = matching;
                progress(read, Math.max(read, total), 'read');
              },
            });
            for await (const piece of text) if (piece !== '') await to(piece);
          });
        if (out === undefined) return write(io.write);
        await interruptible(io, 'Nothing was exported; run it again.', () => intoNewFile(out, write));
        io.printError(`${counted(exported, 'testimonial')} exported to ${out}`);
      }),
    );
}

/**
 * Writes a file that is there only once it is whole.
 * @throws when there is one already
 */
async function intoNewFile(
  file: string,
  write: (to: (text: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const isThere = await access(file, constants.F_OK).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`${file} exists: name another, or move it away.`);
  const part = `${file}.part`;
  const handle = await open(part, 'w');
  try {
    await write((text) => handle.write(text));
    await handle.sync();
    // Fails where a file of that name came up meanwhile.
    await link(part, file);
  } finally {
    await handle.close();
    await rm(part, { force: true });
  }
}
