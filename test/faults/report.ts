/** Prints the result of every work with every fault as a table. */

import { faultNames, faults } from './faults.ts';
import type { Cell } from './play.ts';

// The correct results of a lasting fault.
const unavailable = ['503', 'Throttled', 'redelivered', 'asked again'];

/** Returns the failed checks, and any result that a client must not get. */
export function wrong({ fault, isLasting, among, got, broken }: Cell): string[] {
  if (!isLasting || among || faults[fault].isOvercome)
    return got.isDone ? broken : [...broken, `got ${got.text}`];
  const isThrottled = fault === 'throttled' || fault === 'unprocessed';
  const isRight = isThrottled ? unavailable.includes(got.text) : !got.isDone && !/^[234]/.test(got.text);
  return isRight ? broken : [...broken, `got ${got.text}`];
}

/** Returns a row for each kind of call of each work, with the number of calls that were hit. */
export function tableOfCalls(cells: readonly Cell[]): string {
  const rows = Map.groupBy(cells, ({ work, call }) => `${work} › ${call.label}`);
  return tableOf(
    [...rows].map(([name, row]) => [
      `${name} ×${new Set(row.map(({ call }) => call.nth)).size}`,
      ...columns(row),
    ]),
  );
}

/** Returns a row for each work. */
export function tableOfWorks(cells: readonly Cell[]): string {
  const rows = Map.groupBy(cells, ({ work }) => work.replace(/^list: .*/, 'list, by every row plan'));
  return tableOf([...rows].map(([name, row]) => [name, ...columns(row)]));
}

function columns(row: readonly Cell[]): string[] {
  return faultNames.map((name) => {
    const cells = row.filter(({ fault }) => fault === name);
    const [once, lasting] = [false, true].map((isLasting) =>
      outcomes(cells.filter((each) => each.isLasting === isLasting)),
    );
    return cells.length === 0 ? '' : `${once} → ${lasting}`;
  });
}

function outcomes(cells: readonly Cell[]): string {
  const texts = cells.map((cell) => [cell.got.text, ...wrong(cell).map((each) => `✗ ${each}`)].join(' '));
  return [...new Set(texts)].toSorted().join(', ');
}

function tableOf(rows: string[][]): string {
  const all = [['', ...faultNames], faultNames.map(() => '---').concat('---'), ...rows];
  return all.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
