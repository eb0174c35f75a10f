/** Rules for stores of the request to renew all list indexes. At most one request exists. */
import assert from 'node:assert/strict';
import type { RenewalStore } from '../../functions/testimonials/list-index/index-store.ts';
import { rule } from './case.ts';

const now = new Date('2026-01-15T10:00:00.000Z');

async function newRequest(renewals: RenewalStore) {
  await renewals.begin(now);
  const request = await renewals.read();
  if (!request) throw new Error('The request was not stored');
  return request;
}

const renewalRule = rule<{ renewals: RenewalStore }>;

export const renewalCases = [
  renewalRule('a request continues and ends', async ({ renewals }) => {
    const request = await newRequest(renewals);
    assert.equal(request.from, '');
    await renewals.continueFrom(request, 'acme', now);
    assert.deepEqual(await renewals.read(), { ...request, from: 'acme' });
    await renewals.end(request);
    assert.equal(await renewals.read(), undefined);
  }),
  renewalRule('a replaced request neither continues nor ends the new one', async ({ renewals }) => {
    const first = await newRequest(renewals);
    const second = await newRequest(renewals);
    assert.notEqual(first.id, second.id);
    await renewals.continueFrom(first, 'acme', now);
    assert.deepEqual(await renewals.read(), second);
    await renewals.end(first);
    assert.deepEqual(await renewals.read(), second);
  }),
  renewalRule('an ended request does not continue', async ({ renewals }) => {
    const request = await newRequest(renewals);
    await renewals.end(request);
    await renewals.continueFrom(request, 'acme', now);
    assert.equal(await renewals.read(), undefined);
  }),
];
