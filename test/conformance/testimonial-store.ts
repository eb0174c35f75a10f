/** Rules for stores of testimonials. Names end with the number of a rule of docs/protocol.md. */
import assert from 'node:assert/strict';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { position } from '../position.ts';
import { markerOf, storedAt } from '../testimonials.ts';
import { allOf, rule } from './case.ts';

const at = (second: number) => new Date(Date.parse('2026-01-15T10:00:00.000Z') + second * 1000);
const time = (second: number) => at(second).toISOString();

/** The n-th testimonial, as its create stores it. */
function row(n: number, { id = 100_000_000_000 + n }: { id?: number } = {}): StoredTestimonial {
  const times = { createdAt: time(n), updatedAt: time(n) };
  return storedAt(position(n), {
    id: `test_${id}${position(n)}`,
    content: `Amazing product ${n}`,
    tags: ['ux'],
    ...times,
  });
}

/** The testimonial after an approval, as written and as read. Only events read its kind of change. */
function approved(before: StoredTestimonial, update = 9) {
  const read: StoredTestimonial = {
    ...before,
    updateOrdinal: position(update),
    previousUpdateOrdinal: before.updateOrdinal,
    version: before.version + 1,
    testimonial: { ...before.testimonial, status: 'approved', updatedAt: time(update) },
  };
  return { read, written: { ...read, change: 'status' as const } };
}

const erasure = { updateOrdinal: position(9), time: time(9) };

const counting = [
  rule(
    'the counter gives out each position once, in both orders, starting with the first (rule 1)',
    async ({ testimonials }, org) => {
      const taken = await Promise.all(
        Array.from({ length: 20 }, () => testimonials.reserveOrdinals(org, at(0))),
      );
      const numbers = taken.map(({ ordinal }) => ordinal).toSorted((a, b) => a - b);
      assert.deepEqual(
        numbers,
        Array.from({ length: 20 }, (_, i) => position(i + 1)),
      );
      const next = await testimonials.reserveUpdateOrdinal(org, at(0));
      assert.equal(next.updateOrdinal, position(21));
      assert.equal((await testimonials.reserveOrdinals(org, at(0), 4)).ordinal, position(24));
      const last = await testimonials.reserveUpdateOrdinal(org, at(0), 'change', 3);
      assert.equal(last.updateOrdinal, position(28));
    },
  ),
  rule('no position has an earlier time than the one before', async ({ testimonials }, org) => {
    const times = [];
    for (const second of [5, 3, 5, 7]) times.push((await testimonials.reserveOrdinals(org, at(second))).time);
    assert.deepEqual(times, [time(5), time(5), time(5), time(7)]);
    assert.equal((await testimonials.reserveUpdateOrdinal(org, at(1))).time, time(7));
  }),
  rule('raising the time reserves no position and never lowers the time', async ({ testimonials }, org) => {
    assert.equal((await testimonials.raiseTime(org, time(8))).time, time(8));
    assert.equal((await testimonials.raiseTime(org, time(2))).time, time(8));
    assert.deepEqual(await testimonials.readCounter(org), {
      ordinal: position(0),
      updateOrdinal: position(0),
      time: time(8),
    });
    assert.deepEqual(await testimonials.reserveOrdinals(org, at(3)), {
      ordinal: position(1),
      updateOrdinal: position(1),
      time: time(8),
      historyEnd: time(8),
    });
  }),
  rule(
    'the first position ends the history, unless an erasure reserved it',
    async ({ testimonials }, org) => {
      await testimonials.reserveUpdateOrdinal(org, at(1), 'erasure');
      assert.equal((await testimonials.readCounter(org))?.historyEnd, undefined);
      await testimonials.reserveUpdateOrdinal(org, at(2));
      await testimonials.reserveOrdinals(org, at(3));
      assert.equal((await testimonials.readCounter(org))?.historyEnd, time(2));
    },
  ),
  rule('a load starts a counter only if nothing else did (rule 26)', async ({ testimonials }, org) => {
    const first = { load: 'a', last: position(3), time: time(1), historyEnd: time(1) };
    assert.equal(await testimonials.readCounter(org), undefined);
    assert.equal(await testimonials.beginCounting(org, first), true);
    assert.equal(await testimonials.beginCounting(org, { ...first, load: 'b', last: position(7) }), false);
    assert.equal(await testimonials.beginCounting(org, first), true);
    assert.equal((await testimonials.reserveOrdinals(org, at(2))).ordinal, position(4));
    const other = `${org}-other`;
    await testimonials.reserveOrdinals(other, at(1));
    assert.equal(await testimonials.beginCounting(other, first), false);
    assert.equal((await testimonials.reserveOrdinals(other, at(2))).ordinal, position(2));
  }),
];

const positions = [
  rule(
    'a testimonial is stored at a free position, and a late retry does not overwrite later changes (rule 1)',
    async ({ testimonials }, org) => {
      assert.deepEqual(await testimonials.insert(org, row(1)), row(1));
      assert.deepEqual(await testimonials.insert(org, row(1)), row(1));
      const { read, written } = approved(row(1));
      await testimonials.writeChange(org, row(1), written);
      assert.deepEqual(await testimonials.insert(org, row(1)), read);
      // The position is taken for every other testimonial.
      assert.equal(await testimonials.insert(org, row(1, { id: 777_777_777_777 })), 'occupied');
      assert.deepEqual(await testimonials.find(org, position(1)), read);
    },
  ),
  rule(
    'sealing closes a free position forever and does not change a testimonial (rule 2)',
    async ({ testimonials }, org) => {
      assert.equal(await testimonials.sealPosition(org, position(1)), undefined);
      assert.equal(await testimonials.sealPosition(org, position(1)), undefined);
      assert.equal(await testimonials.insert(org, row(1)), 'sealed');
      assert.equal(await testimonials.find(org, position(1)), undefined);
      await testimonials.insert(org, row(2));
      assert.deepEqual(await testimonials.sealPosition(org, position(2)), row(2));
      assert.deepEqual(await testimonials.find(org, position(2)), row(2));
    },
  ),
  rule('the position of an erased testimonial stays closed', async ({ testimonials }, org) => {
    await testimonials.insert(org, row(1));
    await testimonials.erase(org, row(1), erasure);
    assert.equal(await testimonials.insert(org, row(1)), 'erased');
    assert.equal(await testimonials.insert(org, row(1, { id: 777_777_777_777 })), 'occupied');
    assert.equal(await testimonials.sealPosition(org, position(1)), undefined);
    assert.equal(await testimonials.wasErased(org, row(1, { id: 777_777_777_777 }).testimonial.id), false);
    assert.deepEqual(await testimonials.findErased(org, [position(1), position(2)]), [row(1).testimonial.id]);
  }),
];

const changing = [
  rule(
    'a change and a seal are made only at the version that was read (rule 4)',
    async ({ testimonials }, org) => {
      for (const n of [1, 2]) await testimonials.insert(org, row(n));
      const { read, written } = approved(row(1));
      assert.equal(await testimonials.writeChange(org, row(1), written), true);
      assert.equal(await testimonials.writeChange(org, row(1), approved(row(1), 12).written), false);
      assert.equal(await testimonials.sealVersion(org, row(1)), false);
      assert.deepEqual(await testimonials.find(org, position(1)), read);
      assert.equal(await testimonials.sealVersion(org, row(2)), true);
      assert.equal(await testimonials.writeChange(org, row(2), approved(row(2)).written), false);
      assert.deepEqual(await testimonials.find(org, position(2)), { ...row(2), version: 2 });
    },
  ),
  rule('a change neither restores an erased testimonial nor creates one', async ({ testimonials }, org) => {
    await testimonials.insert(org, row(1));
    await testimonials.erase(org, row(1), erasure);
    for (const n of [1, 2]) {
      assert.equal(await testimonials.writeChange(org, row(n), approved(row(n)).written), false);
      assert.equal(await testimonials.sealVersion(org, row(n)), false);
      assert.equal(await testimonials.find(org, position(n)), undefined);
    }
    assert.equal(await testimonials.wasErased(org, row(1).testimonial.id), true);
  }),
  rule('a change keeps all other attributes', async ({ testimonials }, org) => {
    const stored = { ...row(1), writtenAt: time(4), consent: { page: 'p'.repeat(22), at: time(1) } };
    assert.deepEqual(await testimonials.insert(org, stored), stored);
    await testimonials.writeChange(org, stored, approved(stored).written);
    assert.deepEqual(await testimonials.find(org, position(1)), approved(stored).read);
  }),
  rule(
    'an erasure is made only at the version that was read, and can be repeated (rule 4)',
    async ({ testimonials }, org) => {
      await testimonials.insert(org, row(1));
      const { read: changed, written } = approved(row(1));
      await testimonials.writeChange(org, row(1), written);
      assert.equal(await testimonials.erase(org, row(1), erasure), false);
      assert.deepEqual(await testimonials.find(org, position(1)), changed);
      assert.equal(await testimonials.wasErased(org, row(1).testimonial.id), false);
      assert.equal(await testimonials.erase(org, changed, erasure), true);
      assert.equal(await testimonials.erase(org, changed, erasure), true);
      assert.equal(await testimonials.find(org, position(1)), undefined);
      // A free position.
      assert.equal(await testimonials.erase(org, row(2), erasure), false);
      assert.deepEqual(await testimonials.insert(org, row(2)), row(2));
    },
  ),
];

const marker = (update: number, n: number) => markerOf(position(update), position(n), { time: time(update) });

const reading = [
  rule(
    'pages contain each testimonial from a position on once, ascending, without sealed and erased positions',
    async ({ testimonials }, org) => {
      for (const n of [1, 2, 4, 5, 6, 7]) await testimonials.insert(org, row(n));
      await testimonials.sealPosition(org, position(3));
      await testimonials.erase(org, row(5), erasure);
      const numbers = async (limit?: number) =>
        (await allOf(testimonials.from(org, position(2), limit ? { limit } : {}))).map(
          ({ ordinal }) => ordinal,
        );
      for (const limit of [undefined, 1, 2]) {
        assert.deepEqual(await numbers(limit), [position(2), position(4), position(6), position(7)]);
      }
    },
  ),
  rule('findMany returns each existing testimonial once', async ({ testimonials }, org) => {
    for (const n of [1, 2]) await testimonials.insert(org, row(n));
    const found = await testimonials.findMany(org, [position(2), position(1), position(1), position(3)]);
    assert.deepEqual(
      found.toSorted((a, b) => a.ordinal - b.ordinal),
      [row(1), row(2)],
    );
  }),
  rule(
    'a secondary index is read between two positions, and a reversed range is an error',
    async ({ testimonials }, org) => {
      for (const n of [1, 2, 3]) await testimonials.insert(org, row(n));
      const between = (from: number, to: number) =>
        allOf(
          testimonials.walk(org, {
            sort: 'createdAt',
            order: 'desc',
            between: [[position(from)], [position(to)]],
          }),
        );
      assert.deepEqual(
        (await between(1, 2)).map(({ ordinal }) => ordinal),
        [position(2), position(1)],
      );
      await assert.rejects(between(2, 1), /BETWEEN/i);
    },
  ),
  rule('a long content is in no secondary index, and a change keeps it', async ({ testimonials }, org) => {
    const { testimonial, ...attributes } = row(1);
    const long = { ...attributes, testimonial: { ...testimonial, content: `Long ${'長'.repeat(700)}` } };
    await testimonials.insert(org, long);
    await testimonials.insert(org, row(2));
    await testimonials.writeChange(org, long, approved(long).written);
    const walked = await allOf(testimonials.walk(org, { sort: 'createdAt', order: 'asc' }));
    assert.deepEqual(walked, [
      { ordinal: position(1), updateOrdinal: position(9) },
      { ordinal: position(2), updateOrdinal: position(2), stored: row(2) },
    ]);
    assert.deepEqual(await testimonials.find(org, position(1)), approved(long).read);
  }),
  rule(
    'markers are read in the order of updates, and deleting missing ones is no error',
    async ({ testimonials }, org) => {
      const markers = [marker(10, 1), { ...marker(11, 2), formerFacets: ['a'] }, marker(12, 3)];
      // A strict comparison would notice that DynamoDB's client makes its lists outside of the suite.
      const read = async () => JSON.parse(JSON.stringify(await allOf(testimonials.changeMarkers(org))));
      for (const each of markers.toReversed()) await testimonials.putChangeMarkers(org, [each]);
      assert.deepEqual(await read(), markers);
      const many = Array.from({ length: 30 }, (_, i) => marker(40 + i, i + 1));
      await testimonials.putChangeMarkers(org, many);
      assert.deepEqual(await read(), [...markers, ...many]);
      await testimonials.deleteChangeMarkers(
        org,
        many.map(({ updateOrdinal }) => updateOrdinal),
      );
      await testimonials.deleteChangeMarkers(org, [position(10), position(12), position(13)]);
      assert.deepEqual(await read(), [markers[1]]);
    },
  ),
  rule(
    'the texts of erasures are read in the order of updates and deleted separately from markers',
    async ({ testimonials }, org) => {
      const author = { name: 'Jane', company: 'Acme' };
      const texts = [1, 2].map((n) => ({
        updateOrdinal: position(10 + n),
        ordinal: position(n),
        version: n,
        time: time(10 + n),
        texts: { content: `Amazing product ${n}`, author, tags: ['ux'] },
      }));
      await testimonials.putErasureTexts(org, texts.slice(1));
      await testimonials.putErasureTexts(org, texts.toReversed());
      assert.deepEqual(await allOf(testimonials.erasureTexts(org)), texts);
      assert.deepEqual(await allOf(testimonials.changeMarkers(org)), []);
      assert.deepEqual(await allOf(testimonials.erasureTexts(`${org}-other`)), []);
      await testimonials.deleteErasureTexts(org, [position(11), position(13)]);
      assert.deepEqual(await allOf(testimonials.erasureTexts(org)), [texts[1]]);
    },
  ),
  rule('organizations share no testimonial', async ({ testimonials }, org) => {
    await testimonials.insert(org, row(1));
    await testimonials.putChangeMarkers(org, [marker(9, 1)]);
    const other = `${org}-other`;
    assert.equal(await testimonials.find(other, position(1)), undefined);
    assert.deepEqual(await allOf(testimonials.from(other, 0)), []);
    assert.deepEqual(await allOf(testimonials.changeMarkers(other)), []);
    assert.equal(await testimonials.readCounter(other), undefined);
  }),
];

export const testimonialStoreCases = [...counting, ...positions, ...changing, ...reading];
