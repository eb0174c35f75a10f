/** A review that is held between requests. */
import { expect, test } from '@jest/globals';
import type { Testimonial } from '../../../../functions/domain/testimonial.ts';
import { TestimonialChanged } from '../../../../functions/operations/change-testimonial.ts';
import { holdReview } from '../../../../lib/operator/desk/held-review.ts';

const pending = (n: number): Testimonial => ({
  id: `test_${n}`,
  content: 'Amazing product',
  author: { name: `Author ${n}`, email: 'jane@example.com' },
  type: 'text',
  status: 'pending',
  createdAt: '2026-01-15T10:30:00.000Z',
  updatedAt: '2026-01-15T10:30:00.000Z',
});

function heldWith(waiting: Testimonial[], changedByOthers: readonly string[] = []) {
  const now = new Map<string, string>();
  const held = holdReview({
    next: async (skipped) => {
      const open = waiting.filter(({ id }) => !now.has(id) && !skipped.has(id));
      const [testimonial] = open;
      return testimonial && { testimonial, left: open.length };
    },
    change: async (seen, status) => {
      if (changedByOthers.includes(seen.id)) {
        now.set(seen.id, 'rejected');
        throw new TestimonialChanged({ ...seen, status: 'rejected' });
      }
      if (status === 'pending') now.delete(seen.id);
      else now.set(seen.id, status);
      return { ...seen, status };
    },
  });
  return { held, now: () => Object.fromEntries(now), waiting };
}

test('shows one after the other, and says what was decided by the name of the author', async () => {
  const { held, now } = heldWith([pending(1), pending(2)]);
  expect(await held.state()).toMatchObject({ shown: { id: 'test_1' }, left: 2, canUndo: false, said: [] });
  expect(await held.press('a', 'test_1')).toMatchObject({
    ...{ shown: { id: 'test_2' }, left: 1, canUndo: true, said: ['Author 1 approved'] },
    tally: { approved: 1, rejected: 0, skipped: 0 },
  });
  await held.press('r', 'test_2');
  expect(now()).toEqual({ test_1: 'approved', test_2: 'rejected' });
});

test('a key on what is shown no more does nothing: a double click decides once', async () => {
  const { held, now } = heldWith([pending(1), pending(2)]);
  const [, second] = await Promise.all([held.press('a', 'test_1'), held.press('a', 'test_1')]);
  expect(second).toMatchObject({ shown: { id: 'test_2' }, said: ['Author 1 approved'] });
  expect(now()).toEqual({ test_1: 'approved' });
});

test('at its end the last decision can be undone, and what came meanwhile is found by any key', async () => {
  const { held, now, waiting } = heldWith([pending(1)]);
  const end = await held.press('a', 'test_1');
  expect(end.shown).toBeUndefined();
  expect(await held.press('u', undefined)).toMatchObject({
    shown: { id: 'test_1' },
    said: ['Author 1 pending again'],
  });
  expect(now()).toEqual({});
  await held.press('s', 'test_1');
  waiting.push(pending(2));
  expect(await held.press('s', undefined)).toMatchObject({ shown: { id: 'test_2' }, left: 1 });
});

test('what somebody else changed is told and left alone', async () => {
  const { held, now } = heldWith([pending(1), pending(2)], ['test_1']);
  expect(await held.press('a', 'test_1')).toMatchObject({
    shown: { id: 'test_2' },
    said: ['Somebody else was first: Author 1 is rejected now.'],
    tally: { approved: 0 },
  });
  expect(now()).toEqual({ test_1: 'rejected' });
});

test('an error is told to whoever asks', async () => {
  const held = holdReview({
    next: async () => {
      throw new Error('DynamoDB is away');
    },
    change: async (seen) => seen,
  });
  await expect(held.state()).rejects.toThrow('DynamoDB is away');
});
