/** The operator's command `export`: writes testimonials to a file. */
import { type Command, Option } from 'commander';
import { matcherOf } from '../../../functions/domain/list-query.ts';
import { exportText } from '../../../functions/reading/export.ts';
import { type ExportFormat, exportFormats, formatOf } from '../../../functions/reading/formats.ts';
import type { CommandContext, CommandSession } from '../command-context.ts';
import { writeNewFile } from '../files/whole-file.ts';
import { filterOptions, type ListOptions, queryTextOf, requireListQuery } from '../list-query.ts';
import { counted } from '../terminal/formatting.ts';
import { longWork } from '../terminal/progress.ts';

type ExportOptions = ListOptions & { format?: ExportFormat; out?: string };

export function addExportCommand(program: Command, { organizationCommand }: CommandContext): void {
  const command = organizationCommand(program, 'export')
    .addOption(
      new Option(
        '--format <format>',
        'format of the file (default: by its ending; ndjson for standard output)',
      ).choices(exportFormats),
    )
    .option('--out <file>', 'a new file (default: standard output)');
  for (const option of filterOptions()) command.addOption(option);
  command.run(exportTo);
}

async function exportTo(
  session: CommandSession,
  { out, format = formatNamedBy(out), ...options }: ExportOptions,
): Promise<void> {
  const { io } = session;
  const { filter } = requireListQuery(queryTextOf(options));
  await session.refuseUnknown();
  await session.refuseWhileLoading();
  const { all } = await session.counts.count();
  const total = all.reduce((sum, { count }) => sum + count, 0);
  // A progress bar would mix with the export on the same terminal.
  const showsProgress = out !== undefined || !io.terminal;
  const advice =
    out === undefined ? 'The export is incomplete.' : 'Nothing was exported. Run the same command again.';
  await longWork(io, advice, async ({ progress }) => {
    let exported = 0;
    const text = exportText(session.all(), format, {
      matches: matcherOf(filter),
      isFile: out !== undefined,
      onRead: (read, matching) => {
        exported = matching;
        if (showsProgress) progress(read, Math.max(read, total), 'exported');
      },
    });
    if (out === undefined) {
      for await (const piece of text) if (piece !== '') await io.write(piece);
      return;
    }
    await writeNewFile(out, text);
    io.printError(`${counted(exported, 'testimonial')} exported to ${out}`);
  });
}

/** @throws if the file name has no ending of a format */
function formatNamedBy(file?: string): ExportFormat {
  if (file === undefined) return 'ndjson';
  const format = formatOf(file, exportFormats);
  // Imports read these as CSV. As the name of an export, they could also mean tabs or plain text.
  if (format && !/\.(tsv|txt)$/i.test(file)) return format;
  throw new Error(`${file} does not end in .csv or .ndjson. Set its format with --format.`);
}
