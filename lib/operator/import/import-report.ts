/** What the operator is told of an import. */
import { counted, joined, listed } from '../terminal/formatting.ts';
import { beginning, oneLine } from '../terminal/terminal-text.ts';
import type { CheckedFile } from './check-file.ts';
import { isLateRule } from './imported-line.ts';
import type { Repeated } from './likely-repeated.ts';
import type { Doubts } from './next-step.ts';
import { namelessIn, type Proposal } from './propose-reading.ts';

export interface ImportReport extends Pick<CheckedFile, 'refused' | 'firstRefused' | 'columns'> {
  /** Good lines. */
  good: number;
  /** True where times of the file are kept; otherwise all are created now. */
  keepsHistory: boolean;
  /** True where that was asked for. */
  asNew?: true;
  /** What becomes of the ids of the file, if it has ids of this service. */
  ids?: 'kept' | 'replaced';
  /** True when this file was imported before. */
  wasImported: boolean;
  /** True when it was given up for another one, as a corrected file is. */
  wasGivenUp?: true;
  /** Present where the lines look as if they were stored before. */
  repeated?: Repeated;
  /** Where the refused lines are, with their texts and reasons. */
  rejectedFile?: string;
  /** How the file could be read better. */
  proposal?: Proposal;
}

/** What is known of an import before anything is stored. */
export type KnownImport = Pick<
  ImportReport,
  'good' | 'refused' | 'firstRefused' | 'rejectedFile' | 'proposal'
>;

/** What an import did, or would do. */
export function reportText(
  { good, wasImported, wasGivenUp, keepsHistory, asNew, ids, columns, repeated }: ImportReport,
  { file, organization, dryRun }: { file: string; organization: string; dryRun: boolean },
): string {
  if (wasGivenUp) return `${file} was given up for another import into ${organization}: nothing is done.`;
  if (wasImported) return `${file} was imported into ${organization} before: nothing is left to do.`;
  const number = counted(good, 'testimonial');
  return joined([
    columns?.preset && columns.preset !== 'this service' && `Columns as ${columns.preset} has them.`,
    columns && columns.unused.length > 0 && `Not used: ${oneLine(columns.unused.join(', '))}.`,
    dryRun && repeated && repeatedText(repeated, { file, organization }),
    dryRun ? `${number} would be imported into ${organization}.` : `${number} imported into ${organization}.`,
    keepsHistory && 'Times and status are those of the file.',
    asNew &&
      `They ${dryRun ? 'would be' : 'are'} created now, in the order of the file's times; status is that of the file.`,
    ids === 'kept' && 'Ids are those of the file.',
    ids === 'replaced' && 'Ids are new: those of the file cannot be kept.',
  ]);
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

/** The question before lines are stored that may not be meant to be stored as they are. */
export function doubtsText(
  { repeated, besideUnended, hasRefused, hasLost }: Doubts,
  known: KnownImport,
  names: { file: string; organization: string },
): string {
  const another = `Another import into ${names.organization} has not ended: run that again to end it. Is this its file, corrected, what it stored stands twice; it is given up.`;
  const { good, refused, rejectedFile, proposal } = known;
  const lines = refused === 1 ? '1 line is' : `${counted(refused, 'line')} are`;
  const parts = [
    besideUnended && another,
    repeated && repeatedText(repeated, names),
    hasRefused && `${lines} refused and ${refused === 1 ? 'stands' : 'stand'} in ${rejectedFile}.`,
    hasLost && proposal && lostText(proposal),
  ];
  return joined([...parts, `Store ${counted(good, 'line')} of ${names.file}?`], ' ');
}

function repeatedText(
  { there, looked }: Repeated,
  { file, organization }: { file: string; organization: string },
): string {
  return (
    `${there} of ${counted(looked, 'line')} of ${file} that were looked for are in ${organization} already. ` +
    'Lines that an import refused are mended in the file that it wrote of them, and imported from that.'
  );
}

/**
 * Which lines were refused and why, and what to do about them.
 * @param isTold why was said before
 */
export function refusedText(
  { refused, firstRefused, wasImported, rejectedFile }: ImportReport,
  { dryRun, isTold = false }: { dryRun: boolean; isTold?: boolean },
): string {
  const lines = counted(refused, 'line');
  const rules = rulesText({ refused, firstRefused });
  const isLate = firstRefused.some(({ errors }) => Object.values(errors).some(isLateRule));
  const isDry = dryRun && !wasImported;
  const where = `mend them in ${rejectedFile}, and import that.`;
  return joined([
    !isTold && rules,
    wasImported && `${lines} refused then.`,
    rejectedFile !== undefined &&
      (isDry ? `${lines} would be refused: ${where}` : `${lines} refused: ${where}`),
    isLate && 'What is later can be created now, by --as-new.',
  ]);
}

/** Which lines are refused, and why: the first ones. */
export function rulesText({ refused, firstRefused }: Pick<KnownImport, 'refused' | 'firstRefused'>): string {
  const told = firstRefused.reduce((sum, { line, lastLine = line }) => sum + 1 + lastLine - line, 0);
  const rules = firstRefused.flatMap(({ line, lastLine, errors }) => {
    const where = lastLine === undefined ? `line ${line}` : `lines ${line} to ${lastLine}`;
    return Object.entries(errors).map(([field, rule]) =>
      field === 'line' ? `${where} ${rule}` : `${where}: ${field} ${rule}`,
    );
  });
  return joined([...rules, refused > told && `and ${counted(refused - told, 'line')} more`]);
}
