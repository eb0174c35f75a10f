/** `index verify` of a lost index: more differences than a function call can have arguments. */
import { expect, test } from '@jest/globals';
import { noIndex } from '../../functions/testimonials/list-index/index-store.ts';
import { position } from '../position.ts';
import { input } from '../testimonials.ts';
import { inMemoryBackend } from '../world/in-memory-backend.ts';
import { createWorld } from '../world/world.ts';

test('every bit of a lost index is reported as missing', async () => {
  const world = await createWorld(inMemoryBackend());
  const count = 300;
  const content = Array.from({ length: 400 }, (_, i) => `word${i}`).join(' ');
  for (let i = 0; i < count; i += 1) await world.create({ ...input, content });
  const indexed = position(count + 1);
  await world.backend.index.replaceHead('acme', { ...noIndex, generation: 1, indexed, updated: indexed });
  const wrong = (await world.differences()).filter(({ kind }) => kind === 'wrong');
  // A bit of each word and of each further term, and the place in the order of updates.
  expect(wrong.length).toBe(417 * count);
  expect(wrong.length).toBeGreaterThan(120_000);
});
