/** That the durations fit together, as functions/timing.ts says they do. */
import { expect, test } from '@jest/globals';
import {
  answerMs,
  backgroundTries,
  batchingWindowMs,
  believedClockErrorMs,
  budgetCallMs,
  budgetMinuteMs,
  callTimeoutMs,
  clockErrorMs,
  connectTimeoutMs,
  forgetAfterMs,
  indexTimeoutMs,
  indexTurnMs,
  longestBackOffMs,
  rebuildGivenUpMs,
  requestTimeoutMs,
  requestTries,
  settledMs,
  shareEveryMs,
} from '../../functions/timing.ts';

// The SDK's own back-off doubles from 25 ms for calls that fail, each up to that long.
const requestBackOffMs = 25 * (2 ** (requestTries - 1) - 1);

test('all tries of a call fit into the time of a request, and into what is left of it when it is stopped', () => {
  expect(requestTries * callTimeoutMs + requestBackOffMs).toBeLessThan(requestTimeoutMs - answerMs);
  expect(connectTimeoutMs).toBeLessThanOrEqual(callTimeoutMs);
});

test('the sum of what an organization spent ends before it is tried again, and is shared many times a minute', () => {
  expect(budgetCallMs).toBeLessThan(callTimeoutMs);
  expect(budgetCallMs).toBeLessThan(shareEveryMs);
  expect(20 * shareEveryMs).toBeLessThan(budgetMinuteMs);
});

test('whoever began before the settling time has ended, and the first record of a batch has settled', () => {
  expect(settledMs).toBeGreaterThan(requestTimeoutMs);
  expect(batchingWindowMs).toBeGreaterThan(settledMs);
});

test('what running lists may need is kept until they have ended, whatever two clocks say', () => {
  expect(forgetAfterMs).toBeGreaterThanOrEqual(requestTimeoutMs + 2 * clockErrorMs);
});

test('a clock that is believed, or corrected by an answer a call ago, is not off by more than assumed', () => {
  const wholeSecondMs = 1000;
  expect(clockErrorMs).toBeGreaterThanOrEqual(believedClockErrorMs + wholeSecondMs / 2);
  expect(clockErrorMs).toBeGreaterThanOrEqual(callTimeoutMs + wholeSecondMs / 2);
});

test('a turn of the index function, with the last step begun in it, ends within its time', () => {
  // A step writes for seconds; in the worst case each of its calls is tried to the end.
  const longestCallMs = backgroundTries * (callTimeoutMs + longestBackOffMs);
  expect(indexTurnMs + longestCallMs).toBeLessThan(indexTimeoutMs);
});

test('a rebuild shows life more often than it would count as given up', () => {
  expect(rebuildGivenUpMs / 2).toBeGreaterThan(requestTimeoutMs);
});
