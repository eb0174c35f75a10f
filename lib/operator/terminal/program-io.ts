/** What the operator's command line reads and writes beside the table. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
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
  /** How long a DynamoDB at an endpoint may take to answer first; tests have busy machines. */
  contactMs?: number;
  /** By which lines of progress are told and lists are limited; tests have one of their own, which stands still. */
  clock?: () => number;
  /** Where a bar can be drawn; absent where it would be printed line after line. */
  barStream?: NodeJS.WriteStream;
}

/** A colour or another style of a text, or several. */
export type TextStyle = Parameters<typeof styleText>[0];

/** A person at a terminal. */
export interface Person {
  /** Columns that the terminal has. */
  columns: () => number;
  /** Colours a text; not where NO_COLOR is set. */
  style: (format: TextStyle, text: string) => string;
  /** Asks a question; the answer is one line, empty at the end of input. */
  ask: (question: string) => Promise<string>;
}

/**
 * The terminal, or whatever else this process is connected with.
 * @param onUnread what is done where nobody reads what is printed, as `head` does once it has enough
 */
export function processIo(onUnread: () => void = () => process.exit(0)): ProgramIo {
  const { stdin, stdout, stderr } = process;
  // Where it goes to a file, it is no terminal, whatever its type says.
  const { fd } = stdout;
  return {
    ...(stdout instanceof Socket ? streamOutput(stdout, onUnread) : fileOutput(fd)),
    printError: console.error,
    variables: process.env,
    ...(stdin.isTTY && stdout.isTTY && { person: personAt(stdin, stdout) }),
    ...(stderr.isTTY && { barStream: stderr }),
  };
}

type Output = Pick<ProgramIo, 'print' | 'write'>;

/** A terminal or a pipe, which tells later that it takes no more: that ends the program. */
function streamOutput(stdout: Socket, onUnread: () => void): Output {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return onUnread();
    console.error(takesNoMore(error));
    process.exit(1);
  });
  return {
    print: console.log,
    write: (text) =>
      new Promise((resolve) => {
        stdout.write(text, (error) => {
          if (!error) resolve();
        });
      }),
  };
}

/** A file. Node's own stream would lose the rest of what a disk has no room for, in silence. */
function fileOutput(descriptor: number): Output {
  const write = (text: string) => {
    try {
      writeFileSync(descriptor, text);
    } catch (error) {
      throw new Error(takesNoMore(error as Error)); // all that the call throws
    }
  };
  return { print: (line) => write(`${line}\n`), write: async (text) => write(text) };
}

function takesNoMore({ message }: Error): string {
  return `Standard output takes no more: ${message}`;
}

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
  };
}
