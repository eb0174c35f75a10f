/** How texts are folded before they are compared, and split into words. Whoever changes that adds a line to domain/terms.ts. */

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

/**
 * The most letters that a text becomes when it is folded, in code points: twice as many as the longest has. One character can
 * become eighteen. Texts that become more are refused; of those that were stored before, the words behind are not found.
 */
export const mostLetters = 20_000;

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
  return Array.from(startsIn(foldedText(text)), ({ of, at }) => firstLetters(of.slice(at), maxWordLength));
}

/** Tells of a beginning that a search has whether a word of a text `begins` so, or the letters are `inside` of it, or `nowhere`. */
export type WordFinder = (beginning: string) => 'begins' | 'inside' | 'nowhere';

/** Returns the finder of a text, which is split only where its letters do not tell. */
export function wordFinder(text: string): WordFinder {
  const folded = foldedText(text);
  const spaced = ` ${folded.replaceAll('\n', ' ')}`;
  let starts: Start[] | undefined;
  return (beginning) => {
    if (spaced.includes(` ${beginning}`)) return 'begins';
    if (!folded.includes(beginning)) return 'nowhere';
    starts ??= Array.from(startsIn(folded));
    return starts.some(({ of, at }) => of.startsWith(beginning, at)) ? 'begins' : 'inside';
  };
}

/**
 * The different words of a search. Each asks for one or more beginnings: a run of letters of a script without spaces
 * for each of its pairs, any other word for itself.
 */
export function wordsOfSearch(search: string): string[][] {
  const found = new Map<string, string[]>();
  for (const piece of piecesOf(foldedText(search))) {
    if ('word' in piece) found.set(piece.word, [firstLetters(piece.word, maxWordLength)]);
    else found.set(piece.run.join(''), piece.run.length === 1 ? piece.run : pairsOf(piece.run));
  }
  return [...found.values()];
}

/** A place where a word begins: what it is a part of, and where there. */
interface Start {
  of: string;
  at: number;
}

function* startsIn(folded: string): Generator<Start, void, undefined> {
  for (const piece of piecesOf(folded)) {
    if ('run' in piece) {
      for (const of of [...pairsOf(piece.run), ...piece.run.slice(-1)]) yield { of, at: 0 };
    } else {
      for (const { index } of piece.word.matchAll(part)) yield { of: piece.word, at: index };
    }
  }
}

type Piece = { word: string } | { run: string[] };

// Words end there in any case (UAX #29, WB3a and WB3b), as at the ends of a text. No text has one, which is a control character.
const hardBreak = '\f';

function* piecesOf(folded: string): Generator<Piece, void, undefined> {
  wordSegmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  const runs = (folded.match(unspacedRun) ?? []).values();
  // All at once: to begin with each piece anew takes many times as long.
  for (const { segment } of wordSegmenter.segment(folded.replace(unspacedRun, hardBreak))) {
    if (segment === hardBreak) {
      yield { run: Array.from(runs.next().value ?? '') };
      continue;
    }
    const begin = segment.search(letterOrDigit);
    // An underscore can stand before the first letter.
    if (begin >= 0) yield { word: segment.slice(begin) };
  }
}

/** The pairs of neighbours in a run. */
function pairsOf(letters: readonly string[]): string[] {
  return letters.slice(1).map((letter, i) => `${letters[i]}${letter}`);
}

/** A text as it is split. */
function foldedText(text: string): string {
  return firstLetters(foldText(text), mostLetters).replaceAll(hardBreak, '\n');
}

/** The first letters of a text. None is read beyond: of a long word there are as many parts. */
function firstLetters(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let letters = 0; letters < count && end < text.length; letters += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
