/** The operator's command `testimonial erase --replay`: erasures that a restored backup has undone, done again. */
import { forEachAtOnce } from '../../../functions/concurrency.ts';
import type { Erased } from '../../../functions/operations/attempts.ts';
import { eraseTestimonial } from '../../../functions/operations/erase-testimonial.ts';
import type { CommandContext } from '../command-context.ts';
import { type Erasures, readErasures } from '../erase/read-erasures.ts';
import { awaitErased } from '../erase/remove-words.ts';
import { readWhole } from '../files/whole-file.ts';
import { paceOf } from '../load/pace.ts';
import type { Operator } from '../session.ts';
import { counted } from '../terminal/formatting.ts';
import { confirm } from '../terminal/interruptible.ts';
import { type Attendance, longWork } from '../terminal/progress.ts';

/** Erases again what a file names, in all of its organizations. */
export async function eraseFromFile(
  { io, show, withOperator }: CommandContext,
  file: string,
  yes: boolean,
): Promise<void> {
  const { bytes } = await readWhole(file);
  const erasures = readErasures(bytes.toString(), file);
  const total = [...erasures.values()].reduce((sum, { size }) => sum + size, 0);
  if (total === 0) return show([], () => `Nothing to do: ${file} names no erased testimonial.`);
  const what = `${counted(total, 'testimonial')} of ${counted(erasures.size, 'organization')}`;
  await withOperator(async (operator) => {
    await confirm(io, `Erase ${what} again in the table ${operator.table.name}, as ${file} says?`, yes);
    const replayed = await longWork(io, 'Run it again: what is erased already stays so.', (attendance) =>
      replayErasures({ ...operator, ...attendance }, erasures),
    );
    show(replayed, () => outcomeText(replayed));
    io.printError('Next: index rebuild --all.');
  });
}

interface Replayed {
  organization: string;
  id: string;
  /** `already`: the backup was made after the erasure, or this was run before. `absent`: it was made before the create. */
  outcome: Erased['kind'];
}

/**
 * Erases what is there of some testimonials, then sees each of their organizations through. It can be stopped anywhere, and
 * be repeated.
 */
async function replayErasures(deps: Operator & Attendance, erasures: Erasures): Promise<Replayed[]> {
  const { progress } = deps;
  const all = [...erasures].flatMap(([organization, ids]) => {
    const pace = paceOf(deps, organization);
    return Array.from(ids, (id) => ({ organization, id, pace }));
  });
  const replayed: Replayed[] = [];
  await forEachAtOnce(all, async ({ organization, id, pace }) => {
    await pace(1);
    const { kind } = await eraseTestimonial(deps, organization, id);
    replayed.push({ organization, id, outcome: kind });
    progress(replayed.length, all.length, 'erased');
  });
  let cleared = 0;
  await forEachAtOnce(erasures.keys(), async (organization) => {
    await awaitErased(deps, organization, deps.sleep);
    cleared += 1;
    progress(cleared, erasures.size, 'cleared');
  });
  return replayed;
}

function outcomeText(replayed: readonly Replayed[]): string {
  const { done = [], already = [], absent = [] } = Object.groupBy(replayed, ({ outcome }) => outcome);
  return [
    ...done.map(({ organization, id }) => `${id} of ${organization} erased`).toSorted(),
    `${counted(done.length, 'testimonial')} erased; ${already.length.toLocaleString('en')} gone already; ` +
      `${absent.length.toLocaleString('en')} never there: created after the backup`,
  ].join('\n');
}
