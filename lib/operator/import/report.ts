/** What the operator is told of an import, and of its undo. */
import { beginning, counted, joined, listed, minuteOf, oneLine, shellText } from '../terminal/formatting.ts';
import type { ToldFile } from './check-file.ts';
import { type ImportJob, idOfImport, isClaimed, type NamedImport, type StoredImport } from './import-job.ts';
import type { Doubts } from './import-plan.ts';
import { type ImportedLine, remedyOf } from './imported-line.ts';
import type { Proposal } from './interpretation.ts';
import type { Spreadsheet } from './spreadsheet.ts';
import type { Undo } from './undo-import.ts';

export interface ImportReport extends ToldFile {
  /** The import's, by which it can be undone. */
  id: string;
  /** Testimonials that this run has stored: fewer than all where an earlier run was stopped, none in a dry run. */
  stored: number;
  /** Good lines, but for those that are left out. */
  good: number;
  /** Good lines that are left out: they are there already, or stand in the file before. */
  leftOut: number;
  /** True where times of the file are kept; otherwise all are created now. */
  keepsHistory: boolean;
  /** True where that was asked for. */
  asNew?: boolean;
  /** What becomes of the ids of the file, if it has ids of this service. */
  ids?: 'kept' | 'replaced';
  /** True when this file was imported before. */
  wasImported: boolean;
  /** What is asked before the lines are stored. */
  doubts?: Doubts;
  /** How the file is read, where that was not told. */
  proposal?: Proposal;
  /** How the file was read as a table, where it is one; the rows are too many to be kept. */
  table?: Pick<Spreadsheet, 'notes'>;
}

interface Names {
  file: string;
  organization: string;
  /** Where the refused lines are, with their texts and reasons. */
  rejectedFile?: string | undefined;
}

/** What somebody does to read a file otherwise: options of the command, or what a page has. */
export interface Ways {
  keepHtml: string;
  roundRatings: string;
  dateFormat: string;
  asNew: string;
  /** What a field is called. */
  nameOf: (field: string) => string;
}

export const waysOfCommand: Ways = {
  keepHtml: '--keep-html',
  roundRatings: '--round-ratings',
  dateFormat: '--date-format',
  asNew: '--as-new',
  nameOf: (field) => field,
};

/** What an import did, or would do. */
export function reportText(
  report: ImportReport,
  { file, organization, dryRun }: Names & { dryRun: boolean },
): string {
  const { good, leftOut, wasImported, keepsHistory, hasStatus, asNew, ids, doubts } = report;
  if (wasImported) return `${file} was imported into ${organization} before: nothing is left to do.`;
  const number = counted(good, 'testimonial');
  return joined([
    doubts && doubts.repeated > 0 && repeatedText(doubts, good, { file, organization, isStored: !dryRun }),
    ...(doubts?.unended ?? []).map((each) => givenUpText(each, organization)),
    dryRun ? `${number} would be imported into ${organization}.` : `${number} imported into ${organization}.`,
    leftOut > 0 && `${counted(leftOut, 'line')} left out: there already.`,
    keepsHistory && `Times ${hasStatus ? 'and status ' : ''}are those of the file.`,
    asNew &&
      `They ${dryRun ? 'would be' : 'are'} created now, in the order of the file's times${hasStatus ? '; status is that of the file' : ''}.`,
    ids === 'kept' && 'Ids are those of the file.',
    ids === 'replaced' && 'Ids are new: those of the file cannot be kept.',
  ]);
}

/** How a file is read, told before anything of it is stored: what is made of it, and what is not. */
export function readingText(
  {
    columns,
    table,
    proposal,
    examples,
    wasImported,
  }: Pick<ImportReport, 'columns' | 'table' | 'proposal' | 'examples' | 'wasImported'>,
  ways: Ways,
): string {
  if (wasImported) return '';
  const { reading, placed = [], unlike = [], otherDateFormat } = proposal ?? {};
  const htmlLines = columns?.htmlLines() ?? 0;
  const unused = (columns?.unused ?? []).map(
    ({ column, values }) =>
      `${column}${values.length > 0 ? ` (${values.map((value) => `“${beginning(value, 30)}”`).join(', ')})` : ''}`,
  );
  return joined([
    ...(table?.notes ?? []),
    ...placed.map(
      (field) =>
        `Every line needs ${ways.nameOf(field)}, and no column has it: ${reading?.defaults[field]} stands for it.`,
    ),
    ...unlike.map(
      ({ field, column }) =>
        `${oneLine(column)} is not taken for ${ways.nameOf(field)}: too many of its values are something else. Where it is named it is taken, and their lines are refused.`,
    ),
    otherDateFormat !== undefined &&
      `Its times could be ${otherDateFormat} as well as ${reading?.dateFormat} (${ways.dateFormat}): look at them.`,
    htmlLines > 0 && `HTML of ${counted(htmlLines, 'line')} becomes text; ${ways.keepHtml} keeps it.`,
    unused.length > 0 && `Not used: ${oneLine(unused.join(', '))}.`,
    examples.length > 0 && `As ${examples.length === 1 ? 'it' : 'they'} would stand:`,
    ...examples.map((each) => `  ${exampleText(each)}`),
  ]);
}

/** Said where an import that was stopped goes on. */
export function goesOnText(job: ImportJob): string {
  return `Going on with the import of ${minuteOf(job.time)}: ${farText(job)}`;
}

/** How a file is proposed to be read, or what has to be named first. */
export function proposalText(
  { header, nameless }: Proposal,
  { file, command }: { file: string; command: string },
): string {
  if (nameless.length === 0)
    return `${file} is read so, by what its columns are called and have; another way can be named:\n  ${command}`;
  return joined([
    `${file} has no column for ${listed(nameless)}.`,
    `Its columns: ${header.map((name) => JSON.stringify(name)).join(', ')}.`,
    `Name the column of ${listed(nameless)} with --map, as --map '${nameless[0]}=${oneLine(header[0] ?? '')}':`,
    `  ${command}`,
  ]);
}

/** A line as it would stand. */
function exampleText({ author, tags = [], ...line }: ImportedLine): string {
  const parts = [
    `${author.name} <${author.email}>${author.company === undefined ? '' : `, ${author.company}`}`,
    line.rating !== undefined && `${line.rating} of 5`,
    line.createdAt !== undefined && new Date(line.createdAt).toISOString().slice(0, 10),
    line.status ?? 'pending',
    line.type !== 'text' && line.type,
    tags.length > 0 && tags.map((tag) => `#${tag}`).join(' '),
    beginning(oneLine(line.content), 60),
  ];
  return oneLine(joined(parts, ' · '));
}

/** Why lines may not be meant to be stored as they are. */
export function doubtsText(
  doubts: Doubts,
  { good, refused, proposal }: Pick<ImportReport, 'good' | 'refused' | 'proposal'>,
  names: Names,
): string {
  const lines = refused === 1 ? '1 line is' : `${counted(refused, 'line')} are`;
  const parts = [
    ...doubts.unended.map((each) => givenUpText(each, names.organization)),
    doubts.repeated > 0 && repeatedText(doubts, good, names),
    refused > 0 && `${lines} refused and ${refused === 1 ? 'stands' : 'stand'} in ${names.rejectedFile}.`,
    doubts.endsPast &&
      'So many lines leave no room for them afterwards: mend them first, to keep their times.',
    proposal && `${names.file} is read as it was guessed.`,
  ];
  return joined(parts, ' ');
}

function repeatedText(
  { repeated, twice }: Doubts,
  good: number,
  { file, organization, isStored = false }: Names & { isStored?: boolean },
): string {
  const there = repeated - twice;
  const [is, are] = isStored ? ['was', 'were'] : ['is', 'are'];
  const ofAll = `${there.toLocaleString('en')} of ${counted(good, 'line')} of ${file} ${there === 1 ? is : are}`;
  const again = repeated === 1 ? 'It is stored again.' : 'They are stored again.';
  const parts = [
    there > 0 && `${ofAll} in ${organization} already, with the same text and author.`,
    twice > 0 && `${counted(twice, 'line stands', 'lines stand')} in ${file} twice.`,
    isStored && again,
  ];
  return joined(parts, ' ');
}

/** What becomes of an import that was stopped, where another one is stored. */
function givenUpText({ name, job }: StoredImport, organization: string): string {
  return `The import of ${minuteOf(job.time)} was stopped: ${farText(job)}. It stays so, until its file is imported again, or it is undone by ${undoCommand(name, organization)}.`;
}

/** What to do about the lines that were refused. */
export function refusedText(
  { refused, reasons, wasImported }: Pick<ImportReport, 'refused' | 'reasons' | 'wasImported'>,
  { dryRun, rejectedFile }: { dryRun: boolean; rejectedFile?: string | undefined },
  ways: Ways,
): string {
  const remedies = reasons.map(({ rule }) => remedyOf(rule));
  const are = wasImported ? 'refused then' : dryRun ? 'would be refused' : 'refused';
  const mended = refused === 1 ? 'it' : 'them';
  const where = rejectedFile === undefined ? '' : `: mend ${mended} in ${rejectedFile}, and import that`;
  return joined([
    `${counted(refused, 'line')} ${are}${where}.`,
    remedies.includes('roundRatings') && `Ratings between two stars are rounded by ${ways.roundRatings}.`,
    remedies.includes('dateFormat') && `Another way to write times is named by ${ways.dateFormat}.`,
    remedies.includes('asNew') && `What is later can be created now, by ${ways.asNew}.`,
  ]);
}

const reasonsTold = 20;

/** Why lines are refused, each reason with the first of its lines. */
export function rulesText(
  { reasons, table }: Pick<ImportReport, 'reasons' | 'table'>,
  { nameOf }: Ways,
): string {
  const unit = table ? 'row' : 'line';
  const rules = reasons.slice(0, reasonsTold).map(({ field, rule, count, lines }) => {
    const which = `${lines.join(', ')}${count > lines.length ? ' …' : ''}`;
    const where = count === 1 ? `${unit} ${which}` : `${counted(count, unit)} (${which})`;
    if (field !== 'line') return `${where}: ${nameOf(field)} ${rule}`;
    return `${where} ${count === 1 ? rule : rule.replace(/^has/, 'have').replace(/^is/, 'are')}`;
  });
  const left = reasons.length - reasonsTold;
  return joined([...rules, left > 0 && `and ${counted(left, 'other reason')}`]);
}

/** What is undone: a file, or an import by its id. */
export type UndoNames = ({ file: string } | { id: string }) & { organization: string };

/** What an undo would do. */
export function undoText(undo: Undo, names: UndoNames, separator = '\n'): string {
  const parts = [
    `${importOf(names, undo)}: ${counted(undo.erased, 'testimonial')} would be erased for good.`,
    ...others(undo),
    undo.isFirst &&
      'It was the first import here: while anything else is there, not all of its lines keep their times when they are imported again.',
  ];
  return joined(parts, separator);
}

/** What an undo did. */
export function undoneText(undo: Undo, names: UndoNames): string {
  return joined([
    `${importOf(names, undo)}, is undone: ${counted(undo.erased, 'testimonial')} erased.`,
    ...others(undo),
    'What is imported again gets other ids.',
  ]);
}

/** Said where nothing is left to do. */
export function undoneBeforeText(undo: Undo, names: UndoNames): string {
  return `${importOf(names, undo)}, was undone before: nothing is left to do.`;
}

/** Said where there is nothing to undo. */
export function noUndoText({ organization, ...what }: UndoNames): string {
  if ('id' in what)
    return `No import ${what.id} into ${organization} is there to undo: index status names those that have not ended.`;
  return `No import of ${what.file} into ${organization} is there to undo. It is found by the file, which has to be as it was then, byte for byte.`;
}

/** How an import that has just ended is undone; undefined where there is nothing to undo. */
export function undoHint(
  { good, wasImported }: ImportReport,
  { file, organization, dryRun }: { file: string; organization: string; dryRun: boolean },
): string | undefined {
  if (good === 0 || wasImported || dryRun) return undefined;
  return `Undo it by ${shellText(['import', file, '--organization', organization, '--undo'])}.`;
}

/** What is said of an import of which only a part is there: how far it is, and how it is ended. */
export function unendedText({ name, job }: NamedImport, organization: string, now: Date): string {
  const isUndo = job.state === 'undoing';
  const what = isUndo ? `The undo of an import into ${organization}` : `An import into ${organization}`;
  const begun = `${what} has not ended: ${farText(job)}.`;
  if (isClaimed(job, now)) return `${begun} Wait for its end.`;
  const how = isUndo ? 'End it' : 'Run it again with the same file, or undo it';
  return `${begun} ${how} by ${undoCommand(name, organization)}.`;
}

/** The command that undoes an import, or ends its undo, whatever has become of the file. */
function undoCommand(name: string, organization: string): string {
  return shellText(['import', '--organization', organization, '--undo', '--id', idOfImport(name)]);
}

function farText({ state, count, done = 0 }: ImportJob): string {
  const lines = `at least ${done.toLocaleString('en')} of ${counted(count, 'line')}`;
  return state === 'undoing' ? `${lines} are erased or stay` : `${lines} are stored`;
}

function importOf({ organization, ...what }: UndoNames, { imported }: Pick<Undo, 'imported'>): string {
  const name = 'file' in what ? what.file : `Import ${what.id}`;
  return `${name}, imported into ${organization} on ${minuteOf(imported)}`;
}

function others({ changed, gone }: Pick<Undo, 'changed' | 'gone'>): (string | false)[] {
  return [
    changed > 0 && `${counted(changed, 'was changed since and stays', 'were changed since and stay')}.`,
    gone > 0 && `${counted(gone, 'was', 'were')} erased before.`,
  ];
}
