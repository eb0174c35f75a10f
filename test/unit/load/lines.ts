/** Lines to import, and checks of the organization that imported them. */
import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { LoadLine } from '../../../functions/domain/loads.ts';
import { claimExpiryMs } from '../../../functions/timing.ts';
import { fileOf } from '../../file-of.ts';
import { query } from '../../world/arbitraries.ts';
import { createImportWorld, type ImportWorld } from '../../world/import-world.ts';

export const content = (i: number) => `Amazing line ${i}`;
export const contents = (count: number) => Array.from({ length: count }, (_, i) => content(i));

/** A line as a load gets it. */
export const loadLine = (i: number, more: Partial<LoadLine> = {}): LoadLine => ({
  content: content(i),
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text',
  ...more,
});

export const line = (i: number, history: Record<string, unknown> = {}) =>
  JSON.stringify({ ...loadLine(i, { tags: [i % 2 === 0 ? 'even' : 'odd'] }), ...history });

/** Writes lines to a file. */
export const fileWith = (lines: readonly string[], name = 'b.ndjson') => fileOf(lines.join('\n'), name);

export const plainFile = (count: number) =>
  fileWith(
    contents(count).map((_, i) => line(i)),
    'a.ndjson',
  );

/** A testimonial that the API creates. */
export const api = (i: number) => ({
  content: `Created meanwhile ${i}`,
  author: { name: 'Joe Doe', email: 'joe@example.com' },
  type: 'text' as const,
});

/** Returns an organization with a testimonial. */
export async function worldWithTestimonial(
  options?: Parameters<typeof createImportWorld>[0],
): Promise<ImportWorld> {
  const world = await createImportWorld(options);
  await world.create(api(0));
  return world;
}

/** Stops an import a number of calls after it began to store, and waits until its claim expires. */
export async function stopped(world: ImportWorld, file: string, calls: number): Promise<void> {
  const process = await world.beginImport({ file }).runUntil('insert');
  await process.run(calls);
  process.kill();
  world.advance(claimExpiryMs);
}

/** Imports a file. Calls that store lines fail after a number of calls, and withheld lines never arrive. */
export async function failed(
  world: ImportWorld,
  file: string,
  { calls, withheld }: { calls: number; withheld: readonly string[] },
): Promise<void> {
  const { testimonials } = world.backend;
  const { insert } = testimonials;
  let [called, arrived] = [0, 0];
  const { promise: others, resolve } = Promise.withResolvers<void>();
  if (calls === 0) resolve();
  testimonials.insert = async (organization, stored) => {
    called += 1;
    if (called > calls || withheld.includes(stored.testimonial.content)) {
      await others;
      throw new Error('gone');
    }
    const response = await insert(organization, stored);
    arrived += 1;
    if (arrived === calls - withheld.length) resolve();
    return response;
  };
  await expect(world.import({ file })).rejects.toThrow('gone');
  testimonials.insert = insert;
}

/** Expects no difference between lists, index and table. */
export async function expectIndexed(world: ImportWorld) {
  await world.settleForGood();
  expect(await world.differences()).toEqual([]);
  for (const each of fc.sample(query, { numRuns: 8, seed: 7 })) {
    expect(await world.list(each)).toEqual(await world.expected(each));
  }
  const { found, expected } = await world.counts();
  expect(found).toEqual(expected);
}
