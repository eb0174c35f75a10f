import { describe, expect, test } from '@jest/globals';
import type { Status, Testimonial } from '../../../../functions/domain/testimonial.ts';
import { TestimonialChanged } from '../../../../functions/operations/change-testimonial.ts';
import { TestimonialNotFound } from '../../../../functions/operations/find-testimonial.ts';
import {
  moveOf,
  type ReviewDependencies,
  type Reviewed,
  review,
  tallyOf,
} from '../../../../lib/operator/moderation/review.ts';

const pending = (id: string): Testimonial => ({
  id,
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text',
  status: 'pending',
  createdAt: '2026-01-15T10:30:00.000Z',
  updatedAt: '2026-01-15T10:30:00.000Z',
});

/** Reviews a, b, c … by some keys; others may be first. */
async function reviewed(
  keys: string[],
  { ids = 'abc', first = {} }: { ids?: string; first?: Record<string, Status | 'erased'> } = {},
) {
  const waiting = [...ids].map(pending);
  const now = new Map(waiting.map((each) => [each.id, each.status]));
  const shown: string[] = [];
  const said: string[] = [];
  const steps: Reviewed[] = [];
  const desk: ReviewDependencies = {
    next: async () => {
      const left = waiting.length;
      const testimonial = waiting.shift();
      return testimonial && { testimonial, left };
    },
    change: async (seen, status) => {
      const other = first[`${seen.id} ${status}`];
      if (other === 'erased') throw new TestimonialNotFound();
      if (other) throw new TestimonialChanged({ ...seen, status: other });
      now.set(seen.id, status);
      return { ...seen, status };
    },
    keys: (async function* () {
      yield* keys;
    })(),
    show: ({ id }, left, canUndo) => shown.push(`${id} ${left}${canUndo ? ' undo' : ''}`),
    say: (line) => said.push(line),
  };
  await review(desk, steps);
  return { shown, said, steps, tally: tallyOf(steps), now: Object.fromEntries(now) };
}

describe('keys', () => {
  test.each([
    ['a', { kind: 'decide', status: 'approved' }],
    ['r', { kind: 'decide', status: 'rejected' }],
    ['s', { kind: 'skip' }],
    ['q', { kind: 'quit' }],
    ['escape', { kind: 'quit' }],
    ['ctrl-c', { kind: 'quit' }],
    ['ctrl-d', { kind: 'quit' }],
  ])('%s', (key, move) => {
    expect(moveOf(key, [])).toEqual(move);
  });

  test.each(['x', 'return', 'up', 'ctrl-a', ''])('%j asks for nothing', (key) => {
    expect(moveOf(key, [])).toBeUndefined();
  });

  test('u undoes the last step, and nothing before the first', () => {
    const steps = [{ shown: pending('a') }, { shown: pending('b') }];
    expect(moveOf('u', steps)).toEqual({ kind: 'undo', last: steps[1] });
    expect(moveOf('u', [])).toBeUndefined();
  });
});

test('each is shown once with how many are left, and decided or skipped', async () => {
  const { shown, now, tally } = await reviewed(['a', 'r', 's']);
  expect(shown).toEqual(['a 3', 'b 2 undo', 'c 1 undo']);
  expect(now).toEqual({ a: 'approved', b: 'rejected', c: 'pending' });
  expect(tally).toEqual({ approved: 1, rejected: 1, skipped: 1 });
});

test('a key that means nothing leaves everything as it is', async () => {
  const { shown, now } = await reviewed(['x', 'u', 'return', 'a', 'q']);
  expect(shown).toEqual(['a 3', 'b 2 undo']);
  expect(now).toMatchObject({ a: 'approved', b: 'pending' });
});

test('quitting, and the end of all keys, leave the rest', async () => {
  expect((await reviewed(['a', 'q', 'a'])).now).toEqual({ a: 'approved', b: 'pending', c: 'pending' });
  expect((await reviewed(['a'])).now).toEqual({ a: 'approved', b: 'pending', c: 'pending' });
});

test('undo sets the last decision back, shows it again, then goes on where it was', async () => {
  const { shown, now, tally, said } = await reviewed(['a', 'u', 'r', 'a', 'a']);
  expect(shown).toEqual(['a 3', 'b 2 undo', 'a 3', 'b 2 undo', 'c 1 undo']);
  expect(now).toEqual({ a: 'rejected', b: 'approved', c: 'approved' });
  expect(tally).toEqual({ approved: 2, rejected: 1, skipped: 0 });
  expect(said).toContain('a pending again');
});

test('several steps are undone one after the other, skipped ones too', async () => {
  const { shown, now, tally } = await reviewed(['a', 's', 'u', 'u', 'q']);
  expect(shown).toEqual(['a 3', 'b 2 undo', 'c 1 undo', 'b 2 undo', 'a 3']);
  expect(now).toEqual({ a: 'pending', b: 'pending', c: 'pending' });
  expect(tally).toEqual({ approved: 0, rejected: 0, skipped: 0 });
});

test('what somebody else decided first is told, not counted, and passed', async () => {
  const { shown, said, tally } = await reviewed(['a', 'a', 'q'], { first: { 'a approved': 'rejected' } });
  expect(said).toContain('Somebody else was first: a is rejected now.');
  expect(shown).toEqual(['a 3', 'b 2', 'c 1 undo']);
  expect(tally).toEqual({ approved: 1, rejected: 0, skipped: 0 });
});

test('what somebody else changed after the decision is not undone, and no longer this review’s', async () => {
  const { said, now, tally, shown } = await reviewed(['a', 'u', 'u', 'q'], {
    first: { 'a pending': 'rejected' },
  });
  expect(said).toContain('Somebody else was first: a is rejected now.');
  expect(shown).toEqual(['a 3', 'b 2 undo', 'b 2']);
  expect(now.b).toBe('pending');
  expect(tally).toEqual({ approved: 0, rejected: 0, skipped: 0 });
});

test('one that was erased meanwhile is told and passed', async () => {
  const { said, shown } = await reviewed(['a', 'q'], { first: { 'a approved': 'erased' } });
  expect(said).toEqual(['a is no longer there.']);
  expect(shown).toEqual(['a 3', 'b 2']);
});

test('what was done before a failure is known', async () => {
  const steps: Reviewed[] = [];
  let calls = 0;
  const desk: ReviewDependencies = {
    next: async () => ({ testimonial: pending('a'), left: 1 }),
    change: async (seen, status) => {
      calls += 1;
      if (calls > 1) throw new Error('the table is gone');
      return { ...seen, status };
    },
    keys: (async function* () {
      yield* ['a', 'a'];
    })(),
    show: () => {},
    say: () => {},
  };
  await expect(review(desk, steps)).rejects.toThrow('the table is gone');
  expect(tallyOf(steps)).toEqual({ approved: 1, rejected: 0, skipped: 0 });
});
