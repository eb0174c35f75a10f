import { expect, test } from '@jest/globals';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { postingsOn, termsVersion } from '../../../functions/list-index/index-terms.ts';

// What is indexed stays as it was made: when this test asks for other postings, raise the number of the terms version,
// so that whoever runs the service learns which organizations to rebuild.
test('the postings of rules 2', () => {
  expect(termsVersion).toMatch(/^2\/\d/);
  const testimonial: Testimonial = {
    id: 'test_1111111111111112',
    content: 'Node.js at Łódź’s Straße: 東京駅 — ราคา 24/7, ﬁne!',
    author: { name: 'Zoë O’Neil-Æbli', email: 'zoe@example.com' },
    type: 'text',
    status: 'pending',
    rating: 4,
    tags: ['Case-Study', 'ÉTÉ'],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
  const postings = postingsOn('createdAt', testimonial);
  const terms = postings.flatMap((posting) => ('term' in posting ? posting.term : []));
  const words = postings.flatMap((posting) => ('word' in posting ? posting.word : []));
  expect(terms.toSorted()).toEqual(
    `all prefix=2 prefix=24 prefix=7 prefix=a prefix=ae prefix=at prefix=f prefix=fi prefix=j prefix=js prefix=l prefix=lo prefix=n prefix=ne prefix=no prefix=o prefix=o' prefix=s prefix=st prefix=z prefix=zo prefix=ค prefix=คา prefix=ร prefix=รา prefix=า prefix=าค prefix=京 prefix=京駅 prefix=東 prefix=東京 prefix=駅 rating=4 status=pending tag=case-study tag=été type=text`.split(
      ' ',
    ),
  );
  expect(words.toSorted()).toEqual(
    `24 7 aebli at fine js lodz's neil node.js o'neil s strasse zoe คา รา า าค 京駅 東京 駅`.split(' '),
  );
  expect(postingsOn('updatedAt', testimonial)).toEqual(
    ['all', 'status=pending', 'type=text', 'rating=4', 'tag=case-study', 'tag=été'].map((term) => ({
      axis: 'updatedAt',
      term,
    })),
  );
});
