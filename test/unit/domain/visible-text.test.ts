import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { emailAddress, foldAddress } from '../../../functions/domain/email-address.ts';
import { matcherOf } from '../../../functions/domain/list-query.ts';
import { limits, testimonialInput } from '../../../functions/domain/testimonial.ts';
import { testimonialChange } from '../../../functions/domain/testimonial-change.ts';
import { filters } from '../../../functions/domain/testimonial-filter.ts';
import { withoutInvisible } from '../../../functions/domain/visible-text.ts';
import { isWhole } from '../../some-of.ts';
import { input, testimonialOf } from '../../testimonials.ts';

/** Every character that Unicode lets programs ignore. */
const allIgnorable = Array.from({ length: 0x110000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((character) => /\p{Default_Ignorable_Code_Point}/u.test(character));
/** The unassigned characters of the last plane are treated alike: one run plays some of them. */
const isSpare = (character: string) => !isWhole && /\p{Unassigned}/u.test(character);
const ignorable = allIgnorable.filter((each) => !isSpare(each) || Math.random() < 0.02);
const named = (character: string) => `U+${character.codePointAt(0)?.toString(16)}`;

/** Returns the names of the ignorable characters for which this is not true. */
const failing = (isTrue: (character: string) => boolean) =>
  ignorable.filter((each) => !isTrue(each)).map(named);

const { search, tags } = filters;
const findsTag = (stored: string, sought: string) =>
  matcherOf({ tags: v.parse(tags.schema, sought) })(testimonialOf({ tags: [stored] }));
const finds = (content: string, sought: string) =>
  matcherOf({ search: v.parse(search.schema, sought) })(testimonialOf({ content }));

describe('each invisible character', () => {
  test('is one of thousands', () => {
    expect(allIgnorable.length).toBeGreaterThan(4000);
    // Hangul fillers, joiners, directions, soft hyphens, variation selectors, and tags of flags.
    for (const each of '\u00ad\u034f\u061c\u115f\u17b4\u180e\u200b\u200d\u202e\u2060\u3164\ufe0f\ufeff\uffa0') {
      expect(ignorable).toContain(each);
    }
    expect(ignorable).toContain('\u{e0061}');
  });

  test.each([
    ['a Latin word', 'gesamtkonzept', 'gesamt'],
    ['a word with accents', 'größte', 'größt'],
    ['a Japanese run', '素晴らしい', '素晴ら'],
    ['a Thai run', 'ประเทศไทย', 'ประเทศไ'],
    ['a Khmer run', 'ភាសាខ្មែរ', 'ភាស'],
    ['a Hangul word', '감사합니다', '감사'],
    ['an Arabic word', 'ممتاز', 'ممت'],
    ['a word with an apostrophe', "l'équipe", "l'"],
  ])('in %s changes no search, and neither does one in the search', (_, word, beginning) => {
    const rest = word.slice(beginning.length);
    expect(failing((each) => finds(`x ${beginning}${each}${rest} y`, word))).toEqual([]);
    expect(failing((each) => finds(`x ${each}${word}${each} y`, word))).toEqual([]);
    expect(failing((each) => finds(`x ${word} y`, `${each}${beginning}${each}${rest}${each}`))).toEqual([]);
  });

  test('alone is no search', () => {
    expect(failing((each) => !v.is(search.schema, each))).toEqual([]);
  });

  test('is removed from tags, and alone is no tag', () => {
    const stored = (tag: string) => v.parse(testimonialInput, { ...input, tags: [tag, 'support'] }).tags;
    const changed = (tag: string) => v.parse(testimonialChange, { addTags: [tag] }).addTags;
    expect(failing((each) => stored(`${each}sup${each}port${each}`)?.join() === 'support')).toEqual([]);
    expect(failing((each) => changed(`sup${each}port`)?.join() === 'support')).toEqual([]);
    const isTag = (tag: string) => v.is(testimonialInput, { ...input, tags: [tag] });
    expect(failing((each) => !isTag(each) && !isTag(` ${each} ${each}`))).toEqual([]);
  });

  test('changes no filter by tags, and alone is a blank entry', () => {
    expect(failing((each) => findsTag('Support', `${each}sup${each}port`))).toEqual([]);
    // A tag that an earlier version stored.
    expect(failing((each) => findsTag(`${each}Sup${each}port`, 'support'))).toEqual([]);
    expect(failing((each) => v.parse(tags.schema, `a,${each}, ${each} `).join() === 'a')).toEqual([]);
  });

  test('is removed from addresses, and changes none that is compared', () => {
    const plain = 'jane@example.com';
    const hidden = (each: string) => `${each}ja${each}ne${each}@exam${each}ple.com${each}`;
    expect(failing((each) => v.parse(emailAddress, hidden(each)) === plain)).toEqual([]);
    expect(failing((each) => foldAddress(hidden(each)) === plain)).toEqual([]);
  });

  test('stays in content and names, but does not make them long enough', () => {
    const stored = ({ content = input.content, name = input.author.name }) => {
      const author = { ...input.author, name };
      return v.safeParse(testimonialInput, { ...input, content, author }, { abortPipeEarly: true });
    };
    const nine = (each: string) => `ninech${each}ars${each.repeat(9)}`;
    expect(failing((each) => stored({ content: `${nine(each)}.` }).success)).toEqual([]);
    const kept = (text: string) => v.is(testimonialInput, stored({ content: text, name: text }).output);
    expect(failing((each) => kept(`${nine(each)}.`))).toEqual([]);
    const problem = (each: string) => stored({ content: nine(each) }).issues?.[0].message;
    const rule = 'must have 10 to 10,000 visible characters';
    expect(failing((each) => problem(each) === rule)).toEqual([]);
    expect(failing((each) => !stored({ name: each }).success)).toEqual([]);
    expect(failing((each) => !stored({ name: `${each} ${each}` }).success)).toEqual([]);
  });
});

test('a blank Braille pattern separates words, as the blank that it looks like', () => {
  expect(finds('amazing\u2800product', 'amaz prod')).toBe(true);
  expect(finds('amazing product', 'amaz\u2800prod')).toBe(true);
});

describe('the longest text', () => {
  const { max } = limits.content;
  const problem = (content: string) =>
    v.safeParse(testimonialInput, { ...input, content }, { abortPipeEarly: true }).issues?.[0].message;

  test('may have invisible characters besides', () => {
    expect(problem(`\u200b${'a'.repeat(max)}${'\u200d'.repeat(100)}`)).toBeUndefined();
    expect(problem(`\u200b${'a'.repeat(max + 1)}`)).toMatch(/^must have 10 to 10,000 visible characters/);
  });

  test('takes no more bytes with them than the longest without', () => {
    const tagOfFlag = '\u{e0061}';
    const visible = 'a'.repeat(10);
    expect(problem(visible + tagOfFlag.repeat(max - 10))).toBeUndefined();
    expect(problem(visible + tagOfFlag.repeat(max))).toBe('must contain fewer invisible characters');
  });
});

test('a text without invisible characters stays as it is', () => {
  for (const text of ['Zoë O’Neil', 'नमस्ते', 'שָׁלוֹם', '👍🏽', 'a\u00a0b\tc\n', 'e\u0301', '\u2002']) {
    expect(withoutInvisible(text)).toBe(text);
  }
});
