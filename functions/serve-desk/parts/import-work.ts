/** Imports and undoes within the time of a request. The remaining work continues with the next request. */
import { setTimeout as wait } from 'node:timers/promises';
import { areEqual, type LoadRefusal, LoadRefused, type WorkCallbacks } from '../../domain/loads.ts';
import { counted } from '../../domain/wording.ts';
import { importStepMs } from '../../timing.ts';
import type { Desk } from './desk.ts';
import { BadForm } from './forms.ts';
import type { StepProgress, StepRequest, StepResponses } from './import-step.ts';

/**
 * Carries out a step of an import.
 * @throws {BadForm} if the import was undone in the meantime
 * @throws {LoadRefused} if the lines cannot be stored now
 */
export async function performStep(
  desk: Desk,
  step: StepRequest,
): Promise<StepResponses[StepRequest['step']]> {
  if (step.step === 'find') {
    const unended = await desk.loads.toContinue(step.hash);
    return { ...(unended && { unended }) };
  }
  const { fingerprint, hash, title, mapping } = step;
  const at = 'at' in step ? step.at : undefined;
  const load = await desk.loads.open(fingerprint, hash, { title, mapping, at });
  const { id, earlier } = load;
  // After an undo, the same file would begin a new import.
  if ('id' in step && step.id !== id) throw new BadForm(undoneMeanwhileText);
  // Each step opens the load again, and `store` checks again, with the comparison that the browser sends.
  switch (step.step) {
    case 'open':
      return { id, at: load.at, ...(earlier && { earlier }) };
    case 'compare': {
      const until = desk.now().getTime() + importStepMs;
      const options = { until, ...(step.before && { comparedSoFar: step.before }) };
      return load.compare(step.lines, noProgress, options);
    }
    case 'check': {
      const { lines, asNew, compared: alreadyStored } = step;
      const { result } = await load.check(lines, { asNew, alreadyStored }, noProgress);
      return { result };
    }
    case 'store': {
      const { lines, asNew, compared: alreadyStored } = step;
      const checked = await load.check(lines, { asNew, alreadyStored }, noProgress);
      const rejected = checked.result.rejected.map(({ index }) => index);
      // If a testimonial has arrived since the check, more lines may be too late for the history.
      if (!areEqual(rejected, step.rejected))
        throw new LoadRefused({ why: 'created meanwhile', organization: desk.organization });
      return withinStep((work) => checked.store(step.which, work));
    }
  }
}

const undoneMeanwhileText =
  'This import was undone in another window. To import the file again, choose it again.';

const noProgress = { progress: () => {} };

/**
 * Runs work that can be stopped and continued, for as long as one request may take. Returns its result or its
 * progress.
 */
export async function withinStep<Result>(
  doWork: (work: WorkCallbacks) => Promise<Result>,
): Promise<{ result: Result } | { progress: StepProgress }> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), importStepMs);
  const { signal } = stop;
  let progress: StepProgress = { done: 0, total: 0, phase: 'stored' };
  try {
    const result = await doWork({
      progress: (done, total, phase) => {
        progress = { done, total, phase };
      },
      sleep: (milliseconds) => wait(milliseconds, undefined, { signal }),
      runStoppable: async (part) => {
        const ended = await part(signal);
        // A rebuild that was stopped returns normally.
        signal.throwIfAborted();
        return ended;
      },
    });
    return { result };
  } catch (error) {
    if (!signal.aborted || Object(error).name !== 'AbortError') throw error;
    return { progress };
  } finally {
    clearTimeout(timer);
  }
}

type Why = LoadRefusal['why'];

/** The reason that an import or an undo was refused, with advice. */
const refusals: { [W in Why]: (refusal: Extract<LoadRefusal, { why: W }>) => string } = {
  busy: () =>
    'This file is still being stored, by this page or another window. This page continues automatically within two minutes.',
  'being undone': () => 'The import of this file is being undone. Wait for that to finish.',
  'other load': () =>
    'Another import has not finished. Reload this page, and finish or undo it in the list of imports. If it is not there, choose its file again, or ask your administrator.',
  'taken over': () => 'Another window has continued this import.',
  'created meanwhile': () =>
    'A new testimonial arrived while you imported. Nothing was stored. Check the file again.',
  'other version': () =>
    'This service was updated since the import began. Undo that import, then import the file again.',
  'unreadable load': () =>
    'An import began with another version of this service. Ask your administrator to finish it.',
  'unreadable positions': () =>
    'Another version of this service has imported here. Ask your administrator to import this file.',
  'no room': ({ missing }) =>
    `There is no room for ${counted(missing, 'testimonial')} between earlier imports of similar dates. Nothing was stored. To import everything with today’s date, select “Ignore the dates”.`,
  'position taken': () => 'Something went wrong while storing. Ask your administrator to run “index verify”.',
};

/** Returns the sentence about a refusal for the person at the desk. */
export function refusalText(refusal: LoadRefusal): string {
  // TypeScript does not know that the text belongs to the refusal.
  return refusals[refusal.why](refusal as never);
}
