/** The lines of a file in another order than they stand there, however many they are. */
import { closeSync, readSync } from 'node:fs';
import { appendTo, unnamedFile } from '../files/unnamed-file.ts';
import type { NumberedLine } from './check-file.ts';

/**
 * Gives lines in an order, numbered by it.
 * @param lines in the order of the file
 * @param order the numbers that they have there; that of the file where it is absent
 */
export async function* linesInOrder(
  lines: AsyncIterable<NumberedLine>,
  order: Uint32Array | undefined,
): AsyncGenerator<NumberedLine, void, undefined> {
  if (!order || order.every((line, i) => line === i)) {
    yield* lines;
    return;
  }
  const file = unnamedFile();
  try {
    const begins = new Float64Array(order.length + 1);
    for await (const { number, imported } of lines) {
      const text = Buffer.from(JSON.stringify(imported));
      appendTo(file, text);
      begins[number + 1] = (begins[number] ?? 0) + text.length;
    }
    for (const [number, line] of order.entries()) {
      const [begin = 0, end = 0] = begins.subarray(line, line + 2);
      const text = Buffer.alloc(end - begin);
      readSync(file, text, 0, text.length, begin);
      yield { number, imported: JSON.parse(text.toString()) };
    }
  } finally {
    closeSync(file);
  }
}
