import { describe, expect, test } from '@jest/globals';
import { type IndexHead, noIndex } from '../../../../functions/testimonials/list-index/index-store.ts';
import {
  parseTermsVersion,
  termsVersion,
} from '../../../../functions/testimonials/list-index/terms-version.ts';
import {
  nextRenewalAction,
  renewIndexes,
} from '../../../../functions/testimonials/list-index/write/renew-indexes.ts';
import { updateIndex } from '../../../../functions/testimonials/list-index/write/update-index.ts';
import { indexTurnMs, rebuildLeaseMs } from '../../../../functions/timing.ts';
import { input } from '../../../testimonials.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { base } from '../../../world/queries.ts';
import { createWorld, type World } from '../../../world/world.ts';

const { rules, texts } = parseTermsVersion(termsVersion);
const older = `${rules}.${texts}/1.0`;
const now = 1_000_000;
const head = { ...noIndex, terms: older };
const building = { generation: 2, terms: termsVersion, indexed: 5, updated: 7, epoch: 3, until: now };

describe('the next action of a renewal for an organization', () => {
  test.each<[string, IndexHead | undefined, string]>([
    ['without an index', undefined, 'pass over'],
    ['of these rules', noIndex, 'pass over'],
    ['that an import fills', { ...head, load: 'import' }, 'pass over'],
    ['of other rules', head, 'begin'],
    ['whose rebuild follows other rules', { ...head, building: { ...building, terms: older } }, 'begin'],
    ['whose rebuild no process holds', { ...head, building }, 'request an update'],
    ['whose rebuild a process holds', { ...head, building: { ...building, until: now + 1 } }, 'wait'],
    [
      'whose rebuild fails again and again',
      { ...head, building: { ...building, until: now - 5 * rebuildLeaseMs } },
      'pass over',
    ],
  ])('%s', (_, each, next) => expect(nextRenewalAction(each, now)).toBe(next));
});

const names = ['acme', 'beta', 'corp'];

/** Creates three organizations; the indexes of `acme` and `corp` follow other rules. */
async function organizations() {
  const backend = inMemoryBackend();
  const worlds: World[] = [];
  for (const organization of names) {
    const world = await createWorld(backend, { organization });
    for (let i = 0; i < 20; i += 1) await world.create({ ...input, content: `Amazing product number ${i}` });
    await world.settle();
    const found = await world.head();
    if (found && organization !== 'beta')
      await backend.index.replaceHead(organization, { ...found, terms: older });
    worlds.push(world);
  }
  const clock = { time: worlds[0]?.clock.time ?? 0 };
  const deps = { ...backend, now: () => new Date(clock.time) };
  /** Runs a turn of the index function for each requested organization, with the shortest steps. */
  const turn = async () => {
    const until = clock.time;
    await renewIndexes(deps, { until: until + indexTurnMs });
    for (const organization of backend.requests.splice(0)) {
      await updateIndex(deps, organization, { until, limits: { bits: 40 } });
    }
    clock.time += indexTurnMs;
  };
  return { backend, worlds, deps, turn };
}

const termsOf = async (worlds: World[]) =>
  Promise.all(worlds.map(async (world) => (await world.head())?.terms));

test('organizations are rebuilt one after the other, in turns, and lists are right all the time', async () => {
  const { backend, worlds, deps, turn } = await organizations();
  await backend.renewals.begin(deps.now());
  let turns = 0;
  const seen = new Set<string>();
  for (; backend.renewals.request && turns < 200; turns += 1) {
    await turn();
    const beingBuilt = (await Promise.all(worlds.map((world) => world.head()))).filter(
      (each) => each?.building,
    );
    expect(beingBuilt.length).toBeLessThanOrEqual(1);
    seen.add(backend.renewals.request?.from ?? 'done');
    for (const world of worlds) expect(await world.list(base)).toEqual(await world.expected(base));
  }
  expect([...seen]).toEqual(['acme', 'corp', 'done']);
  expect(turns).toBeGreaterThan(6);
  expect(await termsOf(worlds)).toEqual([termsVersion, termsVersion, termsVersion]);
  expect(await worlds[1]?.head()).toMatchObject({ generation: 1 });
  for (const world of worlds) {
    await world.settle();
    expect(await world.differences()).toEqual([]);
  }
});

test('a turn that begins too late only requests the rest', async () => {
  const { backend, worlds, deps } = await organizations();
  await backend.renewals.begin(deps.now());
  expect(await renewIndexes(deps, { until: deps.now().getTime() })).toEqual([]);
  expect(backend.renewals.request).toMatchObject({ from: 'acme' });
  expect(await termsOf(worlds)).toEqual([older, termsVersion, older]);
});

test('a deployment meanwhile restarts the renewal, and an earlier turn does not replace its request', async () => {
  const { backend, deps } = await organizations();
  await backend.renewals.begin(deps.now());
  const { readHead } = backend.index;
  let reads = 0;
  backend.index.readHead = async (organization) => {
    reads += 1;
    if (reads === 1) await backend.renewals.begin(deps.now());
    return readHead(organization);
  };
  await renewIndexes(deps);
  expect(backend.renewals.request).toMatchObject({ from: '' });
});

test('without a request there is nothing to do', async () => {
  const { deps } = await organizations();
  expect(await renewIndexes(deps)).toEqual([]);
});
