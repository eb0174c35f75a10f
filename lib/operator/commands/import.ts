/** The operator's command `import`: testimonials from a file. */
import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type CommandContext,
  confirm,
  examples,
  interruptible,
  organizationOption,
  PartlyFailed,
  yesOption,
} from '../command-context.ts';
import { importJobStore } from '../import/dynamodb-import-job-store.ts';
import { type ImportReport, importFile } from '../import/import-file.ts';
import { doubtsText, refusedText, reportText } from '../import/import-report.ts';
import { type LineField, lineFields } from '../import/imported-line.ts';
import type { ColumnMap } from '../import/presets.ts';
import { type Format, formatOf, formats } from '../import/read-lines.ts';
import { sampleOf } from '../import/sample.ts';
import { loadSteps, type StepProgress, waitingText, withStepProgress } from '../terminal/progress.ts';

interface ImportCommandOptions {
  organization?: string;
  format?: Format;
  map: ColumnMap;
  default: Partial<Record<LineField, string>>;
  dateFormat?: string;
  asNew?: true;
  dryRun?: true;
  sample?: true;
  yes?: true;
}

const steps = {
  read: { work: 'Reading', unit: 'byte' },
  checked: { work: 'Checking', unit: 'byte' },
  ...loadSteps,
};

/** For whoever stops it in a step. */
const whatNext: Record<keyof typeof steps, string> = {
  read: 'It had not begun to store: run it again.',
  checked: 'It had not begun to store: run it again.',
  stored: 'Run the same command again: it goes on where it stopped.',
  indexed: 'Run the same command again: it indexes what is stored, within some minutes.',
};

/** Adds `import` to the program. */
export function addImportCommand(program: Command, { io, withOperator, show, isJson }: CommandContext): void {
  program
    .command('import')
    .description('Import testimonials from a CSV or NDJSON file; one that was stopped goes on where it was')
    .argument('<file>', 'the file')
    .addOption(organizationOption('name of the organization; not for a sample'))
    .addOption(new Option('--format <format>', 'of the file, where its name does not tell').choices(formats))
    .addOption(
      new Option(
        '--map <field=column>',
        `the column of a field; of several, one after another; of none (field=), not from the file. Fields: ${lineFields.join(', ')}`,
      )
        .argParser(readMap)
        .default({}, 'by their names, or as a known service has them'),
    )
    .addOption(
      new Option('--default <field=value>', 'value of a field where a line has none')
        .argParser(readDefault)
        .default({}, 'type=text'),
    )
    .option(
      '--date-format <tokens>',
      'how times are written, as dd/MM/yyyy HH:mm; without an offset they are in UTC (default: ISO 8601)',
    )
    .option('--as-new', 'create all of them now, as pending, whatever the file says')
    .option('--dry-run', 'tell what would happen, and do nothing')
    .addOption(yesOption())
    .option('--sample', 'write a sample to the file, which must not exist yet')
    .addHelpText(
      'after',
      examples(
        'import reviews.csv --organization acme --dry-run',
        'import reviews.csv --organization acme',
        `import old.csv --organization acme --map 'content=Review text' --map author.name=Customer --date-format dd/MM/yyyy`,
        'import reviews.csv --sample',
      ),
    )
    .action(async (file: string, { map, default: defaults, ...options }: ImportCommandOptions) => {
      const {
        organization,
        dryRun = false,
        asNew = false,
        dateFormat,
        sample = false,
        yes = false,
      } = options;
      const format = options.format ?? formatOf(file);
      if (!format) throw new Error(`${file} is neither .csv nor .ndjson: name its format with --format.`);
      if (sample) {
        await writeSample(file, format);
        return show({ file }, () => `${file} written: fill it, then import it.`);
      }
      if (organization === undefined) throw new Error('Name an organization with --organization.');
      if (format !== 'csv' && Object.keys({ ...map, ...defaults }).length > 0)
        throw new Error('--map and --default are for CSV: the lines of NDJSON name their fields.');
      await withOperator(async (operator) => {
        let report: ImportReport | undefined;
        let step: keyof typeof whatNext = 'read';
        const importing = (progress: StepProgress<keyof typeof steps>) =>
          importFile(
            {
              ...{ ...operator, jobs: importJobStore(operator.table), sleep: io.sleep },
              progress(done, total, now) {
                step = now;
                progress(done, total, now);
              },
              confirmAgain: (doubts) => confirm(io, doubtsText(doubts, { file, organization }), yes),
              waiting: () => io.printError(waitingText),
            },
            organization,
            {
              ...{ file, format, map, defaults, dryRun, asNew },
              ...(dateFormat !== undefined && { dateFormat }),
            },
          );
        await interruptible(
          io,
          () => whatNext[step],
          async () => {
            report = await withStepProgress(io, steps, importing);
          },
        );
        if (!report) return;
        const { columns, ...numbers } = report;
        const text = reportText(report, { file, organization, dryRun });
        show(
          {
            ...{ organization, dryRun, ...numbers },
            ...(columns && { preset: columns.preset, unusedColumns: columns.unused }),
          },
          () => text,
        );
        if (report.refused > 0) {
          if (!isJson()) for (const line of refusedText(report, dryRun)) io.printError(line);
          throw new PartlyFailed();
        }
      });
    });
}

async function writeSample(file: string, format: Format): Promise<void> {
  await writeFile(file, sampleOf(format), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new Error(`${file} exists: name another file.`);
    if (error.code === 'ENOENT') throw new Error(`There is no directory for ${file}.`);
    throw error;
  });
}

function readMap(value: string, all: ColumnMap): ColumnMap {
  const [field, column] = readPair(value);
  return { ...all, [field]: [...(all[field] ?? []), ...(column === '' ? [] : [column])] };
}

function readDefault(
  value: string,
  all: Partial<Record<LineField, string>>,
): Partial<Record<LineField, string>> {
  const [field, text] = readPair(value);
  return { ...all, [field]: text };
}

function readPair(value: string): [LineField, string] {
  const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
  const field = lineFields.find((each) => each === name);
  if (!field)
    throw new InvalidArgumentError(
      `It must begin with one of ${lineFields.join(', ')}, and go on with = and a column or a value.`,
    );
  return [field, text];
}
