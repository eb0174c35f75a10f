/** The list index from the operator's view. */
import assert from 'node:assert/strict';
import { expectEqual } from './expectations.ts';
import type { Organization } from './organization.ts';

// Usually it takes half a minute: the batching window, the settling time, and an update that requests the
// next one.
const limitMs = 120_000;

/** Updates the index completely, even if an update is not worthwhile yet. */
export function updateIndex(organization: Organization): Promise<string> {
  const { maintenance } = organization;
  return organization.within(limitMs, async () => {
    await maintenance.update();
    const { tail, changes } = await maintenance.status();
    return tail === 0 && changes === 0;
  });
}

/** Expects that the index function indexes the testimonials and changes, except a short tail. */
export async function expectIndexed(organization: Organization): Promise<string> {
  const { maintenance } = organization;
  const seen = await organization.within(limitMs, async () => {
    return (await maintenance.status()).dueSince === undefined;
  });
  const { indexed, tail } = await maintenance.status();
  assert(indexed > 1, 'nothing is in the index');
  return `${seen}; testimonials in the tail: ${tail}`;
}

/** Expects that the index agrees with the testimonials. */
export async function expectVerified({ maintenance }: Organization): Promise<string> {
  const { differenceCount, first, postings, otherGenerations } = await maintenance.verify();
  assert(differenceCount === 0, `${differenceCount} differences, such as ${first[0]}`);
  expectEqual('other generations', otherGenerations, 0);
  return `postings: ${postings}`;
}
