/** The operator's command `import --undo`. */
import type { CommandContext } from '../command-context.ts';
import { leavesWords } from '../erasure/await-erased.ts';
import { findUndoStep, lookAtUndo, refuseUndo, undoImport } from '../import/undo-import.ts';
import { undoneBeforeText, undoneText, undoQuestion, undoText } from '../import/undo-report.ts';
import type { Session } from '../session.ts';
import { confirm, interruptible } from '../terminal/interruptible.ts';
import { withStepProgress } from '../terminal/progress.ts';
import { takeWordsOut } from './take-words-out.ts';

export interface UndoOptions {
  file: string;
  dryRun: boolean;
  yes: boolean;
}

const steps = {
  looked: { work: 'Looking', unit: 'testimonial' },
  erased: { work: 'Erasing', unit: 'testimonial' },
};

/** Undoes the last import of a file, once the operator has seen what that erases. */
export async function undoFile(
  { io, show }: CommandContext,
  session: Session,
  { file, dryRun, yes }: UndoOptions,
): Promise<void> {
  const { organization } = session;
  const names = { file, organization };
  const step = await findUndoStep(session, organization, file);
  if (step.kind === 'refuse') {
    await session.warnOfUnknown();
    return refuseUndo(step, names);
  }
  if (step.kind === 'end') {
    const { time } = step.of.job;
    show({ organization, dryRun, imported: time, erased: 0 }, () => undoneBeforeText(time, names));
    // Of a run that was stopped while it waited for that.
    if (!dryRun && (await leavesWords(session, organization))) await takeWordsOut(io, session);
    return;
  }
  const undo = await interruptible(io, 'Nothing was erased.', () =>
    withStepProgress(io, steps, (progress) => lookAtUndo({ ...session, progress }, organization, step.of)),
  );
  const { unchanged, changed, gone, job } = undo;
  if (dryRun) {
    const numbers = { imported: job.time, erased: unchanged, changed, gone };
    return show({ organization, dryRun, ...numbers }, () => undoText(undo, names));
  }
  await confirm(io, undoQuestion(undo, names), yes);
  const report = await interruptible(io, 'Run it again: it goes on, and what is erased stays so.', () =>
    withStepProgress(io, steps, (progress) => undoImport({ ...session, progress }, organization, undo)),
  );
  show({ organization, dryRun, ...report }, () => undoneText(report, names));
  if (report.erased > 0 || (await leavesWords(session, organization))) await takeWordsOut(io, session);
}
