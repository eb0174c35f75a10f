import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import type { Status, Testimonial } from '../../../functions/domain/testimonial.ts';
import type { Changed } from '../../../functions/operations/attempts.ts';
import { afterMove, emptyReview, moveOf, type Review, review } from '../../../functions/serve-desk/review.ts';

const pending = (n: number): Testimonial => ({
  id: `test_${n}`,
  content: 'Amazing product',
  author: { name: `Author ${n}`, email: 'jane@example.com' },
  type: 'text',
  status: 'pending',
  createdAt: '2026-01-15T10:30:00.000Z',
  updatedAt: '2026-01-15T10:30:00.000Z',
});

/** Reviews some testimonials by keys; what others did first is by id. */
function reviewed(keys: string, first: Record<string, Status | 'erased'> = {}) {
  const now = new Map([1, 2, 3].map((n) => [`test_${n}`, pending(n)]));
  let updates = 0;
  const change = (id: string, status: Status, ifUpdatedAt?: string): Changed => {
    const there = now.get(id);
    if (!there) return { kind: 'absent' };
    if (there.status === status) return { kind: 'already', testimonial: there };
    if (ifUpdatedAt !== undefined && there.updatedAt !== ifUpdatedAt) {
      return { kind: 'conflict', testimonial: there };
    }
    updates += 1;
    const testimonial = { ...there, status, updatedAt: `update ${updates}` };
    now.set(id, testimonial);
    return { kind: 'done', before: there, testimonial };
  };
  let current: Review = emptyReview;
  const said: string[] = [];
  const shown: (string | undefined)[] = [];
  const oldest = () =>
    [...now.values()].find(({ id, status }) => status === 'pending' && !current.skipped.includes(id));
  let page = oldest();
  for (const key of keys) {
    shown.push(page?.id);
    // After the page was shown, before its key is pressed.
    for (const [id, status] of Object.entries(first)) {
      if (page?.id !== id) continue;
      if (status === 'erased') now.delete(id);
      else change(id, status);
    }
    const move = moveOf(current, key, page);
    if (!move) continue;
    const { id, updatedAt } = move.seen;
    const outcome = move.change && change(id, move.change.status ?? 'pending', updatedAt);
    // As a page carries it.
    const moved = afterMove(v.parse(review, JSON.parse(JSON.stringify(current))), move, outcome);
    current = moved.review;
    said.push(moved.said);
    page = moved.next ?? oldest();
  }
  shown.push(page?.id);
  const statuses = Object.fromEntries(Array.from(now.values(), ({ id, status }) => [id, status]));
  return { review: current, said, shown, statuses };
}

test('a key decides on what is shown, and says so by the name of the author', () => {
  const { review, said, shown, statuses } = reviewed('ars');
  expect(shown).toEqual(['test_1', 'test_2', 'test_3', undefined]);
  expect(statuses).toEqual({ test_1: 'approved', test_2: 'rejected', test_3: 'pending' });
  expect(said).toEqual(['Author 1 is approved.', 'Author 2 is rejected.', 'Skipped.']);
  expect(review.given).toEqual({ approved: 1, rejected: 1, pending: 1 });
});

test.each(['x', 'A', ''])('the key %j asks for nothing', (key) => {
  expect(moveOf(emptyReview, key, pending(1))).toBeUndefined();
});

test('where nothing is shown, only an undo is something', () => {
  const { review } = reviewed('a');
  for (const key of ['a', 'r', 's']) expect(moveOf(review, key, undefined)).toBeUndefined();
  expect(moveOf(review, 'u', undefined)).toMatchObject({ kind: 'undo', seen: { id: 'test_1' } });
  expect(moveOf(emptyReview, 'u', pending(1))).toBeUndefined();
});

test('undo takes back the last step, shows it again, then goes on where it was', () => {
  const { shown, statuses, review } = reviewed('asuura');
  expect(shown).toEqual(['test_1', 'test_2', 'test_3', 'test_2', 'test_1', 'test_2', 'test_3']);
  expect(statuses).toEqual({ test_1: 'rejected', test_2: 'approved', test_3: 'pending' });
  expect(review.given).toEqual({ approved: 1, rejected: 1, pending: 0 });
});

describe('what somebody else has changed', () => {
  test('before the decision is told, not counted, and passed', () => {
    const { said, review, statuses } = reviewed('aa', { test_1: 'rejected' });
    expect(said).toEqual(['Somebody else was first: Author 1 is rejected now.', 'Author 2 is approved.']);
    expect(statuses).toMatchObject({ test_1: 'rejected', test_2: 'approved' });
    expect(review).toMatchObject({ given: { approved: 1 }, steps: [{ id: 'test_2' }] });
  });

  test('to what was wanted is told, and is not this review’s to undo', () => {
    const { said, review } = reviewed('a', { test_1: 'approved' });
    expect(said).toEqual(['Author 1 is approved already.']);
    expect(review).toEqual(emptyReview);
  });

  test('after the decision is not undone, and not tried again', () => {
    const step = { id: 'test_1', updatedAt: 'update 1', status: 'approved' as const, tags: [] };
    const before: Review = { ...emptyReview, steps: [step], given: { ...emptyReview.given, approved: 1 } };
    const move = moveOf(before, 'u', undefined);
    const other = { ...pending(1), status: 'rejected' } as const;
    expect(move && afterMove(before, move, { kind: 'conflict', testimonial: other })).toEqual({
      review: emptyReview,
      said: 'Somebody else was first: Author 1 is rejected now.',
    });
  });

  test('by erasing it is told and passed', () => {
    const { said, shown } = reviewed('aa', { test_1: 'erased' });
    expect(said[0]).toBe('It is no longer there.');
    expect(shown).toEqual(['test_1', 'test_2', 'test_3']);
  });
});

test('whatever keys are pressed, as many undos bring all of it back', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'r', 's', 'u'), maxLength: 12 }), (keys) => {
      const { statuses, review } = reviewed(`${keys}${'u'.repeat(keys.length)}`);
      expect(new Set(Object.values(statuses))).toEqual(new Set(['pending']));
      expect(review).toEqual(emptyReview);
    }),
  );
});

test('a page carries the last fifty steps, and counts all', () => {
  const step = { id: 'test_1', updatedAt: 'x' };
  let carried = emptyReview;
  for (let n = 0; n < 60; n += 1) {
    const testimonial = { ...pending(n), status: 'approved' } as const;
    const move = { kind: 'decide', seen: step, change: { status: 'approved' } } as const;
    carried = afterMove(carried, move, { kind: 'done', before: pending(n), testimonial }).review;
  }
  expect(carried.steps).toHaveLength(50);
  expect(carried.given.approved).toBe(60);
});
