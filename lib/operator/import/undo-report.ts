/** What the operator is told of an undo. */
import { counted, joined, minuteOf, shellText } from '../terminal/formatting.ts';
import { type ImportJob, idOfImport, isClaimed, type NamedImport } from './import-job.ts';
import type { ImportReport } from './import-report.ts';
import type { Undo, Undoable } from './undo-import.ts';

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

/** The question before it. */
export function undoQuestion(undo: Undo, names: UndoNames): string {
  return `${undoText(undo, names, ' ')} Undo this import?`;
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
export function undoCommand(name: string, organization: string): string {
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
