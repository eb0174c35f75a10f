/** What a person can stop or refuse: work that takes long, and what cannot be undone. */
import { constants } from 'node:os';
import type { Person, ProgramIo } from './program-io.ts';

// Ctrl-C, the wish of another program, and a terminal that was closed.
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

type EndingSignal = (typeof endingSignals)[number];

// npm may pass on what the terminal has told its children already.
const sameKeyMs = 1000;

/** Does work that a signal to the program aborts, and lets it come to an end before the program does. */
export type LetEnd = <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;

/**
 * Does work that takes long. A signal ends the program with a line that says what is done and what to do next: at once, but for
 * what is done by `letEnd`, which a second one ends, too.
 */
export async function interruptible<Result>(
  io: Pick<ProgramIo, 'printError'>,
  whatNext: string | (() => string),
  work: (letEnd: LetEnd) => Promise<Result>,
): Promise<Result> {
  const exit = ({ exitCode }: Stopped) => {
    const next = typeof whatNext === 'string' ? whatNext : whatNext();
    // Once a bar, which ends with the program too, is gone.
    process.once('exit', () => io.printError(`Stopped. ${next}`));
    process.exit(exitCode);
  };
  let ending: AbortController | undefined;
  let since = 0;
  const stop = (signal: EndingSignal) => {
    const stopped = new Stopped(signal);
    if (!ending) return exit(stopped);
    if (!ending.signal.aborted) {
      since = performance.now();
      ending.abort(stopped);
      io.printError('Stopping once what is being written is written; another signal stops at once.');
    } else if (performance.now() - since > sameKeyMs) exit(stopped);
  };
  const letEnd: LetEnd = async (part) => {
    ending = new AbortController();
    const { signal } = ending;
    try {
      return await part(signal);
    } finally {
      ending = undefined;
      if (signal.aborted) exit(signal.reason);
    }
  };
  for (const signal of endingSignals) process.on(signal, stop);
  try {
    return await work(letEnd);
  } finally {
    for (const signal of endingSignals) process.off(signal, stop);
  }
}

/** A signal came while there was something to clear away. */
export class Stopped extends Error {
  /** As shells have it. */
  readonly exitCode: number;

  constructor(signal: EndingSignal) {
    super(`Stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/**
 * Does work that has something to clear away when it ends. The first signal aborts it by `Stopped`, so that it goes on with that;
 * another one ends the program with a line that says what is left.
 */
export async function stoppable<Result>(
  io: Pick<ProgramIo, 'printError'>,
  whatIsLeft: () => string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stopping = new AbortController();
  let since = 0;
  const stop = (signal: EndingSignal) => {
    const stopped = new Stopped(signal);
    if (!stopping.signal.aborted) {
      since = performance.now();
      stopping.abort(stopped);
    } else if (performance.now() - since > sameKeyMs) {
      process.once('exit', () => io.printError(`Stopped. ${whatIsLeft()}`));
      process.exit(stopped.exitCode);
    }
  };
  for (const signal of endingSignals) process.on(signal, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const signal of endingSignals) process.off(signal, stop);
  }
}

/**
 * Asks whether to do what cannot be undone, or is much.
 * @param yes true where a script has consented already
 * @throws when nobody can be asked, or the answer is no
 */
export async function confirm({ person }: ProgramIo, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!person) throw new Error(`${question} Nobody is at the terminal to say so: take --yes.`);
  if (!(await answersYes(person, question))) throw new Error('Nothing was done.');
}

/** Asks a question; what is not clearly yes is no. */
export async function answersYes(person: Person, question: string): Promise<boolean> {
  const answer = (await person.ask(`${question} [y/N] `)).trim().toLowerCase();
  return answer === 'y' || answer === 'yes';
}
