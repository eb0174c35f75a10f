/** Texts of testimonials as a terminal may be given them: anybody wrote them. */
import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';

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

/**
 * Breaks the lines of a text so that none is wider than so many columns: between words, or within one that is wider.
 */
export function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => linesOf(line, width))
    .join('\n');
}

function linesOf(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  let used = 0;
  const add = (piece: string) => {
    if (used > 0 && used + stringWidth(withoutEnd(piece)) > width) {
      lines.push(withoutEnd(current));
      current = '';
      used = 0;
    }
    current += piece;
    used += stringWidth(piece);
  };
  // Each word with the space behind it.
  for (const word of line.split(/(?<= )(?! )/)) {
    if (stringWidth(withoutEnd(word)) <= width) add(word);
    else for (const { segment } of new Intl.Segmenter().segment(word)) add(segment);
  }
  return [...lines, withoutEnd(current)];
}

/** Without the spaces at its end; other white space was written on purpose. */
function withoutEnd(text: string): string {
  return text.replace(/ +$/, '');
}
