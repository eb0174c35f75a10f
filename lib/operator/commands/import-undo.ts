/** The operator's command `import --undo`. */
import type { CommandContext } from '../command-context.ts';
import { leavesWords } from '../erasure/await-erased.ts';
import { noUndoText, undoneBeforeText, undoneText, undoText } from '../import/report.ts';
import { findUndoStep, lookAtUndo, type Undoable, undoImport } from '../import/undo-import.ts';
import type { Session } from '../session.ts';
import { confirm } from '../terminal/interruptible.ts';
import { longWork } from '../terminal/progress.ts';
import { takeWordsOut } from './erase.ts';

/** Undoes the last import of a file, or the one of an id, once the operator has seen what that erases. */
export async function undo(
  { io, show }: CommandContext,
  session: Session,
  what: Undoable,
  { dryRun, yes }: { dryRun: boolean; yes: boolean },
): Promise<void> {
  const { organization } = session;
  const names = { ...what, organization };
  const step = await findUndoStep(session, organization, what);
  if (step.kind === 'refuse') {
    await session.warnOfUnknown();
    throw new Error(noUndoText(names));
  }
  if (step.kind === 'end') {
    const { time } = step.of.job;
    show({ organization, dryRun, imported: time, erased: 0 }, () => undoneBeforeText(time, names));
    // An earlier run may have been stopped while it waited for that.
    if (!dryRun && (await leavesWords(session, organization))) await takeWordsOut(io, session);
    return;
  }
  const found = await longWork(io, 'Nothing was erased.', ({ progress }) =>
    lookAtUndo({ ...session, progress }, organization, step.of),
  );
  if (dryRun) return show({ organization, dryRun, ...found }, () => undoText(found, names));
  await confirm(io, `${undoText(found, names, ' ')} Undo this import?`, yes);
  const done = await longWork(io, 'Run it again: it goes on, and what is erased stays so.', (attendance) =>
    undoImport({ ...session, ...attendance }, organization, step.of),
  );
  show({ organization, dryRun, ...done }, () => undoneText(done, names));
  if (done.erased > 0 || (await leavesWords(session, organization))) await takeWordsOut(io, session);
}
