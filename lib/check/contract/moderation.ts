/** Changes of status and erasures from the client's view. */
import assert from 'node:assert/strict';
import { type Status, statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import { inPartition, queryPages } from '../../../functions/dynamodb/items.ts';
import { organizationPartition } from '../../../functions/dynamodb/keys.ts';
import { expectEqual, idsOf, listed, refused } from './expectations.ts';
import { updateIndex } from './list-index.ts';
import type { Organization } from './organization.ts';
import { testimonialBody } from './requests.ts';
import { each, type Group, type Rule, rule, type Suite } from './suite.ts';

/** Creates a testimonial with a tag and a status. */
export async function testimonialIn(api: Organization, status: Status = 'pending'): Promise<Testimonial> {
  const testimonial = await api.created(testimonialBody({ tags: ['a'], rating: 2 }));
  return status === 'pending' ? testimonial : api.change(testimonial.id, { status });
}

/** Rules of a change of status, by an operator or over HTTP. */
export const transitions = (
  change: (api: Organization, testimonial: Testimonial, by: { status: Status }) => Promise<Testimonial>,
): Group =>
  each(
    'any status may follow any other, and the next list shows it:',
    statuses.flatMap((from) => statuses.map((to) => [`${from}, then ${to}`, from, to] as const)),
    async (api, _, from, to) => {
      const before = await testimonialIn(api, from);
      const after = await change(api, before, { status: to });
      const shownIn = async (status: Status) =>
        listed(await api.list(`limit=100&status=${status}`)).testimonials.find(({ id }) => id === before.id);
      expectEqual('the change', after, { ...before, status: to, updatedAt: after.updatedAt });
      expectEqual('the list of the status', await shownIn(to), after);
      if (from !== to) expectEqual('the list of the status before', await shownIn(from), undefined);
      // Setting the same status again is not a change.
      expectEqual('updatedAt moved forward', after.updatedAt > before.updatedAt, from !== to);
    },
  );

export const moderation: Suite = {
  name: 'Changes by an operator',
  rules: [transitions((api, { id }, by) => api.change(id, by))],
};

const word = 'quagga';
const body = testimonialBody({
  content: `A ${word} of a product`,
  author: { name: `Zdenka ${word}`, email: `${word}@example.com`, company: word },
  rating: 4,
  tags: [word],
});

const queries = [
  '',
  'status=pending',
  'rating=4',
  'type=text&sort=rating',
  'sort=updatedAt&order=asc',
  'search=quagga',
  'search=zd',
  'search=q&sort=updatedAt',
  'tags=quagga',
  'tags=quagga&sort=updatedAt',
];

/** Returns the last erased testimonial. */
function erasedOf({ known }: Organization): Testimonial {
  const testimonial = known.erased.at(-1);
  if (!testimonial) throw new Error('nothing was erased');
  return testimonial;
}

const eraseLimitMs = 60_000;

const eraseByOperator = (api: Organization, id: string) => api.erase(id);

/** Rules of the erasure of an indexed or unindexed testimonial. */
export const erasureRules = (
  where: 'indexed' | 'unindexed',
  key: string,
  erase = eraseByOperator,
): Rule[] => [
  rule(
    `an erased testimonial, ${where}, is in no list from the next request on, and totals are exact`,
    async (api) => {
      const { id } = await api.created(body, { 'idempotency-key': key });
      if (where === 'indexed') await updateIndex(api);
      const totals = await Promise.all(queries.map((query) => api.total(query)));
      await erase(api, id);
      for (const [i, query] of queries.entries()) {
        const response = await api.list(query);
        assert(!idsOf(response).includes(id), `${query} has it`);
        expectEqual(`${query}: total`, listed(response).pagination.total, Number(totals[i]) - 1);
      }
    },
  ),
  rule(`an erased testimonial, ${where}, does not come back by its Idempotency-Key`, async (api) => {
    const again = await api.create(body, { 'idempotency-key': key });
    const refusal = { status: 422, code: 'idempotency_key_reused' } as const;
    refused(again, { ...refusal, fields: ['Idempotency-Key'] });
    const said = 'The Idempotency-Key was already used for a testimonial that was erased.';
    expectEqual('the message', again.body.error.message, said);
    expectEqual('the total', await api.total('search=quagga'), 0);
    await erase(api, (await api.created(body, { 'idempotency-key': `${key}-anew` })).id);
  }),
  rule(`an erased testimonial, ${where}, leaves its id unused`, async (api) => {
    const { id } = await api.created(testimonialBody());
    expectEqual('the ordinal', ordinalOf(id), ordinalOf(erasedOf(api).id) + 1);
  }),
  rule(
    `an erased testimonial, ${where}, is gone from index and table within a minute, except its id`,
    async (api) => {
      let looks = 0;
      const seen = await api.within(eraseLimitMs, async () => {
        // Lists must also be right while the index update runs.
        await api.expectPage(queries[looks % queries.length] ?? '');
        looks += 1;
        const { erasures } = await api.maintenance.status();
        // Postings of tags stay, because they contain only a digest.
        return erasures === 0 && !(await api.maintenance.hasWord(word));
      });
      for (const query of queries) await api.expectPage(query);
      assert(!(await isInTable(api)), 'an item of the organization still has its words');
      return seen;
    },
  ),
];

async function isInTable({ name, service }: Organization): Promise<boolean> {
  const partition = inPartition(organizationPartition(name));
  for await (const { items } of queryPages(service.driver.operator.table, partition)) {
    if (JSON.stringify(items).toLowerCase().includes(word)) return true;
  }
  return false;
}

export const erasure: Suite = {
  name: 'Erasure',
  prepare: (api) => api.created(testimonialBody({ rating: 4 })),
  rules: [...erasureRules('unindexed', 'k1'), ...erasureRules('indexed', 'k2')],
};
