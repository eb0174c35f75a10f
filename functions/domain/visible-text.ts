/** The visible part of texts, and the comparison of labels such as tags. Browsers load this file, too. */

// Characters that Unicode lets programs ignore: soft hyphens, joiners, directions, fillers (UAX #44). The
// blank Braille pattern is not one of them, but is invisible, too.
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800]/u;
const visible = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Returns a text without its invisible characters. The script of forms calls this function, so it must not
 * use a method that a page can replace.
 */
export function withoutInvisible(text: string): string {
  if (!invisible.exec(text)) return text;
  let visible = '';
  for (const character of text) if (!invisible.exec(character)) visible += character;
  return visible;
}

/** True if a text has no visible characters. */
export function isBlank(text: string): boolean {
  return !visible.exec(text);
}

/**
 * Folds case only. Lower, upper, lower again makes ẞ, ß and ss fold to the same text (Unicode full case
 * folding, UAX #44).
 */
export function foldCase(text: string): string {
  const folded = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll('ς', 'σ').normalize('NFC');
}

/**
 * Folds a label such as a tag. Labels that differ only in case or invisible characters fold to the same text.
 * A change needs a new line in `termRules` (terms.ts).
 */
export function foldLabel(label: string): string {
  return foldCase(withoutInvisible(label));
}
