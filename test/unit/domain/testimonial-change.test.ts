import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { changed, TooManyTags } from '../../../functions/domain/testimonial-change.ts';
import { foldCase } from '../../../functions/domain/words.ts';

const testimonial: Testimonial = {
  id: 'test_1234567890121',
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text',
  status: 'pending',
  createdAt: '2026-01-15T10:00:00.000Z',
  updatedAt: '2026-01-15T10:00:00.000Z',
};
const tagged = (...tags: string[]): Testimonial => ({ ...testimonial, tags });
const change = (addTags: string[], removeTags: string[] = []) => ({ addTags, removeTags });

describe('a change of tags', () => {
  test('adds behind those that are there, and removes in any case', () => {
    expect(changed(tagged('Draft', 'ux'), change(['featured'], ['DRAFT'])).tags).toEqual(['ux', 'featured']);
    expect(changed(testimonial, change(['featured'])).tags).toEqual(['featured']);
  });

  test('keeps a tag as it was written, and leaves no trace of the last one', () => {
    expect(changed(tagged('UX'), change(['ux']))).toEqual(tagged('UX'));
    expect(changed(tagged('UX'), change([], ['ux']))).toEqual(tagged());
  });

  test.each([
    ['adds what is there', tagged('UX'), change(['ux'])],
    ['removes what is not', tagged('UX'), change([], ['draft'])],
    ['removes of none', testimonial, change([], ['draft'])],
  ])('is none when it %s', (_, before, made) => expect(changed(before, made)).toBe(before));

  test('is refused beyond twenty, which is counted after the removal', () => {
    const full = tagged(...Array.from({ length: 20 }, (_, i) => `tag-${i}`));
    expect(() => changed(full, change(['featured']))).toThrow(TooManyTags);
    expect(changed(full, change(['featured'], ['tag-0'])).tags).toHaveLength(20);
  });

  test('of one person and of another come to the same in any order, and none twice', () => {
    const tags = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 });
    const sorted = ({ tags: list = [] }: Testimonial) => list.map(foldCase).toSorted();
    fc.assert(
      fc.property(tags, tags, tags, (before, adds, removes) => {
        const disjoint = removes.filter((each) => !adds.includes(each));
        const one = changed(changed(tagged(...before), change(adds)), change([], disjoint));
        const other = changed(changed(tagged(...before), change([], disjoint)), change(adds));
        expect(sorted(one)).toEqual(sorted(other));
        expect(sorted(changed(one, change(adds)))).toEqual(sorted(one));
      }),
    );
  });
});

describe('a change of status', () => {
  test('is none when it is that already', () => {
    expect(changed(testimonial, { status: 'pending' })).toBe(testimonial);
    expect(changed(testimonial, { status: 'approved' })).toEqual({ ...testimonial, status: 'approved' });
  });
});
