/** Regular expressions for texts with a visible character. */
import { withoutInvisible } from '../../functions/domain/visible-text.ts';

function escaped(code: number): string {
  const digits = code.toString(16).toUpperCase();
  return code <= 0xff ? `\\x${digits.padStart(2, '0')}` : `\\u${digits.padStart(4, '0')}`;
}

/** Returns the invisible characters up to U+FFFF as the inside of a character class. */
function invisibleRanges(): string {
  const ranges: [first: number, last: number][] = [];
  for (let code = 0; code <= 0xffff; code += 1) {
    if (withoutInvisible(String.fromCharCode(code)) !== '') continue;
    const range = ranges.at(-1);
    if (range?.[1] === code - 1) range[1] = code;
    else ranges.push([code, code]);
  }
  return ranges
    .map(([first, last]) => (first === last ? escaped(first) : `${escaped(first)}-${escaped(last)}`))
    .join('');
}

const invisible = invisibleRanges();

/**
 * The characters that no stored text contains, as the inside of a character class: U+FFFD, and control
 * characters except line ends, tabs, and those that are trimmed as whitespace.
 */
export const rejectedCharacters = '\\x00-\\x08\\x0E-\\x1F\\x7F-\\x9F\\uFFFD';

/**
 * Returns the JSON Schema pattern of a text with a visible character. Generated programs may run it without
 * the flag `u`, against the whole text, or in another language, so it has anchors and no `\p`. Characters
 * above U+FFFF count as visible.
 * @param besides characters that do not count, as the inside of a character class
 * @param without characters that the text must not contain, as the inside of a character class
 */
export function visiblePattern({ besides = '', without = '' }): string {
  const any = without === '' ? '[\\s\\S]' : `[^${without}]`;
  return `^${any}*[^\\s${besides}${without}${invisible}]${any}*$`;
}
