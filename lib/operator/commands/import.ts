/** The operator's command `import`: stores testimonials from a file, or undoes an import. */
import { lstatSync, readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { UndoResult } from '../../../functions/domain/loads.ts';
import { sampleOf } from '../../../functions/reading/export.ts';
import {
  exportFormats,
  type FileFormat,
  fileFormats,
  formatOf,
  noFormatText,
} from '../../../functions/reading/formats.ts';
import { type ImportResult, prepareImport } from '../../../functions/reading/import-file.ts';
import { type ColumnMap, type LineField, lineFields } from '../../../functions/reading/line-fields.ts';
import type { Mapping } from '../../../functions/reading/map-columns.ts';
import { type OpenedFile, openFile } from '../../../functions/reading/open-file.ts';
import * as report from '../../../functions/reading/report.ts';
import {
  type CommandContext,
  type CommandSession,
  exampleText,
  newOrganizationOption,
  PartlyFailed,
  RepeatableOption,
} from '../command-context.ts';
import { notWritten, readWhole, writeNewFile } from '../files/whole-file.ts';
import * as commandTexts from '../import/command-texts.ts';
import { commandText, counted, joined, listed, oneLine, shellText } from '../terminal/formatting.ts';
import { confirm } from '../terminal/interruptible.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { longWork } from '../terminal/progress.ts';
import { finishRemoval } from './erase.ts';

interface ImportCommandOptions extends Omit<Mapping, 'defaults' | 'sheetName'> {
  organization?: string;
  sheet?: string;
  format?: FileFormat;
  default: Mapping['defaults'];
  onlyNew?: boolean;
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

export function addImportCommand(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description(
      'Import testimonials from CSV, Excel (.xlsx), JSON or NDJSON. To continue an import that stopped, run it again',
    )
    .argument('[file]', 'the file; not with --id')
    .addOption(newOrganizationOption('name of the organization; not with --sample'))
    .addOption(
      new Option('--format <format>', 'format of the file (default: by the end of its name)').choices(
        fileFormats,
      ),
    )
    .addOption(
      new RepeatableOption(
        '--map <field=column>',
        `use a column for a field; repeat it to join columns, or leave the column out (rating=) to ignore it. Fields: ${lineFields.join(', ')}`,
      )
        .argParser(readMap)
        .default({}, 'detected'),
    )
    .addOption(
      new RepeatableOption('--default <field=value>', 'fill in a missing value')
        .argParser(readDefault)
        .default({}, 'type=text'),
    )
    .option(
      '--date-format <tokens>',
      'format of the dates, such as dd/MM/yyyy HH:mm, iso, unix, excel, "words de", or "words en from 2024-03-01" for "3 days ago"; join several with or: "d.M.yyyy or excel". Times without an offset are UTC (default: detected)',
    )
    .option(
      '--sheet <name>',
      'sheet of a workbook, or path of a list in a JSON document (default: the one with the most rows that fit)',
    )
    .option('--round-ratings', 'round ratings to whole stars: 4.5 becomes 5, 4.2 becomes 4')
    .option('--keep-html', 'keep HTML tags and entities in texts')
    .option('--as-new', 'give all testimonials today’s date, in the order of their times')
    .option(
      '--only-new',
      'leave out duplicates: rows with the text and author of a stored testimonial, and rows that repeat an earlier one of the file',
    )
    .option('--dry-run', 'check the file and store nothing')
    .addOption(
      new Option(
        '--undo',
        'erase the testimonials that the last import of this file stored and no one has changed since; asks first',
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
    .option('--id <id>', 'with --undo, instead of the file: the id of the import, which import --json prints')
    .option('--yes', 'do not ask')
    .option('--sample', 'write a sample to the file, which must not exist yet')
    .addHelpText('after', exampleText(examples))
    .action((file: string | undefined, options: ImportCommandOptions) => run(context, file, options));
}

async function run(
  context: CommandContext,
  file: string | undefined,
  { organization, id, undo, sample, dryRun = false, yes = false, onlyNew, ...options }: ImportCommandOptions,
): Promise<void> {
  if (undo && id !== undefined && file !== undefined) throw new Error('Pass a file or --id, not both.');
  if (!undo && id !== undefined) throw new Error('--id works only with --undo.');
  const name = file ?? '';
  if (id === undefined && name === '') throw new Error('Pass the file to import.');
  const organizationName = organization ?? '';
  if (organizationName === '' && !sample) throw new Error('Pass the organization with --organization.');
  if (undo) {
    const names = { ...(id === undefined ? { file: name } : { id }), organization: organizationName };
    return context.onOrganization(organizationName, (session) => undoImport(session, names, { dryRun, yes }));
  }
  const { default: defaults, format = formatOf(name, fileFormats), sheet, ...mapping } = options;
  if (!format) throw new Error(noFormatText(name, ' Set its format with --format.'));
  if (sample) {
    const written = exportFormats.find((name) => name === format);
    if (!written) throw new Error('The name of a sample must end in .csv or .ndjson.');
    await writeNewFile(name, [sampleOf(written)]);
    return context.show({ file: name }, () => `${name} written. Fill it in, then import it.`);
  }
  const chosen = { ...mapping, defaults, ...(sheet !== undefined && { sheetName: sheet }) };
  await context.onOrganization(organizationName, async (session) => {
    const opened = await openGuessed(session, { name, format }, chosen);
    return importInto(session, opened, { dryRun, yes, onlyNew });
  });
}

type AskOptions = Required<Pick<ImportCommandOptions, 'dryRun' | 'yes'>>;

async function importInto(
  session: CommandSession,
  opened: OpenedFile,
  { dryRun, yes, onlyNew }: AskOptions & { onlyNew: boolean | undefined },
) {
  const { organization, io, show, isJson } = session;
  const { name: file } = opened;
  const adviceIfStopped = 'Run the same command again to continue.';
  const prepared = await longWork(io, adviceIfStopped, (work) =>
    prepareImport(session.loads, opened, { ...work, onlyNew }),
  );
  let { result } = prepared;
  const rejectedFile =
    result.rejected > 0 && !result.wasImported ? await writeRejected(file, result) : undefined;
  const names = { file, organization, dryRun, rejectedFile };
  if (!isJson()) {
    const mapping = report.mappingText(result, commandTexts.commandOptionNames);
    if (mapping !== '') io.printError(mapping);
    if (result.rejected > 0) io.printError(report.reasonsText(result, commandTexts.commandOptionNames));
  }
  if (!dryRun) {
    const which = result.mustAsk ? await choose(io, result, { names, yes }) : 'all';
    const { earlier } = prepared;
    if (earlier?.state === 'storing') io.printError(commandTexts.continuationText(earlier));
    result = await longWork(io, adviceIfStopped, (work) => prepared.store(which, work));
  }
  // All other members are the output of `--json`.
  const {
    columns,
    sheet,
    examples,
    rejectedFileText,
    repeatedInFile,
    rejectedLoseDates,
    mustAsk,
    ...printed
  } = result;
  show(
    {
      organization,
      dryRun,
      ...printed,
      ...(rejectedFile !== undefined && { rejectedFile }),
      ...(columns && { unusedColumns: columns.unused.map(({ name }) => name) }),
    },
    () => joined([report.resultText(result, names), commandTexts.undoHint(result, names)]),
  );
  if (result.rejected === 0) return;
  if (!isJson()) io.printError(report.rejectedText(result, names, commandTexts.commandOptionNames));
  throw new PartlyFailed();
}

/**
 * Writes the rejected lines to a new file next to the imported one, unless a file there already has the same
 * content.
 * @returns the name of the file
 */
async function writeRejected(file: string, { rejectedFileText, sheet }: ImportResult): Promise<string> {
  const ending = sheet ? 'csv' : 'ndjson';
  // Someone may have corrected the lines in an earlier file.
  for (let number = 1; ; number += 1) {
    const name = `${file}.rejected${number === 1 ? '' : `-${number}`}.${ending}`;
    try {
      const stat = lstatSync(name, { throwIfNoEntry: false });
      if (!stat) await writeNewFile(name, [rejectedFileText]);
      if (!stat || (stat.isFile() && readFileSync(name, 'utf8') === rejectedFileText)) return name;
    } catch (error) {
      throw notWritten(name, 'rename or move the imported file', error);
    }
  }
}

/**
 * Opens a file, and prints a command line that spells out each guess except the placeholders.
 * @throws if a person must choose the column of a required field
 */
async function openGuessed(
  { io, args, isJson }: CommandSession,
  file: Pick<OpenedFile, 'name' | 'format'>,
  chosen: Mapping,
) {
  const { name } = file;
  const opened = await openFile({ ...file, ...(await readWhole(name)) }, chosen);
  const { guess, sheet } = opened;
  if (!guess || !sheet) return opened;
  const command = commandText([...args, ...optionsFor(opened, chosen)]);
  if (!isJson()) io.printError(commandTexts.guessText(guess, sheet, { file: name, command }));
  if (guess.withoutColumn.length > 0)
    throw new Error(`${name} needs a column for ${listed(guess.withoutColumn)}. Nothing was stored.`);
  return opened;
}

async function choose(
  io: ProgramIo,
  result: ImportResult,
  { names, yes }: { names: report.ImportNames; yes: boolean },
): Promise<'all' | 'only new'> {
  const text = commandTexts.questionText(result, names);
  const unit = report.unitOf(result.sheet);
  const count = result.good - result.repeated;
  const { withPlaceholder = [] } = result.guess ?? {};
  const placeholders = withPlaceholder.map((field) => `${field}=${result.mapping.defaults[field]}`);
  // A testimonial with a placeholder cannot be found by its author later, so --yes alone does not choose
  // placeholders.
  if (withPlaceholder.length > 0 && !io.terminal)
    throw new Error(
      `${text} To choose that without a terminal, add ${shellText(placeholders.flatMap((pair) => ['--default', pair]))}. Nothing was stored.`,
    );
  const isAnswered = yes && withPlaceholder.length === 0;
  if (result.repeated === 0 || isAnswered || count === 0) {
    await confirm(io, `${text} Store ${counted(result.good, unit)} of ${names.file}?`, isAnswered);
    return 'all';
  }
  if (!io.terminal)
    throw new Error(
      `${text} To choose without a terminal, use --only-new, or --yes to store all ${unit}s. Nothing was stored.`,
    );
  const answer = await io.terminal.ask(
    `${text} Store all, or only the ${counted(count, 'new one')}? [all/new/N] `,
  );
  const wanted = answer.trim().toLowerCase();
  if (wanted === 'all') return 'all';
  if (wanted === 'new') return 'only new';
  throw new Error('Nothing was stored.');
}

function readMap(value: string, all: ColumnMap): ColumnMap {
  const [field, column] = readPair(value);
  const before = all[field];
  if (before && (column === '' || before.length === 0))
    throw new InvalidArgumentError(`${field}= ignores the field, but another --map gives it a column.`);
  return { ...all, [field]: [...(before ?? []), ...(column === '' ? [] : [column])] };
}

function readDefault(value: string, all: ImportCommandOptions['default']): ImportCommandOptions['default'] {
  const [field, text] = readPair(value);
  if (all[field] !== undefined) throw new InvalidArgumentError(`${field} already has a --default.`);
  return { ...all, [field]: text };
}

function readPair(value: string): [LineField, string] {
  const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
  const field = lineFields.find((known) => known === name);
  if (field) return [field, text];
  throw new InvalidArgumentError(
    `Write a field, = and a column or value. The fields are ${lineFields.join(', ')}.`,
  );
}

/** Returns the options that spell out the guesses of a mapping. */
function optionsFor({ sheet, mapping, guess }: OpenedFile, chosen: Mapping): string[] {
  const { map, dateFormat, roundRatings, sheetName } = mapping;
  const { withoutColumn = [], choices = {} } = guess ?? {};
  const first = withoutColumn.map(
    (field) => [field, (choices[field] ?? sheet?.header ?? []).slice(0, 1)] as const,
  );
  const columns = [...Object.entries(map), ...first].filter(([field]) => !(field in chosen.map));
  return [
    ...(sheetName !== chosen.sheetName ? ['--sheet', sheetName ?? ''] : []),
    ...columns.flatMap(([field, names]) =>
      (names.length > 0 ? names : ['']).flatMap((column) => ['--map', `${field}=${column}`]),
    ),
    ...(dateFormat !== chosen.dateFormat ? ['--date-format', dateFormat ?? ''] : []),
    ...(roundRatings && !chosen.roundRatings ? ['--round-ratings'] : []),
  ];
}

async function undoImport(session: CommandSession, names: report.UndoNames, { dryRun, yes }: AskOptions) {
  const { organization, io, show } = session;
  const target = 'file' in names ? { hash: (await readWhole(names.file)).hash } : names;
  const load = await session.loads.find(target);
  if (!load) {
    await session.warnOfUnknown();
    throw new Error(commandTexts.noUndoText(names));
  }
  const showUndo = (undo: UndoResult, state: Parameters<typeof report.undoText>[2]) => {
    const { at: imported, ...counts } = undo;
    show({ organization, dryRun, imported, ...counts }, () => report.undoText(undo, names, state));
  };
  const undo = await longWork(io, 'Nothing was erased.', (work) => load.preview(work));
  if (load.state === 'undone') {
    showUndo(undo, 'undone before');
    // An earlier undo may have stopped before it removed the words.
    if (!dryRun && (await session.maintenance.hasWordsToRemove())) await finishRemoval(session);
    return;
  }
  if (dryRun) return showUndo(undo, 'asking');
  await confirm(io, `${oneLine(report.undoText(undo, names, 'asking'))} Undo this import?`, yes);
  const done = await longWork(io, 'Run the same command again to continue.', (work) => load.undo(work));
  showUndo(done, 'undone');
  if (done.erased > 0 || (await session.maintenance.hasWordsToRemove())) await finishRemoval(session);
}
