/** The operator's command `import`: testimonials from a file. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type CommandContext,
  exampleText,
  organizationOption,
  PartlyFailed,
  yesOption,
} from '../command-context.ts';
import { type FileFormat, fileFormats, formatOf } from '../files/file-format.ts';
import { writeNewFile } from '../files/new-file.ts';
import type { ImportOptions } from '../import/import-dependencies.ts';
import { importFile } from '../import/import-file.ts';
import { doubtsText, type KnownImport, refusedText, reportText, rulesText } from '../import/import-report.ts';
import { type LineField, lineFields } from '../import/imported-line.ts';
import type { Doubts } from '../import/next-step.ts';
import type { ColumnMap } from '../import/presets.ts';
import type { Proposal } from '../import/propose-reading.ts';
import { sampleOf } from '../import/sample.ts';
import { undoHint } from '../import/undo-report.ts';
import type { Session } from '../session.ts';
import { joined } from '../terminal/formatting.ts';
import { confirm, interruptible } from '../terminal/interruptible.ts';
import { loadSteps, waitingText, withStepProgress } from '../terminal/progress.ts';
import { agreesToRead } from './agree-to-read.ts';
import { type UndoOptions, undoFile } from './import-undo.ts';

interface ImportCommandOptions {
  organization?: string;
  format?: FileFormat;
  map: ColumnMap;
  default: Partial<Record<LineField, string>>;
  dateFormat?: string;
  roundRatings?: true;
  asNew?: true;
  dryRun?: true;
  sample?: true;
  undo?: true;
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
  indexed: 'Run the same command again: it goes on to index what is stored.',
};

/** Adds `import` to the program. */
export function addImportCommand(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description('Import testimonials from a CSV or NDJSON file; one that was stopped goes on where it was')
    .argument('<file>', 'the file')
    .addOption(organizationOption('name of the organization; not for a sample'))
    .addOption(
      new Option('--format <format>', 'of the file, where its name does not tell').choices(fileFormats),
    )
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
    .option('--round-ratings', 'round ratings as 4.5, up from the middle')
    .option('--as-new', 'create all of them now, in the order of their times, which are not kept')
    .option('--dry-run', 'tell what would happen, and do nothing')
    .addOption(
      new Option(
        '--undo',
        'instead: erase what the import of this file stored and nobody changed since; asks first',
      ).conflicts(['format', 'map', 'default', 'dateFormat', 'roundRatings', 'asNew', 'sample']),
    )
    .addOption(yesOption())
    .option('--sample', 'write a sample to the file, which must not exist yet')
    .addHelpText(
      'after',
      exampleText([
        'import reviews.csv --organization acme --dry-run',
        'import reviews.csv --organization acme',
        `import old.csv --organization acme --map 'content=Review text' --map author.name=Customer --date-format dd/MM/yyyy`,
        'import reviews.csv --organization acme --undo',
        'import reviews.csv --sample',
      ]),
    )
    .action((file: string, options: ImportCommandOptions) => run(context, file, options));
}

async function run(context: CommandContext, file: string, options: ImportCommandOptions): Promise<void> {
  const { organization, map, default: defaults, dateFormat, format = formatOf(file) } = options;
  const { dryRun = false, asNew = false, roundRatings = false, sample = false, yes = false } = options;
  if (options.undo) return undoIn(context, organization, { file, dryRun, yes });
  if (!format) throw new Error(`${file} is neither .csv nor .ndjson: name its format with --format.`);
  if (sample) {
    writeNewFile(file, [sampleOf(format)]);
    return context.show({ file }, () => `${file} written: fill it, then import it.`);
  }
  if (organization === undefined) throw new Error(nameOrganization);
  if (format !== 'csv' && Object.keys({ ...map, ...defaults }).length > 0)
    throw new Error('--map and --default are for CSV: the lines of NDJSON name their fields.');
  await context.onOrganization(organization, (session) =>
    importInto(
      context,
      session,
      {
        ...{ file, format, map, defaults, roundRatings, dryRun, asNew },
        ...(dateFormat !== undefined && { dateFormat }),
      },
      yes,
    ),
  );
}

const nameOrganization = 'Name an organization with --organization.';

async function undoIn(
  context: CommandContext,
  organization: string | undefined,
  options: UndoOptions,
): Promise<void> {
  if (organization === undefined) throw new Error(nameOrganization);
  await context.onOrganization(organization, (session) => undoFile(context, session, options));
}

async function importInto(
  context: CommandContext,
  session: Session,
  options: ImportOptions,
  yes: boolean,
): Promise<void> {
  const { io, show, isJson } = context;
  const { organization } = session;
  const { dryRun } = options;
  const names = { file: options.file, organization };
  let step: keyof typeof steps = 'read';
  let isTold = false;
  const report = await interruptible(
    io,
    () => whatNext[step],
    (letEnd) =>
      withStepProgress(io, steps, (progress, clear) => {
        const deps = {
          ...session,
          sleep: io.sleep,
          letEnd,
          progress(done: number, total: number, now: typeof step) {
            step = now;
            progress(done, total, now);
          },
          agreesToRead(proposal: Proposal) {
            clear();
            return agreesToRead(context, proposal, options);
          },
          confirm(doubts: Doubts, known: KnownImport) {
            clear();
            isTold = doubts.hasRefused && !yes;
            if (isTold) io.printError(rulesText(known));
            return confirm(io, doubtsText(doubts, known, names), yes);
          },
          waiting() {
            clear();
            io.printError(waitingText);
          },
        };
        return importFile(deps, organization, options);
      }),
  );
  const { columns, ...numbers } = report;
  show(
    {
      ...{ organization, dryRun, ...numbers },
      ...(columns && { preset: columns.preset, unusedColumns: columns.unused }),
    },
    () => joined([reportText(report, { ...names, dryRun }), undoHint(report, { ...names, dryRun })]),
  );
  if (report.refused === 0) return;
  if (!isJson()) io.printError(refusedText(report, { dryRun, isTold }));
  throw new PartlyFailed();
}

function readMap(value: string, all: ColumnMap): ColumnMap {
  const [field, column] = readPair(value);
  return { ...all, [field]: [...(all[field] ?? []), ...(column === '' ? [] : [column])] };
}

function readDefault(value: string, all: ImportCommandOptions['default']): ImportCommandOptions['default'] {
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
