import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import {
  applyChange,
  type TestimonialChange,
  testimonialChange,
} from '../../../functions/domain/testimonial-change.ts';
import { foldLabel } from '../../../functions/domain/visible-text.ts';
import { testimonialOf } from '../../testimonials.ts';

const testimonial = testimonialOf();
const tagged = (...tags: string[]) => testimonialOf({ tags });
/** Returns the testimonial after a change, if any. */
const applied = (before: Testimonial, change: TestimonialChange): Testimonial => {
  const changed = applyChange(before, change);
  return typeof changed === 'string' ? before : changed;
};
const tagsAfter = (before: Testimonial, change: TestimonialChange) => applied(before, change).tags;

describe('a change of tags', () => {
  test('appends tags, and removes them ignoring case', () => {
    const before = tagged('Draft', 'ux');
    expect(tagsAfter(before, { addTags: ['featured'], removeTags: ['DRAFT'] })).toEqual(['ux', 'featured']);
    expect(tagsAfter(testimonial, { addTags: ['featured'] })).toEqual(['featured']);
  });

  test('keeps the case of a tag, and removes the last one', () => {
    expect(applied(tagged('UX'), { addTags: ['ux'] })).toEqual(tagged('UX'));
    expect(applyChange(tagged('UX'), { removeTags: ['ux'] })).toEqual(tagged());
  });

  test('removes a tag that an earlier version stored with invisible characters', () => {
    expect(tagsAfter(tagged('\u2060U\u200bX', 'a'), { removeTags: ['ux'] })).toEqual(['a']);
  });

  test('adds a tag once if it is given in two cases', () => {
    expect(tagsAfter(testimonial, { addTags: ['UX', 'ux'] })).toEqual(['UX']);
  });

  test.each([
    ['adds a tag that is there', tagged('UX'), { addTags: ['ux'] }],
    ['removes a tag that is not there', tagged('UX'), { removeTags: ['draft'] }],
    [
      'adds a tag that an earlier version stored with an invisible character',
      tagged('U\u200bX'),
      { addTags: ['ux'] },
    ],
    ['removes a tag from none', testimonial, { removeTags: ['draft'] }],
  ])('changes nothing if it %s', (_, before, made) => expect(applyChange(before, made)).toBe('unchanged'));

  test('fails beyond twenty tags, counted after the removal', () => {
    const full = tagged(...Array.from({ length: 20 }, (_, i) => `tag-${i}`));
    expect(applyChange(full, { addTags: ['featured'] })).toBe('tooManyTags');
    expect(tagsAfter(full, { addTags: ['featured'], removeTags: ['tag-0'] })).toHaveLength(20);
  });

  test('gives the same tags in any order, each once', () => {
    const tags = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 });
    const made = (before: Testimonial, ...changes: TestimonialChange[]) =>
      changes.reduce((each, change) => applied(each, change), before);
    const sorted = ({ tags: list = [] }: Testimonial) => list.map(foldLabel).toSorted();
    fc.assert(
      fc.property(tags, tags, tags, (before, addTags, removes) => {
        const removeTags = removes.filter((each) => !addTags.includes(each));
        const one = made(tagged(...before), { addTags }, { removeTags });
        const other = made(tagged(...before), { removeTags }, { addTags });
        expect(sorted(one)).toEqual(sorted(other));
        expect(sorted(made(one, { addTags }))).toEqual(sorted(one));
        expect(sorted(made(tagged(...before), { addTags, removeTags }))).toEqual(sorted(one));
      }),
    );
  });
});

describe('the schema of a change', () => {
  const problem = (change: unknown) =>
    v
      .safeParse(testimonialChange, change, { abortPipeEarly: true })
      .issues?.map((issue) => `${v.getDotPath(issue) ?? ''} ${issue.message}`);

  test.each([
    [{}, ' must have at least one of status, addTags and removeTags'],
    [{ removeTags: [' '] }, 'removeTags.0 must have 1 to 50 characters'],
    [{ addTags: Array(21).fill('a') }, 'addTags must have at most 20 tags'],
    [{ addTags: ['u\u00adx'], removeTags: ['\u200bUX'] }, ' must not add and remove the same tag'],
    [
      { removeTags: ['caf\ufffd'] },
      'removeTags.0 must not contain U+FFFD, which stands for a character that was read in a wrong encoding',
    ],
  ])('rejects %j', (change, message) => expect(problem(change)).toEqual([message]));

  test('trims tags and keeps each once, as a create does', () => {
    expect(v.parse(testimonialChange, { status: 'rejected', addTags: [' a ', 'a'] })).toEqual({
      status: 'rejected',
      addTags: ['a'],
    });
  });
});
