/** How far long work is: a bar on a terminal, elsewhere a line every few seconds. */
import { Presets, SingleBar } from 'cli-progress';
import { counted } from './formatting.ts';
import type { ProgramIo } from './program-io.ts';

const lineEveryMs = 5000;

export interface Progress {
  /** @param total of the units, where it became known or has changed */
  to(done: number, total?: number): void;
  end(): void;
}

/**
 * Begins to show how far some work is.
 * @param work what is done, as in `Importing`
 * @param unit what is counted, as in `line`
 * @param total 0 where it is not known
 */
export function beginProgress(
  { barStream, printError, clock = Date.now }: Pick<ProgramIo, 'barStream' | 'printError' | 'clock'>,
  { work, unit, total }: { work: string; unit: string; total: number },
): Progress {
  if (barStream)
    return barOf(
      barStream,
      total > 0
        ? `${work} {bar} {percentage}% | {value} of {total} ${unit}s | {eta_formatted} left`
        : `${work} | {value} ${unit}s`,
      total,
    );
  let said = clock();
  let known = total;
  return {
    to(done, ofTotal = known) {
      known = ofTotal;
      if (clock() - said < lineEveryMs) return;
      said = clock();
      const of = known > 0 ? `${done.toLocaleString('en')} of ${counted(known, unit)}` : counted(done, unit);
      printError(`${work}: ${of}`);
    },
    end() {},
  };
}

/** @param seconds left, or a word of cli-progress where it cannot tell */
function timeLeft(seconds: number | string): string {
  if (typeof seconds === 'string') return '?';
  if (seconds < 60) return `${Math.ceil(seconds)}s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}

function barOf(stream: NodeJS.WriteStream, format: string, total: number): Progress {
  const bar = new SingleBar(
    {
      stream,
      format,
      hideCursor: true,
      clearOnComplete: true,
      stopOnComplete: false,
      formatValue: (value, _, type) =>
        type === 'value' || type === 'total' ? value.toLocaleString('en') : String(value),
      formatTime: timeLeft,
    },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  // A program that ends in the middle leaves the terminal with its cursor.
  const stop = () => bar.stop();
  process.once('exit', stop);
  return {
    to(done, ofTotal) {
      if (ofTotal !== undefined) bar.setTotal(ofTotal);
      bar.update(done);
    },
    end() {
      process.off('exit', stop);
      stop();
    },
  };
}

export type StepProgress<Step> = (done: number, total: number, step: Step) => void;

/**
 * Does work that has several steps, beside a bar for each.
 * @param work is given what tells how far it is, and what takes the bar away before something else is printed or asked
 */
export async function withStepProgress<Step extends string, Result>(
  io: Pick<ProgramIo, 'barStream' | 'printError' | 'clock'>,
  steps: Record<Step, { work: string; unit: string }>,
  work: (progress: StepProgress<Step>, clear: () => void) => Promise<Result>,
): Promise<Result> {
  let shown: { step: Step; progress: Progress } | undefined;
  const clear = () => {
    shown?.progress.end();
    shown = undefined;
  };
  try {
    return await work((done, total, step) => {
      if (shown?.step !== step) {
        clear();
        shown = { step, progress: beginProgress(io, { ...steps[step], total }) };
      }
      shown.progress.to(done, total);
    }, clear);
  } finally {
    clear();
  }
}

/** Said where a load waits before it is indexed. */
export const waitingText =
  'Waiting for another rebuild of the index to end; one that was killed is given up after two minutes';

/** The steps of storing many testimonials. */
export const loadSteps = {
  stored: { work: 'Storing', unit: 'testimonial' },
  indexed: { work: 'Indexing', unit: 'testimonial' },
};
