import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { axes } from '../../../functions/domain/testimonial-order.ts';
import { nameOf, postingsOn } from '../../../functions/testimonials/list-index/index-terms.ts';
import { unpaidPostings } from '../../../functions/testimonials/operations/unpaid-postings.ts';
import { batchingWindowMs } from '../../../functions/timing.ts';
import { testimonialOf } from '../../testimonials.ts';
import { generateTestimonials } from '../../zipf/generate-testimonials.ts';

const plain = testimonialOf();

/** The names of all postings of a testimonial. */
const namesOf = (testimonial: Testimonial) =>
  axes.flatMap((axis) => postingsOn(axis, testimonial)).map(nameOf);

/** A counter with a clock that the test sets. */
function counter() {
  const clock = { ms: 1_000_000 };
  return { clock, count: unpaidPostings(() => new Date(clock.ms)) };
}

test('ten thousand different Chinese letters cost twenty thousand postings', () => {
  const content = Array.from({ length: 10_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
  const postings = counter().count('acme', { ...plain, content }).count;
  expect(postings).toBeGreaterThan(20_000);
  expect(postings).toBeLessThan(20_100);
});

test('several creates cost each of their postings once, as an index update writes them', () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom(...'abcde fgh 素晴らしい é.') }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(texts, (contents) => {
      const { count } = counter();
      const testimonials = contents.map((content) => ({ ...plain, content }));
      const sum = testimonials.reduce((all, testimonial) => all + count('acme', testimonial).count, 0);
      expect(sum).toBe(new Set(testimonials.flatMap(namesOf)).size);
    }),
  );
});

test('a change costs the postings of facets only, and an erasure all postings', () => {
  const long = { ...plain, content: Array.from({ length: 900 }, (_, i) => `word${i}`).join(' ') };
  const short = { ...plain, content: 'word' };
  const costOf = (testimonial: typeof plain, write: 'change' | 'erasure') =>
    counter().count('acme', testimonial, write).count;
  expect(costOf(long, 'change')).toBe(costOf(short, 'change'));
  expect(costOf(long, 'erasure')).toBe(new Set(namesOf(long)).size);
});

test('the same postings of an organization cost nothing within one window of the stream, and again after it', () => {
  const { clock, count } = counter();
  const { count: alone } = count('acme', plain);
  expect(alone).toBe(new Set(namesOf(plain)).size);
  expect(count('globex', plain).count).toBe(alone);
  clock.ms += batchingWindowMs - 1;
  expect(count('acme', plain).count).toBe(0);
  clock.ms += 1;
  expect(count('acme', plain).count).toBe(alone);
  // A clock that was set back charges too much and never too little.
  clock.ms -= 10 * batchingWindowMs;
  expect(count('acme', plain).count).toBe(alone);
});

test('refused postings count again, except those that an earlier request paid for', () => {
  const { count } = counter();
  const { count: alone } = count('acme', plain);
  const longer = { ...plain, content: `${plain.content} zanzibar` };
  const { count: added, refund } = count('acme', longer);
  expect(added).toBeGreaterThan(0);
  refund();
  expect(count('acme', longer).count).toBe(added);
  expect(count('acme', plain).count).toBe(0);
  expect(alone).toBeGreaterThan(0);
});

test('its memory is limited: forgotten postings are charged again', () => {
  const { count } = counter();
  const words = (nth: number) => Array.from({ length: 1000 }, (_, i) => `w${nth}x${i}`).join(' ');
  for (let nth = 0; nth < 110; nth += 1) count('acme', { ...plain, content: words(nth) });
  expect(count('acme', { ...plain, content: words(0) }).count).toBeGreaterThan(900);
});

test('ordinary testimonials cost as many postings as index updates are measured to write', () => {
  // docs/benchmark.md, Indexing: 9.8 writes each of a thousand together.
  const { count } = counter();
  const testimonials = Array.from(generateTestimonials(1000, { seed: 5 }), ({ testimonial }) => testimonial);
  const postings = testimonials.reduce((sum, testimonial) => sum + count('acme', testimonial).count, 0);
  expect(postings / 1000).toBeGreaterThan(9);
  expect(postings / 1000).toBeLessThan(11);
});
