/** A flood of one organization over many running functions that share a table, by a simulated clock. */
import type { Request } from '@middy/core';
import { type BudgetStore, type Spent, Throttled } from '../../../functions/domain/stores.ts';
import { budgetsOf } from '../../../functions/fair-use/budgets.ts';
import { costOfPostings, nanodollarsOf, prices } from '../../../functions/fair-use/prices.ts';
import { ApiError } from '../../../functions/http/api-error.ts';
import type { ApiEvent, ApiResponse } from '../../../functions/http/api-event.ts';
import { fairUse } from '../../../functions/http/fair-use.ts';
import { ownAccess } from '../../../functions/http/operation.ts';
import { budgetCallMs, budgetMinuteMs } from '../../../functions/timing.ts';
import { SimulatedTime } from '../../simulated-time.ts';
import { apiEvent } from '../http/api-call.ts';

/** The budget of an organization a minute, in nanodollars. */
export const budget = nanodollarsOf(0.5);

const access = ownAccess('testimonials:read');

/** A request by its cost in nanodollars: of the postings that it writes, known before, and of its reads, known when it has ended. */
export interface Sent {
  postings?: number;
  reads?: number;
  milliseconds: number;
}

/** What becomes of the store's calls in a second. */
export type Weather = 'fair' | 'throttles' | 'hangs';

export interface Flood {
  functions: number;
  /** Requests a second. */
  rate: number;
  /** When requests are sent, in seconds since a minute began: from and to. */
  during: readonly (readonly [number, number])[];
  request: (nth: number) => Sent;
  /** The function that gets a request, of those that are idle; one after the other when absent. */
  route?: (nth: number, idle: number) => number;
  weather?: (second: number) => Weather;
  /** The milliseconds of a call to the store. */
  callMs?: number;
  /** The organization's own budget at a second. */
  ownBudget?: (second: number) => number | undefined;
}

export interface Outcome {
  /** Nanodollars of each minute, by when they were spent. */
  spent: number[];
  /** As multiples of the budget. */
  times: number[];
  answered: number;
  refused: number;
  calls: number;
  /** The longest wait of a request for fair use alone, in milliseconds. */
  longestWait: number;
}

/** Sends the flood, and waits for its end. */
export async function simulate(flood: Flood): Promise<Outcome> {
  const { functions, rate, during, request: requestOf, callMs = 5 } = flood;
  const route = flood.route ?? (() => 0);
  const start = 1000 * budgetMinuteMs;
  const time = new SimulatedTime(start);
  const second = () => Math.floor((time.now() - start) / 1000);
  const outcome: Outcome = { spent: [], times: [], answered: 0, refused: 0, calls: 0, longestWait: 0 };
  const store = storeOf(flood, time, second, callMs, () => {
    outcome.calls += 1;
  });
  const running = Array.from({ length: functions }, () => functionOf(store, time));
  const idle = [...running];
  const spend = (nanodollars: number) => {
    const minute = Math.floor((time.now() - start) / budgetMinuteMs);
    outcome.spent[minute] = (outcome.spent[minute] ?? 0) + nanodollars;
  };

  /** A request to a function, from its beginning to its answer. */
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
        await timed(event.payFor({ count: sent.postings, forget: () => {} }));
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
    await time.pass(start + from * 1000 - time.now());
    for (let due = from * 1000; due < to * 1000; due += 1000 / rate) {
      await time.pass(start + due - time.now());
      nth += 1;
      const [one] = idle.splice(route(nth, idle.length), 1);
      if (!one) continue;
      sending.push(send(requestOf(nth), one).then(() => void idle.push(one)));
    }
  }
  await time.pass(20_000);
  await Promise.all(sending);
  outcome.times = Array.from(outcome.spent, (each = 0) => each / budget);
  return outcome;
}

type RunningFunction = ReturnType<typeof functionOf>;

function functionOf(store: BudgetStore, time: SimulatedTime) {
  const now = () => new Date(time.now());
  const usage = { units: 0, writeUnits: 0 };
  const budgets = budgetsOf({
    limits: { spent: budget, requests: 0 },
    now,
    store: () => store,
    logger: { warn: () => {} },
  });
  const meter = { reset: () => Object.assign(usage, { units: 0 }), cost: () => usage };
  return { usage, middleware: fairUse<unknown>({ budgets, meter, now }) };
}

/** A table that answers after a call's time: it does what it is asked for in the midst of it. */
function storeOf(
  { weather = () => 'fair', ownBudget = () => undefined }: Flood,
  time: SimulatedTime,
  second: () => number,
  callMs: number,
  onCall: () => void,
): BudgetStore {
  const sums = new Map<number, Spent>();
  const sumOf = (minute: number): Spent => sums.get(minute) ?? { spent: 0, requests: 0 };
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
  const add = (minute: number, { spent, requests }: Spent): Spent => {
    const before = sumOf(minute);
    const after = { spent: before.spent + spent, requests: before.requests + requests };
    sums.set(minute, after);
    return after;
  };
  return {
    addSpending: (_, minute, spending) => call(() => add(minute, spending)),
    reserveSpending: (_, minute, spending) =>
      call(() => (sumOf(minute).spent < spending.budget ? add(minute, spending) : undefined)),
    findSpending: (_, minute) => call(() => sumOf(minute)),
    findBudget: () => call(() => ownBudget(second())),
  };
}
