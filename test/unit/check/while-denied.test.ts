import { expect, test } from '@jest/globals';
import { whileDenied } from '../../../lib/check/while-denied.ts';

class Denied extends Error {
  override name = 'AccessDeniedException';
}

/** Plays calls with a simulated clock; each is denied until a time, in milliseconds from the beginning. */
function play() {
  let now = 0;
  const patiently = whileDenied(
    async (milliseconds) => {
      now += milliseconds;
    },
    () => now,
  );
  const call = (deniedUntil: number) =>
    patiently(async () => {
      if (now < deniedUntil) throw new Denied('not yet');
      return now;
    });
  return { call, patiently, now: () => now };
}

test('a call that is denied is repeated until the policy applies', async () => {
  const { call } = play();
  expect(await call(0)).toBe(0);
  expect(await call(29_000)).toBe(29_000);
});

test('all calls together wait for half a minute: a right that is missing fails soon', async () => {
  const { call, now } = play();
  await expect(call(Number.POSITIVE_INFINITY)).rejects.toThrow('not yet');
  expect(now()).toBe(30_000);
  await expect(call(Number.POSITIVE_INFINITY)).rejects.toThrow('not yet');
  expect(now()).toBe(30_000);
});

test('another error is not repeated', async () => {
  const { patiently, now } = play();
  await expect(patiently(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(now()).toBe(0);
});
