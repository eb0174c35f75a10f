/**
 * Plays every schedule of a scenario with few preemptions (Musuvathi and Qadeer, Iterative Context Bounding
 * for Systematic Testing of Multithreaded Programs, PLDI 2007). The end of a player costs nothing; a player
 * that is interrupted before a call continues after any of the others, or never.
 */
import { expectNothingLeft } from '../world/media-works.ts';
import { digest, digestOfItems } from './digest.ts';
import { expectRightForGood, expectRightNow } from './expectations.ts';
import { Run } from './run.ts';
import { type Prepared, prepare, type Scenario, texts } from './scenarios.ts';

/** One turn of a player: a number of calls, infinite for the rest of its work. */
interface Turn {
  before: Turn | undefined;
  player: number;
  calls: number;
  /** The cost of the interruptions so far. */
  cost: number;
}

/** Turns by the player that went last; undefined is the beginning. */
type Turns = (Turn | undefined)[][];

/**
 * The cost of an interruption. One inside a batch of parallel calls costs more, so it is explored later: the
 * calls touch different items, and their order rarely matters.
 */
const interruption = { elsewhere: 2, insideBatch: 3 };

/**
 * The highest cost of schedules with one interruption outside a batch, one anywhere, two outside, and two
 * anywhere.
 */
export const costs = { one: 2, oneAnywhere: 3, two: 4, twoAnywhere: 6 };

export interface Limits {
  /** The highest cost of all interruptions of a schedule. */
  cost: number;
  /** The most schedules to play. */
  schedules?: number;
  /** When to stop, in milliseconds since 1970. */
  until?: number;
}

/** A schedule after which a list or the index is wrong. */
export class Counterexample extends Error {
  override name = 'Counterexample';
}

export class Exploration {
  readonly scenario: Scenario;
  /** The number of schedules played; each adds one turn to another schedule. */
  schedules = 0;
  /** Turns to continue from, by their cost. */
  readonly #frontier: (Turns | undefined)[];
  readonly #seen = new Set<number>();
  readonly #checked = new Set<number>();
  readonly #prepared: Promise<Prepared>;
  readonly #seed: number;
  #random: number;

  constructor(scenario: Scenario, seed = 1) {
    this.scenario = scenario;
    this.#prepared = prepare(scenario);
    this.#seed = seed;
    this.#random = seed;
    this.#frontier = [[[undefined], ...scenario.roles.slice(1).map(() => [])]];
  }

  /** The number of distinct states: everything stored, and the progress of each player. */
  get states(): number {
    return this.#seen.size;
  }

  /** The lowest cost that still has schedules to play. */
  get left(): number {
    const lowest = this.#frontier.findIndex((turns) => turns?.some(({ length }) => length > 0));
    return lowest < 0 ? Number.POSITIVE_INFINITY : lowest;
  }

  /**
   * Plays schedules, cheaper ones first.
   * @throws {Counterexample}
   */
  async play({ cost, schedules = Number.POSITIVE_INFINITY, until = Number.POSITIVE_INFINITY }: Limits) {
    const end = this.schedules + schedules;
    while (this.left <= cost && this.schedules < end && Date.now() < until) {
      const turn = this.#take(this.#frontier[this.left] ?? []);
      await this.#goOnFrom(turn);
    }
  }

  /**
   * Takes any turn of a random player, so that players with few calls do not wait for those with many.
   */
  #take(turns: Turns): Turn | undefined {
    const lists = turns.filter((each) => each.length > 0);
    const list = lists[this.#next() % lists.length] ?? [];
    const chosen = this.#next() % list.length;
    const [turn, last] = [list[chosen], list.pop()];
    if (chosen < list.length) list[chosen] = last;
    return turn;
  }

  /** Plays one schedule for each player that can go next. */
  async #goOnFrom(turn: Turn | undefined): Promise<void> {
    const first = await this.#replay(turn);
    const isPreempted = turn !== undefined && turn.calls !== Number.POSITIVE_INFINITY;
    if (isPreempted) await this.#check(first, turn, false);
    const players = first.goers().filter((player) => !(isPreempted && player === turn.player));
    for (const [i, player] of players.entries()) {
      await this.#goOn(i === 0 ? first : await this.#replay(turn), turn, player);
    }
  }

  /** Plays a player to its end. Each of its interruptions begins other schedules. */
  async #goOn(run: Run, before: Turn | undefined, player: number): Promise<void> {
    this.schedules += 1;
    const cost = before?.cost ?? 0;
    const isWholeList = run.onlyReads(player) && run.players[player]?.progress === 0;
    for (let calls = 1; ; calls += 1) {
      await this.#step(run, player, { before, player, calls, cost });
      if (run.hasEnded(player)) break;
      const state = stateOf(run);
      if (!isNewTo(this.#seen, digest(state, digest('interrupted')))) continue;
      const more = run.isInsideBatch(player) ? interruption.insideBatch : interruption.elsewhere;
      this.#push({ before, player, calls, cost: cost + more });
    }
    // An uninterrupted reader changes nothing.
    if (isWholeList) return;
    const turn: Turn = { before, player, calls: Number.POSITIVE_INFINITY, cost };
    const state = stateOf(run);
    await this.#check(run, turn, run.isOver());
    if (isNewTo(this.#seen, digest(state, digest('ended'))) && run.goers().length > 0) this.#push(turn);
  }

  #push(turn: Turn): void {
    const turns = this.#frontier[turn.cost] ?? this.scenario.roles.map(() => []);
    this.#frontier[turn.cost] = turns;
    turns[turn.player]?.push(turn);
  }

  async #replay(turn: Turn | undefined): Promise<Run> {
    const run = await Run.begin(await this.#prepared, this.scenario, this.#seed);
    for (const { player, calls } of turnsUpTo(turn)) {
      for (let made = 0; made < calls && !run.hasEnded(player); made += 1) await run.step(player);
    }
    return run;
  }

  async #step(run: Run, player: number, turn: Turn): Promise<void> {
    await run.step(player).catch((error: unknown) => this.#fail(run, turn, error));
  }

  /** @param isOver also checks the conditions that hold at the end */
  async #check(run: Run, turn: Turn, isOver: boolean): Promise<void> {
    const { oldHead } = await this.#prepared;
    const { backend, world } = run;
    const { weaken = (stores) => stores, hasUpload } = this.scenario;
    const items = digest(digestOfItems(backend.items), world.clock.time);
    try {
      if (isNewTo(this.#checked, digest(items, 1)))
        await expectRightNow(backend, world.clock.time, { old: oldHead, weaken });
      if (isOver && isNewTo(this.#checked, digest(items, 2)))
        await expectRightForGood(backend, world.clock.time, { old: oldHead, texts, weaken });
      if (hasUpload && run.goers().length === 0 && isNewTo(this.#checked, digest(items, 3)))
        await expectNothingLeft(backend, world.organization);
    } catch (error) {
      this.#fail(run, turn, error);
    }
  }

  #fail(run: Run, turn: Turn, error: unknown): never {
    const done = run.players.map(() => 0);
    const lines = turnsUpTo(turn).map(({ player, calls }) => {
      const { calls: made, hasEnded } = run.players[player] ?? { calls: [], hasEnded: true };
      const from = done[player] ?? 0;
      const to = Math.min(from + calls, made.length);
      done[player] = to;
      const role = this.scenario.roles[player];
      return `  ${role?.name}: ${shortened(made.slice(from, to))}${to === made.length && hasEnded ? ', ends' : ', pauses'}`;
    });
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Counterexample([`${this.scenario.name}, seed ${this.#seed}`, ...lines, why].join('\n'));
  }

  /** A linear congruential generator (Knuth, The Art of Computer Programming, 3.3.4). */
  #next(): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#random >>> 4;
  }
}

/** Adds a value to a set. Returns true if it is new. */
function isNewTo(set: Set<number>, value: number): boolean {
  const { size } = set;
  return set.add(value).size > size;
}

function turnsUpTo(last: Turn | undefined): Turn[] {
  const turns: Turn[] = [];
  for (let turn = last; turn; turn = turn.before) turns.push(turn);
  return turns.reverse();
}

/** Returns a digest of the stores, the clock and the progress of each player. */
function stateOf({ backend, world, players }: Run): number {
  const stored = digest(digestOfItems(backend.items), world.clock.time);
  return players.reduce((all, { progress, hasEnded }) => digest(all, hasEnded ? -1 : progress), stored);
}

/** Returns the names of calls, with a count instead of repetitions. */
function shortened(calls: readonly string[]): string {
  const runs: { name: string; times: number }[] = [];
  for (const name of calls) {
    const last = runs.at(-1);
    if (last?.name === name) last.times += 1;
    else runs.push({ name, times: 1 });
  }
  return runs.map(({ name, times }) => (times > 1 ? `${name} ×${times}` : name)).join(', ');
}
