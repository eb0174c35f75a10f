/** `index verify` of a lost index: more differences than a function call can have arguments. */
import { expect, test } from '@jest/globals';
import { noIndex } from '../../functions/list-index/index-store.ts';
import { position } from '../position.ts';
import { input } from '../testimonials.ts';
import { inMemoryBackend } from '../world/in-memory-backend.ts';
import { createWorld } from '../world/world.ts';

test('every bit of a lost index is reported as missing', async () => {
  const world = await createWorld(inMemoryBackend());
  const count = 6000;
  for (let i = 0; i < count; i += 1) await world.create(input);
  const indexed = position(count + 1);
  await world.backend.index.replaceHead('acme', { ...noIndex, generation: 1, indexed, updated: indexed });
  const wrong = (await world.differences()).filter(({ kind }) => kind === 'wrong');
  // Twenty bits of each testimonial, and its place in the order of updates.
  expect(wrong.length).toBe(21 * count);
});
