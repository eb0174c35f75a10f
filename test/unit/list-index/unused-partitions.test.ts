/** Which partitions of postings leave the directory, beside folds that write them. */
import { expect, test } from '@jest/globals';
import { emptyChunk, setBit } from '../../../functions/list-index/bitmap.ts';
import { noIndex } from '../../../functions/list-index/index-store.ts';
import { encodePosting } from '../../../functions/list-index/posting-codec.ts';
import { removeUnused } from '../../../functions/list-index/unused-partitions.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';

const letter = { letter: 'z' };
const head = { ...noIndex, epoch: 5 };

/** An index whose directory names a partition without postings. */
async function indexWithUnused() {
  const { index } = inMemoryBackend();
  await index.enterPartitions('acme', 1, [letter]);
  return {
    index,
    write: async () => {
      const bits = emptyChunk();
      setBit(bits, 7);
      const posting = { bytes: encodePosting(bits), epoch: 6 };
      await index.writePosting('acme', 1, { posting: { word: 'zebra' }, chunk: 0 }, posting);
    },
    named: async () => (await index.partitions('acme')).map(({ partition }) => partition),
  };
}

test('one without postings leaves', async () => {
  const { index, named } = await indexWithUnused();
  await removeUnused(index, 'acme', head, [letter]);
  expect(await named()).toEqual([]);
});

test('one with postings stays', async () => {
  const { index, write, named } = await indexWithUnused();
  await write();
  await removeUnused(index, 'acme', head, [letter]);
  expect(await named()).toEqual([letter]);
});

test('one that is written just before it leaves is entered again', async () => {
  const { index, write, named } = await indexWithUnused();
  const leavePartitions: typeof index.leavePartitions = async (...args) => {
    await write();
    await index.leavePartitions(...args);
  };
  await removeUnused({ ...index, leavePartitions }, 'acme', head, [letter]);
  expect(await named()).toEqual([letter]);
});

test('one that was written then, by a fold like this that ended there, is entered by the next', async () => {
  const { index, write, named } = await indexWithUnused();
  await write();
  await index.leavePartitions('acme', 1, [letter]);
  await removeUnused(index, 'acme', head, [letter]);
  expect(await named()).toEqual([letter]);
});
