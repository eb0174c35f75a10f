/** How texts are folded before they are compared, and split into words. Whoever changes that adds a line to term-rules.ts. */

/**
 * Folds case only: two texts that differ in nothing but case fold to the same text.
 * Lower, upper, lower: so that ẞ, ß and ss fold to the same (Unicode full case folding, UAX #44).
 */
export function foldCase(text: string): string {
  const folded = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll('ς', 'σ').normalize('NFC');
}

const printableAscii = /^[ -~]*$/;

// Unicode decomposes these no further; æ, œ, þ as dictionaries sort them. ß and ı are folded with case.
const plainLetters: Record<string, string> = {
  ...{ ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', ø: 'o', ŋ: 'n' },
  ...{ æ: 'ae', œ: 'oe', þ: 'th' },
};
const decorated = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

const apostrophes = /[\u2018\u2019\u02BC\u2032]/g;

/**
 * Folds case, accents, compatibility forms (full width, ligatures) and apostrophes. Only marks shared between scripts
 * are removed, and not the Japanese voicing marks: these, like the vowel signs of Devanagari or Thai, tell letters
 * apart.
 */
export function foldText(text: string): string {
  // Most texts, many times faster.
  if (printableAscii.test(text)) return text.toLowerCase();
  const unaccented = text.normalize('NFKD').replace(/(?=\p{M})(?![\u3099\u309A])\p{Script=Inherited}/gu, '');
  return foldCase(unaccented)
    .replace(decorated, (letter) => plainLetters[letter] ?? letter)
    .replace(apostrophes, "'");
}

/** Longest word kept, in code points: as long as the longest search, so that cutting loses no match. */
export const maxWordLength = 200;

// Letters of scripts that put no spaces between words.
const unspacedRun =
  /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{M}\p{Nl}]]+/gv;

const letterOrDigit = /[\p{L}\p{N}]/u;
// A part of a word, from its first letter or digit on.
const part = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

// Made when it is first needed: it loads the data of all languages.
let wordSegmenter: Intl.Segmenter | undefined;

/**
 * The folded words of a text that a search can begin, with repetitions. A text is split at Unicode word boundaries
 * (UAX #29). A word with punctuation inside, as `node.js`, is a word from each of its parts on: `node.js`, `js`. A run
 * of letters of a script without spaces is its pairs of neighbours, and its last letter.
 */
export function wordsOfText(text: string): string[] {
  const found: string[] = [];
  for (const piece of piecesOf(text)) {
    if ('run' in piece) {
      found.push(...pairsOf(piece.run));
      found.push(...piece.run.slice(-1));
    } else {
      for (const { index } of piece.word.matchAll(part)) found.push(cut(piece.word.slice(index)));
    }
  }
  return found;
}

/**
 * The different words of a search. Each asks for one or more beginnings: a run of letters of a script without spaces
 * for each of its pairs, any other word for itself.
 */
export function wordsOfSearch(search: string): string[][] {
  const found = new Map<string, string[]>();
  for (const piece of piecesOf(search)) {
    if ('word' in piece) found.set(piece.word, [cut(piece.word)]);
    else found.set(piece.run.join(''), piece.run.length === 1 ? piece.run : pairsOf(piece.run));
  }
  return [...found.values()];
}

type Piece = { word: string } | { run: string[] };

function* piecesOf(text: string): Generator<Piece, void, undefined> {
  const folded = foldText(text);
  let end = 0;
  for (const { index, 0: run } of folded.matchAll(unspacedRun)) {
    yield* spacedWordsOf(folded.slice(end, index));
    yield { run: Array.from(run) };
    end = index + run.length;
  }
  yield* spacedWordsOf(folded.slice(end));
}

function* spacedWordsOf(text: string): Generator<Piece, void, undefined> {
  if (text === '') return;
  wordSegmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  for (const { segment } of wordSegmenter.segment(text)) {
    const begin = segment.search(letterOrDigit);
    // An underscore can stand before the first letter.
    if (begin >= 0) yield { word: segment.slice(begin) };
  }
}

/** The pairs of neighbours in a run. */
function pairsOf(letters: readonly string[]): string[] {
  return letters.slice(1).map((letter, i) => `${letters[i]}${letter}`);
}

function cut(word: string): string {
  if (word.length <= maxWordLength) return word;
  // A code point has two units at most: what is behind twice as many is cut in any case.
  return Array.from(word.slice(0, 2 * maxWordLength))
    .slice(0, maxWordLength)
    .join('');
}
