/** What the operator is told of an undo. */
import { counted, joined, minuteOf } from '../terminal/formatting.ts';
import { shellText } from '../terminal/shell-text.ts';
import type { ImportReport } from './import-report.ts';
import type { Undo, UndoReport } from './undo-import.ts';

interface Names {
  file: string;
  organization: string;
}

/** What an undo would do. */
export function undoText(
  { job, unchanged, changed, gone, endOfPast }: Undo,
  names: Names,
  separator = '\n',
): string {
  const parts = [
    `${importOf(names, job.time)}: ${counted(unchanged, 'testimonial')} would be erased for good.`,
    ...others({ changed, gone }),
    endOfPast !== undefined &&
      `They were the first testimonials here: what is later than ${endOfPast.slice(0, 10)} does not keep its times when it is imported then.`,
  ];
  return joined(parts, separator);
}

/** The question before it. */
export function undoQuestion(undo: Undo, names: Names): string {
  return `${undoText(undo, names, ' ')} Undo this import?`;
}

/** What an undo did. */
export function undoneText({ imported, erased, changed, gone }: UndoReport, names: Names): string {
  return joined([
    `${importOf(names, imported)}, is undone: ${counted(erased, 'testimonial')} erased.`,
    ...others({ changed, gone }),
    'The file can be imported again.',
  ]);
}

/** Said where nothing is left to do. */
export function undoneBeforeText(time: string, names: Names): string {
  return `${importOf(names, time)}, was undone before: nothing is left to do.`;
}

/** How an import that has just ended is undone; undefined where there is nothing to undo. */
export function undoHint(
  { good, wasImported, wasGivenUp }: ImportReport,
  { file, organization, dryRun }: Names & { dryRun: boolean },
): string | undefined {
  if (good === 0 || wasImported || wasGivenUp || dryRun) return undefined;
  return `Undo it by ${shellText(['import', file, '--organization', organization, '--undo'])}.`;
}

function importOf({ file, organization }: Names, time: string): string {
  return `${file}, imported into ${organization} on ${minuteOf(time)}`;
}

function others({ changed, gone }: Pick<Undo, 'changed' | 'gone'>): (string | false)[] {
  return [
    changed > 0 && `${counted(changed, 'was changed since and stays', 'were changed since and stay')}.`,
    gone > 0 && `${counted(gone, 'was', 'were')} erased before.`,
  ];
}
