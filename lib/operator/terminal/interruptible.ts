/** What a person can stop or refuse: work that takes long, and what cannot be undone. */
import { constants } from 'node:os';
import type { Person, ProgramIo } from './program-io.ts';

// Ctrl-C, the wish of another program, and a terminal that was closed.
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

type EndingSignal = (typeof endingSignals)[number];

// npm may pass on what the terminal has told its children already.
const sameKeyMs = 1000;

/** A signal came, and what was to come to an end has. */
export class Stopped extends Error {
  /** As shells have it. */
  readonly exitCode: number;

  constructor(signal: EndingSignal, whatNext: string) {
    super(`Stopped. ${whatNext}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Does work that a signal to the program aborts, and lets it come to an end: it throws `Stopped` then. */
export type LetEnd = <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;

/**
 * Does work that takes long. A signal ends the program with a line that says what is done and what to do next: at once, but for
 * what is done by `letEnd`, which a second one ends, too.
 * @throws {Stopped} from what `letEnd` let come to an end
 */
export async function interruptible<Result>(
  io: Pick<ProgramIo, 'printError'>,
  whatNext: string,
  work: (letEnd: LetEnd) => Promise<Result>,
): Promise<Result> {
  let ending: AbortController | undefined;
  let since = 0;
  const stop = (signal: EndingSignal) => {
    const stopped = new Stopped(signal, whatNext);
    if (ending && !ending.signal.aborted) {
      since = performance.now();
      io.printError('Stopping once what is being written is written; another signal stops at once.');
      return ending.abort(stopped);
    }
    if (ending && performance.now() - since <= sameKeyMs) return;
    // Once a bar, which ends with the program too, is gone.
    process.once('exit', () => io.printError(stopped.message));
    process.exit(stopped.exitCode);
  };
  const letEnd: LetEnd = async (part) => {
    ending = new AbortController();
    const { signal } = ending;
    try {
      return await part(signal);
    } finally {
      ending = undefined;
      // Whatever the part made of it.
      signal.throwIfAborted();
    }
  };
  for (const signal of endingSignals) process.on(signal, stop);
  try {
    return await work(letEnd);
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
  if (!(await agrees(person, question))) throw new Error('Nothing was done.');
}

/** Asks a question. Only a clear yes is one. */
export async function agrees(person: Person, question: string): Promise<boolean> {
  const answer = (await person.ask(`${question} [y/N] `)).trim().toLowerCase();
  return answer === 'y' || answer === 'yes';
}
