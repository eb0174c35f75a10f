/** What the operator's command line reads and writes beside the table. */
import { once } from 'node:events';
import { createInterface, emitKeypressEvents } from 'node:readline';
import { styleText } from 'node:util';

/** Where the program writes, and the environment variables that it reads; tests pass their own. */
export interface ProgramIo {
  print: (line: string) => void;
  printError: (line: string) => void;
  /** Prints text as it is; done once it is taken. */
  write: (text: string) => Promise<void>;
  variables: NodeJS.ProcessEnv;
  /** Who sits at the terminal; absent where input or output goes elsewhere. */
  person?: Person;
  /** Waits for what the index function does; tests have a clock of their own. */
  sleep?: (milliseconds: number) => Promise<unknown>;
  /** By which lines of progress are told and lists are limited; tests have one of their own, which stands still. */
  clock?: () => number;
  /** Where a bar can be drawn; absent where it would be printed line after line. */
  barStream?: NodeJS.WriteStream;
}

/** A colour or another format of a text, or several. */
export type Format = Parameters<typeof styleText>[0];

/** A person at a terminal. */
export interface Person {
  /** Columns that the terminal has. */
  columns: () => number;
  /** Colours a text; not where NO_COLOR is set. */
  style: (format: Format, text: string) => string;
  /** Asks a question; the answer is one line, empty at the end of input. */
  ask: (question: string) => Promise<string>;
  /**
   * Keys as they are pressed, by their names (`return`, `y`); Ctrl-C is `ctrl-c`. A key that is pressed while nobody
   * waits for one is no answer to what is asked next: only Ctrl-C is remembered.
   */
  keys: () => AsyncGenerator<string, void, undefined>;
}

/** The terminal, or whatever else this process is connected with. */
export function processIo(): ProgramIo {
  const { stdin, stdout, stderr } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    // Whoever reads it has enough, as `head` has.
    process.exit(0);
  });
  return {
    print: console.log,
    printError: console.error,
    write: (text) =>
      new Promise((resolve, reject) => {
        stdout.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    variables: process.env,
    ...(stdin.isTTY && stdout.isTTY && { person: personAt(stdin, stdout) }),
    ...(stderr.isTTY && { barStream: stderr }),
  };
}

const interrupt = 'ctrl-c';

/** The person at these two streams, which are a terminal. */
export function personAt(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): Person {
  return {
    // Some terminals do not tell.
    columns: () => stdout.columns || 80,
    style: (format, text) => styleText(format, text, { stream: stdout }),
    async ask(question) {
      const lines = createInterface({ input: stdin, output: stdout });
      try {
        const answered = new Promise<string>((resolve) => lines.question(question, resolve));
        // Ctrl-C and Ctrl-D are no answer.
        return await Promise.race([answered, once(lines, 'close').then(() => '')]);
      } finally {
        lines.close();
      }
    },
    async *keys() {
      emitKeypressEvents(stdin);
      stdin.setRawMode(true);
      stdin.resume();
      let wake: ((key: string | undefined) => void) | undefined;
      let isInterrupted = false;
      const onKey = (text: string | undefined, { name, ctrl }: { name?: string; ctrl?: boolean }) => {
        const key = ctrl ? `ctrl-${name}` : (name ?? text ?? '');
        const waiting = wake;
        wake = undefined;
        if (waiting) waiting(key);
        else isInterrupted ||= key === interrupt;
      };
      const onEnd = () => wake?.(undefined);
      stdin.on('keypress', onKey);
      stdin.on('end', onEnd);
      try {
        while (!isInterrupted && !stdin.readableEnded) {
          const key = await new Promise<string | undefined>((resolve) => {
            wake = resolve;
          });
          if (key === undefined) return;
          yield key;
        }
        if (isInterrupted) yield interrupt;
      } finally {
        stdin.off('keypress', onKey);
        stdin.off('end', onEnd);
        stdin.setRawMode(false);
        stdin.pause();
      }
    },
  };
}
