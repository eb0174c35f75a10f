/** Random texts of all characters. */
import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

const character = fc
  .nat(0x10ffff - surrogates.count)
  .map((point) => String.fromCodePoint(point < surrogates.first ? point : point + surrogates.count));

/**
 * Well-formed texts of any characters, assigned or not. The unit `binary` of fast-check has the same
 * characters, but first builds a table of them, which takes each suite a second.
 */
export function anyText(maxLength = 10): fc.Arbitrary<string> {
  return fc.string({ unit: character, maxLength });
}
