/**
 * Testimonials as collections have them, the same ones each time: several languages, and mixes of status, type, rating
 * and tags. Their texts are words by Zipf's law, as an index meets them, or sentences, as people read them.
 */
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { limits, type Status, type TestimonialType } from '../../../functions/domain/testimonial.ts';
import { type Language, languages } from './languages.ts';
import { companies, type Sentences, sentences } from './sentences.ts';

const shortestSentence = 5;
const longestSentence = 14;
const wordsPerLanguage = { most: 9000, others: 3000 };
const dayMs = 24 * 60 * 60 * 1000;

/** The tags of the generated testimonials, most frequent first. */
export const tags = (
  'onboarding support pricing performance reporting integrations mobile security billing migration api design ' +
  'documentation automation dashboards analytics accessibility training enterprise startup agency retail ' +
  'healthcare education finance nonprofit logistics hospitality email calendar checkout search exports imports ' +
  'permissions notifications localization offline templates widgets'
).split(' ');

/** A tag that three testimonials have, however many there are. */
export const rareTag = 'case-study';

const statusShares: Shares<Status> = [
  ['approved', 0.6],
  ['pending', 0.3],
  ['rejected', 0.1],
];
const typeShares: Shares<TestimonialType> = [
  ['text', 0.7],
  ['video', 0.2],
  ['audio', 0.1],
];
const companyForms = ['GmbH', 'Inc.', 'Ltd.', 'SARL', 'AB'];
// 0: unrated.
const ratingShares: Shares<number> = [
  [5, 0.45],
  [4, 0.25],
  [3, 0.1],
  [2, 0.05],
  [1, 0.05],
  [0, 0.1],
];
const languageShares: Shares<string> = Object.entries(languages).map(([name, { share }]) => [name, share]);

/** The words of a language, most frequent first: the real ones, then made-up rare ones. */
export function vocabularyOf(name: string): readonly string[] {
  return vocabularies[name]?.words ?? [];
}

export interface GenerateOptions {
  firstOrdinal?: number;
  firstUpdateOrdinal?: number;
  /** Another seed gives other testimonials. */
  seed?: number;
  /** What the texts are made of. */
  texts?: 'words' | 'sentences';
  /** Of words: how many a text has, at least and at most. */
  words?: [number, number];
  /** When the first and the last were created; the others are in between at even distances. */
  from?: Date;
  to?: Date;
}

/** Makes `count` testimonials, in the order of their creation. */
export function* generateTestimonials(
  count: number,
  {
    firstOrdinal = 1,
    firstUpdateOrdinal = firstOrdinal,
    seed = 1,
    texts = 'words',
    words: [shortestText, longestText] = [20, 70],
    from = new Date('2024-01-01T00:00:00.000Z'),
    to = new Date('2026-01-01T00:00:00.000Z'),
  }: GenerateOptions = {},
): Generator<StoredTestimonial, void, undefined> {
  const dice = new Dice(seed);
  const withRareTag = new Set([1, 2, 3].map((quarter) => Math.ceil((count * quarter) / 4)));
  const moderations = moderationsOf(count, { seed, from: from.getTime(), to: to.getTime() });
  for (const [i, { status, created, updated, updateRank }] of moderations.entries()) {
    const ordinal = firstOrdinal + i;
    const language = dice.byShare(languageShares);
    const vocabulary = vocabularies[language] as Vocabulary; // one of its own keys
    const { firstNames, lastNames } = vocabulary.language;
    const isOfWords = texts === 'words';
    const words = isOfWords ? textOf(vocabulary, dice.between(shortestText, longestText), dice) : '';
    const rating = dice.byShare(ratingShares);
    const name = `${dice.oneOf(firstNames)} ${dice.oneOf(lastNames)}`;
    const chosen = chosenTags(dice);
    if (withRareTag.has(i + 1)) chosen.add(rareTag);
    const createdAt = new Date(created).toISOString();
    yield {
      ordinal,
      updateOrdinal: firstUpdateOrdinal + updateRank,
      version: 1,
      writtenAt: createdAt,
      testimonial: {
        id: `test_${100_000_000_000 + dice.whole(900_000_000_000)}${ordinal}`,
        content: isOfWords ? words : said(language, rating, dice),
        author: {
          name,
          email: `author${ordinal}@example.com`,
          company: `${isOfWords ? capitalized(dice.oneOf(vocabulary.words)) : dice.oneOf(companies)} ${dice.oneOf(companyForms)}`,
        },
        ...(rating > 0 && { rating }),
        type: dice.byShare(typeShares),
        status,
        tags: [...chosen],
        createdAt,
        updatedAt: new Date(updated).toISOString(),
      },
    };
  }
}

/** At most three. */
function chosenTags(dice: Dice): Set<string> {
  const count = dice.whole(4);
  // Squared: the first tags are the frequent ones.
  return new Set(
    Array.from({ length: count }, () => tags[Math.floor(dice.random() ** 2 * tags.length)] ?? ''),
  );
}

/** What a customer says who gives this rating: one sentence of each kind, some without the first or the last. */
function said(language: string, rating: number, dice: Dice): string {
  const { happy, unhappy } = sentences[language] as Sentences; // a test holds that each language has some
  const mood = rating === 1 || rating === 2 ? unhappy : happy;
  const details = rating === 3 ? unhappy.details : mood.details;
  const chosen = [mood.openings, details, mood.closings].map((each) => dice.oneOf(each));
  const length = dice.whole(4);
  return (length === 0 ? chosen.slice(0, 2) : length === 1 ? chosen.slice(1) : chosen).join(' ');
}

/** So many words, in sentences. */
function textOf(vocabulary: Vocabulary, length: number, dice: Dice): string {
  let written = '';
  for (let left = length; left > 0; ) {
    const sentence = Math.min(left, dice.between(shortestSentence, longestSentence));
    const words = Array.from({ length: sentence }, () => drawn(vocabulary, dice));
    written += `${written && ' '}${capitalized(words.join(' '))}.`;
    left -= sentence;
  }
  return written.slice(0, limits.content.max);
}

function drawn({ words, cumulative }: Vocabulary, dice: Dice): string {
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

interface Moderation {
  status: Status;
  created: number;
  updated: number;
  /** How many were updated before. */
  updateRank: number;
}

/** What happened to each testimonial, and when; times in milliseconds since the epoch. */
function moderationsOf(
  count: number,
  { seed, from, to }: { seed: number; from: number; to: number },
): Moderation[] {
  const dice = new Dice(~seed);
  const moderations = Array.from({ length: count }, (_, i): Moderation => {
    const created = Math.floor(from + ((to - from) * (i + 1)) / count);
    const status = dice.byShare(statusShares);
    // Most are moderated within a day.
    const moderated = Math.floor(Math.min(created + dice.random() * dayMs, Math.max(created, to)));
    return { status, created, updated: status === 'pending' ? created : moderated, updateRank: 0 };
  });
  for (const [rank, moderation] of moderations.toSorted((a, b) => a.updated - b.updated).entries()) {
    moderation.updateRank = rank;
  }
  return moderations;
}

type Shares<T> = [T, number][];

/** Chance, the same for the same seed. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 to below 1 (mulberry32, public domain). */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** From 0 to below a number. */
  whole(below: number): number {
    return Math.floor(this.random() * below);
  }

  between(least: number, most: number): number {
    return least + this.whole(most - least + 1);
  }

  oneOf<T>(choices: readonly T[]): T {
    return choices[this.whole(choices.length)] as T; // within its bounds
  }

  byShare<T>(shares: Shares<T>): T {
    let rest = this.random();
    for (const [value, share] of shares) {
      rest -= share;
      if (rest < 0) return value;
    }
    // The shares add up to one but for rounding.
    return (shares.at(-1) as [T, number])[0];
  }
}

interface Vocabulary {
  language: Language;
  words: string[];
  /** Sums of the words' weights: by Zipf's law 1/n for the n-th word. */
  cumulative: Float64Array;
}

function vocabulary(language: Language, size: number, seed: number): Vocabulary {
  const dice = new Dice(seed);
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
  return { language, words: [...words], cumulative };
}

const vocabularies: Record<string, Vocabulary> = Object.fromEntries(
  Object.entries(languages).map(([name, language], i) => [
    name,
    vocabulary(language, language.share > 0.5 ? wordsPerLanguage.most : wordsPerLanguage.others, i + 1),
  ]),
);

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
