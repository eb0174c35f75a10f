/** The text of a file, some whole lines at a time: whatever its encoding and line ends are, they are dealt with here. */
import { isUtf8 } from 'node:buffer';

const newline = 0x0a;
const byteOrderMark = '\ufeff';

// In memory at once. What is longer is no text of testimonials.
const longestLine = 16 * 1024 * 1024;

/**
 * Reads the bytes of a file in UTF-8, with or without a byte order mark. Each piece ends with a line, and lines with a newline; the
 * last may have none. The memory that it takes does not grow with the file.
 * @param name of the file
 * @param onBytes told how many bytes were read so far
 * @throws when the file is no text in UTF-8: what is shown of it would be wrong
 */
export async function* textOf(
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
  name: string,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<string, void, undefined> {
  let lines = 0;
  let bytesRead = 0;
  let rest: Buffer[] = [];
  const decoded = (some: Buffer) => {
    if (!isUtf8(some)) {
      const line = lines + firstInvalidLine(some);
      throw new Error(`Line ${line} of ${name} is not UTF-8: save the file as UTF-8, then import it.`);
    }
    const all = some.toString('utf8');
    const text = lines === 0 && all.startsWith(byteOrderMark) ? all.slice(1) : all;
    const unixText = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    lines += breaksIn(unixText);
    return unixText;
  };
  for await (const chunk of bytes) {
    bytesRead += chunk.length;
    onBytes(bytesRead);
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) {
      yield decoded(Buffer.concat([...rest, chunk.subarray(0, end)]));
      rest = [];
    }
    rest.push(chunk.subarray(end));
    if (lengthOf(rest) > longestLine) {
      throw new Error(`Line ${lines + 1} of ${name} is longer than 16 MB: is that a file of testimonials?`);
    }
  }
  if (lengthOf(rest) > 0) yield decoded(Buffer.concat(rest));
}

function lengthOf(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}

/** Line breaks in a text. */
export function breaksIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function firstInvalidLine(bytes: Buffer): number {
  let line = 1;
  for (let begin = 0; begin < bytes.length; line += 1) {
    const end = bytes.indexOf(newline, begin) + 1 || bytes.length;
    if (!isUtf8(bytes.subarray(begin, end))) return line;
    begin = end;
  }
  return line;
}
