/** Deterministic testimonials as collections have them: Zipf's law for words, mixes of status, type, rating, tags. */
import type { Status, Testimonial, TestimonialType } from '../../functions/domain/testimonial.ts';

export interface Generated {
  ordinal: number;
  testimonial: Testimonial;
}

const vocabularySize = 20_000;
const wordsPerText = 60;
const syllables =
  'ba be bi co cu da de do fa fi ga gi ha he ho in ka ko la le li lo ma me mi mo na ne no o pa pe po pra pro qua ra re ri ro sa se si so sta ste ta te ti to tra tu u va ve vi wa we wi xe ya za'.split(
    ' ',
  );
const tagCount = 40;
const start = Date.parse('2025-01-01T00:00:00.000Z');

/** A generator of numbers from 0 to below 1 (mulberry32, public domain). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The words, most frequent first. */
export const vocabulary: readonly string[] = (() => {
  const random = randomOf(7);
  const words = new Set<string>();
  while (words.size < vocabularySize) {
    // Frequent words are short.
    const length = 1 + Math.floor(random() * (1.5 + Math.log10(words.size + 1)));
    let word = '';
    for (let i = 0; i < length; i += 1) word += syllables[Math.floor(random() * syllables.length)];
    words.add(word);
  }
  return [...words];
})();

// Zipf's law: the n-th word is drawn with a weight of 1/n.
const cumulative = (() => {
  let sum = 0;
  return Float64Array.from(vocabulary, (_, i) => {
    sum += 1 / (i + 1);
    return sum;
  });
})();

function draw(random: () => number): string {
  const target = random() * (cumulative[vocabularySize - 1] ?? 0);
  let low = 0;
  let high = vocabularySize - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulative[middle] ?? 0) < target) low = middle + 1;
    else high = middle;
  }
  return vocabulary[low] ?? '';
}

const byShare = <T>(shares: [T, number][], random: () => number): T | undefined => {
  let rest = random();
  for (const [value, share] of shares) {
    rest -= share;
    if (rest < 0) return value;
  }
  return shares[0]?.[0];
};

/** Makes the testimonials with ordinals 1 to `count`, a minute apart. */
export function* generateTestimonials(count: number, seed = 1): Generator<Generated> {
  const random = randomOf(seed);
  for (let ordinal = 1; ordinal <= count; ordinal += 1) {
    const content = Array.from({ length: wordsPerText }, () => draw(random)).join(' ');
    const status =
      byShare<Status>(
        [
          ['approved', 0.6],
          ['pending', 0.3],
          ['rejected', 0.1],
        ],
        random,
      ) ?? 'pending';
    const type =
      byShare<TestimonialType>(
        [
          ['text', 0.7],
          ['video', 0.2],
          ['audio', 0.1],
        ],
        random,
      ) ?? 'text';
    const rating = byShare<number>(
      [
        [5, 0.45],
        [4, 0.25],
        [3, 0.1],
        [2, 0.05],
        [1, 0.05],
        [0, 0.1],
      ],
      random,
    );
    const tags = new Set(
      Array.from({ length: Math.floor(random() * 4) }, () => `tag-${Math.floor(random() ** 2 * tagCount)}`),
    );
    const createdAt = new Date(start + ordinal * 60_000).toISOString();
    // Most are moderated within a day.
    const updatedAt =
      status === 'pending'
        ? createdAt
        : new Date(start + ordinal * 60_000 + Math.floor(random() * 86_400_000)).toISOString();
    yield {
      ordinal,
      testimonial: {
        id: `test_${100_000_000_000 + Math.floor(random() * 900_000_000_000)}${ordinal}`,
        content,
        author: {
          name: `${draw(random)} ${draw(random)}`,
          email: `author${ordinal}@example.com`,
          company: `${draw(random)} Inc.`,
        },
        ...(rating && { rating }),
        type,
        status,
        tags: [...tags],
        createdAt,
        updatedAt,
      },
    };
  }
}
