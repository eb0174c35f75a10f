/** The operator's command `export`: an organization's testimonials as a file. */
import { type Command, Option } from 'commander';
import { matcherOf } from '../../../functions/domain/testimonial-filter.ts';
import { countTestimonials } from '../../../functions/operations/list-testimonials.ts';
import {
  type CommandContext,
  examples,
  interruptible,
  organizationOption,
  refuseWhileLoading,
  warnOfUnknown,
} from '../command-context.ts';
import { exportText } from '../export/export-testimonials.ts';
import { newFile } from '../files/new-file.ts';
import { filterOptions, type ListOptions, queryOfOptions } from '../filter-options.ts';
import { type Format, formatOf, formats } from '../import/read-lines.ts';
import { counted } from '../terminal/formatting.ts';
import { withStepProgress } from '../terminal/progress.ts';

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
        await refuseWhileLoading(operator, io, organization);
        const counts = await countTestimonials({ ...operator, heads: new Map() }, organization);
        const total = counts.reduce((sum, count) => sum + count, 0);
        let exported = 0;
        // A bar would stand among the lines of a terminal that shows both.
        const shown = out === undefined && io.person ? { printError: () => {} } : io;
        const write = (to: (text: string) => Promise<void> | void) =>
          withStepProgress(shown, { read: { work: 'Exporting', unit: 'testimonial' } }, async (progress) => {
            const text = exportText(operator.testimonials, organization, format, {
              matches: matcherOf(filter),
              onRead: (read, matching) => {
                exported = matching;
                progress(read, Math.max(read, total), 'read');
              },
            });
            for await (const piece of text) if (piece !== '') await to(piece);
          });
        if (out === undefined) return interruptible(io, 'The export is not whole.', () => write(io.write));
        const file = newFile(out);
        try {
          await interruptible(io, 'Nothing was exported; run it again.', async () => {
            await write(file.write);
            file.keep();
          });
        } finally {
          file.discard();
        }
        io.printError(`${counted(exported, 'testimonial')} exported to ${out}`);
      }),
    );
}
