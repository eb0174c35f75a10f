/** Refuses requests of organizations that have reached a limit, and counts the cost of all other requests. */
import type { Request } from '@middy/core';
import type { Payer } from '../domain/payer.ts';
import { mediaShares } from '../fair-use/account.ts';
import type { SpendingSums } from '../fair-use/budget-store.ts';
import type { Budgets, LimitExceeded } from '../fair-use/budgets.ts';
import { costOf, costOfPostings } from '../fair-use/prices.ts';
import { ApiError } from './api-error.ts';
import type { ApiEvent, ApiResponse, Middleware } from './api-event.ts';

/** Meters the calls of one request at a time. */
interface RequestMeter {
  reset(): void;
  /** Returns the units of reads and writes together, and of writes alone. */
  cost(): { units: number; writeUnits: number };
}

export interface FairUseDependencies {
  budgets: Budgets;
  meter: RequestMeter;
  now: () => Date;
}

/**
 * Returns two middlewares.
 *
 * `admit` responds 429 if the caller has reached a limit. It comes after `identify`, because only an
 * identified request has a payer. It decides from the sums in memory and updates them in parallel. It
 * waits for the update only near a limit. An admitted request pays even if its content is invalid.
 *
 * `charge` counts the response as it is sent, so it comes before all middlewares that change the response.
 */
export function fairUse({ budgets, meter, now }: FairUseDependencies) {
  const count = async ({ event, response, error }: Request<ApiEvent<unknown>, ApiResponse>) => {
    if (!event.admitted) return; // refused, or not identified
    const { at, bytesIn, synced, postings, media, reserved } = event.admitted;
    // Lambda freezes a function after its response.
    await synced;
    const { units, writeUnits } = meter.cost();
    const milliseconds = Math.max(0, now().getTime() - at);
    const usage = { milliseconds, readUnits: units - writeUnits, writeUnits, postings };
    const unreserved = costOf({ ...usage, bytesIn, bytesOut: bytesOf(response) }) + media - reserved;
    const payer = payerOf(event);
    budgets.spend(payer, unreserved);
    // A failed request may have no time left.
    if (!error) await budgets.addLargeCost(payer, unreserved);
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
          synced: budgets.syncSpending(payer),
          postings: 0,
          media: 0,
          reserved: 0,
        };
        if (budgets.waitsForSum(payer)) {
          await admitted.synced;
          throwIfBeyond(budgets.refusal(payer));
        }
        event.admitted = admitted;
        const reserve = async (refund: () => void, shares?: SpendingSums) => {
          const due = costOfPostings(admitted.postings) + admitted.media - admitted.reserved;
          if (!budgets.mustReserve(payer, due)) return;
          admitted.reserved += due;
          await admitted.synced;
          const refusal = await budgets.reserve(payer, due, shares);
          if (!refusal) return;
          admitted.reserved -= due;
          refund();
          throw beyondLimit(refusal);
        };
        event.payFor = ({ count: postings, refund }) => {
          admitted.postings += postings;
          return reserve(() => {
            admitted.postings -= postings;
            refund();
          });
        };
        event.payForMedia = async (cost) => {
          throwIfBeyond(budgets.refusal(payer, mediaShares));
          admitted.media += cost;
          await reserve(() => {
            admitted.media -= cost;
          }, mediaShares);
        };
      },
    },
    charge: { after: count, onError: count },
  } satisfies Record<string, Middleware<unknown>>;
}

function throwIfBeyond(refusal: LimitExceeded | undefined): void {
  if (refusal) throw beyondLimit(refusal);
}

/** Returns the payer of an authenticated request. */
function payerOf({ caller: { organization }, access: { budget, share } }: ApiEvent<unknown>): Payer {
  return { organization, budget, share };
}

function bytesOf(response: ApiResponse | null | undefined): number {
  if (!response) return 0;
  const headers = Object.entries(response.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  return bodyBytes(response) + Buffer.byteLength(headers.join(''));
}

/** Returns the bytes of a body as sent. */
function bodyBytes({
  body,
  isBase64Encoded,
}: Pick<ApiEvent<unknown>, 'body'> & Pick<ApiResponse, 'isBase64Encoded'>): number {
  return typeof body === 'string' ? Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') : 0;
}

const usedUp = {
  spent: 'Your organization has used up its budget for this minute.',
  requests: 'Your organization has reached its request limit for this minute.',
} satisfies Record<Exclude<LimitExceeded['of'], 'day'>, string>;

/** A metric filter of the log counts this message. */
export const dayUsedUpMessage =
  'Your organization has used up its budget for today. Try again after midnight UTC.';

function beyondLimit({ of, seconds }: LimitExceeded): ApiError {
  const wait = `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const message = of === 'day' ? dayUsedUpMessage : `${usedUp[of]} ${wait}`;
  return new ApiError('rate_limited', message, { retryAfterSeconds: seconds });
}
