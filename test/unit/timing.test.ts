/** Checks that the durations of functions/timing.ts fit together. */
import { expect, test } from '@jest/globals';
import {
  backgroundTries,
  batchingWindowMs,
  budgetCallMs,
  budgetMinuteMs,
  callTimeoutMs,
  clockErrorMs,
  connectTimeoutMs,
  forgetAfterMs,
  indexTimeoutMs,
  indexTurnMs,
  longestBackOffMs,
  rebuildLeaseMs,
  requestTimeoutMs,
  requestTries,
  responseReserveMs,
  settledMs,
  syncEveryMs,
  toleratedClockErrorMs,
} from '../../functions/timing.ts';

// The SDK's back-off doubles from 25 ms.
const requestBackOffMs = 25 * (2 ** (requestTries - 1) - 1);

test('all tries of a call fit into the time of a request before it is stopped', () => {
  expect(requestTries * callTimeoutMs + requestBackOffMs).toBeLessThan(requestTimeoutMs - responseReserveMs);
  expect(connectTimeoutMs).toBeLessThanOrEqual(callTimeoutMs);
});

test('a shared sum of costs ends before the next one, and there are many a minute', () => {
  expect(budgetCallMs).toBeLessThan(callTimeoutMs);
  expect(budgetCallMs).toBeLessThan(syncEveryMs);
  expect(20 * syncEveryMs).toBeLessThan(budgetMinuteMs);
});

test('a request ends within the settling time, which ends within a batching window', () => {
  expect(settledMs).toBeGreaterThan(requestTimeoutMs);
  expect(batchingWindowMs).toBeGreaterThan(settledMs);
});

test('everything that running lists need is kept until they end, even if two clocks differ', () => {
  expect(forgetAfterMs).toBeGreaterThanOrEqual(requestTimeoutMs + 2 * clockErrorMs);
});

test('a clock corrected by the last response is not off by more than assumed', () => {
  const wholeSecondMs = 1000;
  expect(clockErrorMs).toBeGreaterThanOrEqual(toleratedClockErrorMs + wholeSecondMs / 2);
  expect(clockErrorMs).toBeGreaterThanOrEqual(callTimeoutMs + wholeSecondMs / 2);
});

test('the last step of the index function ends within the time of the function', () => {
  // A step writes for seconds; in the worst case each of its calls is tried to the end.
  const longestCallMs = backgroundTries * (callTimeoutMs + longestBackOffMs);
  expect(indexTurnMs + longestCallMs).toBeLessThan(indexTimeoutMs);
});

test('a rebuild shows progress more often than needed not to count as abandoned', () => {
  expect(rebuildLeaseMs / 2).toBeGreaterThan(requestTimeoutMs);
});
