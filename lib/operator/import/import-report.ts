/** What the operator is told of an import. */
import { counted, joined } from '../terminal/formatting.ts';
import { oneLine } from '../terminal/terminal-text.ts';
import type { CheckedFile } from './check-file.ts';
import { laterThanFirst } from './imported-line.ts';
import type { Repeated } from './likely-repeated.ts';
import type { Doubts } from './next-step.ts';

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
}

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
    columns &&
      columns.missing.length > 0 &&
      `No column for ${columns.missing.join(', ')}: name it with --map, or a value with --default.`,
    dryRun && repeated && repeatedText(repeated, { file, organization }),
    dryRun ? `${number} would be imported into ${organization}.` : `${number} imported into ${organization}.`,
    keepsHistory && 'Times and status are those of the file.',
    asNew &&
      `They ${dryRun ? 'would be' : 'are'} created now, in the order of the file's times; status is that of the file.`,
    ids === 'kept' && 'Ids are those of the file.',
    ids === 'replaced' && 'Ids are new: those of the file cannot be kept.',
  ]);
}

/** The question before lines are stored that may have been stored before. */
export function doubtsText(
  { repeated, besideUnended }: Doubts,
  names: { file: string; organization: string },
): string {
  const another = `Another import into ${names.organization} has not ended: run that again to end it. Is this its file, corrected, what it stored stands twice; it is given up.`;
  const parts = [besideUnended && another, repeated && repeatedText(repeated, names)];
  return joined([...parts, `Store the lines of ${names.file}?`], ' ');
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

/** Which lines were refused and why, and what to do about them. */
export function refusedText(
  { refused, firstRefused, wasImported, rejectedFile }: ImportReport,
  dryRun: boolean,
): string {
  const told = firstRefused.reduce((sum, { line, lastLine = line }) => sum + 1 + lastLine - line, 0);
  const lines = counted(refused, 'line');
  const rules = firstRefused.flatMap(({ line, lastLine, errors }) => {
    const where = lastLine === undefined ? `line ${line}` : `lines ${line} to ${lastLine}`;
    return Object.entries(errors).map(([field, rule]) =>
      field === 'line' ? `${where} ${rule}` : `${where}: ${field} ${rule}`,
    );
  });
  const isLate = rules.some((rule) => rule.includes(laterThanFirst));
  const isDry = dryRun && !wasImported;
  const where = `mend them in ${rejectedFile}, and import that.`;
  return joined([
    ...rules,
    refused > told && `and ${counted(refused - told, 'line')} more`,
    wasImported && `${lines} refused then.`,
    rejectedFile !== undefined &&
      (isDry ? `${lines} would be refused: ${where}` : `${lines} refused: ${where}`),
    isLate && 'What is later than the first testimonial created here can be created now, by --as-new.',
  ]);
}
