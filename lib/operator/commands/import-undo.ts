/** The operator's command `import --undo`. */
import type { CommandContext } from '../command-context.ts';
import { leavesWords } from '../erase/erase-testimonials.ts';
import { readWhole } from '../files/whole-file.ts';
import { noUndoText, type UndoNames, undoneBeforeText, undoneText, undoText } from '../import/report.ts';
import { findUndoable, lookAtUndo, undoImport } from '../import/undo-import.ts';
import type { Session } from '../session.ts';
import { confirm } from '../terminal/interruptible.ts';
import { longWork } from '../terminal/progress.ts';
import { showRemoval } from './erase.ts';

/** Undoes the last import of a file, or the one of an id, once the operator has seen what that erases. */
export async function undoImported(
  { io, show }: CommandContext,
  session: Session,
  names: UndoNames,
  { dryRun, yes }: { dryRun: boolean; yes: boolean },
): Promise<void> {
  const { organization } = session;
  const what = 'file' in names ? await readWhole(names.file) : names;
  const found = await findUndoable(session, organization, what);
  if (!found) {
    await session.warnOfUnknown();
    throw new Error(noUndoText(names));
  }
  const undo = await longWork(io, 'Nothing was erased.', ({ progress }) =>
    lookAtUndo({ ...session, progress }, organization, found),
  );
  if (found.job.state === 'undone') {
    show({ organization, dryRun, ...undo }, () => undoneBeforeText(undo, names));
    // An earlier run may have been stopped while it waited for that.
    if (!dryRun && (await leavesWords(session, organization))) await showRemoval(io, session);
    return;
  }
  if (dryRun) return show({ organization, dryRun, ...undo }, () => undoText(undo, names));
  await confirm(io, `${undoText(undo, names, ' ')} Undo this import?`, yes);
  const done = await longWork(io, 'Run it again: it goes on, and what is erased stays so.', (attendance) =>
    undoImport({ ...session, ...attendance }, organization, found),
  );
  show({ organization, dryRun, ...done }, () => undoneText(done, names));
  if (done.erased > 0 || (await leavesWords(session, organization))) await showRemoval(io, session);
}
