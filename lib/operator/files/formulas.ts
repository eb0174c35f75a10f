/**
 * Text that a spreadsheet would run as a formula, made harmless by an apostrophe before each sign that begins one: at the
 * start, and behind all that a reader may split cells at, whatever this file separates them by (OWASP, CSV Injection:
 * https://owasp.org/www-community/attacks/CSV_Injection). Quotes and spaces between do not help: some readers take them
 * away. Apostrophes count as such, so that one more of them can be told apart, and an import finds every text as it was.
 */
// Looks back from where a formula's sign stands, and from nowhere else.
const formula = String.raw`(?=[=+\-@\t\r＝＋－＠])(?<=(?:^|[,;\t\r\n\|])[[\s"']--[\t\r\n]]*)`;
const begins = new RegExp(formula, 'gv');
const defused = new RegExp(`'${formula}`, 'gv');

export function defuse(text: string): string {
  return text.replace(begins, "'");
}

/** The text as it was before it was defused. */
export function fuse(text: string): string {
  return text.replace(defused, '');
}
