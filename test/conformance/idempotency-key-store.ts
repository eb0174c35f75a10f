/** Rules for stores of idempotency keys. */
import assert from 'node:assert/strict';
import { position } from '../position.ts';
import { rule } from './case.ts';

const hour = 3_600_000;
const at = (hours: number) => new Date(Date.parse('2026-01-15T10:00:00.000Z') + hours * hour);
const record = (n: number) => ({
  fingerprint: `body ${n}`,
  testimonialId: `test_10000000000${n}${position(n)}`,
  createdAt: at(0).toISOString(),
  updateOrdinal: position(n),
});

export const idempotencyKeyCases = [
  rule('a key keeps its first record', async ({ idempotencyKeys }, org) => {
    assert.equal(await idempotencyKeys.find(org, 'k', at(0)), undefined);
    assert.deepEqual(await idempotencyKeys.claim(org, 'k', record(1), at(0)), record(1));
    assert.deepEqual(await idempotencyKeys.claim(org, 'k', record(2), at(1)), record(1));
    assert.deepEqual(await idempotencyKeys.find(org, 'k', at(1)), record(1));
  }),
  rule('a key expires after a day', async ({ idempotencyKeys }, org) => {
    await idempotencyKeys.claim(org, 'k', record(1), at(0));
    assert.deepEqual(await idempotencyKeys.find(org, 'k', at(23.99)), record(1));
    assert.equal(await idempotencyKeys.find(org, 'k', at(24.01)), undefined);
    assert.deepEqual(await idempotencyKeys.claim(org, 'k', record(2), at(24.01)), record(2));
    assert.deepEqual(await idempotencyKeys.find(org, 'k', at(25)), record(2));
  }),
  rule(
    'a record is replaced only by a request that names its testimonial',
    async ({ idempotencyKeys }, org) => {
      await idempotencyKeys.claim(org, 'k', record(1), at(0));
      const { testimonialId } = record(1);
      assert.deepEqual(await idempotencyKeys.claim(org, 'k', record(2), at(0), testimonialId), record(2));
      assert.deepEqual(await idempotencyKeys.claim(org, 'k', record(3), at(0), testimonialId), record(2));
    },
  ),
  rule('a replacement is stored if the old record is gone or expired', async ({ idempotencyKeys }, org) => {
    assert.deepEqual(await idempotencyKeys.claim(org, 'k', record(2), at(0), 'test_1'), record(2));
    assert.deepEqual(await idempotencyKeys.find(org, 'k', at(0)), record(2));
    assert.deepEqual(await idempotencyKeys.claim(org, 'k', record(3), at(25), 'test_1'), record(3));
  }),
  rule('a key of one organization does not exist for another', async ({ idempotencyKeys }, org) => {
    await idempotencyKeys.claim(org, 'k', record(1), at(0));
    assert.equal(await idempotencyKeys.find(`${org}-other`, 'k', at(0)), undefined);
  }),
];
