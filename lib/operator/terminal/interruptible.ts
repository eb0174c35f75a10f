/** Questions before a change, and signals that stop long work. */
import { constants } from 'node:os';
import type { ProgramIo } from './program-io.ts';

// Ctrl-C, a request of another program, and a closed terminal.
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

type EndingSignal = (typeof endingSignals)[number];

// The terminal sends Ctrl-C to npm and to this process, and npm may forward it.
const sameKeyMs = 1000;

/** A signal has arrived, and the work that had to finish first has ended. */
export class Stopped extends Error {
  /** 128 plus the signal's number, like in shells. */
  readonly exitCode: number;

  constructor(signal: EndingSignal, advice: string) {
    super(`Stopped. ${advice}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/**
 * Runs work that must not stop in the middle of a write. A signal aborts its `AbortSignal`; once the work has
 * returned, throws `Stopped`.
 */
export type RunStoppable = <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;

/**
 * Runs long work. A signal ends the program at once with a line of advice, but lets work within
 * `runStoppable` end first. A second signal also stops that work.
 * @param stoppedAdvice the advice
 * @throws {Stopped} if a signal arrived during `runStoppable`
 */
export async function interruptible<Result>(
  io: Pick<ProgramIo, 'printError'>,
  stoppedAdvice: string,
  work: (runStoppable: RunStoppable) => Promise<Result>,
): Promise<Result> {
  let ending: AbortController | undefined;
  let since = 0;
  const stop = (signal: EndingSignal) => {
    const stopped = new Stopped(signal, stoppedAdvice);
    if (ending && !ending.signal.aborted) {
      since = performance.now();
      io.printError('Stopping after the current write. Another signal stops at once.');
      return ending.abort(stopped);
    }
    if (ending && performance.now() - since <= sameKeyMs) return;
    // A bar is removed on exit, before this line.
    process.once('exit', () => io.printError(stopped.message));
    process.exit(stopped.exitCode);
  };
  const runStoppable: RunStoppable = async (part) => {
    ending = new AbortController();
    const { signal } = ending;
    try {
      return await part(signal);
    } finally {
      ending = undefined;
      // An aborted part may have returned normally.
      signal.throwIfAborted();
    }
  };
  for (const signal of endingSignals) process.on(signal, stop);
  try {
    return await work(runStoppable);
  } finally {
    for (const signal of endingSignals) process.off(signal, stop);
  }
}

/**
 * Asks for confirmation of a large or final change.
 * @param yes true to skip the question
 * @throws if there is no terminal, or the answer is no
 */
export async function confirm({ terminal }: ProgramIo, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!terminal) throw new Error(`${question} To answer yes, add --yes.`);
  const answer = (await terminal.ask(`${question} [y/N] `)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new Error('Cancelled. Nothing was changed.');
}
