/** Texts of testimonials as a terminal may be given them: anybody wrote them. */
import cliTruncate from 'cli-truncate';

// What moves the cursor, reverses what stands beside it, or breaks a line unseen. No text with a control character is
// stored; nothing here rests on that.
const unsafe = /[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--[\n\t]]/gv;

/** The text with a sign in place of each character that would do something to the terminal; lines stay lines. */
export function displayed(text: string): string {
  return text.replaceAll('\t', '    ').replace(unsafe, '\uFFFD');
}

/** The text on one line. */
export function oneLine(text: string): string {
  return displayed(text).replace(/\s+/g, ' ').trim();
}

/** The beginning of a text that stands on one line of so many columns. */
export function beginning(text: string, width: number): string {
  return cliTruncate(text, width);
}
