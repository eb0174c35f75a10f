/**
 * A flood of one organization's requests to many running functions that share a table, on a simulated clock.
 */
import type { Request } from '@middy/core';
import type { BudgetStore, MinuteSpending, SpendingSums } from '../../functions/fair-use/budget-store.ts';
import { budgetsOf } from '../../functions/fair-use/budgets.ts';
import { costOfPostings, nanodollarsOf, prices } from '../../functions/fair-use/prices.ts';
import { ApiError } from '../../functions/http/api-error.ts';
import type { ApiEvent, ApiResponse } from '../../functions/http/api-event.ts';
import { fairUse } from '../../functions/http/fair-use.ts';
import { secretTokenAccess } from '../../functions/http/operation.ts';
import { budgetMinuteMs, minutesOfDay } from '../../functions/timing.ts';
import { SimulatedTime } from '../simulated-time.ts';
import { apiEvent } from '../unit/http/api-call.ts';

/** The budget of an organization per minute, in nanodollars. */
export const budget = nanodollarsOf(0.5);

const access = secretTokenAccess('testimonials:read');

/** A request: its postings, known in advance, and the cost of its reads in nanodollars, known at its end. */
export interface Sent {
  postings?: number;
  reads?: number;
  milliseconds: number;
}

interface Flood {
  functions: number;
  /** Requests per second. */
  rate: number;
  /** The times of requests, in seconds since the start of a day: from and to. */
  during: readonly (readonly [number, number])[];
  /** These follow each other again and again. */
  requests: readonly Sent[];
  /** Chooses the function for a request among the idle ones; in turn if absent. */
  seed?: number;
  /** The milliseconds of a call to the store. */
  callMs?: number;
  /** The budget per day, in nanodollars; none if absent. */
  dailyBudget?: number;
}

interface Outcome {
  /** The spending of each minute in nanodollars. */
  spent: number[];
  /** The spending of each minute as a multiple of the budget. */
  times: number[];
  answered: number;
}

/** Sends the flood and waits for its end. */
export async function simulate(flood: Flood): Promise<Outcome> {
  const { functions, rate, during, requests, seed, callMs = 5, dailyBudget = 0 } = flood;
  const route = seed === undefined ? () => 0 : chooser(seed);
  const start = 1000 * minutesOfDay * budgetMinuteMs;
  const time = new SimulatedTime(start);
  const outcome: Outcome = { spent: [], times: [], answered: 0 };
  const store = storeOf(time, callMs);
  const idle = Array.from({ length: functions }, () => functionOf(dailyBudget, store, time));
  const spend = (nanodollars: number) => {
    const minute = Math.floor((time.now() - start) / budgetMinuteMs);
    outcome.spent[minute] = (outcome.spent[minute] ?? 0) + nanodollars;
  };

  const send = async (sent: Sent, { middleware: { admit, charge }, usage }: RunningFunction) => {
    const event = apiEvent({ caller: { organization: 'acme', id: 'id' }, access });
    // The middleware reads no other part.
    const request = { event, response: { statusCode: 200 } } as Request<ApiEvent<unknown>, ApiResponse>;
    try {
      await admit.before?.(request);
      if (sent.postings) {
        await event.payFor({ count: sent.postings, refund: () => {} });
        spend(costOfPostings(sent.postings));
      }
      await time.wait(sent.milliseconds);
      usage.units = (sent.reads ?? 0) / prices.readUnit;
      spend(sent.reads ?? 0);
      await charge.after?.(request);
      outcome.answered += 1;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'rate_limited')) throw error;
    }
  };

  let nth = 0;
  const sending: Promise<void>[] = [];
  for (const [from, to] of during) {
    await time.pass(start + from * 1000 - time.now());
    for (let due = from * 1000; due < to * 1000; due += 1000 / rate) {
      await time.pass(start + due - time.now());
      nth += 1;
      const [one] = idle.splice(route(idle.length), 1);
      const request = requests[nth % requests.length];
      if (one && request) sending.push(send(request, one).then(() => void idle.push(one)));
    }
  }
  await time.pass(20_000);
  await Promise.all(sending);
  outcome.times = Array.from(outcome.spent, (each = 0) => each / budget);
  return outcome;
}

type RunningFunction = ReturnType<typeof functionOf>;

/** Numerical Recipes' linear congruential generator: 32 bits are enough to choose by. */
function chooser(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

function functionOf(dailyBudget: number, store: BudgetStore, time: SimulatedTime) {
  const now = () => new Date(time.now());
  const usage = { units: 0, writeUnits: 0 };
  const budgets = budgetsOf({
    limits: { spent: budget, requests: 0, day: dailyBudget },
    now,
    store: () => store,
    logger: { warn: () => {} },
  });
  const meter = { reset: () => Object.assign(usage, { units: 0 }), cost: () => usage };
  return { usage, middleware: fairUse({ budgets, meter, now }) };
}

/** A table whose writes happen in the middle of a call's duration. */
function storeOf(time: SimulatedTime, callMs: number): BudgetStore {
  const sums = new Map<number, { spent: number; requests: number; earlier?: number }>();
  const sumOf = (minute: number): SpendingSums => {
    const { spent, requests, earlier } = sums.get(minute) ?? { spent: 0, requests: 0 };
    return { spent, requests, day: earlier === undefined ? 0 : earlier + spent };
  };
  const call = async <Result>(work: () => Result): Promise<Result> => {
    await time.wait(callMs / 2);
    const result = work();
    await time.wait(callMs / 2);
    return result;
  };
  const add = (minute: number, { spent, requests }: MinuteSpending): SpendingSums => {
    const before = sums.get(minute) ?? { spent: 0, requests: 0 };
    sums.set(minute, { ...before, spent: before.spent + spent, requests: before.requests + requests });
    return sumOf(minute);
  };
  return {
    addSpending: (_, minute, spending) => call(() => add(minute, spending)),
    reserveSpending: (_, minute, spending) =>
      call(() => (sumOf(minute).spent < spending.budget ? add(minute, spending) : undefined)),
    findSpending: (_, minute) => call(() => sumOf(minute)),
    // A query and an update.
    addUpDay: async (_, minute) => {
      const earlier = await call(() => {
        const day = Math.floor(minute / minutesOfDay);
        const minutes = [...sums].filter(
          ([each]) => each < minute && Math.floor(each / minutesOfDay) === day,
        );
        return minutes.reduce((sum, [, { spent }]) => sum + spent, 0);
      });
      await call(() => Object.assign(sums.get(minute) ?? {}, { earlier }));
      return earlier;
    },
    findBudgets: () => call(() => ({})),
  };
}
