/** The text of a file, whatever its encoding and line ends are. */
import { isUtf8 } from 'node:buffer';

const newline = 0x0a;
const byteOrderMark = '\ufeff';

/**
 * Decodes UTF-8, with or without a byte order mark; lines end with newlines.
 * @param file its name
 * @throws when the bytes are no text in UTF-8: what is shown of it would be wrong
 */
export function textOf(bytes: Buffer, file: string): string {
  if (!isUtf8(bytes)) {
    throw new Error(
      `Line ${firstInvalidLine(bytes)} of ${file} is not UTF-8: save the file as UTF-8, then import it.`,
    );
  }
  const all = bytes.toString('utf8');
  const text = all.startsWith(byteOrderMark) ? all.slice(1) : all;
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
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

/** Line breaks in a text. */
export function breaksIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
