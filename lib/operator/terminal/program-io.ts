/** The input and output of the command line. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';

/** The program's output, environment variables and clock. Tests pass their own. */
export interface ProgramIo {
  print: (line: string) => void;
  printError: (line: string) => void;
  /** Writes text unchanged. Resolves once the stream accepts more. */
  write: (text: string) => Promise<void>;
  variables: NodeJS.ProcessEnv;
  /** Absent if the input or the output is not a terminal. */
  terminal?: Terminal;
  sleep?: (milliseconds: number) => Promise<unknown>;
  /** The time limit of the first contact with a DynamoDB. */
  contactMs?: number;
  /** The clock of progress lines and of the time limit of lists. */
  clock?: () => number;
  /** The stream for progress bars; absent if it is not a terminal. */
  barStream?: NodeJS.WriteStream;
}

export type TextStyle = Parameters<typeof styleText>[0];

/** A person at a terminal. */
export interface Terminal {
  columns: () => number;
  /** Colors a text, unless NO_COLOR is set. */
  style: (format: TextStyle, text: string) => string;
  /** Returns the answer: one line, empty at the end of input. */
  ask: (question: string) => Promise<string>;
}

/**
 * Returns the input and output of this process.
 * @param onUnread called if the reader of standard output, such as `head`, has closed it
 */
export function processIo(onUnread: () => void = () => process.exit(0)): ProgramIo {
  const { stdin, stdout, stderr } = process;
  // The type assumes a terminal, but output to a file is not a Socket.
  const { fd } = stdout;
  return {
    ...(stdout instanceof Socket ? streamOutput(stdout, onUnread) : fileOutput(fd)),
    printError: console.error,
    variables: process.env,
    ...(stdin.isTTY && stdout.isTTY && { terminal: personAt(stdin, stdout) }),
    ...(stderr.isTTY && { barStream: stderr }),
  };
}

type Output = Pick<ProgramIo, 'print' | 'write'>;

/** A terminal or a pipe. A failed write is reported later and ends the program. */
function streamOutput(stdout: Socket, onUnread: () => void): Output {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return onUnread();
    console.error(writeFailure(error));
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

/** A file. On a full disk, Node's own stream would lose text silently. */
function fileOutput(descriptor: number): Output {
  const write = (text: string) => {
    try {
      writeFileSync(descriptor, text);
    } catch (error) {
      throw new Error(writeFailure(error as Error)); // the call throws nothing else
    }
  };
  return { print: (line) => write(`${line}\n`), write: async (text) => write(text) };
}

function writeFailure({ message }: Error): string {
  return `Cannot write to standard output: ${message}`;
}

export function personAt(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): Terminal {
  return {
    // Some terminals report no width.
    columns: () => stdout.columns || 80,
    style: (format, text) => styleText(format, text, { stream: stdout }),
    async ask(question) {
      const lines = createInterface({ input: stdin, output: stdout });
      try {
        const answered = new Promise<string>((resolve) => lines.question(question, resolve));
        // Ctrl-C and Ctrl-D close the interface.
        return await Promise.race([answered, once(lines, 'close').then(() => '')]);
      } finally {
        lines.close();
      }
    },
  };
}
