/**
 * Generates testimonials with a realistic mix of languages and values. Equal seeds give equal testimonials.
 */
import type { FillLine, FillStart } from '../../../functions/domain/loads.ts';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import type { Status, TestimonialType } from '../../../functions/domain/testimonial.ts';
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';
// Names and whole sentences, because random words would read like noise. A text uses its sentences in this
// order.
import languages from './languages.json' with { type: 'json' };
import words from './words.json' with { type: 'json' };

const dayMs = 24 * 60 * 60 * 1000;

/** The tags of the generated testimonials, most frequent first. */
export const { tags } = words;

/** A tag that exactly three testimonials have. */
export const rareTag = 'case-study';

// The values and shares of the file.
const statusShares = words.statuses as Shares<Status>;
const typeShares = words.types as Shares<TestimonialType>;
// 0: unrated.
const ratingShares = words.ratings as Shares<number>;
type Language = keyof typeof languages;

const languageShares: Shares<Language> = Object.entries(languages).map(([name, { share }]) => [
  name as Language,
  share,
]); // of this file

/** Writes the texts and company names. Benchmarks use a writer that draws single words. */
export interface Writer {
  text(language: Language, dice: Dice): (rating: number) => string;
  company(language: Language, dice: Dice): string;
}

const sentenceWriter: Writer = {
  text: (language, dice) => (rating) => sentencesOf(language, rating, dice),
  company: (_, dice) => dice.oneOf(words.companies),
};

export interface GenerateOptions {
  firstOrdinal?: number;
  firstUpdateOrdinal?: number;
  seed?: number;
  writer?: Writer;
  /** The testimonials are created at even intervals after `from`, up to `to`. */
  from?: Date;
  to?: Date;
}

export function* generateTestimonials(
  count: number,
  {
    firstOrdinal = firstPosition,
    firstUpdateOrdinal = firstOrdinal,
    seed = 1,
    writer = sentenceWriter,
    from = new Date('2024-01-01T00:00:00.000Z'),
    to = new Date('2026-01-01T00:00:00.000Z'),
  }: GenerateOptions = {},
): Generator<StoredTestimonial, void, undefined> {
  const dice = new Dice(seed);
  const withRareTag = new Set([1, 2, 3].map((quarter) => Math.ceil((count * quarter) / 4)));
  const moderations = moderationsOf(count, { seed, from: from.getTime(), to: to.getTime() });
  for (const [i, { status, created, updated, update }] of moderations.entries()) {
    const ordinal = firstOrdinal + i;
    const language = dice.byShare(languageShares);
    const { firstNames, lastNames } = languages[language];
    const textOf = writer.text(language, dice);
    const rating = dice.byShare(ratingShares);
    const name = `${dice.oneOf(firstNames)} ${dice.oneOf(lastNames)}`;
    const chosen = chosenTags(dice);
    if (withRareTag.has(i + 1)) chosen.add(rareTag);
    const createdAt = new Date(created).toISOString();
    yield {
      ordinal,
      updateOrdinal: firstUpdateOrdinal + update,
      version: 1,
      writtenAt: createdAt,
      testimonial: {
        id: `test_${100_000_000_000 + dice.whole(900_000_000_000)}${ordinal}`,
        content: textOf(rating),
        author: {
          name,
          email: `author${ordinal - firstPosition + 1}@example.com`,
          company: `${writer.company(language, dice)} ${dice.oneOf(words.companyForms)}`,
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

/** Generates lines for `fill`, in the order of their creation. */
export function generateLines(count: number, { from, to, first }: FillStart): IteratorObject<FillLine> {
  const firstOrdinal = firstPosition + first - 1;
  return generateTestimonials(count, { firstOrdinal, from, to }).map(({ testimonial, updateOrdinal }) => {
    const { id, createdAt, updatedAt, ...line } = testimonial;
    return {
      ...line,
      createdAt: Date.parse(createdAt),
      updatedAt: Date.parse(updatedAt),
      update: updateOrdinal - firstOrdinal,
    };
  });
}

function chosenTags(dice: Dice): Set<string> {
  const count = dice.whole(4);
  // Squared, so that the first tags are the most frequent.
  return new Set(
    Array.from({ length: count }, () => tags[Math.floor(dice.random() ** 2 * tags.length)] ?? ''),
  );
}

/** Returns two or three sentences that fit the rating. A rating of 3 gets one of each mood. */
function sentencesOf(language: Language, rating: number, dice: Dice): string {
  const { happy, unhappy } = languages[language];
  if (rating === 3) return `${dice.oneOf(happy)} ${dice.oneOf(unhappy)}`;
  const sentences = rating === 1 || rating === 2 ? unhappy : happy;
  const count = dice.between(2, 3);
  const chosen = new Set<string>();
  while (chosen.size < count) chosen.add(dice.oneOf(sentences));
  return sentences.filter((sentence) => chosen.has(sentence)).join(' ');
}

/**
 * Returns the moderation of each testimonial: times in milliseconds since 1970, and its rank in the
 * order of updates.
 */
function moderationsOf(count: number, { seed, from, to }: { seed: number; from: number; to: number }) {
  const dice = new Dice(~seed);
  const moderations = Array.from({ length: count }, (_, i) => {
    const created = Math.floor(from + ((to - from) * (i + 1)) / count);
    const status = dice.byShare(statusShares);
    // Most testimonials are moderated within a day.
    const moderated = Math.floor(Math.min(created + dice.random() * dayMs, Math.max(created, to)));
    return { status, created, updated: status === 'pending' ? created : moderated, update: 0 };
  });
  for (const [rank, moderation] of moderations.toSorted((a, b) => a.updated - b.updated).entries()) {
    moderation.update = rank;
  }
  return moderations;
}

type Shares<T> = [T, number][];

/** Random choices, which depend only on the seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 to below 1 (mulberry32, public domain). */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns an integer from 0 to below a number. */
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
    // The shares may add up to slightly less than one.
    return (shares.at(-1) as [T, number])[0];
  }
}
