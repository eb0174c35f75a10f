/** Tokens with which the local service is tried. */
import { randomInt } from 'node:crypto';
import { createTestimonialOperation } from '../../functions/create-testimonial/operation.ts';
import type { Permission } from '../../functions/domain/token.ts';
import { type Operation, routeKey } from '../../functions/http/operation.ts';
import { listTestimonialsOperation } from '../../functions/list-testimonials/operation.ts';
import {
  changeTestimonialOperation,
  eraseTestimonialOperation,
} from '../../functions/moderate-testimonials/operation.ts';
import { issueToken } from '../../functions/operations/issue-token.ts';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { tokenStore } from '../../functions/persistence/dynamodb-token-store.ts';
import { openTable } from '../../functions/persistence/table.ts';
import { localClientConfig, localTableName } from './connection.ts';
import { assertReadable } from './readable-table.ts';

/**
 * Issues a token for the organization `demo`, one to read and write if nothing else is said.
 * @throws {OtherLayout} when another version of this service filled the table
 */
export async function demoToken(
  endpoint: string,
  name: string,
  expiresInDays: number,
  permissions: Permission[] = ['testimonials:read', 'testimonials:write'],
): Promise<string> {
  const table = openTable(localTableName, { config: localClientConfig(endpoint) });
  try {
    await assertReadable(table);
    return await issueToken(
      { tokens: tokenStore(table), organizations: organizationStore(table), now: table.now, randomInt },
      { organization: 'demo', permissions, name, expiresInDays },
    );
  } finally {
    table.client.destroy();
  }
}

/**
 * Issues those of the local service: one that may do all that the service has, and one as it may stand in a web page.
 * @param routes route keys of the service
 * @throws {OtherLayout}
 */
export async function demoTokens(
  endpoint: string,
  routes: ReadonlyMap<string, unknown>,
): Promise<{ token: string; publishedToken: string }> {
  const operations: readonly Operation[] = [
    listTestimonialsOperation,
    createTestimonialOperation,
    changeTestimonialOperation,
    eraseTestimonialOperation,
  ];
  const there = operations.filter((each) => routes.has(routeKey(each)));
  const allowed = there.map(({ accesses: [{ permission }] }) => permission);
  return {
    token: await demoToken(endpoint, 'npm start', 30, allowed),
    publishedToken: await demoToken(endpoint, 'npm start, published', 30, ['testimonials:read-published']),
  };
}
