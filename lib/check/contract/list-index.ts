/** The list index behind the lists: that it follows, and that it says what the testimonials say. */
import { coveredBy, noIndex } from '../../../functions/list-index/index-store.ts';
import { isBehind } from '../../../functions/list-index/waiting.ts';
import { verifyIndex } from '../../../functions/list-index/write/verify.ts';
import { counted } from '../../operator/terminal/formatting.ts';
import { type Check, type Deployment, within } from '../deployment.ts';
import { expectSame, NotHeld } from '../not-held.ts';

// When all is well it takes half a minute: what waits for a batch, what settles, and an update that asks for the next.
const indexLimitMs = 120_000;

/** What is beside the index. */
async function beside({ session: { index, organization } }: Deployment) {
  const head = (await index.readHead(organization)) ?? noIndex;
  const { tail, markers } = await index.readRecent(organization, head.indexed);
  const isCovered = coveredBy(head);
  return { head, tail, markers: markers.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal)) };
}

export const following: Check = {
  name: 'the index has the testimonials, but for what may wait, within two minutes',
  async play(deployment) {
    const seen = await within(indexLimitMs, deployment, async () => !isBehind(await beside(deployment)));
    const { head, tail } = await beside(deployment);
    if (head.indexed <= 1) throw new NotHeld('nothing is in the index');
    return `${seen}; ${counted(tail.length, 'testimonial')} may wait`;
  },
};

export const followingChanges: Check = {
  name: 'the index has the changes within two minutes',
  play: (deployment) =>
    within(indexLimitMs, deployment, async () => {
      const { head, markers } = await beside(deployment);
      return markers.every(({ ordinal }) => ordinal >= head.indexed);
    }),
};

export const verified: Check = {
  name: 'the index says what the testimonials say',
  async play({ session }) {
    const differences: string[] = [];
    const result = await verifyIndex(session, session.organization, (each) =>
      differences.push(JSON.stringify(each)),
    );
    if (differences.length > 0) throw new NotHeld(`${differences.length} differ, as ${differences[0]}`);
    expectSame('other generations', result.otherGenerations, 0);
    return counted(result.postings, 'posting');
  },
};
