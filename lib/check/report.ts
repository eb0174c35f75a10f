/** What a check prints: a row as soon as it is known, so that the table tells how far it is. */

import { counted, gap, joined, jsonText, oneLine, widest } from '../operator/terminal/formatting.ts';
import type { ProgramIo } from '../operator/terminal/program-io.ts';
import type { Chapter } from './deployment.ts';

export interface Row {
  heading: string;
  name: string;
  held: boolean;
  /** Instead of what was expected; or what is worth knowing though it held. */
  seen?: string;
  milliseconds: number;
}

export interface Report {
  add: (row: Row) => void;
  readonly rows: readonly Row[];
  /** How many rows there are to be. */
  readonly checks: number;
}

const verdicts = { true: 'held', false: 'NOT HELD' };
const timeWidth = '100,000 ms'.length;

/** Begins to print a table; with `isJson` nothing is printed before the end. */
export function beginReport(
  { print, person }: ProgramIo,
  chapters: readonly Chapter[],
  { isJson }: { isJson: boolean },
): Report {
  const names = chapters.flatMap(({ checks }) => checks.map(({ name }) => name));
  const nameWidth = widest(names);
  const verdictWidth = widest(Object.values(verdicts));
  const rows: Row[] = [];
  return {
    rows,
    checks: names.length,
    add(row) {
      const { heading, name, held, seen = '', milliseconds } = row;
      const isNew = rows.at(-1)?.heading !== heading;
      rows.push(row);
      if (isJson) return;
      if (isNew) print(`\n${person?.style('bold', heading) ?? heading}`);
      const verdict = verdicts[`${held}`].padEnd(verdictWidth);
      const time = `${Math.round(milliseconds).toLocaleString('en')} ms`.padStart(timeWidth);
      const cells = [
        person?.style(held ? 'green' : 'red', verdict) ?? verdict,
        name.padEnd(nameWidth),
        time,
        oneLine(seen),
      ];
      print(cells.join(gap).trimEnd());
    },
  };
}

/** What the whole came to. */
export interface Outcome {
  organization: string;
  url: string;
  rows: readonly Row[];
  /** Of all checks. */
  checks: number;
  milliseconds: number;
  /** How often a request was asked to come again later. */
  waits: number;
}

/** What stands behind the table: how many held, as the last line; or all of it as JSON. */
export function outcomeText(outcome: Outcome, { isJson }: { isJson: boolean }): string {
  const { rows, checks, milliseconds, waits } = outcome;
  const held = rows.filter((row) => row.held).length;
  if (isJson) return jsonText({ ...outcome, held });
  const notHeld = rows.length - held;
  const parts = [
    `${held} of ${checks} held`,
    notHeld > 0 && `${notHeld} did not`,
    checks > rows.length && `${checks - rows.length} not played`,
    waits > 0 && `${counted(waits, 'request')} had to wait`,
    `${Math.round(milliseconds / 1000).toLocaleString('en')} s`,
  ];
  return `\n${joined(parts, ', ')}`;
}
