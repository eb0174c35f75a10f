/**
 * One of these operations under some faults of DynamoDB and of the bucket. test/faults/faults.test.ts plays
 * all of them.
 */
import { expect, test } from '@jest/globals';
import { failedChecks, fewOfEachKind, play } from '../faults/play.ts';
import { works } from '../faults/works.ts';
import { someOf } from '../some-of.ts';

const some = [
  'list: walk',
  'erasure',
  'media: form with a photo and a recording',
  'media: record of an erasure',
];

test.each(someOf(some))('%s, under some faults', async (name) => {
  const work = works.find((each) => each.name === name);
  if (!work) throw new Error(`There is no work ${name}`);
  const played = await play(work, fewOfEachKind);
  expect(played.length).toBeGreaterThan(5);
  expect(played.filter((cell) => failedChecks(cell).length > 0)).toEqual([]);
});
