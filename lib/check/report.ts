/** Prints a line for each suite as soon as it ends, with the rules that failed. */
import {
  columnGap,
  counted,
  displayed,
  joined,
  jsonText,
  maxWidth,
} from '../operator/terminal/formatting.ts';
import type { ProgramIo } from '../operator/terminal/program-io.ts';
import { showProgress } from '../operator/terminal/progress.ts';
import { type Capability, type Rule, rulesOf, type Suite } from './contract/suite.ts';
import { type OptionalPart, partsText } from './optional-parts.ts';

interface Row {
  rule: string;
  held: boolean;
  /** The unexpected value, or a remark if the rule passed. */
  seen?: string | undefined;
}

/** The result of a check. */
export interface Outcome {
  name: string;
  url: string;
  /** The optional parts that the deployment has. */
  found: readonly OptionalPart[];
  rules: (Row & { suite: string })[];
  held: number;
  /** Rules that need another kind of check. */
  skipped: number;
  requests: number;
  /** Requests that had to wait for a retry. */
  waits: number;
  milliseconds: number;
}

export type Report = ReturnType<typeof beginReport>;

/** The capabilities without which a check skips rules, as the report names them. */
const needed: Record<Exclude<Capability, 'process'>, string> = {
  gateway: 'API Gateway',
  origin: '--origin',
  moderation: 'moderation',
  'no moderation': 'no moderation',
  pages: 'pages',
  'no pages': 'no pages',
  desk: 'a desk',
  media: 'photos and recordings',
};

/** Begins a report on these suites. With `isJson`, prints nothing before the end. */
export function beginReport(
  io: ProgramIo,
  { name, url, isJson, suites }: { name: string; url: string; isJson: boolean; suites: readonly Suite[] },
) {
  const { clock = Date.now, terminal, printError } = io;
  const rows: Outcome['rules'] = [];
  const progress = showProgress(io);
  const count = suites.flatMap(({ rules }) => rules.flatMap(rulesOf)).length;
  const begin = clock();
  let skipped = 0;
  let found: readonly OptionalPart[] = [];
  let printedAt = Number.NEGATIVE_INFINITY;
  const print = (line: string) => {
    if (!isJson) io.print(displayed(line));
  };
  return {
    /** Prints which optional parts the deployment has. */
    find(parts: readonly OptionalPart[]): void {
      found = parts;
      print(`${partsText(parts)}\n`);
    },
    isHeld: () => rows.every(({ held }) => held),
    add(suite: Suite, row: Row): void {
      rows.push({ suite: suite.name, ...row });
      progress.to({ work: 'Checking', unit: 'rule' }, rows.length, count);
    },
    /** @param unrun the rules of the suite that need another kind of check */
    endSuite(suite: Suite, unrun: readonly Rule[]): void {
      skipped += unrun.length;
      progress.end();
      const own = rows.filter((row) => row.suite === suite.name);
      const line = suiteLine(suite, own, unrun, maxWidth(suites.map((each) => each.name)));
      const isHeld = own.every(({ held }) => held);
      print(terminal?.style(isHeld ? 'green' : 'red', line) ?? line);
      for (const { rule, held, seen } of own) {
        if (!held) print(`${columnGap}${rule}\n${indented(seen)}`);
        else if (seen !== undefined) print(`${columnGap}${rule}: ${seen}`);
      }
    },
    /** Prints the reason that requests wait, at most once a second. */
    wait(why: string, seconds: number): void {
      if (clock() - printedAt >= 1000) printError(`${why}: waiting ${seconds} s`);
      printedAt = clock();
    },
    /** Prints the result as the last line, or everything as JSON. */
    end(counts: Pick<Outcome, 'requests' | 'waits'>): void {
      progress.end();
      const held = rows.filter((row) => row.held).length;
      const outcome = {
        name,
        url,
        found,
        rules: rows,
        held,
        skipped,
        ...counts,
        milliseconds: clock() - begin,
      };
      if (isJson) io.print(jsonText(outcome));
      else print(`\n${outcomeText(outcome, count)}`);
    },
  };
}

function suiteLine({ name }: Suite, rows: readonly Row[], skipped: readonly Rule[], width: number): string {
  const held = rows.filter((row) => row.held).length;
  const verdict = held === rows.length ? (held > 0 ? 'passed' : '–') : 'FAILED';
  const countOf = (need: string) => skipped.filter(({ needs }) => needs === need).length;
  const elsewhere = Object.entries(needed).map(([need, name]) => {
    const count = countOf(need);
    return count > 0 && `${count} ${count === 1 ? 'needs' : 'need'} ${name}`;
  });
  const onlyInTests = countOf('process');
  const cells = [
    verdict.padEnd('passed'.length),
    name.padEnd(width),
    joined(
      [
        rows.length > 0 && `${held} of ${rows.length}`,
        onlyInTests > 0 && `${onlyInTests} only in npm test`,
        ...elsewhere,
      ],
      ', ',
    ),
  ];
  return cells.join(columnGap);
}

const indented = (text = '') => text.replace(/^/gm, columnGap.repeat(2));

function outcomeText(
  { rules, held, skipped, requests, waits, milliseconds }: Outcome,
  count: number,
): string {
  const notPlayed = count - skipped - rules.length;
  return joined(
    [
      `${held} of ${counted(rules.length, 'rule')} passed`,
      notPlayed > 0 && `${notPlayed} not checked`,
      skipped > 0 && `${skipped} skipped`,
      counted(requests, 'request'),
      waits > 0 && `${waits} had to wait`,
      `${Math.round(milliseconds / 1000).toLocaleString('en')} s`,
    ],
    ', ',
  );
}
