/**
 * Folds texts for comparison and splits them into words. A change to either needs a new line in `termRules`
 * (terms.ts).
 */
import { foldCase, withoutInvisible } from './visible-text.ts';

const printableAscii = /^[ -~]*$/;

// Unicode does not decompose these letters. æ, œ and þ fold as dictionaries sort them; foldCase handles ß and
// ı.
const plainLetters: Record<string, string> = {
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ø: 'o',
  ŋ: 'n',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};
const decorated = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

// Typographic forms, and the Hebrew geresh and gershayim that Macs and phones write.
const apostrophes = /[\u2018\u2019\u02BC\u2032\u05F3]/g;
const quotes = /[\u201C-\u201F\u05F4]/g;

// Marks that scripts share, points of Hebrew and Arabic, and tatweel, which only stretches a word. Japanese
// voicing marks and the vowel signs of Devanagari or Thai stay, because they distinguish letters.
const ignoredMarks =
  /[[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]]--[\u3099\u309A]]|\u0640/gv;

// Single Hangul letters (compatibility jamo), also in half width. Decomposed, they would join the syllable
// before.
const [firstJamo, lastJamo] = [0x3131, 0x318e];
const halfWidthJamo = /[\uFFA1-\uFFDC]/g;
const allButJamo = /[^\u3131-\u318E]+/g;
const jamoOfForm = new Map(
  Array.from({ length: lastJamo - firstJamo + 1 }, (_, i) => {
    const jamo = String.fromCharCode(firstJamo + i);
    return [jamo.normalize('NFKD'), jamo];
  }),
);

/** Returns a text in compatibility form, decomposed (NFKD, UAX #15), but keeps single Hangul letters. */
function decomposed(text: string): string {
  return text
    .replace(halfWidthJamo, (jamo) => jamoOfForm.get(jamo.normalize('NFKD')) ?? jamo)
    .replace(allButJamo, (others) => others.normalize('NFKD'));
}

/**
 * Folds case, accents, points, compatibility forms (full width, ligatures), apostrophes and quotes, and
 * removes invisible characters.
 */
export function foldText(text: string): string {
  // A shortcut for most texts, and many times faster.
  if (printableAscii.test(text)) return text.toLowerCase();
  // A blank Braille pattern separates words.
  const visible = withoutInvisible(text.replaceAll('\u2800', ' '));
  return foldCase(decomposed(visible).replace(ignoredMarks, ''))
    .replace(decorated, (letter) => plainLetters[letter] ?? letter)
    .replace(apostrophes, "'")
    .replace(quotes, '"');
}

/**
 * The maximum code points of a folded text: twice the longest text, because one character can fold to
 * eighteen. Creates reject texts that become longer. In texts stored before that rule, lists do not find
 * words beyond the limit.
 */
export const maxLetters = 20_000;

/** The maximum code points of a word: as many as a search may have, so that cutting a word loses no match. */
export const maxWordLength = 200;

// Letters of scripts without spaces between words.
const unspacedRun =
  /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{M}\p{Nl}]]+/gv;

const letterOrDigit = /[\p{L}\p{N}]/u;
// The lookbehind prevents quadratic time for a long run of underscores elsewhere.
const finalUnderscores = /(?<!\p{Pc})\p{Pc}+$/u;
const part = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

// Created on first use, because it loads the data of all languages.
let wordSegmenter: Intl.Segmenter | undefined;

/**
 * Returns the folded words of a text, with repetitions. Words end at Unicode word boundaries (UAX #29). A
 * word with punctuation inside also yields its ending from each part on: `node.js` and `js`. A run of a
 * script without spaces becomes its pairs of neighbouring letters and its last letter.
 */
export function wordsOfText(text: string): string[] {
  return Array.from(startsIn(foldedText(text)), ({ piece, at }) =>
    firstLetters(piece.slice(at), maxWordLength),
  );
}

/**
 * Returns `begins` if a word of the text begins with the letters, `inside` if the text contains them
 * elsewhere.
 */
export type WordFinder = (beginning: string) => 'begins' | 'inside' | 'nowhere';

/** Returns the finder of a text. The finder splits the text only if a plain comparison cannot decide. */
export function wordFinder(text: string): WordFinder {
  const folded = foldedText(text);
  const spaced = ` ${folded.replaceAll('\n', ' ')}`;
  let starts: Start[] | undefined;
  return (beginning) => {
    if (spaced.includes(` ${beginning}`)) return 'begins';
    if (!folded.includes(beginning)) return 'nowhere';
    starts ??= Array.from(startsIn(folded));
    return starts.some(({ piece, at }) => piece.startsWith(beginning, at)) ? 'begins' : 'inside';
  };
}

/**
 * Returns the different words of a search, each as the beginnings that a text must have. A run of a script
 * without spaces becomes its pairs. Any other word is one beginning.
 */
export function wordsOfSearch(search: string): string[][] {
  const words = new Map<string, string[]>();
  for (const piece of piecesOf(foldedText(search))) {
    if ('word' in piece) words.set(piece.word, [firstLetters(piece.word, maxWordLength)]);
    else words.set(piece.run.join(''), piece.run.length === 1 ? piece.run : pairsOf(piece.run));
  }
  return [...words.values()];
}

/** The start of a word: an index in a piece of the text. */
interface Start {
  piece: string;
  at: number;
}

function* startsIn(folded: string): Generator<Start, void, undefined> {
  for (const piece of piecesOf(folded)) {
    if ('run' in piece) {
      for (const letters of [...pairsOf(piece.run), ...piece.run.slice(-1)]) yield { piece: letters, at: 0 };
    } else {
      for (const { index } of piece.word.matchAll(part)) yield { piece: piece.word, at: index };
    }
  }
}

type Piece = { word: string } | { run: string[] };

// A word always ends here (UAX #29, WB3a and WB3b). Texts cannot contain this control character.
const hardBreak = '\f';

function* piecesOf(folded: string): Generator<Piece, void, undefined> {
  wordSegmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  const runs = (folded.match(unspacedRun) ?? []).values();
  // One call for the whole text, because one call per piece takes many times as long.
  for (const { segment } of wordSegmenter.segment(folded.replace(unspacedRun, hardBreak))) {
    if (segment === hardBreak) {
      yield { run: Array.from(runs.next().value ?? '') };
      continue;
    }
    const begin = segment.search(letterOrDigit);
    // Underscores can precede the first letter and follow the last one.
    if (begin >= 0) yield { word: segment.slice(begin).replace(finalUnderscores, '') };
  }
}

function pairsOf(letters: readonly string[]): string[] {
  return letters.slice(1).map((letter, i) => `${letters[i]}${letter}`);
}

function foldedText(text: string): string {
  return firstLetters(foldText(text), maxLetters).replaceAll(hardBreak, '\n');
}

/**
 * Returns the first code points of a text. Reads no further, because a long word can have thousands of parts.
 */
function firstLetters(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let letters = 0; letters < count && end < text.length; letters += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
