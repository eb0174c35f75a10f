import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { limits } from '../../../functions/domain/testimonial.ts';
import { codePoints, text } from '../../../functions/domain/text.ts';
import { foldCase } from '../../../functions/domain/visible-text.ts';
import {
  foldText,
  maxLetters,
  maxWordLength,
  wordFinder,
  wordsOfSearch,
  wordsOfText,
} from '../../../functions/domain/words.ts';
import { anyText } from '../../any-text.ts';
import { isWhole, runsOf, someOf } from '../../some-of.ts';

const wellFormed = anyText();

/** Every assigned code point. Unassigned ones have no case and no other form. */
// They are treated alike, and are most of all characters.
const isAlike = (character: string) => /[\p{Script=Han}\p{Script=Hangul}]/u.test(character);

/** All characters; of ideographs and syllables each run plays others. */
const characters = Array.from({ length: 0x110000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((character) => !/[\p{Unassigned}\p{Private_Use}]/u.test(character))
  .filter((character) => isWhole || !isAlike(character) || Math.random() < 0.1);

const named = (character: string) => `${character} U+${character.codePointAt(0)?.toString(16)}`;

const isFoldedAsItsCases = (fold: (text: string) => string, each: string) =>
  [each.toLowerCase(), each.toUpperCase()].every((other) => fold(other) === fold(each));

test('codePoints counts the same as Array.from', () => {
  fc.assert(fc.property(wellFormed, (value) => codePoints(value) === Array.from(value).length));
});

describe('text', () => {
  const schema = text({ min: 2, max: 5 });
  const accepts = (value: unknown) => v.safeParse(schema, value).success;

  test.each([
    ['line breaks and tabs around', '\n\tab\r\n', 'ab'],
    ['Unicode spaces around', '\u3000\u00a0ab\ufeff', 'ab'],
    ['line ends of old Macs', 'a\rb\r\r', 'a\nb'],
  ])('normalizes %s', (_, given, kept) => {
    expect(v.parse(schema, given)).toBe(kept);
  });

  test('rejects every other control character', () => {
    const controls = [...Array(32).keys(), ...Array.from({ length: 33 }, (_, index) => 0x7f + index)]
      .map((point) => String.fromCharCode(point))
      .filter((character) => !'\n\t\r'.includes(character));
    expect(controls.filter((character) => accepts(`a${character}b`))).toEqual([]);
  });

  test('rejects the sign of a text that was read in a wrong encoding, with the reason', () => {
    const { issues: [issue] = [] } = v.safeParse(schema, 'Caf\ufffd');
    expect(issue?.message).toMatch(/^must not contain U\+FFFD, .* wrong encoding$/);
  });

  test('rejects an unpaired surrogate', () => {
    expect(['a\ud83db', 'a\ude00b', 'ab\ud83d'].filter(accepts)).toEqual([]);
  });

  describe('with ligatures of several letters', () => {
    const content = text({ min: 1, max: limits.content.max });
    // Each folds to eighteen letters.
    const ligature = '\ufdfa';

    test('accepts twice as many letters as characters, and rejects more with the reason', () => {
      expect(v.is(content, ligature.repeat(maxLetters / 18))).toBe(true);
      const { issues: [issue] = [] } = v.safeParse(content, ligature.repeat(Math.ceil(maxLetters / 18)));
      expect(issue?.message).toBe('must have at most 20,000 letters, counting each letter of a ligature');
    });

    test.each([
      ['Hangul, which is taken apart and put together again', '각'],
      ['a letter that becomes two', 'ß'],
      ['a ligature of two', 'æ'],
      ['an emoji', '😀'],
      ['Vietnamese', 'ệ'],
      ['Devanagari', 'क'],
      ['Thai with a vowel that is two signs', 'ำ'],
    ])('accepts the full length of %s', (_, letter) => {
      expect(v.is(content, letter.repeat(limits.content.max))).toBe(true);
    });

    test('no accepted text has more letters, for any character', () => {
      const most = characters.filter((character) => codePoints(foldText(character)) > 2);
      expect(most).toContain(ligature);
      for (const character of someOf(most)) {
        const long = character.repeat(limits.content.max);
        expect(wordsOfText(long).length).toBeLessThanOrEqual(maxLetters);
        expect([named(character), v.is(content, long)]).toEqual([named(character), false]);
      }
    });
  });

  test('is the same when it is normalized twice', () => {
    const anyLength = text({ min: 0, max: 1000 });
    fc.assert(
      fc.property(wellFormed, (value) => {
        const once = v.safeParse(anyLength, value);
        fc.pre(once.success);
        expect(v.parse(anyLength, once.output)).toBe(once.output);
      }),
    );
  });
});

describe('foldCase', () => {
  test.each([
    ['unites composed and decomposed letters', 'é', 'e\u0301', true],
    ['keeps an accent', 'resume', 'résumé', false],
    ['keeps full width', 'abc', 'ＡＢＣ', false],
  ])('%s', (_, a, b, isSame) => {
    expect(foldCase(a) === foldCase(b)).toBe(isSame);
  });

  test('folds every character to the same as its upper and its lower case', () => {
    expect(characters.filter((each) => !isFoldedAsItsCases(foldCase, each)).map(named)).toEqual([]);
  });

  test('changes no character when it folds it again', () => {
    expect(characters.filter((each) => foldCase(foldCase(each)) !== foldCase(each)).map(named)).toEqual([]);
  });
});

describe('foldText', () => {
  test.each([
    ['accents', 'Crème brûlée', 'creme brulee'],
    ['Vietnamese double accents', 'Việt Nam', 'viet nam'],
    ['ligatures', 'ﬁancé', 'fiance'],
    ['Greek tonos', 'Ελλάδα', 'ελλαδα'],
    ['sharp s', 'Straße', 'strasse'],
    ['letters without a decomposition', 'Łóđð Ħŧ Øıŋ Æœþ', 'lodd ht oin aeoeth'],
    ['half width Katakana', 'ｶﾀｶﾅ', 'カタカナ'],
    ['Hangul syllables to themselves', '한국어', '한국어'],
    ['Hangul letters that stand alone to themselves', '최고ㄳ ㅋㅋ ㄱㅏ', '최고ㄳ ㅋㅋ ㄱㅏ'],
    ['half width Hangul letters', '최고ﾣ ﾻﾻ ﾡￂ', '최고ㄳ ㅋㅋ ㄱㅏ'],
    ['Hangul syllables in letters that join', '최고', '최고'.normalize('NFC')],
    ['Hebrew quotation marks inside of words', 'צה״ל צה”ל ג׳ירפה', 'צה"ל צה"ל ג\'ירפה'],
    ['Hebrew points', 'שָׁלוֹם בְּרֵאשִׁ֖ית שּׁ', 'שלום בראשית ש'],
    ['Arabic points', 'مُمْتَازٌ جِدًّا قُرْءَٰن ٱلرَّحْمَـٰنِۖ', 'ممتاز جدا قرءن ٱلرحمن'],
    ['tatweel', 'ممـــتاز ـمـ \ufe71', 'ممتاز م '],
    ['Devanagari vowel signs to themselves', 'हिन्दी', 'हिन्दी'.normalize('NFC')],
    ['Thai vowel signs and tones to themselves', 'ดีที่สุด', 'ดีที่สุด'.normalize('NFC')],
    ['Tamil vowel signs to themselves', 'தமிழ்', 'தமிழ்'.normalize('NFC')],
  ])('folds %s', (_, given, folded) => {
    expect(foldText(given)).toBe(folded);
  });

  test('folds composed and decomposed letters to the same', () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(foldText(value.normalize('NFD'))).toBe(foldText(value.normalize('NFC')));
      }),
    );
  });

  test('folds every character to the same as its upper and its lower case', () => {
    // The upper case of the iota subscript is a letter of its own (ᾳ, ΑΙ), but the subscript is an accent
    // here.
    const iotaSubscript = '\u0345';
    const others = characters.filter((each) => !each.normalize('NFD').includes(iotaSubscript));
    expect(others.filter((each) => !isFoldedAsItsCases(foldText, each)).map(named)).toEqual([]);
  });
});

describe('the words of a text', () => {
  test('are split at spaces and punctuation, in reading order, with repetitions and numbers', () => {
    const words = ['amazing', 'product', 'the', 'product', '100', 'in', '2026'];
    expect(wordsOfText('Amazing product! The product, 100 % in 2026.')).toEqual(words);
  });

  test.each([
    ['a full stop', 'Node.js', ['node.js', 'js']],
    ['an apostrophe', "l'équipe don't", ["l'equipe", 'equipe', "don't", 't']],
    ['a typographic apostrophe', 'l’équipe don’t', ["l'equipe", 'equipe', "don't", 't']],
    ['an underscore', 'state_of_art', ['state_of_art', 'of_art', 'art']],
    ['a decimal point or comma', '3.14 1,000', ['3.14', '14', '1,000', '000']],
    ['a hyphen, which separates words,', 'well-made', ['well', 'made']],
    [
      'underscores at its ends, which are dropped,',
      '__init__ _amazing_ _a_b_',
      ['init', 'amazing', 'a_b', 'b'],
    ],
    ['other connectors at its ends', '‿amazing⁀ ＿a＿', ['amazing', 'a']],
  ])('with %s begin at each of their parts', (_, given, expected) => {
    expect(wordsOfText(given)).toEqual(expected);
  });

  test.each([
    ['Chinese', '我喜欢', ['我喜', '喜欢', '欢']],
    ['Japanese of all three scripts', '東京タワーは', ['東京', '京タ', 'タワ', 'ワー', 'ーは', 'は']],
    ['Thai', 'ไทย', ['ไท', 'ทย', 'ย']],
    ['a single letter', '良', ['良']],
    ['letters among others', 'iPhone良い 2024年', ['iphone', '良い', 'い', '2024', '年']],
    ['half width Katakana', 'ｶﾞｽ', ['ガス', 'ス']],
  ])('without spaces (%s) are the pairs of neighbours and the last letter', (_, given, expected) => {
    expect(wordsOfText(given)).toEqual(expected);
  });

  test('begin with a letter or a digit', () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(wordsOfText(value).filter((word) => !/^[\p{L}\p{N}\p{M}]/u.test(word))).toEqual([]);
      }),
    );
  });

  test('are cut at 200 code points, never inside a character', () => {
    // Deseret letters take two UTF-16 units each.
    const long = '𐐨'.repeat(300);
    expect(wordsOfText(long)).toEqual(['𐐨'.repeat(maxWordLength)]);
    expect(maxWordLength).toBe(200);
    const units = fc.constantFrom('a', 'Ω', '한', '字', 'ﷺ', '😀', '1', '.');
    fc.assert(
      fc.property(fc.string({ unit: units, minLength: 150, maxLength: 500 }), (value) => {
        expect(wordsOfText(value).filter((word) => codePoints(word) > maxWordLength)).toEqual([]);
      }),
    );
  });
});

test('a stored text with more letters than allowed is split up to the limit', () => {
  const words = wordsOfText(`${'\ufdfa'.repeat(10_000)} behind`);
  // Three words end in each repetition, and one continues in the next.
  expect(words).toHaveLength(3 * Math.floor(maxLetters / 18) + 1);
  expect(words.reduce((sum, word) => sum + word.length, 0)).toBeLessThanOrEqual(maxLetters);
  expect(words).not.toContain('behind');
});

test('a word finder agrees with the words for every beginning', () => {
  const units = [..."aé字晴กัカ.,'’_- \n\u03011\u200b", 'ab', 'ｶﾞ'];
  const others = [...'אָ״ـ고ㄳ\u2800"😀\u200d\fﷺ한ः𐐨ᩁ·:\u2028\tǄ'];
  const some = (maxLength: number) =>
    fc.array(fc.constantFrom(...units, ...units, ...others), { maxLength }).map((each) => each.join(''));
  fc.assert(
    fc.property(some(15), some(4), (value, search) => {
      const words = wordsOfText(value);
      const hasWord = wordFinder(value);
      for (const beginning of wordsOfSearch(search).flat()) {
        const begins = words.some((word) => word.startsWith(beginning));
        expect({ beginning, begins: hasWord(beginning) === 'begins' }).toEqual({ beginning, begins });
      }
    }),
    { numRuns: runsOf(1500) },
  );
});

describe('the words of a search', () => {
  test('are folded, each once', () => {
    expect(wordsOfSearch('Amazing prod amazing')).toEqual([['amazing'], ['prod']]);
  });

  test('stay whole with punctuation inside', () => {
    expect(wordsOfSearch('node.j l’équipe _of')).toEqual([['node.j'], ["l'equipe"], ['of']]);
  });

  test('without spaces are one word of pairs', () => {
    expect(wordsOfSearch('素晴らしい 良')).toEqual([['素晴', '晴ら', 'らし', 'しい'], ['良']]);
  });
});

describe('a search finds', () => {
  test.each([
    ['Latin', "aZéßİﬁ1'.-_ ,"],
    ['French', "éàœçl'aù’ ."],
    ['Polish', 'łŁóśćźżń ._'],
    ['Scandinavian', 'æøåÞðđ .'],
    ['Greek', 'αΆσςΐΩ1 .'],
    ['Cyrillic', 'аЯйЁ1 -'],
    ['Hangul', '한국어가ㄳㅏ 1'],
    ['Devanagari', 'हिन्दीक 1'],
    ['Arabic', 'ابةؤآـَ ١'],
    ['Hebrew', 'אבגשׁ״"׳ 1'],
    ['Japanese', '素晴らしいカタカナー製a1 。'],
    ['Chinese', '我非常喜欢这个产品,a1 '],
    ['Thai', 'ผลิตภัณฑ์ดีมาก a1'],
    ['Khmer', 'ភាសាខ្មែរ a'],
    ['Myanmar', 'မြန်မာဘာသာ a'],
    ['Lao', 'ພາສາລາວ a'],
  ])('in a %s text every word, every part of a word and every beginning of one', (_, alphabet) => {
    const sentence = fc
      .string({ unit: fc.constantFrom(...alphabet), maxLength: 20 })
      .map((value) => value.normalize('NFC'));
    fc.assert(
      fc.property(sentence, (value) => {
        const parts = value.split(/\s+/).flatMap((word) => [word, ...word.split(/[^\p{L}\p{M}\p{N}]+/u)]);
        const beginnings = parts.flatMap((part) =>
          Array.from(part, (_each, i) =>
            Array.from(part)
              .slice(0, i + 1)
              .join(''),
          ),
        );
        expect(beginnings.filter((search) => missingOf(value, search).length > 0)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['Japanese', '素晴らしい製品です。カタカナも東京タワーも'],
    ['Chinese', '我非常喜欢这个产品,质量很好'],
    ['Thai', 'ผลิตภัณฑ์ดีมากและภาษาไทย'],
  ])('in a %s text every piece of a run', (_, text) => {
    for (const run of text.split(/[、。,]/)) {
      const letters = Array.from(run);
      for (let begin = 0; begin < letters.length; begin += 1) {
        for (let end = begin + 1; end <= letters.length; end += 1) {
          const search = letters.slice(begin, end).join('');
          expect({ search, missing: missingOf(text, search) }).toEqual({ search, missing: [] });
        }
      }
    }
  });
});

/** Returns the beginnings in a search that no word of the text has. */
function missingOf(text: string, search: string): string[] {
  const words = wordsOfText(text);
  return wordsOfSearch(search)
    .flat()
    .filter((prefix) => !words.some((word) => word.startsWith(prefix)));
}
