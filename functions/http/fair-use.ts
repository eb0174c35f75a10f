/** Refuses the requests of an organization that has used up what it may, and counts what the others cost. */
import type { MiddlewareObj, Request } from '@middy/core';
import type { Payer } from '../domain/stores.ts';
import type { Budgets, Refusal } from '../fair-use/budgets.ts';
import { costOf, costOfPostings } from '../fair-use/prices.ts';
import { ApiError } from './api-error.ts';
import type { ApiEvent, ApiResponse } from './api-event.ts';

/** Counts the calls of one request at a time. */
export interface RequestMeter {
  reset(): void;
  /** `units` of reads and writes, of which `writeUnits` are of writes. */
  cost(): { units: number; writeUnits: number };
}

/**
 * `admit` refuses with 429 what is beyond the limits of the caller: behind `authenticate`, since what that refuses is nobody's.
 * It decides from memory, and waits for the sum only near a limit. Whoever it lets in pays, also when the content of the request
 * is refused; beside all that follows, what is known of the limits is brought up to date. `charge` counts the answer as it
 * leaves: ahead of all that makes one.
 */
export function fairUse<Input>(options: { budgets: Budgets; meter: RequestMeter; now: () => Date }): {
  admit: MiddlewareObj<ApiEvent<Input>, ApiResponse>;
  charge: MiddlewareObj<ApiEvent<Input>, ApiResponse>;
} {
  const { budgets, meter, now } = options;
  const count = async ({ event, response, error }: Request<ApiEvent<Input>, ApiResponse>) => {
    // Not of what was refused before.
    if (!event.admitted) return;
    const { at, bytesIn, shared, postings, reserved } = event.admitted;
    // A function that has answered stands still until its next request.
    await shared;
    const { units, writeUnits } = meter.cost();
    const milliseconds = Math.max(0, now().getTime() - at);
    const usage = { milliseconds, readUnits: units - writeUnits, writeUnits, postings };
    const unreserved = costOf({ ...usage, bytesIn, bytesOut: bytesOf(response) }) - reserved;
    const payer = payerOf(event);
    budgets.spend(payer, unreserved);
    // A failed request may have no time left.
    if (!error) await budgets.shareMuch(payer, unreserved);
  };
  return {
    admit: {
      before: async ({ event }) => {
        const payer = payerOf(event);
        throwIfBeyond(budgets.refusal(payer));
        meter.reset();
        const bytesIn = bodyBytes(event);
        const admitted = {
          at: now().getTime(),
          bytesIn,
          shared: budgets.share(payer),
          postings: 0,
          reserved: 0,
        };
        if (budgets.waitsForSum(payer)) {
          await admitted.shared;
          throwIfBeyond(budgets.refusal(payer));
        }
        event.admitted = admitted;
        event.payFor = async ({ count: postings, forget }) => {
          admitted.postings += postings;
          const due = costOfPostings(admitted.postings) - admitted.reserved;
          if (!budgets.mustReserve(payer, due)) return;
          admitted.reserved += due;
          await admitted.shared;
          const refusal = await budgets.reserve(payer, due);
          if (!refusal) return;
          admitted.postings -= postings;
          admitted.reserved -= due;
          forget();
          throw beyondLimit(refusal);
        };
      },
    },
    charge: { after: count, onError: count },
  };
}

function throwIfBeyond(refusal: Refusal | undefined): void {
  if (refusal) throw beyondLimit(refusal);
}

/** The payer of a request that `authenticate` has let in. */
function payerOf<Input>({ caller: { organization }, access: { budget, share } }: ApiEvent<Input>): Payer {
  return { organization, budget, share };
}

function bytesOf(response: ApiResponse | null | undefined): number {
  if (!response) return 0;
  const headers = Object.entries(response.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  return bodyBytes(response) + Buffer.byteLength(headers.join(''));
}

/** The size of a body as it goes over the wire. */
function bodyBytes({
  body,
  isBase64Encoded,
}: Pick<ApiEvent<unknown>, 'body'> & Pick<ApiResponse, 'isBase64Encoded'>): number {
  return typeof body === 'string' ? Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') : 0;
}

const usedUp = {
  spent: 'Your organization has used up what its requests may cost in a minute.',
  requests: 'Your organization has sent as many requests as it may in a minute.',
} satisfies Record<Refusal['of'], string>;

function beyondLimit({ of, seconds }: Refusal): ApiError {
  const wait = `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  return new ApiError('rate_limited', `${usedUp[of]} ${wait}`, { retryAfterSeconds: seconds });
}
