import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import type { ChangeOutcome } from '../../../functions/domain/outcomes.ts';
import type { Status, Testimonial } from '../../../functions/domain/testimonial.ts';
import {
  commandOf,
  emptyReview,
  pageAfter,
  pageAfterSkip,
  type Review,
  reviewParameter,
  reviewSchema,
} from '../../../functions/serve-desk/review.ts';
import { anyText } from '../../any-text.ts';
import { testimonialOf } from '../../testimonials.ts';

/** Returns the outcome of the first try of a command. */
const done = (outcome: ChangeOutcome) => ({ outcome, isRepeated: false });

const pending = (n: number): Testimonial =>
  testimonialOf({
    id: `test_${n}`,
    status: 'pending',
    author: { name: `Author ${n}`, email: 'jane@example.com' },
  });

/**
 * Presses keys in a queue of three testimonials.
 * @param others changes that someone else makes before the key, by id
 */
function pressKeys(keys: string, others: Record<string, Status | 'erased'> = {}) {
  const queue = new Map([1, 2, 3].map((n) => [`test_${n}`, pending(n)]));
  let updates = 0;
  const change = (id: string, status: Status, ifUpdatedAt?: string): ChangeOutcome => {
    const current = queue.get(id);
    if (!current) return { kind: 'absent' };
    if (current.status === status) return { kind: 'already', testimonial: current };
    if (ifUpdatedAt !== undefined && current.updatedAt !== ifUpdatedAt)
      return { kind: 'conflict', testimonial: current };
    updates += 1;
    const testimonial = { ...current, status, updatedAt: `update ${updates}` };
    queue.set(id, testimonial);
    return { kind: 'done', before: current, testimonial };
  };
  let current: Review = emptyReview;
  const messages: string[] = [];
  const oldest = () =>
    [...queue.values()].find(({ id, status }) => status === 'pending' && !current.skipped.includes(id));
  let page = oldest();
  const shown = [page?.id];
  for (const key of keys) {
    for (const [id, status] of Object.entries(others)) {
      if (page?.id !== id) continue;
      if (status === 'erased') queue.delete(id);
      else change(id, status);
    }
    const command = commandOf(current, key, page);
    if (command) {
      const { id, updatedAt } = command.seen;
      // Pages carry the review as JSON.
      const carried = v.parse(reviewSchema, JSON.parse(JSON.stringify(current)));
      const after =
        command.kind === 'skip'
          ? pageAfterSkip(carried, command.seen)
          : pageAfter(carried, command, done(change(id, command.change.status ?? 'pending', updatedAt)), []);
      current = after.review;
      messages.push(after.message);
      page = after.next ?? oldest();
    }
    shown.push(page?.id);
  }
  const statuses = Object.fromEntries(Array.from(queue.values(), ({ id, status }) => [id, status]));
  return { review: current, messages, shown, statuses };
}

test('a key decides on the testimonial, and the message names its author', () => {
  const { review, messages, shown, statuses } = pressKeys('ars');
  expect(shown).toEqual(['test_1', 'test_2', 'test_3', undefined]);
  expect(statuses).toEqual({ test_1: 'approved', test_2: 'rejected', test_3: 'pending' });
  expect(messages).toEqual([
    'Author 1’s testimonial is approved.',
    'Author 2’s testimonial is rejected.',
    'Skipped.',
  ]);
  expect(review.counts).toEqual({ approved: 1, rejected: 1, pending: 1 });
});

test('some keys are no command, and in an empty queue undo is the only one', () => {
  for (const key of ['x', 'A', '']) expect(commandOf(emptyReview, key, pending(1))).toBeUndefined();
  const { review } = pressKeys('a');
  for (const key of ['a', 'r', 's']) expect(commandOf(review, key, undefined)).toBeUndefined();
  expect(commandOf(review, 'u', undefined)).toMatchObject({ kind: 'undo', seen: { id: 'test_1' } });
  expect(commandOf(emptyReview, 'u', pending(1))).toBeUndefined();
});

test('undo reverts the last decision and shows its testimonial again', () => {
  const { shown, statuses, review, messages } = pressKeys('asuura');
  expect(shown).toEqual(['test_1', 'test_2', 'test_3', 'test_2', 'test_1', 'test_2', 'test_3']);
  expect(statuses).toEqual({ test_1: 'rejected', test_2: 'approved', test_3: 'pending' });
  expect(review.counts).toEqual({ approved: 1, rejected: 1, pending: 0 });
  expect(messages[3]).toBe('Author 1’s testimonial is back in the queue.');
});

describe('if someone else', () => {
  test('decided first, their decision stays and is shown', () => {
    const { messages, review, statuses } = pressKeys('aa', { test_1: 'rejected' });
    expect(messages).toEqual([
      'Nothing was changed: Author 1’s testimonial is already rejected.',
      'Author 2’s testimonial is approved.',
    ]);
    expect(statuses).toMatchObject({ test_1: 'rejected', test_2: 'approved' });
    expect(review).toMatchObject({ counts: { approved: 1 }, decisions: [{ id: 'test_2' }] });
  });

  test('changed its tags, the card is shown again', () => {
    const command = commandOf(emptyReview, 'a', pending(1));
    if (command?.kind !== 'decide') throw new Error('It is a decision');
    const tagged = { ...pending(1), tags: ['new'] };
    const outcome = { kind: 'conflict', testimonial: tagged } as const;
    expect(pageAfter(emptyReview, command, done(outcome), [])).toEqual({
      review: emptyReview,
      message: 'Nothing was changed: someone else changed Author 1’s testimonial. Look at it again.',
      next: tagged,
      keepsTags: true,
    });
  });

  test('made the same decision, this review cannot undo it', () => {
    const { messages, review } = pressKeys('a', { test_1: 'approved' });
    expect(messages).toEqual(['Author 1’s testimonial was already approved.']);
    expect(review).toEqual(emptyReview);
  });

  test('changed it after the decision, undo is given up', () => {
    const decision = { id: 'test_1', updatedAt: 'update 1', status: 'approved' as const, tags: [] };
    const counts = { ...emptyReview.counts, approved: 1 };
    const before = { ...emptyReview, decisions: [decision], counts };
    const command = commandOf(before, 'u', undefined);
    const other = { ...pending(1), status: 'rejected' } as const;
    if (command?.kind !== 'undo') throw new Error('It is an undo');
    const outcome = { kind: 'conflict', testimonial: other } as const;
    expect(pageAfter(before, command, done(outcome), [])).toEqual({
      review: emptyReview,
      message: 'Nothing was changed: Author 1’s testimonial is already rejected.',
    });
  });

  test('erased it, the next one is shown', () => {
    const { messages, shown } = pressKeys('aa', { test_1: 'erased' });
    expect(messages[0]).toBe('This testimonial no longer exists.');
    expect(shown).toEqual(['test_1', 'test_2', 'test_3']);
  });
});

test('any keys are reverted by as many undos', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'r', 's', 'u'), maxLength: 12 }), (keys) => {
      const { statuses, review } = pressKeys(`${keys}${'u'.repeat(keys.length)}`);
      expect(new Set(Object.values(statuses))).toEqual(new Set(['pending']));
      expect(review).toEqual(emptyReview);
    }),
  );
});

test('a page carries the last fifty decisions and counts all', () => {
  let carried = emptyReview;
  for (let n = 0; n < 60; n += 1) {
    const testimonial = { ...pending(n), status: 'approved' } as const;
    const seen = { id: `test_${n}`, updatedAt: 'x' };
    const command = { kind: 'decide', seen, change: { status: 'approved' } } as const;
    const outcome = { kind: 'done', before: pending(n), testimonial } as const;
    carried = pageAfter(carried, command, done(outcome), []).review;
  }
  expect(carried.decisions).toHaveLength(50);
  expect(carried.counts.approved).toBe(60);
});

test('a review in a URL has the newest decisions and skips that fit, and all counts', () => {
  const text = anyText(40);
  const decision = fc.record({
    id: fc.integer({ min: 1 }).map((n) => `test_${n}`),
    updatedAt: fc.constant('2026-01-01T00:00:00.000Z'),
    status: fc.constant('approved' as const),
    tags: fc.array(text, { maxLength: 20 }),
  });
  const reviews = fc.record({
    decisions: fc.array(decision, { maxLength: 50 }),
    skipped: fc.array(fc.integer({ min: 1 }).map(String), { maxLength: 200 }),
    counts: fc.constant({ pending: 3, approved: 2, rejected: 1 }),
  });
  fc.assert(
    fc.property(reviews, (whole) => {
      const parameter = reviewParameter(whole);
      expect(encodeURIComponent(parameter).length).toBeLessThanOrEqual(4000);
      const kept = v.parse(reviewSchema, JSON.parse(parameter));
      expect(kept.counts).toEqual(whole.counts);
      expect(whole.decisions.slice(whole.decisions.length - kept.decisions.length)).toEqual(kept.decisions);
      expect(whole.skipped.slice(whole.skipped.length - kept.skipped.length)).toEqual(kept.skipped);
    }),
  );
});
