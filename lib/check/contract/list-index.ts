/** The list index, as an operator sees it. */
import assert from 'node:assert/strict';
import { coveredBy, noIndex } from '../../../functions/testimonials/list-index/index-store.ts';
import { isBehind } from '../../../functions/testimonials/list-index/update-due.ts';
import { updateIndexAlongside } from '../../../functions/testimonials/list-index/write/await-index.ts';
import { takingAll } from '../../../functions/testimonials/list-index/write/update-index.ts';
import { verifyIndex } from '../../../functions/testimonials/list-index/write/verify.ts';
import { same } from './expectations.ts';
import type { Organization } from './organization.ts';

// Normally it takes half a minute: the batching window, the settling time, and an update that requests the
// next.
const limitMs = 120_000;

/** Returns the tail and the uncovered change markers. */
async function unindexed({ name, service }: Organization) {
  const { index } = service.driver.operator;
  const head = (await index.readHead(name)) ?? noIndex;
  const { tail, markers } = await index.readRecent(name, head.indexed);
  const isCovered = coveredBy(head);
  return { head, tail, markers: markers.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal)) };
}

/** Updates the index completely, even if an update does not pay yet. */
export function updateIndex(organization: Organization): Promise<string> {
  return organization.within(limitMs, async () => {
    await updateIndexAlongside(organization.service.driver.operator, organization.name, takingAll);
    const { tail, markers } = await unindexed(organization);
    return tail.length === 0 && markers.length === 0;
  });
}

/** Expects that the index function takes the testimonials, except a short tail. */
export async function followsCreates(organization: Organization): Promise<string> {
  const seen = await organization.within(limitMs, async () => !isBehind(await unindexed(organization)));
  const { head, tail } = await unindexed(organization);
  assert(head.indexed > 1, 'nothing is in the index');
  return `${seen}; testimonials in the tail: ${tail.length}`;
}

/** Expects that the index function takes changes of indexed testimonials. */
export function followsChanges(organization: Organization): Promise<string> {
  return organization.within(limitMs, async () => {
    const { head, markers } = await unindexed(organization);
    return markers.every(({ ordinal }) => ordinal >= head.indexed);
  });
}

/** Expects that the index agrees with the testimonials. */
export async function isVerified({ name, service }: Organization): Promise<string> {
  const differences: string[] = [];
  const { postings, otherGenerations } = await verifyIndex(service.driver.operator, name, (each) =>
    differences.push(JSON.stringify(each)),
  );
  assert(differences.length === 0, `${differences.length} differences, such as ${differences[0]}`);
  same('other generations', otherGenerations, 0);
  return `postings: ${postings}`;
}
