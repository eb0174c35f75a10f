/** Generates testimonials whose words are distributed by Zipf's law, like those of real texts. */
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { limits } from '../../functions/domain/testimonial.ts';
import * as generated from '../../lib/operator/sample-data/generate-testimonials.ts';
import languages from '../../lib/operator/sample-data/languages.json' with { type: 'json' };
import { type Words, wordsOf } from './words.ts';

export { rareTag, tags } from '../../lib/operator/sample-data/generate-testimonials.ts';

const shortestSentence = 5;
const longestSentence = 14;
const wordsPerLanguage = { most: 9000, others: 3000 };

export interface GenerateOptions extends Omit<generated.GenerateOptions, 'writer'> {
  /** The least and the most words of a text. */
  words?: [number, number];
}

/** Generates `count` testimonials, in the order of their creation. */
export function generateTestimonials(
  count: number,
  { words: [least, most] = [20, 70], ...options }: GenerateOptions = {},
): Generator<StoredTestimonial, void, undefined> {
  const writer: generated.Writer = {
    text(language, dice) {
      const text = textOf(vocabularyIn(language), dice.between(least, most), dice);
      return () => text;
    },
    company: (language, dice) => capitalized(dice.oneOf(vocabularyIn(language).words)),
  };
  return generated.generateTestimonials(count, { ...options, writer });
}

/** Returns the words of a language, most frequent first: the real ones, then made-up rare ones. */
export function vocabularyOf(name: string): readonly string[] {
  return vocabularies[name]?.words ?? [];
}

/** Returns so many words, in sentences. */
function textOf(vocabulary: Vocabulary, length: number, dice: generated.Dice): string {
  let written = '';
  for (let left = length; left > 0; ) {
    const sentence = Math.min(left, dice.between(shortestSentence, longestSentence));
    const words = Array.from({ length: sentence }, () => drawn(vocabulary, dice));
    written += `${written && ' '}${capitalized(words.join(' '))}.`;
    left -= sentence;
  }
  return written.slice(0, limits.content.max);
}

function drawn({ words, cumulative }: Vocabulary, dice: generated.Dice): string {
  const target = dice.random() * (cumulative.at(-1) ?? 0);
  let low = 0;
  let high = words.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulative[middle] ?? 0) < target) low = middle + 1;
    else high = middle;
  }
  return words[low] ?? '';
}

interface Vocabulary {
  words: string[];
  /** Sums of the words' weights, which are 1/n for the n-th word by Zipf's law. */
  cumulative: Float64Array;
}

function vocabulary(language: Words, size: number, seed: number): Vocabulary {
  const dice = new generated.Dice(seed);
  const words = new Set(language.words);
  while (words.size < size) {
    const syllables = Array.from({ length: dice.between(1, 2) }, () => dice.oneOf(language.syllables));
    words.add(syllables.join('') + dice.oneOf(language.endings));
  }
  let sum = 0;
  const cumulative = Float64Array.from(words, (_, i) => {
    sum += 1 / (i + 1);
    return sum;
  });
  return { words: [...words], cumulative };
}

const vocabularies: Record<string, Vocabulary> = Object.fromEntries(
  Object.entries(languages).map(([name, { share }], i) => [
    name,
    vocabulary(wordsOf[name] as Words, share > 0.5 ? wordsPerLanguage.most : wordsPerLanguage.others, i + 1),
  ]),
);

function vocabularyIn(language: string): Vocabulary {
  return vocabularies[language] as Vocabulary; // one of its own keys
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
