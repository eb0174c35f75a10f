/** The operator's command `import`: testimonials from a file. */
import { lstatSync, readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type CommandContext,
  exampleText,
  organizationOption,
  PartlyFailed,
  RepeatableOption,
  yesOption,
} from '../command-context.ts';
import {
  exportFormats,
  type FileFormat,
  fileFormats,
  formatOf,
  noFormatText,
  notWritten,
  readWhole,
  writeNewFile,
} from '../files/whole-file.ts';
import type { ImportOptions } from '../import/check-file.ts';
import type { ColumnMap } from '../import/columns.ts';
import type { Doubts } from '../import/import-plan.ts';
import { type LineField, lineFields } from '../import/imported-line.ts';
import { type Proposal, type ProposedSource, sourceOf } from '../import/interpretation.ts';
import {
  doubtsText,
  goesOnText,
  type ImportReport,
  proposalText,
  readingText,
  refusedText,
  reportText,
  rulesText,
  undoHint,
  waysOfCommand,
} from '../import/report.ts';
import { sampleOf } from '../import/sample.ts';
import { prepareImport, storeImport } from '../import/store-import.ts';
import type { Session } from '../session.ts';
import { counted, joined, listed, shellText } from '../terminal/formatting.ts';
import { confirm } from '../terminal/interruptible.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { longWork } from '../terminal/progress.ts';
import { undoImported } from './import-undo.ts';

interface ImportCommandOptions extends Omit<ImportOptions, 'file' | 'format' | 'defaults'> {
  organization?: string;
  format?: FileFormat;
  default: ImportOptions['defaults'];
  dryRun?: boolean;
  sample?: boolean;
  undo?: boolean;
  id?: string;
  yes?: boolean;
}

const examples = [
  'import reviews.csv --organization acme --dry-run',
  'import reviews.csv --organization acme',
  `import old.csv --organization acme --map 'content=Review text' --map author.name=Customer --date-format dd/MM/yyyy`,
  'import february.csv --organization acme --only-new',
  'import reviews.csv --organization acme --undo',
  'import reviews.csv --sample',
];

/** Adds `import` to the program. */
export function addImportCommand(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description(
      'Import testimonials from a table (CSV, .xlsx, JSON) or NDJSON; an import that was stopped goes on where it was',
    )
    .argument('[file]', 'the file; not for an undo by its id')
    .addOption(organizationOption('name of the organization; not for a sample'))
    .addOption(
      new Option('--format <format>', 'of the file, where its name does not tell').choices(fileFormats),
    )
    .addOption(
      new RepeatableOption(
        '--map <field=column>',
        `the column of a field; of several, one after another; of none (field=), not from the file. Fields: ${lineFields.join(', ')}`,
      )
        .argParser(readMap)
        .default({}, 'by their names and what they have'),
    )
    .addOption(
      new RepeatableOption('--default <field=value>', 'value of a field where a line has none')
        .argParser(readDefault)
        .default({}, 'type=text'),
    )
    .option(
      '--date-format <tokens>',
      'how times are written: as dd/MM/yyyy HH:mm, iso, unix, excel, "words de", or "words en from 2024-03-01" for "3 days ago"; without an offset they are in UTC (default: as they look)',
    )
    .option('--round-ratings', 'round ratings as 4.5, up from the middle')
    .option('--keep-html', 'keep tags and entities of HTML in texts as they stand')
    .option('--as-new', 'create all of them now, in the order of their times, which are not kept')
    .option('--only-new', 'leave out what is there already, with the same text and author')
    .option('--dry-run', 'tell what would happen, and do nothing')
    .addOption(
      new Option(
        '--undo',
        'instead: erase what the import of this file stored and nobody changed since; asks first',
      ).conflicts([
        'format',
        'map',
        'default',
        'dateFormat',
        'roundRatings',
        'keepHtml',
        'asNew',
        'onlyNew',
        'sample',
      ]),
    )
    .option('--id <id>', 'with --undo, in place of the file: of an import, as index status has it')
    .addOption(yesOption())
    .option('--sample', 'write a sample to the file, which must not exist yet')
    .addHelpText('after', exampleText(examples))
    .action((file: string | undefined, options: ImportCommandOptions) => run(context, file, options));
}

async function run(
  context: CommandContext,
  file: string | undefined,
  { organization, id, undo, sample, dryRun = false, yes = false, ...options }: ImportCommandOptions,
): Promise<void> {
  if (undo) {
    if (id !== undefined && file !== undefined) throw new Error('Name a file or an --id, not both.');
    const what = id === undefined ? { file: told(file, noFile) } : { id };
    const names = { ...what, organization: told(organization, noOrganization) };
    return context.onOrganization(names.organization, (session) =>
      undoImported(context, session, names, { dryRun, yes }),
    );
  }
  if (id !== undefined) throw new Error('--id is for --undo.');
  const name = told(file, noFile);
  const { default: defaults, format = formatOf(name, fileFormats), ...reading } = options;
  if (!format) throw new Error(`${noFormatText(name)} Name its format with --format.`);
  if (sample) {
    const written = exportFormats.find((each) => each === format);
    if (!written) throw new Error('A sample is .csv or .ndjson.');
    await writeNewFile(name, [sampleOf(written)]);
    return context.show({ file: name }, () => `${name} written: fill it, then import it.`);
  }
  const into = told(organization, noOrganization);
  if (format === 'ndjson' && Object.keys({ ...reading.map, ...defaults }).length > 0)
    throw new Error('--map and --default are for tables: the lines of NDJSON name their fields.');
  const given = { ...reading, defaults, file: name, format };
  await context.onOrganization(into, (session) => importInto(context, session, given, { dryRun, yes }));
}

const noFile = 'Name a file.';
const noOrganization = 'Name an organization with --organization.';

function told(value: string | undefined, why: string): string {
  if (value === undefined) throw new Error(why);
  return value;
}

async function importInto(
  context: CommandContext,
  session: Session,
  options: ImportOptions,
  { dryRun, yes }: { dryRun: boolean; yes: boolean },
): Promise<void> {
  const { io, show, isJson } = context;
  const { organization } = session;
  const { file } = options;
  const source = await readAsProposed(context, options);
  const whatNext = 'Run the same command again: it goes on where it was.';
  const prepared = await longWork(io, whatNext, (attendance) =>
    prepareImport({ ...session, ...attendance }, organization, source),
  );
  let { report } = prepared;
  // What an import that has ended refused was told then.
  const rejectedFile =
    report.refused > 0 && !report.wasImported ? await writeRejected(file, report) : undefined;
  const names = { file, organization, dryRun, rejectedFile };
  const reading = readingText(report, waysOfCommand);
  if (reading !== '' && !isJson()) io.printError(reading);
  if (report.refused > 0 && !isJson()) io.printError(rulesText(report, waysOfCommand));
  if (!dryRun) {
    const which = report.doubts ? await choose(io, report.doubts, { report, names, yes }) : 'all';
    const { job } = prepared.run;
    if (job?.state === 'storing') io.printError(goesOnText(job));
    report = await longWork(io, whatNext, (attendance) =>
      storeImport({ ...session, ...attendance }, prepared, which),
    );
  }
  const { columns, doubts, table, examples, rejected, ...numbers } = report;
  show(
    {
      organization,
      dryRun,
      ...numbers,
      ...(rejectedFile !== undefined && { rejectedFile }),
      repeated: doubts?.repeated ?? 0,
      ...(columns && { unusedColumns: columns.unused.map(({ column }) => column) }),
    },
    () => joined([reportText(report, names), undoHint(report, names)]),
  );
  if (report.refused === 0) return;
  if (!isJson()) io.printError(refusedText(report, names, waysOfCommand));
  throw new PartlyFailed();
}

/**
 * Writes refused lines into a file beside the imported one, of a name that nothing else has; where they stand in such a file
 * already, it is that.
 * @returns its name
 */
async function writeRejected(file: string, { rejected, table }: ImportReport): Promise<string> {
  const ending = table ? 'csv' : 'ndjson';
  // Whatever stands under an earlier name may be mended by now.
  for (let number = 1; ; number += 1) {
    const name = `${file}.rejected${number === 1 ? '' : `-${number}`}.${ending}`;
    try {
      const there = lstatSync(name, { throwIfNoEntry: false });
      if (!there) await writeNewFile(name, [rejected]);
      if (!there || (there.isFile() && readFileSync(name, 'utf8') === rejected)) return name;
    } catch (error) {
      throw notWritten(name, 'rename or move the imported file', error);
    }
  }
}

/**
 * Reads a file. How it is read, where that was not told, is shown by a whole command line.
 * @throws where nothing looks like something that every line needs
 */
async function readAsProposed(
  { io, args, isJson }: CommandContext,
  options: ImportOptions,
): Promise<ProposedSource> {
  const { file } = options;
  const source = await sourceOf(options, await readWhole(file));
  const { proposal } = source;
  if (!proposal) return source;
  const command = `npm run admin -- ${shellText([...args, ...optionsFor(proposal, options)])}`;
  if (!isJson()) io.printError(proposalText(proposal, { file, command }));
  if (proposal.nameless.length > 0)
    throw new Error(`Nothing is stored: ${file} has no column for ${listed(proposal.nameless)}.`);
  return source;
}

/** Asks whether the lines are stored all the same, and which. */
async function choose(
  io: ProgramIo,
  doubts: Doubts,
  { report, names, yes }: { report: ImportReport; names: Parameters<typeof doubtsText>[2]; yes: boolean },
): Promise<'all' | 'only new'> {
  const text = doubtsText(doubts, report, names);
  const count = report.good - doubts.repeated;
  if (doubts.repeated === 0 || yes || count === 0) {
    await confirm(io, `${text} Store ${counted(report.good, 'line')} of ${names.file}?`, yes);
    return 'all';
  }
  if (!io.person)
    throw new Error(
      `${text} Nobody is at the terminal to say which are stored: take --only-new, or --yes for all.`,
    );
  const answer = await io.person.ask(
    `${text} Store all, or only the ${counted(count, 'new one')}? [all/new/N] `,
  );
  const wanted = answer.trim().toLowerCase();
  if (wanted === 'all') return 'all';
  if (wanted === 'new') return 'only new';
  throw new Error('Nothing was done.');
}

function readMap(value: string, all: ColumnMap): ColumnMap {
  const [field, column] = readPair(value);
  const before = all[field];
  if (before && (column === '' || before.length === 0))
    throw new InvalidArgumentError(`${field}= names no column, and ${field} has another --map.`);
  return { ...all, [field]: [...(before ?? []), ...(column === '' ? [] : [column])] };
}

function readDefault(value: string, all: ImportCommandOptions['default']): ImportCommandOptions['default'] {
  const [field, text] = readPair(value);
  if (all[field] !== undefined) throw new InvalidArgumentError(`${field} has another --default.`);
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

/** The options of a proposal that were not given. */
function optionsFor({ reading, nameless }: Proposal, told: ImportOptions): string[] {
  const { map, defaults, dateFormat, roundRatings } = reading;
  const columns = Object.entries(map).filter(([field]) => !(field in told.map));
  const values = Object.entries(defaults).filter(([field]) => !(field in told.defaults));
  return [
    ...columns.flatMap(([field, names]) =>
      (names.length > 0 ? names : ['']).flatMap((column) => ['--map', `${field}=${column}`]),
    ),
    ...nameless.flatMap((field) => ['--map', `${field}=COLUMN`]),
    ...values.flatMap(([field, value]) => ['--default', `${field}=${value}`]),
    ...(dateFormat !== told.dateFormat ? ['--date-format', dateFormat ?? ''] : []),
    ...(roundRatings && !told.roundRatings ? ['--round-ratings'] : []),
  ];
}
