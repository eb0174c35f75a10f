/** Rules for stores of the list index. Names end with the number of a rule of docs/protocol.md. */
import assert from 'node:assert/strict';
import {
  type IndexHead,
  type IndexStore,
  noIndex,
  type PostingRef,
} from '../../functions/testimonials/list-index/index-store.ts';
import {
  type PostingName,
  partitionOf,
  summaryTerm,
} from '../../functions/testimonials/list-index/index-terms.ts';
import { position } from '../position.ts';
import { allOf, rule } from './case.ts';

const word = (text: string): PostingName => ({ kind: 'word', word: text });
const amazing: PostingRef = { posting: word('amazing'), chunk: 3 };
const approved: PostingName = { kind: 'facet', axis: 'createdAt', term: 'status=approved' };
const summary: PostingRef = { posting: summaryTerm('createdAt', 'chunk'), chunk: 3 };
const bytes = (...values: number[]) => Uint8Array.from(values);

async function bytesAt(index: IndexStore, org: string, ref: PostingRef): Promise<number[] | undefined> {
  const [posting] = await index.readPostings(org, 1, [ref]);
  return posting && Array.from(posting.bytes);
}

const heads = [
  rule('of two writes of the first head, one succeeds (rule 13)', async ({ index }, org) => {
    assert.equal(await index.readHead(org), undefined);
    const first = await index.replaceHead(org, noIndex);
    assert.deepEqual(first, { ...noIndex, revision: 1, identity: first?.identity });
    assert.equal(await index.replaceHead(org, noIndex), undefined);
    assert.deepEqual(await index.readHead(org), first);
    const other = await index.replaceHead(`${org}-other`, noIndex);
    assert.notEqual(other?.identity, first?.identity);
  }),
  rule('a head is replaced only at the revision that was read (rule 13)', async ({ index }, org) => {
    const first = (await index.replaceHead(org, noIndex)) as IndexHead; // it is the first
    const second = await index.replaceHead(org, { ...first, epoch: 7 });
    assert.deepEqual(second, { ...first, epoch: 7, revision: 2 });
    assert.equal(await index.replaceHead(org, { ...first, epoch: 9 }), undefined);
    assert.deepEqual(await index.readHead(org), second);
    assert.equal(await index.replaceHead(`${org}-other`, { ...noIndex, revision: 4 }), undefined);
    assert.equal(await index.readHead(`${org}-other`), undefined);
  }),
  rule('a head keeps the attributes of a newer version, at every level', async ({ index }, org) => {
    const newer = {
      ...noIndex,
      newer: 1,
      history: { createdAt: 0, updatedAt: 0, newer: 2 },
      covered: [{ updateOrdinals: [position(9)], newer: 3 }],
      building: { generation: 2, terms: '9.9/17.0', indexed: 1, updated: 1, epoch: 1, until: 5, newer: 4 },
      replaced: { newer: 5 },
    };
    const { identity } = (await index.replaceHead(org, newer as IndexHead)) ?? {}; // and more
    assert.deepEqual(await index.readHead(org), { ...newer, revision: 1, identity });
  }),
];

const postings = [
  rule(
    'a posting accepts its own epoch and higher ones, and refuses a lower one (rule 8) (rule 29)',
    async ({ index }, org) => {
      const write = (epoch: number, mustExist: boolean) =>
        index.writePosting(org, 1, amazing, { bytes: bytes(epoch), fence: epoch }, { mustExist });
      // One that was read is written only if it still exists.
      assert.equal(await write(5, true), false);
      assert.equal(await bytesAt(index, org, amazing), undefined);
      assert.equal(await write(5, false), true);
      for (const mustExist of [false, true]) {
        assert.equal(await write(4, mustExist), false);
        assert.deepEqual(await bytesAt(index, org, amazing), [5]);
        assert.equal(await write(5, mustExist), true);
      }
      assert.equal(await write(6, true), true);
      assert.deepEqual(await bytesAt(index, org, amazing), [6]);
    },
  ),
  rule('a posting is deleted at its own epoch and higher ones (rule 29)', async ({ index }, org) => {
    await index.writePosting(org, 1, amazing, { bytes: bytes(1), fence: 5 });
    assert.equal(await index.deletePosting(org, 1, amazing, 4), false);
    assert.deepEqual(await bytesAt(index, org, amazing), [1]);
    assert.equal(await index.deletePosting(org, 1, amazing, 5), true);
    assert.equal(await bytesAt(index, org, amazing), undefined);
    // A repeated delete succeeds.
    assert.equal(await index.deletePosting(org, 1, amazing, 5), true);
  }),
  rule(
    'a summary is replaced only by a writer that read the current one (rule 11)',
    async ({ index }, org) => {
      const count = (epoch: number) => ({ bytes: bytes(epoch), fence: epoch, epoch: 1 });
      assert.equal(await index.replaceSummary(org, 1, summary, count(2)), false);
      assert.equal(await index.replaceSummary(org, 1, summary, count(1)), true);
      assert.equal(await index.replaceSummary(org, 1, summary, count(1)), false);
      assert.equal(await index.replaceSummary(org, 1, summary, count(3)), false);
      assert.equal(await index.replaceSummary(org, 1, summary, count(2)), true);
      assert.deepEqual(await bytesAt(index, org, summary), [2]);
    },
  ),
];

const reading = [
  rule('postings are read in the order of the request, with their epochs', async ({ index }, org) => {
    const other: PostingRef = { posting: approved, chunk: 0 };
    await index.writePosting(org, 1, amazing, { bytes: bytes(1), fence: 5 });
    await index.replaceSummary(org, 1, summary, { bytes: bytes(2), fence: 1, epoch: 4 });
    const postings = await index.readPostings(org, 1, [summary, other, amazing]);
    const shown = postings.map((posting) => posting && { ...posting, bytes: Array.from(posting.bytes) });
    assert.deepEqual(shown, [{ bytes: [2], fence: 1, epoch: 4 }, undefined, { bytes: [1], fence: 5 }]);
  }),
  rule(
    'the chunks of a term are read between two chunks, and a reversed range is an error',
    async ({ index }, org) => {
      for (const chunk of [12, 2, 0, 70_000]) {
        await index.writePosting(org, 1, { posting: approved, chunk }, { bytes: bytes(1), fence: chunk + 1 });
      }
      const read = async (from: number, to: number) =>
        (await index.readTerm(org, 1, approved, { from, to })).map(({ chunk, epoch }) => [chunk, epoch]);
      assert.deepEqual(await read(0, Number.POSITIVE_INFINITY), [
        [0, 1],
        [2, 3],
        [12, 13],
        [70_000, 70_001],
      ]);
      assert.deepEqual(await read(2, 12), [
        [2, 3],
        [12, 13],
      ]);
      await assert.rejects(read(3, 2), /BETWEEN/i);
    },
  ),
  rule('all words with a prefix are read, and no beginnings or other words', async ({ index }, org) => {
    const words = ['ama', 'amazing', 'amzed', 'amaß', 'ama-1', 'am'];
    for (const [i, each] of words.entries()) {
      const ref = { posting: word(each), chunk: i };
      await index.writePosting(org, 1, ref, { bytes: bytes(i), fence: 1 });
    }
    const beginning: PostingRef = { posting: { kind: 'beginning', letters: 'am' }, chunk: 9 };
    await index.writePosting(org, 1, beginning, { bytes: bytes(9), fence: 1 });
    const chunks = (await index.readWords(org, 1, 'ama')).map(({ chunk }) => chunk);
    assert.deepEqual(chunks.toSorted(), [0, 1, 3, 4]);
  }),
  rule('a partition contains only its own postings of its generation', async ({ index }, org) => {
    const partition = partitionOf(amazing.posting);
    await index.writePosting(org, 1, amazing, { bytes: bytes(1), fence: 1 });
    assert.deepEqual(
      (await allOf(index.readPartition(org, 1, partition))).map(({ ref }) => ref),
      [amazing],
    );
    assert.equal(await index.hasPostings(org, 2, partition), false);
    assert.equal(await index.deletePartition(org, 2, partition), 0);
    assert.equal(await index.hasPostings(org, 1, partition), true);
    assert.equal(await index.deletePartition(org, 1, partition), 1);
    assert.equal(await index.hasPostings(org, 1, partition), false);
  }),
];

export const indexStoreCases = [...heads, ...postings, ...reading];
