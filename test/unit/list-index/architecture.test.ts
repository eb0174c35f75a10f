/** The engine does what the example in docs/architecture.md says. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Bitmap, chunkOf, offsetOf } from '../../../functions/testimonials/list-index/bits/bitmap.ts';
import {
  blockSize,
  decodeBlock,
  decodePosting,
} from '../../../functions/testimonials/list-index/bits/posting-codec.ts';
import {
  facetPosting,
  ordinalsTerm,
  type PostingName,
} from '../../../functions/testimonials/list-index/index-terms.ts';
import { position } from '../../position.ts';
import { input } from '../../testimonials.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { createWorld } from '../../world/world.ts';

/** A testimonial whose author shares no word with the page. */
const unseen = { ...input, author: { name: '九', email: 'jane@example.com' } };
const page = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| \d \| (\w+) \| (\d?) ?\| ([\w ]+) \|$/gm)];
const postings = [...page.matchAll(/^\| (.+) \| `([01]{5})` \|$/gm)];

function postingsNamed(names: string): PostingName[] {
  return [...names.matchAll(/(word |beginning )?`([^`]+)`(?! too)/g)].map(([, kind, name = '']) => {
    if (kind === 'word ') return { kind: 'word', word: name };
    return kind === 'beginning ' ? { kind: 'beginning', letters: name } : facetPosting('createdAt', name);
  });
}

test('the bits, the search and the order of updates', async () => {
  const world = await createWorld(inMemoryBackend());
  const ids: string[] = [];
  for (const [, , rating, content = ''] of rows) {
    ids.push((await world.create({ ...unseen, content, ...(rating && { rating: Number(rating) }) })).id);
  }
  // Sets each status without a change: moderation would give them another order of updates.
  const { testimonials, index } = world.backend;
  for (const stored of await world.stored()) {
    const status = rows[stored.ordinal - position(1)]?.[1] as 'approved'; // as the table says
    const { testimonial } = stored;
    await testimonials.writeChange('acme', stored, { ...stored, testimonial: { ...testimonial, status } });
  }
  await world.settle();
  const bitsOf = async (posting: PostingName) => {
    const [found] = await index.readPostings('acme', 1, [{ posting, chunk: chunkOf(position(1)) }]);
    const bits = new Bitmap();
    if (found) bits.put(0, decodePosting(found.bytes));
    return [1, 2, 3, 4, 5].map((ordinal) => (bits.has(offsetOf(position(ordinal))) ? '1' : '0')).join('');
  };
  expect(rows).toHaveLength(5);
  expect(postings.length).toBeGreaterThan(8);
  for (const [, names = '', bits] of postings) {
    for (const posting of postingsNamed(names)) {
      expect({ posting, bits: await bitsOf(posting) }).toEqual({ posting, bits });
    }
  }
  const query = {
    filter: { status: 'approved', search: 'supp' },
    sort: 'createdAt',
    order: 'asc',
    page: 1,
    limit: 9,
  } as const;
  const { testimonials: found, total } = await world.list(query);
  expect({ ids: found.map(({ id }) => id), total }).toEqual({ ids: [ids[2]], total: 1 });

  await world.create({ ...unseen, content: 'A sixth one' });
  await world.setStatus(ids[1] ?? '', 'approved');
  await world.settle();
  expect(await bitsOf(facetPosting('createdAt', 'status=approved'))).toBe('11101');
  const chunk = position(1) / blockSize;
  const [block] = await index.readPostings('acme', 1, [{ posting: ordinalsTerm, chunk }]);
  const ordinals = block ? [...decodeBlock(block.bytes, chunk)].slice(0, 7) : [];
  expect(ordinals).toEqual([1, 2, 3, 4, 5, 6, 2].map(position));
});
