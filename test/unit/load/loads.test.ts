/** The door of loads: what each step returns before anything is written, and what is unfinished. */
import { describe, expect, test } from '@jest/globals';
import { LoadRefused } from '../../../functions/domain/loads.ts';
import { loadsOn } from '../../../functions/testimonials/loads.ts';
import { claimExpiryMs } from '../../../functions/timing.ts';
import { createImportWorld, type ImportWorld } from '../../world/import-world.ts';
import { expectIndexed, loadLine as line, worldWithTestimonial } from './lines.ts';

const name = 'a'.repeat(64);
const hash = 'b'.repeat(64);
const doorOf = ({ importDependencies }: ImportWorld) => loadsOn(importDependencies)('acme');
const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.then(() => undefined).catch((thrown: unknown) => thrown);
  return error instanceof LoadRefused ? error.refusal : error;
};

test('a load has the time at which it first began, and says how far an earlier process came', async () => {
  const world = await createImportWorld();
  const at = world.now().toISOString();
  const first = await doorOf(world).open(name, hash);
  expect(first).toMatchObject({ id: 'aaaaaaaaaaaa', at });
  expect(first).not.toHaveProperty('earlier');
  const { insert } = world.backend.testimonials;
  world.backend.testimonials.insert = () => Promise.reject(new Error('gone'));
  const checked = await first.check([line(0), line(1)], {}, world.importDependencies);
  await expect(checked.store('all', world.importDependencies)).rejects.toThrow('gone');
  world.backend.testimonials.insert = insert;

  world.advance(claimExpiryMs);
  const again = await doorOf(world).open(name, hash);
  const earlier = { id: first.id, state: 'storing', at, done: 0, count: 2 };
  expect(again).toMatchObject({ id: first.id, at, earlier });
  expect(await doorOf(world).unfinished()).toEqual([{ isHidden: true, status: earlier }]);
  expect(await refusalOf(doorOf(world).open('c'.repeat(64), hash))).toEqual({
    why: 'other load',
    organization: 'acme',
  });
  const rest = await again.check([line(0), line(1)], {}, world.importDependencies);
  expect(await rest.store('all', world.importDependencies)).toMatchObject({ stored: 2, wasLoaded: false });
  expect(await doorOf(world).unfinished()).toEqual([]);
  expect((await doorOf(world).find({ hash }))?.state).toBe('ended');
});

test('a continued load with another number of lines is refused, and writes nothing', async () => {
  const world = await createImportWorld();
  const process = { ...world.importDependencies, runStoppable: () => Promise.reject(new Error('stopped')) };
  const first = await doorOf(world).open(name, hash);
  const checked = await first.check([line(0), line(1)], {}, process);
  await expect(checked.store('all', process)).rejects.toThrow('stopped');
  world.advance(claimExpiryMs);
  const again = await doorOf(world).open(name, hash);
  const wrong = again.check([line(0)], {}, world.importDependencies);
  expect(await refusalOf(wrong)).toEqual({ why: 'other version', count: 2 });
  expect(await world.stored()).toEqual([]);
});

test('a fill that stopped is unfinished without a status', async () => {
  const world = await createImportWorld();
  const at = world.now().getTime();
  const linesOf = function* () {
    yield { ...line(0), createdAt: at, updatedAt: at, update: 0 };
    throw new Error('stopped');
  };
  const work = world.importDependencies;
  await expect(doorOf(world).fill(2, linesOf, work)).rejects.toThrow('stopped');
  expect(await doorOf(world).unfinished()).toEqual([{ isHidden: true }]);
  expect(world.organizations).toEqual(['acme']);
});

describe('a load that ends before it stores a line keeps no other load waiting', () => {
  const early = { createdAt: Date.parse('2025-01-01') };
  const tooMany = () => Promise.reject(new LoadRefused({ why: 'no room', missing: 1, room }));
  const room = { free: 0, occupied: 1, spent: 0 };

  test.each([
    ['there is no room for it', 'before'],
    ['another load takes its room just before it is hidden', 'after'],
    ['its positions cannot be stored', 'last'],
  ])('if %s', async (_, when) => {
    const world = await worldWithTestimonial();
    world.advance(60_000);
    const { loads, index } = world.backend;
    const opened = await doorOf(world).open(name, hash);
    const checked = await opened.check([line(0, early)], {}, world.importDependencies);
    const { positions, addPositions } = loads;
    const isHidden = async () => (await index.readHead('acme'))?.load !== undefined;
    const wasHidden: boolean[] = [];
    loads.positions = async (organization) => {
      wasHidden.push(await isHidden());
      return when === 'before' || (when === 'after' && (await isHidden()))
        ? tooMany()
        : positions(organization);
    };
    if (when === 'last') loads.addPositions = () => Promise.reject(new Error('gone'));
    await expect(checked.store('all', world.importDependencies)).rejects.toThrow(/no room|gone/);
    expect(wasHidden).toEqual(when === 'before' ? [false] : [false, true]);
    Object.assign(loads, { positions, addPositions });
    expect(await doorOf(world).unfinished()).toEqual([]);

    const other = await doorOf(world).open('c'.repeat(64), hash);
    const others = await other.check([line(1, early)], {}, world.importDependencies);
    expect(await others.store('all', world.importDependencies)).toMatchObject({ stored: 1 });
    const again = await doorOf(world).open(name, hash);
    const rest = await again.check([line(0, early)], {}, world.importDependencies);
    expect(await rest.store('all', world.importDependencies)).toMatchObject({ stored: 1 });
    await expectIndexed(world);
  });

  test('unless another process has continued it', async () => {
    const world = await worldWithTestimonial();
    world.advance(60_000);
    const { loads, index } = world.backend;
    const opened = await doorOf(world).open(name, hash);
    const checked = await opened.check([line(0, early)], {}, world.importDependencies);
    const { addPositions } = loads;
    const { insert } = world.backend.testimonials;
    loads.addPositions = async () => {
      loads.addPositions = addPositions;
      world.advance(claimExpiryMs);
      world.backend.testimonials.insert = () => Promise.reject(new Error('stopped'));
      const second = await doorOf(world).open(name, hash);
      const rest = await second.check([line(0, early)], {}, world.importDependencies);
      await expect(rest.store('all', world.importDependencies)).rejects.toThrow('stopped');
      throw new Error('gone');
    };
    await expect(checked.store('all', world.importDependencies)).rejects.toThrow('gone');
    world.backend.testimonials.insert = insert;
    expect((await index.readHead('acme'))?.load).toBe(name);
    expect(await doorOf(world).unfinished()).toMatchObject([
      { isHidden: true, status: { state: 'storing' } },
    ]);
  });
});
