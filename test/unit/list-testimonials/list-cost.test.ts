import { expect, test } from '@jest/globals';
import { lineOfList } from '../../../functions/list-testimonials/list-cost.ts';
import type { ListExplanation } from '../../../functions/operations/list-testimonials.ts';

const cost = { units: 5.5, writeUnits: 1, rounds: 2, requests: 3 };
const now = new Date('2026-01-15T10:05:00.000Z');

const explanation = (fields: Partial<ListExplanation> = {}) =>
  // It reads no other part.
  ({ rows: { by: 'walk' }, unindexed: 7, isWarm: true, hasOtherTerms: false, ...fields }) as ListExplanation;

test('what a list cost is in its line', () => {
  expect(lineOfList(cost, explanation(), now)).toEqual({
    rows: 'walk',
    readUnits: 4.5,
    rounds: 2,
    calls: 3,
    unindexed: 7,
    isWarm: true,
  });
});

test('what is wrong with the index is in the line of a list that meets it, and in no other', () => {
  const faults = { dueSince: '2026-01-15T10:00:00.000Z', hasOtherTerms: true };
  expect(lineOfList(cost, explanation(faults), now)).toMatchObject({
    indexLagMs: 300_000,
    hasOtherTerms: true,
  });
});
