/**
 * A flood of one organization's requests to many running functions that share a table, on a simulated clock.
 */
import type { Request } from '@middy/core';
import { Throttled } from '../../functions/dynamodb/throttled.ts';
import type {
  BudgetStore,
  MinuteSpending,
  OwnBudgets,
  SpendingSums,
} from '../../functions/fair-use/budget-store.ts';
import { budgetsOf } from '../../functions/fair-use/budgets.ts';
import { costOfPostings, nanodollarsOf, prices } from '../../functions/fair-use/prices.ts';
import { ApiError } from '../../functions/http/api-error.ts';
import type { ApiEvent, ApiResponse } from '../../functions/http/api-event.ts';
import { fairUse } from '../../functions/http/fair-use.ts';
import { secretTokenAccess } from '../../functions/http/operation.ts';
import { budgetCallMs, budgetMinuteMs, minutesOfDay } from '../../functions/timing.ts';
import { SimulatedTime } from '../simulated-time.ts';
import { apiEvent } from '../unit/http/api-call.ts';

/** The budget of an organization per minute, in nanodollars. */
export const budget = nanodollarsOf(0.5);

/** Its budget per day. */
export const dailyBudget = nanodollarsOf(10);

const access = secretTokenAccess('testimonials:read');

/** A request: its postings, known in advance, and the cost of its reads in nanodollars, known at its end. */
export interface Sent {
  postings?: number;
  reads?: number;
  milliseconds: number;
}

/** The outcomes of the store's calls in a second. */
export type Weather = 'fair' | 'throttles' | 'hangs';

export interface Flood {
  functions: number;
  /** Requests per second. */
  rate: number;
  /** The times of requests, in seconds since the start of a day: from and to. */
  during: readonly (readonly [number, number])[];
  request: (nth: number) => Sent;
  /** Chooses the function for a request among the idle ones; in turn if absent. */
  route?: (nth: number, idle: number) => number;
  weather?: (second: number) => Weather;
  /** The milliseconds of a call to the store. */
  callMs?: number;
  /** The organization's own budgets at a second. */
  own?: (second: number) => OwnBudgets;
  /** True if the organization has a budget per day. */
  isDayLimited?: boolean;
  /** True if each period of requests meets functions that have just started. */
  areFunctionsNew?: boolean;
}

export interface Outcome {
  /** The spending of each minute in nanodollars. */
  spent: number[];
  /** The spending of each minute as a multiple of the budget. */
  times: number[];
  answered: number;
  refused: number;
  calls: number;
  /** The longest time that a request waited for fair use, in milliseconds. */
  longestWait: number;
}

/** Sends the flood and waits for its end. */
export async function simulate(flood: Flood): Promise<Outcome> {
  const { functions, rate, during, request: requestOf, callMs = 5 } = flood;
  const route = flood.route ?? (() => 0);
  const start = 1000 * minutesOfDay * budgetMinuteMs;
  const time = new SimulatedTime(start);
  const second = () => Math.floor((time.now() - start) / 1000);
  const outcome: Outcome = { spent: [], times: [], answered: 0, refused: 0, calls: 0, longestWait: 0 };
  const store = storeOf(flood, time, second, callMs, () => {
    outcome.calls += 1;
  });
  const started = () => Array.from({ length: functions }, () => functionOf(flood, store, time));
  let idle = started();
  const spend = (nanodollars: number) => {
    const minute = Math.floor((time.now() - start) / budgetMinuteMs);
    outcome.spent[minute] = (outcome.spent[minute] ?? 0) + nanodollars;
  };

  const send = async (sent: Sent, { middleware: { admit, charge }, usage }: RunningFunction) => {
    const event = apiEvent({ caller: { organization: 'acme', id: 'id' }, access });
    // The middleware reads no other part.
    const request = { event, response: { statusCode: 200 } } as Request<ApiEvent<unknown>, ApiResponse>;
    let waited = 0;
    const timed = async (work: unknown) => {
      const from = time.now();
      await work;
      waited += time.now() - from;
    };
    try {
      await timed(admit.before?.(request));
      if (sent.postings) {
        await timed(event.payFor({ count: sent.postings, refund: () => {} }));
        spend(costOfPostings(sent.postings));
      }
      await time.wait(sent.milliseconds);
      usage.units = (sent.reads ?? 0) / prices.readUnit;
      spend(sent.reads ?? 0);
      await timed(charge.after?.(request));
      outcome.answered += 1;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'rate_limited')) throw error;
      outcome.refused += 1;
    }
    outcome.longestWait = Math.max(outcome.longestWait, waited);
  };

  let nth = 0;
  const sending: Promise<void>[] = [];
  for (const [from, to] of during) {
    if (flood.areFunctionsNew) idle = started();
    const running = idle;
    await time.pass(start + from * 1000 - time.now());
    for (let due = from * 1000; due < to * 1000; due += 1000 / rate) {
      await time.pass(start + due - time.now());
      nth += 1;
      const [one] = running.splice(route(nth, running.length), 1);
      if (!one) continue;
      sending.push(send(requestOf(nth), one).then(() => void running.push(one)));
    }
  }
  await time.pass(20_000);
  await Promise.all(sending);
  outcome.times = Array.from(outcome.spent, (each = 0) => each / budget);
  return outcome;
}

type RunningFunction = ReturnType<typeof functionOf>;

function functionOf({ isDayLimited }: Flood, store: BudgetStore, time: SimulatedTime) {
  const now = () => new Date(time.now());
  const usage = { units: 0, writeUnits: 0 };
  const budgets = budgetsOf({
    limits: { spent: budget, requests: 0, day: isDayLimited ? dailyBudget : 0 },
    now,
    store: () => store,
    logger: { warn: () => {} },
  });
  const meter = { reset: () => Object.assign(usage, { units: 0 }), cost: () => usage };
  return { usage, middleware: fairUse({ budgets, meter, now }) };
}

/** A table whose writes happen in the middle of a call's duration. */
function storeOf(
  { weather = () => 'fair', own = () => ({}) }: Flood,
  time: SimulatedTime,
  second: () => number,
  callMs: number,
  onCall: () => void,
): BudgetStore {
  const sums = new Map<number, { spent: number; requests: number; earlier?: number }>();
  const sumOf = (minute: number): SpendingSums => {
    const { spent, requests, earlier } = sums.get(minute) ?? { spent: 0, requests: 0 };
    return { spent, requests, day: earlier === undefined ? 0 : earlier + spent };
  };
  const call = async <Result>(work: () => Result): Promise<Result> => {
    onCall();
    const now = weather(second());
    if (now === 'hangs') {
      await time.wait(budgetCallMs);
      throw new Error('No answer');
    }
    await time.wait(callMs / 2);
    if (now === 'throttles') throw new Throttled('Too much');
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
    findBudgets: () => call(() => own(second())),
  };
}
