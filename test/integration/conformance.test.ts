/**
 * The stores in DynamoDB follow the same rules as those in memory, on which most tests run
 * (test/unit/world/conformance.test.ts).
 */
import { beforeAll, describe, test } from '@jest/globals';
import { pageStore } from '../../functions/accounts/dynamodb-page-store.ts';
import type { PageStore } from '../../functions/accounts/page-store.ts';
import type { RenewalStore } from '../../functions/testimonials/list-index/index-store.ts';
import { renewalStore } from '../../functions/testimonials/table/renewal-store.ts';
import { storesOf } from '../api-client.ts';
import { idempotencyKeyCases } from '../conformance/idempotency-key-store.ts';
import { indexStoreCases } from '../conformance/index-store.ts';
import { pageStoreCases } from '../conformance/page-store.ts';
import { renewalCases } from '../conformance/renewal-store.ts';
import { testimonialStoreCases } from '../conformance/testimonial-store.ts';
import { createTestTable } from '../test-table.ts';

const cases = [
  ...testimonialStoreCases,
  ...indexStoreCases,
  ...idempotencyKeyCases,
  ...renewalCases,
  ...pageStoreCases,
];

describe('in DynamoDB', () => {
  let stores: ReturnType<typeof storesOf> & { renewals: RenewalStore; pages: PageStore };
  beforeAll(async () => {
    const table = await createTestTable();
    stores = { ...storesOf(table), renewals: renewalStore(table), pages: pageStore(table) };
  });

  test.each(cases.map((each, i) => ({ ...each, organization: `org-${i}` })))(
    '$name',
    ({ holds, organization }) => holds(stores, organization),
  );
});
