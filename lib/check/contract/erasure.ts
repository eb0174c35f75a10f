/** A person's right to be forgotten: what an erasure leaves in lists, in the list index and in the table. */
import { noIndex } from '../../../functions/list-index/index-store.ts';
import { eraseTestimonial } from '../../../functions/operations/erase-testimonial.ts';
import { organizationPartition } from '../../../functions/persistence/keys.ts';
import { inPartition, queryPages } from '../../../functions/persistence/table.ts';
import { type Check, type Deployment, type ToErase, within } from '../deployment.ts';
import { NotHeld } from '../not-held.ts';
import { expectPage } from './lists.ts';
import { expectRefused } from './refusals.ts';

const limitMs = 60_000;

function toErase({ toErase: it }: Deployment): ToErase {
  if (!it) throw new NotHeld('the one to be erased was not created');
  return it;
}

export const erasure: Check[] = [
  {
    name: 'what was erased is in no list any more',
    async play(deployment) {
      const { session, known } = deployment;
      const { testimonial, word } = toErase(deployment);
      await eraseTestimonial(session, session.organization, testimonial.id);
      known.erased(testimonial.id);
      for (const query of [`search=${word}`, `tags=${word}`, 'limit=1', 'sort=updatedAt', 'status=pending']) {
        await expectPage(deployment, query);
      }
      return undefined;
    },
  },
  {
    name: 'its Idempotency-Key does not bring it back: 422 idempotency_key_reused',
    async play(deployment) {
      const { body, idempotencyKey } = toErase(deployment);
      const answer = await deployment.api.create(body, { 'idempotency-key': idempotencyKey });
      expectRefused(answer, { status: 422, code: 'idempotency_key_reused' });
      return undefined;
    },
  },
  {
    name: 'its words are gone from the index, and all that it said from the table, within a minute',
    async play(deployment) {
      const { word } = toErase(deployment);
      const seen = await within(limitMs, deployment, async () => {
        return !(await isErasing(deployment)) && !(await hasPostings(deployment, word));
      });
      if (await isInTable(deployment, word)) throw new NotHeld('an item of the organization still says it');
      return seen;
    },
  },
];

/** Whether there is a marker that keeps what has to be taken out of the index. */
async function isErasing({ session: { testimonials, organization } }: Deployment): Promise<boolean> {
  for await (const page of testimonials.changeMarkers(organization)) {
    if (page.some(({ erases }) => erases !== undefined)) return true;
  }
  return false;
}

/** Of tags there are postings by a digest only, which stay. */
async function hasPostings({ session: { index, organization } }: Deployment, word: string): Promise<boolean> {
  const { generation } = (await index.readHead(organization)) ?? noIndex;
  return (await index.readWords(organization, generation, word)).length > 0;
}

async function isInTable({ session: { table, organization } }: Deployment, word: string): Promise<boolean> {
  for await (const { items } of queryPages(table, inPartition(organizationPartition(organization)))) {
    if (JSON.stringify(items).toLowerCase().includes(word)) return true;
  }
  return false;
}
