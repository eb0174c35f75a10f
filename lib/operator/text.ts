/** Numbers and tables as the command line prints them. */

/** A number and what it counts: `1 request`, `20,001 requests`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
}

/**
 * Columns under each other.
 * @param alignments of the columns: `start` where absent
 */
export function columns(rows: readonly string[][], alignments: readonly ('start' | 'end')[] = []): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const cell = (text: string, column: number) =>
    alignments[column] === 'end' ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
}
