/** Plays works with a fault at each of their calls, and checks the result and the state afterwards. */

import type { Table } from '../../functions/dynamodb/table.ts';
import { FencedOff } from '../../functions/testimonials/list-index/write/posting-edits.ts';
import { updateIndex, wholeTail } from '../../functions/testimonials/list-index/write/update-index.ts';
import { changeTestimonial } from '../../functions/testimonials/operations/change-testimonial.ts';
import type { ObjectFacts } from '../../lib/local-runner/object-store.ts';
import { createApiClient, ownPermissions, storesOf } from '../api-client.ts';
import { type TestBucket, testBucket } from '../media-bucket.ts';
import { playStream } from '../media-stream.ts';
import type { InMemoryBackend } from '../world/in-memory-backend.ts';
import { queries } from '../world/queries.ts';
import { createWorld, type World } from '../world/world.ts';
import { type BucketState, bucketState, passTwoDays, restoreBucket } from './bucket-state.ts';
import { type FaultName, faultNames, faults, isWrite } from './faults.ts';
import { type Call, type FaultyDynamoDb, faultyDynamoDb, type Hit } from './faulty-dynamodb.ts';
import { inMemory, restore, stateOf, type TableState } from './table-state.ts';
import {
  type Actor,
  actorOf,
  hourMs,
  organization,
  type Stage,
  type Work,
  type WorkResult,
} from './works.ts';

export interface Cell extends Hit {
  work: string;
  got: WorkResult;
  /** The names of failed checks. */
  broken: string[];
}

// The correct results of a lasting fault.
const unavailable = ['503', 'Throttled', 'redelivered', 'asked again'];

/** Returns the failed checks, and any result that a client must not get. */
export function failedChecks({ fault, isLasting, among, got, broken }: Cell): string[] {
  if (!isLasting || among || faults[fault].isOvercome)
    return got.isDone ? broken : [...broken, `got ${got.text}`];
  const isThrottled = fault === 'throttled' || fault === 'unprocessed';
  const isRight = isThrottled ? unavailable.includes(got.text) : !got.isDone && !/^[234]/.test(got.text);
  return isRight ? broken : [...broken, `got ${got.text}`];
}

/** The token, tables, bucket and actors of a work. */
interface Theatre extends Stage {
  table: Table;
  bucket: TestBucket;
  dynamoDb: FaultyDynamoDb;
  /** Actors on the sound table, and on the failing one. */
  sound: Actor;
  faulty: Actor;
  /** The state of the table and of the bucket before the work. */
  before: TableState;
  objectsBefore: BucketState;
}

/**
 * Plays a work with faults at its calls.
 * @param choose selects from all faults of the calls that the work makes when nothing fails
 */
export async function play(
  work: Work,
  choose: (hits: readonly Hit[]) => readonly Hit[] = (hits) => hits,
): Promise<Cell[]> {
  const theatre = await theatreOf(work);
  const { dynamoDb, faulty } = theatre;
  faulty.begin();
  dynamoDb.begin(undefined);
  const got = await work.run(faulty, theatre);
  const { calls } = await dynamoDb.end();
  if (!got.isDone) throw new Error(`${work.name}, without a fault, got ${got.text}`);
  await restoreAll(theatre);
  const isOwn = work.goesOnWithout ?? work.calls ?? /(?<!token)$/;
  const own = calls.filter(({ label }) => isOwn.test(label));
  const cells: Cell[] = [];
  const among = work.goesOnWithout ? { among: work.goesOnWithout } : {};
  for (const hit of choose(own.flatMap(hitsAt)).map((each) => ({ ...each, ...among }))) {
    cells.push({ work: work.name, ...hit, ...(await playCell(work, theatre, hit)) });
    if (!work.isRead) await restoreAll(theatre);
  }
  return cells;
}

async function restoreAll({ table, bucket, before, objectsBefore }: Theatre): Promise<void> {
  await restore(table, before);
  await restoreBucket(bucket, objectsBefore);
}

/** Selects the last call of each kind, and every call that can arrive late. */
export function lastOfEachKind(hits: readonly Hit[]): Hit[] {
  const last = new Map(hits.map(({ call: { label, nth } }) => [label, nth]));
  return hits.filter(
    ({ call: { label, nth }, fault, isLasting }) =>
      last.get(label) === nth || (fault === 'arrives late' && !isLasting),
  );
}

/** Selects two faults of the last call of each kind, different ones for each kind. */
export function fewOfEachKind(hits: readonly Hit[]): Hit[] {
  const last = new Map(hits.map(({ call: { label, nth } }) => [label, nth]));
  return [...last].flatMap(([label, nth], i) => {
    const all = hits.filter(({ call }) => call.label === label && call.nth === nth);
    return [all[(2 * i) % all.length], all[(2 * i + 5) % all.length]].filter((each) => each !== undefined);
  });
}

/** Returns every fault that can hit a call, once and lasting. */
function hitsAt(call: Call): Hit[] {
  return faultNames
    .filter((fault) => faults[fault].hits(call.operation))
    .flatMap((fault) => [false, true].map((isLasting) => ({ call, fault, isLasting })));
}

async function theatreOf(work: Work): Promise<Theatre> {
  const { table, issue } = await createApiClient();
  const token = await issue(ownPermissions);
  const world = await createWorld(storesOf(table), { organization });
  world.clock.time = Date.now() - 2 * hourMs;
  const bucket = testBucket();
  await work.prepare?.(world, table, bucket);
  const { id: firstId = '', updatedAt: firstUpdatedAt = '' } = (await world.nth(0)) ?? {};
  const dynamoDb = await faultyDynamoDb(table.name, bucket);
  const { forRequests, inBackground } = dynamoDb;
  return {
    table,
    bucket,
    token,
    firstId,
    firstUpdatedAt,
    dynamoDb,
    sound: actorOf({ requests: table, background: table, bucket }),
    faulty: actorOf({ requests: forRequests, background: inBackground, bucket }),
    before: await stateOf(table),
    objectsBefore: await bucketState(bucket),
  };
}

async function playCell(work: Work, theatre: Theatre, hit: Hit): Promise<Pick<Cell, 'got' | 'broken'>> {
  const { table, bucket, dynamoDb, sound, faulty } = theatre;
  faulty.begin();
  dynamoDb.begin(hit);
  const got = await work.run(faulty, theatre);
  const { isReached, calls } = await dynamoDb.end();
  if (!isReached) throw new Error(`${work.name} made no call ${JSON.stringify(hit.call)}`);
  if (work.isRead) return { got, broken: await brokenOfRead(work, theatre, got, calls) };
  const atOnce = inMemory(await stateOf(table), organization);
  const broken = [
    ...work.broken(got, atOnce, 'at once', await bucket.store.list()),
    ...(await wrongLists(await worldOn(atOnce), 'whole at once')),
  ];
  const again = got.isDone || !work.isRepeated ? got : await work.run(sound, theatre);
  if (work.isRepeated && !again.isDone) broken.push('repeatable');
  if (hit.fault === 'arrives late') {
    await goOn(sound, inMemory(await stateOf(table), organization));
    await dynamoDb.arrive();
  }
  const inTheEnd = inMemory(await stateOf(table), organization);
  const objects = work.hasMedia ? await objectsInTheEnd(theatre) : [];
  return { got, broken: [...broken, ...(await brokenInTheEnd(work, again, inTheEnd, hit.fault, objects))] };
}

/** Plays the stream at least once, and then two days. */
async function objectsInTheEnd({ table, bucket }: Theatre): Promise<ObjectFacts[]> {
  await playStream(table, bucket);
  await passTwoDays(bucket);
  return bucket.store.list();
}

/** Changes the newest testimonial and updates the index, which late writes must not undo. */
async function goOn({ stores, later, now }: Actor, state: InMemoryBackend): Promise<void> {
  const newest = state.stored(organization).at(-1)?.testimonial;
  if (newest) await changeTestimonial({ ...stores, now }, organization, newest.id, { status: 'rejected' });
  await updateIndex({ ...stores, now: later }, organization, wholeTail).catch((error: unknown) => {
    if (!(error instanceof FencedOff)) throw error;
  });
}

/** Checks a work that only reads: its result is right now, or once nothing fails, and it writes nothing. */
async function brokenOfRead(
  work: Work,
  theatre: Theatre,
  got: WorkResult,
  calls: readonly Call[],
): Promise<string[]> {
  const again = await work.run(theatre.faulty, theatre);
  const state = inMemory(theatre.before, organization);
  return [
    ...work.broken(got, state, 'at once', []),
    ...(again.isDone ? work.broken(again, state, 'in the end', []) : ['repeatable']),
    ...(calls.some(({ operation }) => isWrite(operation)) ? ['read only'] : []),
  ];
}

async function brokenInTheEnd(
  work: Work,
  got: WorkResult,
  state: InMemoryBackend,
  fault: FaultName,
  objects: readonly ObjectFacts[],
): Promise<string[]> {
  const world = await worldOn(state);
  const broken = await wrongLists(world, 'whole');
  await world.settleForGood();
  const differences = (await world.differences()).filter(
    // A late write can bring back a word, which no list trusts (rule 30 of docs/protocol.md).
    ({ kind }) => fault !== 'arrives late' || kind !== 'leftover',
  );
  return [
    ...broken,
    ...(await wrongLists(world, 'whole, indexed')),
    ...(differences.length > 0 ? ['verified'] : []),
    ...work.broken(got, state, 'in the end', objects),
  ];
}

async function worldOn(state: InMemoryBackend): Promise<World> {
  const world = await createWorld(state, { organization });
  world.clock.time = Date.now() + 2 * hourMs;
  return world;
}

/** Returns the name of the check if any list differs from the oracle. */
async function wrongLists(world: World, name: string): Promise<string[]> {
  // Testimonials of a load are in no list before it ends.
  const isHidden = (await world.head())?.load !== undefined;
  for (const query of queries) {
    const expected = isHidden ? { testimonials: [], total: 0 } : await world.expected(query);
    const listed = await world.list(query);
    if (JSON.stringify(listed) !== JSON.stringify(expected)) return [name];
  }
  return [];
}
