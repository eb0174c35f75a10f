import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { comparison } from '../../../functions/domain/testimonial-order.ts';
import { Bitmap } from '../../../functions/list-index/bitmap.ts';
import { pageOfWalk } from '../../../functions/list-index/page-of-walk.ts';

// Of a testimonial, a walk by createdAt looks at nothing else.
const testimonial = (ordinal: number) => ({ ordinal }) as StoredTestimonial;

test('a page that the tail fills is full after the first read of a walk', async () => {
  // The newest first, as far as 50 of the tail; the index has 1 to 10.
  const all = Array.from({ length: 60 }, (_, i) => testimonial(60 - i));
  let reads = 0;
  async function* walk() {
    for (let i = 0; i < all.length; i += 5) {
      reads += 1;
      yield all.slice(i, i + 5);
    }
  }
  const merge = {
    matching: Bitmap.of(Array.from({ length: 10 }, (_, i) => i + 1)),
    beside: all.slice(0, 50),
    compare: comparison('createdAt', 'desc'),
  };
  const page = await pageOfWalk(walk(), { ...merge, skip: 0, take: 5 });
  expect(page.map(({ ordinal }) => ordinal)).toEqual([60, 59, 58, 57, 56]);
  expect(reads).toBe(1);
  const across = await pageOfWalk(walk(), { ...merge, skip: 48, take: 5 });
  expect(across.map(({ ordinal }) => ordinal)).toEqual([12, 11, 10, 9, 8]);
});
