/** Waits for IAM, because a new policy takes some seconds to apply everywhere. */
import { policyAppliesMs } from '../../functions/timing.ts';

const betweenTriesMs = 1000;

const isDenied = (error: unknown) => error instanceof Error && error.name.startsWith('AccessDenied');

/**
 * Returns a function that retries a denied call, for half a minute from the first denial of any call
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html#troubleshoot_general_eventual-consistency).
 */
export function whileDenied(
  sleep: (milliseconds: number) => Promise<unknown>,
  now: () => number = Date.now,
): <Result>(call: () => Promise<Result>) => Promise<Result> {
  let givenUpAt: number | undefined;
  return async (call) => {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!isDenied(error)) throw error;
        givenUpAt ??= now() + policyAppliesMs;
        if (now() >= givenUpAt) throw error;
        await sleep(betweenTriesMs);
      }
    }
  };
}
