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
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { tokenStore } from '../../functions/persistence/dynamodb-token-store.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { withTable } from './connection.ts';

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
  return withTable(endpoint, async (table) => {
    await assertReadable(table);
    return issueToken(
      { tokens: tokenStore(table), organizations: organizationStore(table), now: table.now, randomInt },
      { organization: 'demo', permissions, name, expiresInDays },
    );
  });
}

/**
 * Reads something of each organization: a folder `.local` may be older than the code.
 * @throws {OtherLayout} when another version of this service wrote it
 */
export async function assertReadable(table: Table): Promise<void> {
  for (const organization of await organizationStore(table).list()) {
    await indexStore(table).readHead(organization);
    await testimonialStore(table).from(organization, 0, { limit: 1 }).next();
  }
}

/**
 * Issues the tokens of the local service: one that may do all that it has, and one as it may stand in a web page.
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
