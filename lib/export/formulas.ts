/**
 * Text that a spreadsheet would run as a formula, made harmless by an apostrophe before it (OWASP, CSV injection). What
 * begins with apostrophes and goes on so gets one more, so that an import finds every text as it was.
 */
const formula = /^'*[=+\-@\t\r＝＋－＠]/;
const defused = /^'+[=+\-@\t\r＝＋－＠]/;

export function defuse(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell;
}

/** The text as it was before it was defused. */
export function fuse(cell: string): string {
  return defused.test(cell) ? cell.slice(1) : cell;
}
