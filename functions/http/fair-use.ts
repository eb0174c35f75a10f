/** Refuses the requests of an organization that has spent its budget, and counts what the others cost. */
import type { MiddlewareObj } from '@middy/core';
import type { Payer } from '../domain/stores.ts';
import type { Budgets } from '../fair-use/budgets.ts';
import { costOf } from '../fair-use/prices.ts';
import { ApiError } from './api-error.ts';
import type { ApiEvent, ApiResponse } from './api-event.ts';

/** Counts the calls of one request at a time. */
export interface RequestMeter {
  reset(): void;
  /** `units` of reads and writes, of which `writeUnits` are of writes. */
  cost(): { units: number; writeUnits: number };
}

/**
 * Refuses with 429, from memory alone, what is beyond the budget that pays for the caller. Behind `authenticate`: what it
 * refuses itself is nobody's. A request that passes is counted however it ends.
 */
export function fairUse<Input>(options: {
  budgets: Budgets;
  meter: RequestMeter;
  now: () => Date;
}): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  const { budgets, meter, now } = options;
  const count = ({ event }: { event: ApiEvent<Input> }) => {
    // Not of what was refused.
    if (event.begun === undefined) return;
    const { units, writeUnits } = meter.cost();
    const milliseconds = Math.max(0, now().getTime() - event.begun);
    const usage = { milliseconds, readUnits: units - writeUnits, writeUnits, postings: event.postings ?? 0 };
    budgets.spend(payerOf(event), costOf(usage));
  };
  return {
    before: ({ event }) => {
      const seconds = budgets.secondsToWait(payerOf(event));
      if (seconds !== undefined) throw beyondBudget(seconds);
      meter.reset();
      event.begun = now().getTime();
    },
    after: count,
    onError: count,
  };
}

/** Whose budget pays for a request that `authenticate` has let in. */
export function payerOf<Input>({
  caller: { organization },
  access: { budget, share },
}: ApiEvent<Input>): Payer {
  return { organization, budget, share };
}

function beyondBudget(seconds: number): ApiError {
  return new ApiError(
    'rate_limited',
    `Your organization has used up what its requests may cost in a minute. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    { retryAfterSeconds: seconds },
  );
}
