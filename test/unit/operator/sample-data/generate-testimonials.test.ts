import * as v from 'valibot';
import { testimonialInput } from '../../../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../../../functions/domain/testimonial-id.ts';
import { generateTestimonials as sampleTestimonials } from '../../../../lib/operator/sample-data/generate-testimonials.ts';
import { generateTestimonials, rareTag } from '../../../zipf/generate-testimonials.ts';

const count = 3000;
const all = [...generateTestimonials(count)].map(({ testimonial }) => testimonial);

test.each([
  ['words', all],
  ['whole sentences', Array.from(sampleTestimonials(count), ({ testimonial }) => testimonial)],
])('the API accepts all testimonials of %s', (_, testimonials) => {
  for (const {
    id: _id,
    status: _status,
    createdAt: _created,
    updatedAt: _updated,
    ...input
  } of testimonials) {
    expect(v.is(testimonialInput, input)).toBe(true);
  }
});

test('testimonials ascend in ordinal and time, between two dates', () => {
  const from = new Date('2025-01-01T00:00:00.000Z');
  const to = new Date('2025-01-31T00:00:00.000Z');
  const later = [...generateTestimonials(10, { firstOrdinal: 101, from, to })];
  expect(later.map(({ ordinal }) => ordinal)).toEqual([101, 102, 103, 104, 105, 106, 107, 108, 109, 110]);
  expect(later.every(({ ordinal, testimonial }) => ordinalOf(testimonial.id) === ordinal)).toBe(true);
  const times = later.map(({ testimonial }) => testimonial.createdAt);
  expect(times).toEqual(times.toSorted());
  expect(times.at(-1)).toBe(to.toISOString());
  expect(later.every(({ testimonial: { createdAt, updatedAt } }) => createdAt <= updatedAt)).toBe(true);
  const updates = later.toSorted((a, b) => a.updateOrdinal - b.updateOrdinal);
  expect(updates.map(({ updateOrdinal }) => updateOrdinal)).toEqual(later.map(({ ordinal }) => ordinal));
  const updateTimes = updates.map(({ testimonial }) => testimonial.updatedAt);
  expect(updateTimes).toEqual(updateTimes.toSorted());
});

test('exactly three testimonials have the rare tag, whatever the number', () => {
  const withTag = (testimonials: typeof all) => testimonials.filter(({ tags }) => tags?.includes(rareTag));
  expect(withTag(all)).toHaveLength(3);
  expect(withTag([...generateTestimonials(50)].map(({ testimonial }) => testimonial))).toHaveLength(3);
});
