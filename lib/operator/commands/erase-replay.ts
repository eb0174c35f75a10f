/** The operator's command `testimonial erase --replay`: erasures that a restored backup has undone, done again. */
import type { CommandContext } from '../command-context.ts';
import { readErasures } from '../erasure/read-erasures.ts';
import { type Replayed, replayErasures } from '../erasure/replay-erasures.ts';
import { readWhole } from '../files/whole-file.ts';
import { counted } from '../terminal/formatting.ts';
import { confirm } from '../terminal/interruptible.ts';
import { longWork } from '../terminal/progress.ts';

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

function outcomeText(replayed: readonly Replayed[]): string {
  const of = (wanted: Replayed['outcome']) => replayed.filter(({ outcome }) => outcome === wanted);
  const erased = of('done').map(({ organization, id }) => `${id} of ${organization} erased`);
  const absent = of('absent').length;
  return [
    ...erased.toSorted(),
    `${counted(erased.length, 'testimonial')} erased; ${of('already').length.toLocaleString('en')} gone already; ` +
      `${absent.toLocaleString('en')} never there: created after the backup`,
  ].join('\n');
}
