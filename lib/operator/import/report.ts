/** What the operator is told of an import, and of its undo. */
import { beginning, counted, joined, listed, minuteOf, oneLine, shellText } from '../terminal/formatting.ts';
import type { CheckedFile } from './check-file.ts';
import { type ImportJob, idOfImport, isClaimed, type NamedImport, type StoredImport } from './import-job.ts';
import type { Doubts } from './import-plan.ts';
import { isLateRule } from './imported-line.ts';
import { namelessIn, type Proposal } from './propose-reading.ts';
import type { Undo, Undoable } from './undo-import.ts';

export interface ImportReport extends Pick<CheckedFile, 'refused' | 'firstRefused' | 'columns'> {
  /** Good lines, but for those that are left out. */
  good: number;
  /** Good lines that are left out: they are there already. */
  leftOut: number;
  /** True where times of the file are kept; otherwise all are created now. */
  keepsHistory: boolean;
  /** True where that was asked for. */
  asNew?: true;
  /** What becomes of the ids of the file, if it has ids of this service. */
  ids?: 'kept' | 'replaced';
  /** True when this file was imported before. */
  wasImported: boolean;
  /** What is asked before the lines are stored. */
  doubts?: Doubts;
  /** Where the refused lines are, with their texts and reasons. */
  rejectedFile?: string;
  /** How the file could be read better. */
  proposal?: Proposal;
}

interface Names {
  file: string;
  organization: string;
}

/** What an import did, or would do. */
export function reportText(
  report: ImportReport,
  { file, organization, dryRun }: Names & { dryRun: boolean },
): string {
  const { good, leftOut, wasImported, keepsHistory, asNew, ids, columns, doubts } = report;
  if (wasImported) return `${file} was imported into ${organization} before: nothing is left to do.`;
  const number = counted(good, 'testimonial');
  return joined([
    columns?.preset && `Columns as ${columns.preset} has them.`,
    columns && columns.unused.length > 0 && `Not used: ${oneLine(columns.unused.join(', '))}.`,
    doubts && doubts.repeated > 0 && repeatedText(doubts.repeated, good, { file, organization }),
    ...(doubts?.unended ?? []).map((each) => givenUpText(each, organization)),
    dryRun ? `${number} would be imported into ${organization}.` : `${number} imported into ${organization}.`,
    leftOut > 0 && `${counted(leftOut, 'line')} left out: there already.`,
    keepsHistory && 'Times and status are those of the file.',
    asNew &&
      `They ${dryRun ? 'would be' : 'are'} created now, in the order of the file's times; status is that of the file.`,
    ids === 'kept' && 'Ids are those of the file.',
    ids === 'replaced' && 'Ids are new: those of the file cannot be kept.',
  ]);
}

/** Said where an import that was stopped goes on. */
export function goesOnText(job: ImportJob): string {
  return `Going on with the import of ${minuteOf(job.time)}: ${farText(job)}`;
}

/** What is wrong with the columns of a file, and how it could be read. */
export function proposalText(
  proposal: Proposal,
  { file, command }: { file: string; command: string },
): string {
  const { header, missing, unknown, lost, reading, otherDateFormat, sample } = proposal;
  const nameless = namelessIn(proposal);
  const isOfColumns = missing.length > 0 || lost.length > 0;
  return joined([
    missing.length > 0 && `${file} has no column for ${listed(missing)}.`,
    lost.length > 0 && lostText(proposal),
    !isOfColumns && `Times or ratings of ${file} are written in a way that has to be named; this reads them:`,
    nameless.length > 0 && `Its columns: ${header.map((name) => JSON.stringify(name)).join(', ')}.`,
    isOfColumns &&
      (nameless.length > 0
        ? `Name the column of ${listed(nameless)} with --map, as --map '${nameless[0]}=${oneLine(header[0] ?? '')}':`
        : 'By what review tools call their columns, this reads it:'),
    `  ${command}`,
    ...unknown
      .filter((field) => !nameless.includes(field))
      .map(
        (field) =>
          `Every line needs ${field}, and no column has it: ${reading.defaults[field]} stands for it.`,
      ),
    otherDateFormat !== undefined &&
      `Its times could be ${otherDateFormat} as well as ${reading.dateFormat}: look at the first one.`,
    nameless.length === 0 && `Its first line then: ${sampleText(sample)}`,
  ]);
}

function lostText({ lost }: Proposal): string {
  const all = lost.map(({ field, columns }) => `${listed(columns.map(oneLine))} (${field})`);
  return `Columns that would be lost: ${all.join(', ')}.`;
}

/** The first line of a file, as it would be read. */
export function sampleText({ content, author, rating, createdAt }: Proposal['sample']): string {
  const { name, email } = author as Record<string, string>; // columnsOf makes one of every line
  const parts = [
    `${name} <${email}>`,
    rating !== undefined && `${rating} of 5`,
    createdAt !== undefined && String(createdAt),
    beginning(String(content), 60),
  ];
  return oneLine(joined(parts, ' · '));
}

/** Why lines may not be meant to be stored as they are. */
export function doubtsText(
  { repeated, unended, endsPast }: Doubts,
  { good, refused, rejectedFile, proposal }: ImportReport,
  names: Names,
): string {
  const lines = refused === 1 ? '1 line is' : `${counted(refused, 'line')} are`;
  const parts = [
    ...unended.map((each) => givenUpText(each, names.organization)),
    repeated > 0 && repeatedText(repeated, good, names),
    refused > 0 && `${lines} refused and ${refused === 1 ? 'stands' : 'stand'} in ${rejectedFile}.`,
    endsPast && 'So many lines leave no room for them afterwards: mend them first, to keep their times.',
    proposal && proposal.lost.length > 0 && lostText(proposal),
  ];
  return joined(parts, ' ');
}

function repeatedText(repeated: number, good: number, { file, organization }: Names): string {
  const are = repeated === 1 ? 'is' : 'are';
  return `${repeated.toLocaleString('en')} of ${counted(good, 'line')} of ${file} ${are} in ${organization} already, with the same text and author.`;
}

/** What becomes of an import that was stopped, where another one is stored. */
function givenUpText({ name, job }: StoredImport, organization: string): string {
  return `The import of ${minuteOf(job.time)} was stopped: ${farText(job)}. It stays so, until its file is imported again, or it is undone by ${undoCommand(name, organization)}.`;
}

/** What to do about the lines that were refused. */
export function refusedText(
  { refused, firstRefused, wasImported, rejectedFile }: ImportReport,
  { dryRun }: { dryRun: boolean },
): string {
  const isLate = firstRefused.some(({ errors }) => Object.values(errors).some(isLateRule));
  const are = wasImported ? 'refused then' : dryRun ? 'would be refused' : 'refused';
  const where = rejectedFile === undefined ? '' : `: mend them in ${rejectedFile}, and import that`;
  return joined([
    `${counted(refused, 'line')} ${are}${where}.`,
    isLate && 'What is later can be created now, by --as-new.',
  ]);
}

/** Which lines are refused, and why: the first ones. */
export function rulesText({ refused, firstRefused }: Pick<ImportReport, 'refused' | 'firstRefused'>): string {
  const told = firstRefused.reduce((sum, { line, lastLine = line }) => sum + 1 + lastLine - line, 0);
  const rules = firstRefused.flatMap(({ line, lastLine, errors }) => {
    const where = lastLine === undefined ? `line ${line}` : `lines ${line} to ${lastLine}`;
    return Object.entries(errors).map(([field, rule]) =>
      field === 'line' ? `${where} ${rule}` : `${where}: ${field} ${rule}`,
    );
  });
  return joined([...rules, refused > told && `and ${counted(refused - told, 'line')} more`]);
}

/** What is undone: a file, or an import by its id. */
export type UndoNames = Undoable & { organization: string };

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
export function undoneBeforeText(time: string, names: UndoNames): string {
  return `${importOf(names, { imported: time })}, was undone before: nothing is left to do.`;
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
  const isUndo = job.step === 'undoing';
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

function farText({ step, count, done = 0 }: ImportJob): string {
  const lines = `at least ${done.toLocaleString('en')} of ${counted(count, 'line')}`;
  return step === 'undoing' ? `${lines} are erased or stay` : `${lines} are stored`;
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
