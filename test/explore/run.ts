/** One schedule while it is played. */
import type { ListQuery, ListResult } from '../../functions/domain/list-query.ts';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { ListMemory } from '../../functions/testimonials/list-index/read/memory.ts';
import { settledMs } from '../../functions/timing.ts';
import type { Backend } from '../world/backend.ts';
import type { InMemoryBackend } from '../world/in-memory-backend.ts';
import {
  approved,
  approvedAmazing,
  approvedText,
  base,
  byUpdate,
  queries,
  taggedUx,
} from '../world/queries.ts';
import { type Tries, withTries } from '../world/tries.ts';
import { createWorld, type Work, type World } from '../world/world.ts';
import { Actor } from './actor.ts';
import { digest } from './digest.ts';
import { expectListDuringChanges } from './expectations.ts';
import type { Prepared, Role, Scenario } from './scenarios.ts';

/** An actor, or several at the same pace. */
interface Player {
  readonly calls: string[];
  readonly progress: number;
  readonly hasEnded: boolean;
  readonly isInsideBatch: boolean;
  step(): Promise<void>;
}

// Index updates assume that everything has settled: settling only saves cost.
const aheadMs = settledMs + 1000;

export class Run {
  readonly backend: InMemoryBackend;
  readonly world: World;
  readonly players: Player[];
  /** The testimonials at each moment at which they changed. */
  readonly moments: StoredTestimonial[][];
  /** The stores that the players use. */
  readonly #stores: Backend;
  readonly #roles: readonly Role[];
  readonly #late: Tries['late'] = [];
  readonly #seed: number;

  /** @param seed chooses the queries of functions with a memory */
  static async begin(prepared: Prepared, scenario: Scenario, seed: number): Promise<Run> {
    const backend = prepared.backend.clone();
    const world = await createWorld(backend);
    world.clock.time = prepared.time;
    return new Run(world, backend, prepared, scenario, seed);
  }

  private constructor(
    world: World,
    backend: InMemoryBackend,
    prepared: Prepared,
    { name, roles, weaken = (stores) => stores }: Scenario,
    seed: number,
  ) {
    // Each scenario begins with another query.
    this.#seed = seed + digest(name);
    this.world = world;
    this.backend = backend;
    this.#stores = weaken(backend);
    this.moments = [backend.stored(world.organization)];
    this.#roles = roles;
    this.players = roles.map((role) => this.#playerOf(role, prepared));
  }

  hasEnded(player: number): boolean {
    return this.players[player]?.hasEnded ?? true;
  }

  isInsideBatch(player: number): boolean {
    return this.players[player]?.isInsideBatch ?? false;
  }

  /** The players that can make a call. */
  goers(): number[] {
    const isIdle = (player: number) => this.#roles[player]?.does === 'arrive' && this.#late.length === 0;
    return [...this.players.keys()].filter((player) => !this.hasEnded(player) && !isIdle(player));
  }

  /** Returns true if every player that still has something to store has begun. */
  isOver(): boolean {
    const isOptional = (player: number) => typeof this.#roles[player]?.does === 'string';
    return this.goers().every((player) => isOptional(player) || this.players[player]?.progress !== 0);
  }

  onlyReads(player: number): boolean {
    return this.#roles[player]?.does === 'lists';
  }

  /** Lets a player make its next call. */
  async step(player: number): Promise<void> {
    await this.players[player]?.step();
    const stored = this.backend.stored(this.world.organization);
    const before = this.moments.at(-1) ?? [];
    if (stored.length !== before.length || stored.some((each, i) => each !== before[i]))
      this.moments.push(stored);
  }

  get #moment(): number {
    return this.moments.length - 1;
  }

  #playerOf(role: Role, { ids }: Prepared): Player {
    const { does, remembers, milliseconds = 0 } = role;
    if (does === 'wait')
      return new Actor(this.#stores, ({ call }) =>
        call('wait', async () => {
          // A try that was sent longer ago than this is lost.
          if (milliseconds > settledMs) for (const { arrive } of this.#late.splice(0)) await arrive();
          this.world.advance(milliseconds);
        }),
      );
    if (does === 'arrive')
      return new Actor(this.#stores, async ({ call }) => {
        for (const { name, arrive } of this.#late.splice(0).reverse()) await call(name, arrive);
      });
    if (does !== 'lists') return this.#actorOf(does(this.world, ids), role);
    if (remembers) {
      return together(functionsAsked(this.#seed).map((rounds, i) => this.#listsOf(rounds, i % 2 === 1)));
    }
    return together(
      listQueries.flatMap((query) => [this.#listsOf([[query]]), this.#listsOf([[query]], true)]),
    );
  }

  #actorOf(work: Work, role: Role): Actor {
    const isIndexer = work.name === 'index update' || work.name === 'rebuild';
    const now = () => new Date(this.world.clock.time + (isIndexer ? aheadMs : 0));
    const firstTry = (name: string) => (name === role.twice ? 'late' : 'answered');
    const { stores } = withTries(this.#stores, firstTry, this.#late);
    return new Actor(stores, (begun) => work.run(begun.stores, now), {
      newestFirst: role.newestFirst ?? false,
    });
  }

  /** @param rounds the queries of one function with one memory; those of a round run at once */
  #listsOf(rounds: readonly ListQuery[][], newestFirst = false): Actor {
    const cache = new ListMemory();
    return new Actor(
      this.#stores,
      async ({ stores, call }) => {
        const list = async (query: ListQuery) => {
          const start = this.#moment;
          const work = this.world.works.list(query, { cache });
          await work.run(stores, this.world.now);
          expectListDuringChanges(query, work.listed() as ListResult, this.moments.slice(start)); // the work is a list
        };
        for (const round of rounds) {
          // The lists of the next round begin after this call, and have to show everything that changed
          // before.
          if (round !== rounds[0]) await call('ask', async () => {});
          await Promise.all(round.map(list));
        }
      },
      { newestFirst },
    );
  }
}

const listQueries: ListQuery[] = [
  approved,
  approvedAmazing,
  taggedUx,
  approvedText,
  ...[base, approvedAmazing, taggedUx].map(byUpdate),
];

/**
 * Returns the queries of functions with a memory, in rounds that run at once. Each function begins with the
 * same query, which `seed` chooses, and continues with another one.
 */
function functionsAsked(seed: number): ListQuery[][][] {
  const nth = (number: number) => queries[number % queries.length] ?? base;
  return queries.map((query, i) => [[nth(seed)], [query], [query, nth(seed), nth(seed + i)]]);
}

/** Joins players that make their calls at the same pace. */
function together(players: Player[]): Player {
  const calls: string[] = [];
  return {
    calls,
    isInsideBatch: false,
    get progress() {
      return players.reduce((all, { progress }) => digest(all, progress), 0);
    },
    get hasEnded() {
      return players.every(({ hasEnded }) => hasEnded);
    },
    async step() {
      const going = players.filter(({ hasEnded }) => !hasEnded);
      for (const each of going) await each.step();
      calls.push([...new Set(going.map(({ calls: made }) => made.at(-1)))].join('/'));
    },
  };
}
