/** Conditions that hold after every schedule. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { ListQuery, ListResult } from '../../functions/domain/list-query.ts';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import type { IndexHead } from '../../functions/testimonials/list-index/index-store.ts';
import { oracle } from '../../lib/check/contract/oracle.ts';
import type { Backend } from '../world/backend.ts';
import type { InMemoryBackend } from '../world/in-memory-backend.ts';
import { expectMediaForGood, expectMediaNow } from '../world/media-works.ts';
import { queries } from '../world/queries.ts';
import { createWorld, type World } from '../world/world.ts';

/**
 * Expects a list that ran during changes to equal the oracle at one moment, or to mix moments in these ways
 * only:
 *
 * - It counts each testimonial that matched at every moment, and may count those that matched at some.
 * - It shows each testimonial at most once, as it was at a moment at which it matched.
 * - A testimonial that it counts and does not show was erased, or got another status, between the count and
 *   the row.
 */
export function expectListDuringChanges(
  query: ListQuery,
  { testimonials, total }: ListResult,
  moments: readonly StoredTestimonial[][],
): void {
  const lists = moments.map((stored) => oracle(stored, query));
  if (lists.some((list) => isDeepStrictEqual(list, { testimonials, total }))) return;
  const matched = lists.map((list) => new Set(list.testimonials.map(({ id }) => id)));
  const always = matched.reduce((all, each) => all.intersection(each));
  const sometimes = matched.reduce((all, each) => all.union(each));
  const shown = new Set(testimonials.map(({ id }) => id));
  const versions = lists.flatMap((list) => list.testimonials);
  const isRight =
    shown.size === testimonials.length &&
    always.isSubsetOf(shown) &&
    testimonials.every((each) => versions.some((version) => isDeepStrictEqual(version, each))) &&
    total >= shown.size &&
    total <= sometimes.size;
  if (!isRight) assert.deepEqual({ query, testimonials, total }, { query, ...lists[0] }, 'a list');
}

/** Removes a rule from the stores of a schedule. */
type Weaken = (stores: Backend) => Backend;

/** Expects lists that begin now to be right, under the current head and under an old one. */
export async function expectRightNow(
  backend: InMemoryBackend,
  time: number,
  { old, weaken }: { old: IndexHead | undefined; weaken: Weaken },
) {
  const world = await createWorld(weaken(backend.clone()));
  world.clock.time = time;
  expectMediaNow(backend, world.organization);
  await expectRightLists(world, backend.stored(world.organization), old);
}

async function expectRightLists(world: World, stored: StoredTestimonial[], old: IndexHead | undefined) {
  for (const query of queries) {
    const expected = { query, ...oracle(stored, query) };
    assert.deepEqual({ query, ...(await world.list(query)) }, expected, 'a list by a fresh head');
    const cache = new Map(old && [[world.organization, old]]);
    assert.deepEqual({ query, ...(await world.list(query, { cache })) }, expected, 'a list by an old head');
  }
}

/**
 * Expects lists and the index to be right once everything is indexed, without a trace of erased testimonials.
 */
export async function expectRightForGood(
  backend: InMemoryBackend,
  time: number,
  { old, texts, weaken }: { old: IndexHead | undefined; texts: readonly string[]; weaken: Weaken },
) {
  const copy = backend.clone();
  const world = await createWorld(weaken(copy));
  world.clock.time = time;
  await world.settleForGood();
  const stored = copy.stored(world.organization);
  await expectRightLists(world, stored, old);
  assert.deepEqual(await world.differences(), [], 'the index in the end');
  const rest = JSON.stringify(stored);
  assert.deepEqual(
    texts.filter((text) => copy.text().includes(text) && !rest.includes(text)),
    [],
    'texts in the end',
  );
  await expectMediaForGood(copy, world.organization);
}
