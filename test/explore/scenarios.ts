/** The scenarios: works that run at once, over three testimonials at the border of two chunks. */
import type { Status, TestimonialInput } from '../../functions/domain/testimonial.ts';
import type { IndexHead } from '../../functions/testimonials/list-index/index-store.ts';
import { forgetAfterMs, rebuildLeaseMs, settledMs } from '../../functions/timing.ts';
import type { Backend } from '../world/backend.ts';
import { type InMemoryBackend, inMemoryBackend } from '../world/in-memory-backend.ts';
import { eraseSubmitted, followStream, submit, uploadAgain, uploadKey } from '../world/media-works.ts';
import { createWorld, type Work, type World } from '../world/world.ts';

// Positions used before: far from the border of a chunk, or all but three of the first or second chunk. From
// the second on, lists count by summaries.
const taken = { none: 10, first: 65_533, second: 131_069 };

/** Few words, so that an index update has few postings. */
const input: TestimonialInput = {
  content: 'amaz',
  author: { name: 'amaz', email: 'amaz@example.com' },
  type: 'text',
  tags: ['ux'],
};
/** A testimonial with a word of its own. */
const gnu: TestimonialInput = { ...input, content: 'gnu' };
/** Words that an erasure removes. */
export const texts = ['amaz', 'yak', 'gnu'];

export interface Prepared {
  backend: InMemoryBackend;
  time: number;
  /** The head before the last index update. */
  oldHead: IndexHead | undefined;
  ids: string[];
}

/**
 * Prepares two indexed testimonials, where `a` has an uncovered marker, and a tail: `b` at the last position
 * of its chunk and `c` at the first of the next. No actor touches the other indexed one, so that lists can
 * only find it in the index.
 */
export async function prepare({
  hasErased = false,
  removesWords = false,
  isIndexed = false,
  hasUpload = false,
  chunk = 'second',
}: Omit<Scenario, 'name' | 'roles'>): Promise<Prepared> {
  const backend = inMemoryBackend();
  const earlier = Number(hasErased) + 2 * Number(removesWords);
  const world = await createWorld(backend, { taken: taken[chunk] - earlier });
  if (hasErased) await world.erase((await world.create(input)).id);
  const erased = removesWords ? [await world.create(input), await world.create(gnu)] : [];
  await world.create(input);
  const a = await world.create(input);
  await world.settle();
  const oldHead = await world.head();
  for (const { id } of erased) await world.erase(id);
  await world.setStatus(a.id, 'approved');
  const b = await world.create(input);
  const c = await world.create({ ...input, author: { ...input.author, name: 'yak' } });
  world.advance(settledMs + 1000);
  if (isIndexed) await world.updateIndex();
  if (hasUpload) await backend.bucket.upload(uploadKey, 3);
  await backend.stream.deliver(world.organization, await backend.stream.pending(world.organization));
  return { backend, time: world.clock.time, oldHead, ids: [a.id, b.id, c.id] };
}

/** An actor of a scenario. */
export interface Role {
  name: string;
  /** Its work. Only the explorer lists alongside others, advances the clock, and delivers late tries. */
  does: ((world: World, ids: readonly string[]) => Work) | 'lists' | 'wait' | 'arrive';
  /** The lists are of functions with a memory, each with three rounds of queries. */
  remembers?: true;
  milliseconds?: number;
  /** Of calls sent at once, the last one arrives first. */
  newestFirst?: true;
  /** The calls that it sends twice. */
  twice?: string;
}

export interface Scenario {
  name: string;
  roles: Role[];
  /** A testimonial was erased before. */
  hasErased?: boolean;
  /** Two testimonials were erased, one with a word of its own, and their words are due to be removed. */
  removesWords?: boolean;
  /** The tail is empty, and the marker is covered. */
  isIndexed?: boolean;
  /** The recording of a submission is uploaded. */
  hasUpload?: boolean;
  /** The chunk whose border the scenario uses; by default the second. */
  chunk?: keyof typeof taken;
  /** True to explore more interruptions than in others. */
  isSmall?: boolean;
  /** Removes a rule from the stores of the scenario. */
  weaken?: (stores: Backend) => Backend;
}

const create: Role = { name: 'create', does: ({ works }) => works.create(input) };
/** @param of the number of the testimonial */
const withOne = (
  name: string,
  of: number,
  work: (works: World['works'], id: string) => Work,
  ...rest: string[]
): Role => ({
  name: [name, 'abc'[of], ...rest].join(' '),
  does: ({ works }, ids) => work(works, ids[of] ?? ''),
});
const change = (of: number, to: Status) => withOne('change', of, (works, id) => works.setStatus(id, to), to);
const tag = (of: number, tag: string) =>
  withOne('tag', of, (works, id) => works.change(id, { addTags: [tag], removeTags: [] }), tag);
const untag = (of: number, tag: string) =>
  withOne('untag', of, (works, id) => works.change(id, { addTags: [], removeTags: [tag] }), tag);
const erase = (of: number) => withOne('erase', of, (works, id) => works.erase(id));
const updateIndex: Role = { name: 'index update', does: ({ works }) => works.updateIndex() };
const updateOnePlace: Role = {
  name: 'index update of 1',
  does: ({ works }) => works.updateIndex({ limits: { positions: 1 } }),
};
/** It leaves the tail to the next one. */
const updateChanges: Role = {
  name: 'index update of changes',
  does: ({ works }) => works.updateIndex({ limits: { minTailBytes: Number.POSITIVE_INFINITY } }),
};
const updateBackwards: Role = { ...updateIndex, name: 'index update newest first', newestFirst: true };
const rebuild: Role = { name: 'rebuild', does: ({ works }) => works.rebuild() };
const rebuildInSteps: Role = {
  name: 'rebuild of 10 bits',
  does: ({ works }) => works.rebuild({ postings: Number.POSITIVE_INFINITY, bits: 10 }),
};
/** A change, the index update that covers it, and the one that deletes its marker. */
const forgotten = (role: Role): Role => ({
  name: `${role.name} and forgotten`,
  does: (world, ids) => ({
    name: 'index update',
    async run(stores, now) {
      if (typeof role.does === 'function') await role.does(world, ids).run(stores, now);
      const later = (milliseconds: number) => () => new Date(now().getTime() + milliseconds);
      const { works } = world;
      await works.updateIndex().run(stores, later(settledMs + 1000));
      await works.updateIndex().run(stores, later(settledMs + 1000 + forgetAfterMs));
    },
  }),
});
const lists: Role = { name: 'lists', does: 'lists' };
const listsAgain: Role = { name: 'lists 3 times', does: 'lists', remembers: true };
/** The late tries of calls that others send twice. */
const arrive: Role = { name: 'arrive', does: 'arrive' };
const wait = (milliseconds: number): Role => ({
  name: `wait ${milliseconds / 1000} s`,
  does: 'wait',
  milliseconds,
});
const twice = (role: Role, call: string): Role => ({
  ...role,
  name: `${role.name} ${call} twice`,
  twice: call,
});

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

/** Small scenarios, which get more interruptions. */
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
  ...[change(0, 'rejected'), change(1, 'approved'), untag(0, 'ux'), erase(0)].map((role) =>
    inChunk('none', after(scenarioOf(forgotten(role), listsAgain), 'an index update')),
  ),
  scenarioOf(change(0, 'pending'), updateIndex, listsAgain),
  after(scenarioOf(change(0, 'rejected'), change(0, 'approved'), updateIndex, listsAgain), 'an index update'),
  scenarioOf(erase(0), updateIndex, listsAgain),
  scenarioOf(untag(0, 'ux'), rebuild, listsAgain),
  after(
    scenarioOf(change(1, 'approved'), updateIndex, wait(forgetAfterMs), updateIndex, listsAgain),
    'an index update',
  ),
].map((scenario) => ({ ...scenario, isSmall: true }));

/** Pairs of writers with pairs of index updates. */
const pairs = indexers.flatMap((two) => writers.map((pair) => scenarioOf(...pair, ...two, lists)));

// A step of an index update can write for so long.
const slow = 40_000;
const settled = settledMs + 1000;

/** Removals of words that are interrupted, beside everything that can write words. */
const removals = [
  ...[
    scenarioOf(updateChanges, updateIndex),
    scenarioOf(updateIndex, updateIndex, updateIndex),
    scenarioOf(updateChanges, updateBackwards),
    scenarioOf(updateChanges, updateChanges, updateIndex),
    scenarioOf(updateIndex, rebuild),
    scenarioOf(rebuild, updateIndex, updateIndex),
    scenarioOf(updateOnePlace, updateIndex),
    scenarioOf(updateIndex, create, wait(settled), updateIndex),
    scenarioOf(erase(0), wait(settled), updateIndex, updateIndex),
    scenarioOf(erase(2), updateIndex, wait(settled), updateIndex),
  ].map((each) => after(each, 'erasures')),
  // A step that is slow, and an erasure that it has not seen.
  scenarioOf(updateIndex, erase(2), wait(settled), updateIndex),
  scenarioOf(updateIndex, erase(1), change(0, 'pending'), wait(settled), updateIndex),
  scenarioOf(updateIndex, erase(2), wait(settled), updateIndex, wait(slow - settled), updateIndex),
  scenarioOf(updateIndex, erase(2), wait(settled), rebuild, updateIndex),
  scenarioOf(rebuild, erase(0), wait(settled), updateIndex),
  scenarioOf(rebuildInSteps, erase(0), wait(rebuildLeaseMs), rebuild, updateIndex),
  scenarioOf(updateIndex, erase(2), wait(forgetAfterMs), rebuild, wait(forgetAfterMs), updateIndex),
  scenarioOf(twice(updateIndex, 'writePosting'), erase(2), updateIndex, arrive, wait(settled), updateIndex),
  after(
    scenarioOf(twice(updateIndex, 'writePosting'), twice(updateIndex, 'deletePosting'), arrive),
    'erasures',
  ),
].map((scenario) => ({ ...scenario, isSmall: true }));

/** Pauses longer than a marker is kept, or than the lease of a rebuild. */
const longPauses = [
  scenarioOf(change(0, 'pending'), updateIndex, wait(forgetAfterMs), updateIndex, lists),
  scenarioOf(erase(0), updateIndex, wait(forgetAfterMs), updateIndex, lists),
  scenarioOf(change(0, 'pending'), rebuild, updateIndex, wait(forgetAfterMs), updateIndex),
  scenarioOf(change(0, 'pending'), rebuild, rebuild, wait(rebuildLeaseMs), updateIndex),
  scenarioOf(erase(0), rebuild, updateIndex, wait(rebuildLeaseMs), rebuild),
  scenarioOf(updateIndex, create, rebuild, wait(rebuildLeaseMs), updateBackwards),
];

/** Writes that are sent twice, whose first try arrives late. */
const lateTries = [
  scenarioOf(
    updateIndex,
    change(0, 'rejected'),
    change(1, 'approved'),
    twice(updateOnePlace, 'writePosting'),
    arrive,
  ),
  after(
    scenarioOf(change(0, 'pending'), twice(rebuildInSteps, 'writePosting'), updateIndex, arrive),
    'an index update',
  ),
  scenarioOf(change(0, 'pending'), twice(updateIndex, 'replaceHead'), twice(rebuild, 'replaceHead'), arrive),
  scenarioOf(twice(erase(0), 'putChangeMarkers'), twice(updateIndex, 'deletePosting'), updateIndex, arrive),
  scenarioOf(
    twice(change(1, 'approved'), 'writeChange'),
    twice(create, 'insert'),
    updateIndex,
    updateIndex,
    arrive,
  ),
  scenarioOf(create, create, twice(updateIndex, 'sealPosition'), twice(updateIndex, 'sealVersion'), arrive),
];

const submits: Role = { name: 'submit', does: (world) => submit(world, { mayRefuse: false }) };
/** Submits while other actors erase the submission or replace its upload, so it may be refused. */
const triesToSubmit: Role = { name: 'try to submit', does: (world) => submit(world, { mayRefuse: true }) };
const replaceUpload: Role = { name: 'replace the upload', does: () => uploadAgain(4) };
const eraseSubmission: Role = { name: 'erase the submission', does: eraseSubmitted };
const stream: Role = { name: 'stream', does: ({ organization }) => followStream(organization) };

/** A submission with a recording, repeated, beside everything that can touch its bytes. */
const recordings = [
  scenarioOf(submits, stream, stream),
  scenarioOf(submits, submits, stream),
  scenarioOf(submits, submits, submits),
  scenarioOf(submits, submits, updateIndex, stream),
  scenarioOf(triesToSubmit, replaceUpload, triesToSubmit),
  scenarioOf(triesToSubmit, replaceUpload, triesToSubmit, updateIndex),
  scenarioOf(triesToSubmit, eraseSubmission, stream),
  scenarioOf(triesToSubmit, triesToSubmit, eraseSubmission, stream),
  scenarioOf(triesToSubmit, triesToSubmit, eraseSubmission, stream, stream),
  scenarioOf(triesToSubmit, triesToSubmit, replaceUpload, eraseSubmission, stream, stream),
  scenarioOf(twice(submits, 'bucket.copyAsDraft'), submits, stream, arrive),
  scenarioOf(twice(submits, 'bucket.keep'), submits, stream, arrive),
].map((scenario) => ({ ...scenario, hasUpload: true, isSmall: true }));

/** Lists at the border of an organization's first chunk, which they count by bits. */
const inFirstChunk = few
  .filter(({ roles }) => roles.some(({ does }) => does === 'lists'))
  .map((scenario) => inChunk('first', scenario));

export const scenarios: Scenario[] = [
  ...few,
  ...removals,
  ...recordings,
  ...inFirstChunk,
  ...longPauses,
  ...lateTries,
  ...pairs,
  after(scenarioOf(erase(0), erase(1), updateIndex, updateBackwards, lists), 'an erasure'),
];

function scenarioOf(...roles: Role[]): Scenario {
  return { name: roles.map(({ name }) => name).join(', '), roles };
}

function inChunk(chunk: keyof typeof taken, scenario: Scenario): Scenario {
  const where = chunk === 'none' ? 'far from a border' : `in the ${chunk} chunk`;
  return { ...scenario, name: `${scenario.name}, ${where}`, chunk };
}

/** Returns the same scenario with another beginning. */
function after(scenario: Scenario, beginning: 'an erasure' | 'erasures' | 'an index update'): Scenario {
  return {
    ...scenario,
    name: `${scenario.name}, after ${beginning}`,
    isIndexed: beginning === 'an index update',
    hasErased: beginning === 'an erasure',
    removesWords: beginning === 'erasures',
  };
}
