/** What is played: which works beside each other, over three testimonials at the border of two chunks. */
import type { Status, TestimonialInput } from '../../functions/domain/testimonial.ts';
import type { IndexHead } from '../../functions/list-index/index-store.ts';
import { forgetAfterMs, rebuildGivenUpMs, settledMs } from '../../functions/timing.ts';
import type { Backend } from '../world/backend.ts';
import { type InMemoryBackend, inMemoryBackend } from '../world/in-memory-backend.ts';
import { createWorld } from '../world/world.ts';

/** The last place of a chunk but three. */
const taken = 65_533;

/** Few words, so that a fold has few postings. */
export const input: TestimonialInput = {
  content: 'amaz',
  author: { name: 'amaz', email: 'amaz@example.com' },
  type: 'text',
  tags: ['ux'],
};
/** What of them an erasure takes out of postings. */
export const texts = ['amaz', 'yak'];

export interface Prepared {
  backend: InMemoryBackend;
  time: number;
  /** The head before the last fold. */
  oldHead: IndexHead | undefined;
  ids: string[];
}

/**
 * Two are in the index, of which `a` has a marker that waits; `b`, at the last place of its chunk, and `c`, at the first of
 * the next, are tail. The other one stays as it is: no list has it but from the index.
 */
export async function prepare({
  hasErased = false,
  isFolded = false,
}: Pick<Scenario, 'hasErased' | 'isFolded'>): Promise<Prepared> {
  const backend = inMemoryBackend();
  const world = await createWorld(backend, { taken: hasErased ? taken - 1 : taken });
  if (hasErased) await world.erase((await world.create(input)).id);
  await world.create(input);
  const a = await world.create(input);
  await world.settle();
  const oldHead = await world.head();
  await world.setStatus(a.id, 'approved');
  const b = await world.create(input);
  const c = await world.create({ ...input, author: { ...input.author, name: 'yak' } });
  world.advance(settledMs + 1000);
  if (isFolded) await world.fold();
  return { backend, time: world.clock.time, oldHead, ids: [a.id, b.id, c.id] };
}

/** Of a scenario, one that acts. */
export type Role = (
  | { do: 'create' }
  | { do: 'change'; of: number; to: Status }
  | { do: 'tag' | 'untag'; of: number; tag: string }
  | { do: 'erase'; of: number }
  /** @param places of a step; as many as it likes when absent */
  | { do: 'fold'; places?: number }
  /** @param bits of a step; as many as it likes when absent */
  | { do: 'rebuild'; bits?: number }
  /** Lists of several kinds; each again and again by a function that remembers. */
  | { do: 'lists'; times?: number }
  | { do: 'wait'; milliseconds: number }
  /** The late tries of what others send twice. */
  | { do: 'arrive' }
) & {
  /** Of calls that it sends at once, the last arrives first. */
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
  isFolded?: boolean;
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
const fold: Role = { do: 'fold' };
const foldBackwards: Role = { do: 'fold', newestFirst: true };
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
  [fold, foldBackwards],
  [fold, rebuild],
  [rebuild, foldBackwards],
];

/** Few, so that more interruptions are played of them. */
const few = [
  scenarioOf(create, create, fold),
  scenarioOf(create, fold, fold),
  scenarioOf(change(0, 'pending'), fold, fold),
  scenarioOf(change(1, 'approved'), fold, fold),
  scenarioOf(erase(0), fold, fold),
  scenarioOf(erase(2), fold, fold),
  scenarioOf(untag(0, 'ux'), fold, fold),
  scenarioOf(untag(1, 'ux'), fold, fold),
  scenarioOf(tag(0, 'yak'), untag(0, 'yak'), fold),
  after(scenarioOf(tag(0, 'yak'), untag(0, 'yak'), fold, fold), 'a fold'),
  scenarioOf(untag(0, 'ux'), erase(0), fold),
  scenarioOf(untag(1, 'ux'), rebuild, fold),
  scenarioOf(untag(0, 'ux'), fold, lists),
  scenarioOf(change(0, 'pending'), fold, lists),
  scenarioOf(change(1, 'approved'), fold, lists),
  scenarioOf(change(0, 'rejected'), erase(0), fold),
  scenarioOf(change(1, 'approved'), rebuild, fold),
  after(scenarioOf(create, create, rebuild), 'a fold'),
  scenarioOf(fold, wait(forgetAfterMs), lists),
  scenarioOf(fold, fold, wait(forgetAfterMs), lists),
  after(scenarioOf(rebuild, fold, lists), 'a fold'),
  after(scenarioOf(create, erase(2), fold, fold), 'a fold'),
  scenarioOf(erase(0), erase(1), fold, fold),
  scenarioOf(change(0, 'pending'), change(1, 'approved'), fold),
  after(scenarioOf(change(0, 'rejected'), change(0, 'approved'), fold, fold), 'a fold'),
  after(scenarioOf(change(0, 'rejected'), change(1, 'approved'), fold, lists), 'a fold'),
  scenarioOf(fold, listsAgain),
  scenarioOf(change(0, 'pending'), fold, listsAgain),
  after(scenarioOf(change(0, 'rejected'), change(0, 'approved'), fold, listsAgain), 'a fold'),
  scenarioOf(erase(0), fold, listsAgain),
  scenarioOf(untag(0, 'ux'), rebuild, listsAgain),
  after(scenarioOf(change(1, 'approved'), fold, wait(forgetAfterMs), fold, listsAgain), 'a fold'),
].map((scenario) => ({ ...scenario, isSmall: true }));

/** Pairs of writers beside pairs of index updates. */
const pairs = indexers.flatMap((two) => writers.map((pair) => scenarioOf(...pair, ...two, lists)));

/** What pauses for longer than a marker is kept, or than a rebuild shows no life. */
const longPauses = [
  scenarioOf(change(0, 'pending'), fold, wait(forgetAfterMs), fold, lists),
  scenarioOf(erase(0), fold, wait(forgetAfterMs), fold, lists),
  scenarioOf(change(0, 'pending'), rebuild, fold, wait(forgetAfterMs), fold),
  scenarioOf(change(0, 'pending'), rebuild, rebuild, wait(rebuildGivenUpMs), fold),
  scenarioOf(erase(0), rebuild, fold, wait(rebuildGivenUpMs), rebuild),
  scenarioOf(fold, create, rebuild, wait(rebuildGivenUpMs), foldBackwards),
];

/** Writes that are sent twice, of which the first arrives late. */
const lateTries = [
  scenarioOf(
    fold,
    change(0, 'rejected'),
    change(1, 'approved'),
    { ...fold, places: 1, twice: 'writePosting' },
    arrive,
  ),
  after(
    scenarioOf(change(0, 'pending'), { ...rebuild, bits: 10, twice: 'writePosting' }, fold, arrive),
    'a fold',
  ),
  scenarioOf(
    change(0, 'pending'),
    { ...fold, twice: 'replaceHead' },
    { ...rebuild, twice: 'replaceHead' },
    arrive,
  ),
  scenarioOf({ ...erase(0), twice: 'putChangeMarker' }, { ...fold, twice: 'deletePosting' }, fold, arrive),
  scenarioOf(
    { ...change(1, 'approved'), twice: 'replace' },
    { ...create, twice: 'insert' },
    fold,
    fold,
    arrive,
  ),
  scenarioOf(create, create, { ...fold, twice: 'sealPlace' }, { ...fold, twice: 'sealVersion' }, arrive),
];

export const scenarios: Scenario[] = [
  ...[...few, ...longPauses, ...lateTries, ...pairs],
  after(scenarioOf(erase(0), erase(1), fold, foldBackwards, lists), 'an erasure'),
];

function scenarioOf(...roles: Role[]): Scenario {
  return { name: roles.map(nameOf).join(', '), roles };
}

/** The same from another beginning. */
function after(scenario: Scenario, beginning: 'an erasure' | 'a fold'): Scenario {
  const isFolded = beginning === 'a fold';
  return { ...scenario, name: `${scenario.name}, after ${beginning}`, isFolded, hasErased: !isFolded };
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
