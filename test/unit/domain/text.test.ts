import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  codePoints,
  foldCase,
  foldText,
  maxWordLength,
  text,
  words,
} from '../../../functions/domain/text.ts';

const wellFormed = fc.string({ unit: 'binary' });

/** Every code point that stands for a character. */
function* everyCharacter() {
  for (let point = 0; point <= 0x10ffff; point += 1) {
    if (point < 0xd800 || point > 0xdfff) yield String.fromCodePoint(point);
  }
}

const named = (character: string) => `${character} U+${character.codePointAt(0)?.toString(16)}`;

describe('codePoints', () => {
  test('counts a character outside the basic plane once', () => {
    expect(codePoints('a😀é')).toBe(3);
  });

  test('counts as many as Array.from finds', () => {
    fc.assert(fc.property(wellFormed, (value) => codePoints(value) === Array.from(value).length));
  });
});

describe('text', () => {
  const schema = text({ min: 2, max: 5 });
  const accepts = (value: unknown) => v.safeParse(schema, value).success;

  test.each([
    ['spaces', '  ab  ', 'ab'],
    ['line breaks and tabs', '\n\tab\r\n', 'ab'],
    ['Unicode spaces', '\u3000\u00a0ab\ufeff', 'ab'],
  ])('trims %s', (_, given, kept) => {
    expect(v.parse(schema, given)).toBe(kept);
  });

  test('composes to NFC', () => {
    expect(v.parse(schema, 'Zoe\u0308')).toBe('Zoë');
  });

  test('keeps newline and tab inside', () => {
    expect(v.parse(schema, 'a\n\tb')).toBe('a\n\tb');
  });

  test('refuses every other control character', () => {
    const controls = [...Array(32).keys(), ...Array.from({ length: 33 }, (_, index) => 0x7f + index)]
      .map((point) => String.fromCharCode(point))
      .filter((character) => character !== '\n' && character !== '\t');
    expect(controls.filter((character) => accepts(`a${character}b`))).toEqual([]);
  });

  test.each(['a\ud83db', 'a\ude00b', 'ab\ud83d'])('refuses an unpaired surrogate (%j)', (value) => {
    expect(accepts(value)).toBe(false);
  });

  test('counts the length in code points', () => {
    expect(accepts('😀😀😀😀😀')).toBe(true);
    expect(accepts('😀😀😀😀😀😀')).toBe(false);
    expect(accepts('😀')).toBe(false);
  });

  test('counts the length after trimming', () => {
    expect(accepts('  a  ')).toBe(false);
    expect(accepts(`${' '.repeat(50)}abcde`)).toBe(true);
  });

  test('counts the length after composing', () => {
    expect(accepts('e\u0301'.repeat(5))).toBe(true);
  });

  test.each([undefined, null, 7, ['ab'], { length: 3 }])('refuses what is no string (%j)', (value) => {
    expect(accepts(value)).toBe(false);
  });

  test('cleaning a clean text changes nothing', () => {
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
    ['ß and SS', 'Straße', 'STRASSE'],
    ['ß and the capital ẞ', 'Straße', 'STRAẞE'],
    ['the two Greek small sigmas', 'σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['a Greek letter with two accents', 'προΐσταμαι', 'ΠΡΟΪ́ΣΤΑΜΑΙ'],
    ['the Turkish dotted capital I and its lower case', 'İzmir', 'İzmir'.toLowerCase()],
    ['Cyrillic', 'отзыв', 'ОТЗЫВ'],
    ['full width letters', 'ａｂｃ', 'ＡＢＣ'],
    ['composed and decomposed', 'é', 'e\u0301'],
  ])('unites %s', (_, a, b) => {
    expect(foldCase(a)).toBe(foldCase(b));
  });

  test.each([
    ['an accent', 'resume', 'résumé'],
    ['full width', 'abc', 'ａｂｃ'],
  ])('keeps %s', (_, a, b) => {
    expect(foldCase(a)).not.toBe(foldCase(b));
  });

  test('folds every character to the same as its upper and its lower case', () => {
    const different: string[] = [];
    for (const character of everyCharacter()) {
      const folded = foldCase(character);
      if (folded !== foldCase(character.toLowerCase()) || folded !== foldCase(character.toUpperCase())) {
        different.push(named(character));
      }
    }
    expect(different).toEqual([]);
  });

  test('folding every character again changes nothing', () => {
    const different: string[] = [];
    for (const character of everyCharacter()) {
      const folded = foldCase(character);
      if (foldCase(folded) !== folded) different.push(named(character));
    }
    expect(different).toEqual([]);
  });
});

describe('foldText', () => {
  test.each([
    ['accents', 'Crème brûlée', 'creme brulee'],
    ['decomposed accents', 'Cre\u0300me', 'creme'],
    ['Vietnamese double accents', 'Việt Nam', 'viet nam'],
    ['full width', 'ＡＢＣ１２', 'abc12'],
    ['ligatures', 'ﬁancé', 'fiance'],
    ['the Turkish dotted capital I', 'İstanbul', 'istanbul'],
    ['Greek tonos', 'Ελλάδα', 'ελλαδα'],
    ['Greek final sigma', 'Σίσυφος', 'σισυφοσ'],
    ['sharp s', 'Straße', 'strasse'],
    ['half width Katakana', 'ｶﾀｶﾅ', 'カタカナ'],
  ])('folds %s', (_, given, folded) => {
    expect(foldText(given)).toBe(folded);
  });

  test.each([
    ['Hangul syllables', '한국어'],
    ['Devanagari vowel signs', 'हिन्दी'],
    ['Thai vowel signs and tones', 'ดีที่สุด'],
    ['Tamil vowel signs', 'தமிழ்'],
  ])('keeps %s', (_, given) => {
    expect(foldText(given)).toBe(given.normalize('NFC'));
  });

  test('composed and decomposed fold to the same', () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(foldText(value.normalize('NFD'))).toBe(foldText(value.normalize('NFC')));
      }),
    );
  });

  test('folds every character to the same as its upper and its lower case', () => {
    // The upper case of the iota subscript is a letter of its own (ᾳ, ΑΙ), but the subscript is an accent here.
    const iotaSubscript = '\u0345';
    const different: string[] = [];
    for (const character of everyCharacter()) {
      if (character.normalize('NFD').includes(iotaSubscript)) continue;
      const folded = foldText(character);
      if (folded !== foldText(character.toLowerCase()) || folded !== foldText(character.toUpperCase())) {
        different.push(named(character));
      }
    }
    expect(different).toEqual([]);
  });
});

describe('words', () => {
  test('splits at spaces and punctuation, in reading order, with repetitions', () => {
    expect(words('Amazing product! The product, amazing.')).toEqual([
      'amazing',
      'product',
      'the',
      'product',
      'amazing',
    ]);
  });

  test.each([
    ['Chinese', '我喜欢这个产品', ['我', '喜欢', '这个', '产品']],
    ['Japanese', '東京は日本', ['東京', 'は', '日本']],
    ['Thai', 'ภาษาไทย', ['ภาษา', 'ไทย']],
  ])('splits %s, which has no spaces', (_, given, expected) => {
    expect(words(given)).toEqual(expected);
  });

  test('leaves out what has neither letter nor digit', () => {
    expect(words('— 😀 !!! … ★★★')).toEqual([]);
  });

  test('keeps numbers', () => {
    expect(words('100 % in 2026')).toEqual(['100', 'in', '2026']);
  });

  test('keeps an apostrophe inside a word', () => {
    expect(words("Don't")).toEqual(["don't"]);
  });

  test('every word has a letter or a digit', () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(words(value).filter((word) => !/[\p{L}\p{N}]/u.test(word))).toEqual([]);
      }),
    );
  });

  test('cuts a long word at 200 code points, never inside a character', () => {
    // Deseret letters take two UTF-16 units each.
    const long = '𐐨'.repeat(300);
    expect(words(long)).toEqual(['𐐨'.repeat(maxWordLength)]);
    expect(maxWordLength).toBe(200);
  });

  test('no word is longer than 200 code points', () => {
    const long = fc.string({
      unit: fc.constantFrom('a', 'Ω', '한', '字', 'ﷺ', '😀', '1'),
      minLength: 150,
      maxLength: 500,
    });
    fc.assert(
      fc.property(long, (value) => {
        expect(words(value).filter((word) => codePoints(word) > maxWordLength)).toEqual([]);
      }),
    );
  });

  test.each([
    ['Latin', "aZéßİﬁ1'.-_ ,"],
    ['Greek', 'αΆσςΐΩ1 .'],
    ['Cyrillic', 'аЯйЁ1 -'],
    ['Hangul', '한국어가 1'],
    ['Devanagari', 'हिन्दीक 1'],
    ['Arabic', 'ابةؤآ ١'],
    ['Hebrew', 'אבגשׁ" 1'],
  ])('a word of a %s text is found by each of its prefixes', (_, alphabet) => {
    const sentence = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 20 });
    fc.assert(
      fc.property(sentence, (value) => {
        for (const word of words(value)) expectFoundByEachPrefix(words(value), word);
      }),
    );
  });

  // A part of such a word can be words of its own to the dictionary: 素晴 is 素 and 晴, 素晴らしい is one word.
  test.each([
    ['Chinese', '我非常喜欢这个产品,质量很好'],
    ['Japanese', '素晴らしい製品です。カタカナも東京も'],
    ['Thai', 'ผลิตภัณฑ์ดีมากและภาษาไทย'],
  ])('a word of a %s text, split by dictionary, is found whole', (_, sentence) => {
    for (const word of words(sentence)) expect(words(word)).toEqual([word]);
  });

  test('a character that folds to several words is several words', () => {
    expect(words('½')).toEqual(['1', '2']);
    expect(words('ﷺ')).toEqual(['صلى', 'الله', 'عليه', 'وسلم']);
  });
});

/** As the filter finds: every word of the search begins some word of the text. */
function expectFoundByEachPrefix(found: string[], word: string) {
  const characters = Array.from(word);
  for (let length = 1; length <= characters.length; length += 1) {
    const prefix = characters.slice(0, length).join('');
    const missing = words(prefix).filter((searched) => !found.some((each) => each.startsWith(searched)));
    expect({ prefix, missing }).toEqual({ prefix, missing: [] });
  }
}
