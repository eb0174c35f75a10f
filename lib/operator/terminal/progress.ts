/** How far long work is: a bar on a terminal, elsewhere a line every few seconds. */
import { Presets, SingleBar } from 'cli-progress';
import { counted } from './formatting.ts';
import { interruptible, type LetEnd } from './interruptible.ts';
import type { ProgramIo } from './program-io.ts';

const lineEveryMs = 5000;

/** What is done, as in `Storing`, and what is counted, as in `line`. */
export interface Step {
  work: string;
  unit: string;
}

type ProgressIo = Pick<ProgramIo, 'barStream' | 'printError' | 'clock'>;

/** Begins to show how far some work is. */
export function showProgress({ barStream, printError, clock = Date.now }: ProgressIo) {
  let shown: { work: string; said: number; bar: SingleBar | undefined } | undefined;
  const end = () => {
    process.off('exit', end);
    shown?.bar?.stop();
    shown = undefined;
  };
  const begin = (step: Step, total: number) => {
    end();
    // A program that ends in the middle leaves the terminal with its cursor.
    if (barStream) process.once('exit', end);
    return { work: step.work, said: clock(), bar: barStream && barOf(barStream, step, total) };
  };
  return {
    /**
     * Tells how far a step is; another step than before has a bar of its own.
     * @param total 0 where it is not known
     */
    to(step: Step, done: number, total: number) {
      if (shown?.work !== step.work) shown = begin(step, total);
      const { bar, said } = shown;
      bar?.setTotal(total);
      bar?.update(done);
      if (bar || clock() - said < lineEveryMs) return;
      shown.said = clock();
      const { work, unit } = step;
      const of = total > 0 ? `${done.toLocaleString('en')} of ${counted(total, unit)}` : counted(done, unit);
      printError(`${work}: ${of}`);
    },
    /** Takes the bar away, before something else is printed or asked. */
    end,
  };
}

function barOf(stream: NodeJS.WriteStream, { work, unit }: Step, total: number): SingleBar {
  const format =
    total > 0
      ? `${work} {bar} {percentage}% | {value} of {total} ${unit}s | {eta_formatted} left`
      : `${work} | {value} ${unit}s`;
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
  return bar;
}

/** @param seconds left, or a word of cli-progress where it cannot tell */
function timeLeft(seconds: number | string): string {
  if (typeof seconds === 'string') return '?';
  if (seconds < 60) return `${Math.ceil(seconds)}s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}

/** The steps of long work, as every face tells them. */
export const steps = {
  checked: { work: 'Checking', unit: 'line' },
  compared: { work: 'Comparing', unit: 'testimonial' },
  stored: { work: 'Storing', unit: 'testimonial' },
  indexed: { work: 'Indexing', unit: 'testimonial' },
  looked: { work: 'Looking', unit: 'testimonial' },
  changed: { work: 'Changing', unit: 'testimonial' },
  erased: { work: 'Erasing', unit: 'testimonial' },
  cleared: { work: 'Taking the words out of the indexes', unit: 'organization' },
  exported: { work: 'Exporting', unit: 'testimonial' },
  pacing: { work: 'Waiting for the index to take up', unit: 'change' },
} as const satisfies Record<string, Step>;

export type StepName = keyof typeof steps;

/** What long work tells whoever waits for it, and what it lets come to an end. */
export interface Attendance {
  letEnd: LetEnd;
  sleep: ProgramIo['sleep'];
  /** @param total 0 where it is not known */
  progress: (done: number, total: number, step: StepName) => void;
  /** Says that somebody else's rebuild has to end first. */
  onOtherRebuild: () => void;
}

/**
 * Does work that takes long, beside a bar for each of its steps; a signal ends it as `interruptible` says.
 * @param whatNext what is done and what to do next, where it is stopped
 */
export function longWork<Result>(
  io: ProgressIo & Pick<ProgramIo, 'sleep'>,
  whatNext: string,
  work: (attendance: Attendance) => Promise<Result>,
): Promise<Result> {
  const shown = showProgress(io);
  return interruptible(io, whatNext, (letEnd) =>
    work({
      letEnd,
      sleep: io.sleep,
      progress: (done, total, step) => shown.to(steps[step], done, total),
      onOtherRebuild() {
        shown.end();
        io.printError(
          'Waiting for another rebuild to end; one that was killed is given up after two minutes',
        );
      },
    }).finally(shown.end),
  );
}
