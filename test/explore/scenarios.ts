/** What is played: which works beside each other, over three testimonials at the border of two chunks. */
import type { Status, TestimonialInput } from '../../functions/domain/testimonial.ts';
import type { IndexHead } from '../../functions/list-index/index-store.ts';
import { forgetAfterMs, rebuildGivenUpMs, settledMs } from '../../functions/timing.ts';
import type { Backend } from '../world/backend.ts';
import { type InMemoryBackend, inMemoryBackend } from '../world/in-memory-backend.ts';
import { createWorld } from '../world/world.ts';

/** The last places but three of the first chunk, and of the second: from there on lists are counted by summaries. */
const taken = { first: 65_533, second: 131_069 };

/** Few words, so that an index update has few postings. */
export const input: TestimonialInput = {
  content: 'amaz',
  author: { name: 'amaz', email: 'amaz@example.com' },
  type: 'text',
  tags: ['ux'],
};
/** Terms of theirs that an erasure takes out of postings. */
export const texts = ['amaz', 'yak'];

export interface Prepared {
  backend: InMemoryBackend;
  time: number;
  /** The head before the last index update. */
  oldHead: IndexHead | undefined;
  ids: string[];
}

/**
 * Two are in the index, of which `a` has a marker that waits; `b`, at the last place of its chunk, and `c`, at the first of
 * the next, are tail. The other one stays as it is: no list has it but from the index.
 */
export async function prepare({
  hasErased = false,
  isIndexed = false,
  chunk = 'second',
}: Pick<Scenario, 'hasErased' | 'isIndexed' | 'chunk'>): Promise<Prepared> {
  const backend = inMemoryBackend();
  const world = await createWorld(backend, { taken: taken[chunk] - (hasErased ? 1 : 0) });
  if (hasErased) await world.erase((await world.create(input)).id);
  await world.create(input);
  const a = await world.create(input);
  await world.settle();
  const oldHead = await world.head();
  await world.setStatus(a.id, 'approved');
  const b = await world.create(input);
  const c = await world.create({ ...input, author: { ...input.author, name: 'yak' } });
  world.advance(settledMs + 1000);
  if (isIndexed) await world.updateIndex();
  return { backend, time: world.clock.time, oldHead, ids: [a.id, b.id, c.id] };
}

/** One that acts in a scenario. */
export type Role = (
  | { do: 'create' }
  | { do: 'change'; of: number; to: Status }
  | { do: 'tag' | 'untag'; of: number; tag: string }
  | { do: 'erase'; of: number }
  /** @param places of a step; as many as it likes when absent */
  | { do: 'index update'; places?: number }
  /** @param bits of a step; as many as it likes when absent */
  | { do: 'rebuild'; bits?: number }
  /** Lists of several kinds; each again and again by a function that remembers. */
  | { do: 'lists'; times?: number }
  | { do: 'wait'; milliseconds: number }
  /** The late tries of what others send twice. */
  | { do: 'arrive' }
) & {
  /** The last of the calls that it sends at once arrives first. */
  newestFirst?: boolean;
  /** The calls that it sends twice. */
  twice?: string;
};

export interface Scenario {
  name: string;
  roles: Role[];
  /** Somebody was erased before. */
  hasErased?: boolean;
  /** Nothing is tail, and the marker is covered. */
  isIndexed?: boolean;
  /** At the border of which chunk it is played; the second's when absent. */
  chunk?: keyof typeof taken;
  /** More interruptions are played of it than of others. */
  isSmall?: boolean;
  /** The stores on which it is played lack something. */
  weaken?: (stores: Backend) => Backend;
}

const create: Role = { do: 'create' };
const change = (of: number, to: Status): Role => ({ do: 'change', of, to });
const tag = (of: number, tag: string): Role => ({ do: 'tag', of, tag });
const untag = (of: number, tag: string): Role => ({ do: 'untag', of, tag });
const erase = (of: number): Role => ({ do: 'erase', of });
const updateIndex: Role = { do: 'index update' };
const updateBackwards: Role = { do: 'index update', newestFirst: true };
const rebuild: Role = { do: 'rebuild' };
const lists: Role = { do: 'lists' };
const listsAgain: Role = { do: 'lists', times: 3 };
const arrive: Role = { do: 'arrive' };
const wait = (milliseconds: number): Role => ({ do: 'wait', milliseconds });

const writers: Role[][] = [
  [create, create],
  [create, change(0, 'rejected')],
  [create, change(1, 'approved')],
  [create, erase(2)],
  [change(0, 'pending'), change(0, 'rejected')],
  [change(0, 'pending'), change(1, 'approved')],
  [change(0, 'pending'), erase(0)],
  [change(1, 'approved'), erase(1)],
  [change(1, 'approved'), erase(0)],
  [erase(0), erase(1)],
  [untag(0, 'ux'), change(0, 'pending')],
  [untag(1, 'ux'), erase(1)],
];
const indexers: Role[][] = [
  [updateIndex, updateBackwards],
  [updateIndex, rebuild],
  [rebuild, updateBackwards],
];

/** Few, so that more interruptions are played of them. */
const few = [
  scenarioOf(create, create, updateIndex),
  scenarioOf(create, updateIndex, updateIndex),
  scenarioOf(change(0, 'pending'), updateIndex, updateIndex),
  scenarioOf(change(1, 'approved'), updateIndex, updateIndex),
  scenarioOf(erase(0), updateIndex, updateIndex),
  scenarioOf(erase(2), updateIndex, updateIndex),
  scenarioOf(untag(0, 'ux'), updateIndex, updateIndex),
  scenarioOf(untag(1, 'ux'), updateIndex, updateIndex),
  scenarioOf(tag(0, 'yak'), untag(0, 'yak'), updateIndex),
  after(scenarioOf(tag(0, 'yak'), untag(0, 'yak'), updateIndex, updateIndex), 'an index update'),
  scenarioOf(untag(0, 'ux'), erase(0), updateIndex),
  scenarioOf(untag(1, 'ux'), rebuild, updateIndex),
  scenarioOf(untag(0, 'ux'), updateIndex, lists),
  scenarioOf(change(0, 'pending'), updateIndex, lists),
  scenarioOf(change(1, 'approved'), updateIndex, lists),
  scenarioOf(change(0, 'rejected'), erase(0), updateIndex),
  scenarioOf(change(1, 'approved'), rebuild, updateIndex),
  after(scenarioOf(create, create, rebuild), 'an index update'),
  scenarioOf(updateIndex, wait(forgetAfterMs), lists),
  scenarioOf(updateIndex, updateIndex, wait(forgetAfterMs), lists),
  after(scenarioOf(rebuild, updateIndex, lists), 'an index update'),
  after(scenarioOf(create, erase(2), updateIndex, updateIndex), 'an index update'),
  scenarioOf(erase(0), erase(1), updateIndex, updateIndex),
  scenarioOf(change(0, 'pending'), change(1, 'approved'), updateIndex),
  after(
    scenarioOf(change(0, 'rejected'), change(0, 'approved'), updateIndex, updateIndex),
    'an index update',
  ),
  after(scenarioOf(change(0, 'rejected'), change(1, 'approved'), updateIndex, lists), 'an index update'),
  scenarioOf(updateIndex, listsAgain),
  scenarioOf(change(0, 'pending'), updateIndex, listsAgain),
  after(scenarioOf(change(0, 'rejected'), change(0, 'approved'), updateIndex, listsAgain), 'an index update'),
  scenarioOf(erase(0), updateIndex, listsAgain),
  scenarioOf(untag(0, 'ux'), rebuild, listsAgain),
  after(
    scenarioOf(change(1, 'approved'), updateIndex, wait(forgetAfterMs), updateIndex, listsAgain),
    'an index update',
  ),
].map((scenario) => ({ ...scenario, isSmall: true }));

/** Pairs of writers beside pairs of index updates. */
const pairs = indexers.flatMap((two) => writers.map((pair) => scenarioOf(...pair, ...two, lists)));

/** What pauses for longer than a marker is kept, or than a rebuild shows no life. */
const longPauses = [
  scenarioOf(change(0, 'pending'), updateIndex, wait(forgetAfterMs), updateIndex, lists),
  scenarioOf(erase(0), updateIndex, wait(forgetAfterMs), updateIndex, lists),
  scenarioOf(change(0, 'pending'), rebuild, updateIndex, wait(forgetAfterMs), updateIndex),
  scenarioOf(change(0, 'pending'), rebuild, rebuild, wait(rebuildGivenUpMs), updateIndex),
  scenarioOf(erase(0), rebuild, updateIndex, wait(rebuildGivenUpMs), rebuild),
  scenarioOf(updateIndex, create, rebuild, wait(rebuildGivenUpMs), updateBackwards),
];

/** Writes that are sent twice, of which the first arrives late. */
const lateTries = [
  scenarioOf(
    updateIndex,
    change(0, 'rejected'),
    change(1, 'approved'),
    { ...updateIndex, places: 1, twice: 'writePosting' },
    arrive,
  ),
  after(
    scenarioOf(change(0, 'pending'), { ...rebuild, bits: 10, twice: 'writePosting' }, updateIndex, arrive),
    'an index update',
  ),
  scenarioOf(
    change(0, 'pending'),
    { ...updateIndex, twice: 'replaceHead' },
    { ...rebuild, twice: 'replaceHead' },
    arrive,
  ),
  scenarioOf(
    { ...erase(0), twice: 'putChangeMarker' },
    { ...updateIndex, twice: 'deletePosting' },
    updateIndex,
    arrive,
  ),
  scenarioOf(
    { ...change(1, 'approved'), twice: 'replace' },
    { ...create, twice: 'insert' },
    updateIndex,
    updateIndex,
    arrive,
  ),
  scenarioOf(
    create,
    create,
    { ...updateIndex, twice: 'sealPlace' },
    { ...updateIndex, twice: 'sealVersion' },
    arrive,
  ),
];

/** Lists at the border of an organization's first chunk, which has bits and no summaries to be counted by. */
const inFirstChunk = few
  .filter(({ roles }) => roles.some((role) => role.do === 'lists'))
  .map((scenario) => ({
    ...scenario,
    name: `${scenario.name}, in the first chunk`,
    chunk: 'first' as const,
  }));

export const scenarios: Scenario[] = [
  ...[...few, ...inFirstChunk, ...longPauses, ...lateTries, ...pairs],
  after(scenarioOf(erase(0), erase(1), updateIndex, updateBackwards, lists), 'an erasure'),
];

function scenarioOf(...roles: Role[]): Scenario {
  return { name: roles.map(nameOf).join(', '), roles };
}

/** The same from another beginning. */
function after(scenario: Scenario, beginning: 'an erasure' | 'an index update'): Scenario {
  const isIndexed = beginning === 'an index update';
  return { ...scenario, name: `${scenario.name}, after ${beginning}`, isIndexed, hasErased: !isIndexed };
}

export function nameOf(role: Role): string {
  const of = 'of' in role ? ` ${'abc'[role.of]}` : '';
  const tag = 'tag' in role ? ` ${role.tag}` : '';
  const to = 'to' in role ? ` ${role.to}` : '';
  const places = 'places' in role ? ` of ${role.places}` : '';
  const bits = 'bits' in role ? ` of ${role.bits} bits` : '';
  const order = 'newestFirst' in role ? ' newest first' : '';
  const twice = 'twice' in role ? ` ${role.twice} twice` : '';
  const times = 'times' in role ? ` ${role.times} times` : '';
  const time = 'milliseconds' in role ? ` ${role.milliseconds / 1000} s` : '';
  return `${role.do}${of}${to}${tag}${places}${bits}${order}${twice}${times}${time}`;
}
