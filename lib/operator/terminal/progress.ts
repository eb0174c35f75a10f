/** The progress of long work: a bar on a terminal, elsewhere a line every few seconds. */
import { Presets, SingleBar } from 'cli-progress';
import { counted } from './formatting.ts';
import { interruptible, type RunStoppable } from './interruptible.ts';
import type { ProgramIo } from './program-io.ts';

const lineEveryMs = 5000;

/** A part of long work, such as `Storing`, and the unit that it counts. */
interface Phase {
  work: string;
  unit: string;
}

type ProgressIo = Pick<ProgramIo, 'barStream' | 'printError' | 'clock'>;

export function showProgress({ barStream, printError, clock = Date.now }: ProgressIo) {
  let shown: { work: string; printedAt: number; bar: SingleBar | undefined } | undefined;
  const end = () => {
    process.off('exit', end);
    shown?.bar?.stop();
    shown = undefined;
  };
  const begin = (phase: Phase, total: number) => {
    end();
    // A bar hides the cursor. This restores it even if the program ends early.
    if (barStream) process.once('exit', end);
    return { work: phase.work, printedAt: clock(), bar: barStream && barOf(barStream, phase, total) };
  };
  return {
    /**
     * Shows the progress of a phase. Each phase gets its own bar.
     * @param total 0 if unknown
     */
    to(phase: Phase, done: number, total: number) {
      if (shown?.work !== phase.work) shown = begin(phase, total);
      const { bar, printedAt } = shown;
      bar?.setTotal(total);
      bar?.update(done);
      if (bar || clock() - printedAt < lineEveryMs) return;
      shown.printedAt = clock();
      const { work, unit } = phase;
      const progress =
        total > 0 ? `${done.toLocaleString('en')} of ${counted(total, unit)}` : counted(done, unit);
      printError(`${work}: ${progress}`);
    },
    /** Removes the bar, before something else is printed. */
    end,
  };
}

function barOf(stream: NodeJS.WriteStream, { work, unit }: Phase, total: number): SingleBar {
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

/** @param seconds remaining, or a word of cli-progress if it cannot estimate them */
function timeLeft(seconds: number | string): string {
  if (typeof seconds === 'string') return '?';
  if (seconds < 60) return `${Math.ceil(seconds)}s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}

/** The phases of long work. */
const phases = {
  checked: { work: 'Checking', unit: 'line' },
  compared: { work: 'Comparing', unit: 'testimonial' },
  stored: { work: 'Storing', unit: 'testimonial' },
  indexed: { work: 'Indexing', unit: 'testimonial' },
  previewed: { work: 'Reading', unit: 'testimonial' },
  changed: { work: 'Changing', unit: 'testimonial' },
  erased: { work: 'Erasing', unit: 'testimonial' },
  cleared: { work: 'Removing words from the indexes', unit: 'organization' },
  exported: { work: 'Exporting', unit: 'testimonial' },
  pacing: { work: 'Waiting for the index to catch up with', unit: 'change' },
} as const satisfies Record<string, Phase>;

type PhaseName = keyof typeof phases;

/** Callbacks of long work, which reports its progress and protects parts of it from a stop. */
interface CommandCallbacks {
  runStoppable: RunStoppable;
  sleep: ProgramIo['sleep'];
  /** @param total 0 if unknown */
  progress: (done: number, total: number, phase: PhaseName) => void;
  /** Prints that another process must first finish a rebuild. */
  onOtherRebuild: () => void;
}

/**
 * Runs long work with a bar for each of its phases. A signal stops it as in `interruptible`.
 * @param stoppedAdvice the advice to print after a signal
 */
export function longWork<Result>(
  io: ProgressIo & Pick<ProgramIo, 'sleep'>,
  stoppedAdvice: string,
  work: (callbacks: CommandCallbacks) => Promise<Result>,
): Promise<Result> {
  const shown = showProgress(io);
  return interruptible(io, stoppedAdvice, (runStoppable) =>
    work({
      runStoppable,
      sleep: io.sleep,
      progress: (done, total, phase) => shown.to(phases[phase], done, total),
      onOtherRebuild() {
        shown.end();
        io.printError('Waiting for another rebuild to end. If it was killed, that takes up to two minutes.');
      },
    }).finally(shown.end),
  );
}
