/** Prepares the organization `demo`: tokens, an invitation to its desk, a form and a wall. */
import { randomInt } from 'node:crypto';
import { deskStore } from '../../functions/accounts/dynamodb-desk-store.ts';
import { organizationStore } from '../../functions/accounts/dynamodb-organization-store.ts';
import { pageStore } from '../../functions/accounts/dynamodb-page-store.ts';
import { tokenStore } from '../../functions/accounts/dynamodb-token-store.ts';
import { issueToken } from '../../functions/accounts/issue-token.ts';
import { createTestimonialOperation } from '../../functions/create-testimonial/handler.ts';
import { mediaRoutes, type PageKind, pageRoutes, pathOfPage } from '../../functions/domain/page.ts';
import type { Status } from '../../functions/domain/testimonial.ts';
import type { Permission } from '../../functions/domain/token.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import { type Operation, routeKey } from '../../functions/http/operation.ts';
import { listTestimonialsOperation } from '../../functions/list-testimonials/read-permissions.ts';
import {
  changeTestimonialOperation,
  eraseTestimonialOperation,
} from '../../functions/moderate-testimonials/handler.ts';
import { deskPath } from '../../functions/serve-desk/parts/paths.ts';
import { inviteAgain, invitePerson } from '../../functions/serve-desk/people.ts';
import { createPage } from '../../functions/serve-pages/own-pages.ts';
import { openChanges } from '../../functions/testimonials/changes.ts';
import { openCreates } from '../../functions/testimonials/creates.ts';
import { openMaintenance } from '../../functions/testimonials/maintenance.ts';
import samples from './demo.json' with { type: 'json' };

const organization = 'demo';

export type Demo = Awaited<ReturnType<typeof makeDemo>>;

/**
 * Issues the tokens and the invitation, and creates the pages.
 * @param routes the route keys of the service
 * @throws {OtherLayout} if another version of this service filled the table
 */
export async function makeDemo(table: Table, routes: ReadonlyMap<string, unknown>) {
  const operations: readonly Operation[] = [
    listTestimonialsOperation,
    createTestimonialOperation,
    changeTestimonialOperation,
    eraseTestimonialOperation,
  ];
  const paths = [deskPath, pageRoutes.form, mediaRoutes.media];
  const [hasDesk, hasPages, hasMedia = false] = paths.map((path) => routes.has(`ANY ${path}`));
  // If there is a form, the samples are approved: the queue contains only what the developer sends with it.
  if (hasDesk || hasPages) await fillIfEmpty(table, hasPages ? 'approved' : 'pending');
  const served = operations.filter((operation) => routes.has(routeKey(operation)));
  const permissions = served.map(({ accesses: [{ permission }] }) => permission);
  return {
    /** For all operations of the service. */
    token: await demoToken(table, 'npm start', 30, permissions),
    /** For web pages. */
    publishedToken: await demoToken(table, 'npm start, published', 30, ['testimonials:read-published']),
    /** The secret of an invitation to the desk, if the service has a desk. It works once. */
    ...(hasDesk && { invitation: await invite(table) }),
    /** The paths of a form and a wall, if the service has pages. */
    ...(hasPages && { pages: await demoPages(table, hasMedia) }),
  };
}

/**
 * Issues a token for the organization `demo`, by default to read and write.
 * @throws {OtherLayout} if another version of this service filled the table
 */
export async function demoToken(
  table: Table,
  name: string,
  expiresInDays: number,
  permissions: Permission[] = ['testimonials:read', 'testimonials:write'],
): Promise<string> {
  await assertReadable(table);
  return issueToken(
    { tokens: tokenStore(table), organizations: organizationStore(table), now: table.now, randomInt },
    { organization, permissions, name, expiresInDays },
  );
}

/**
 * Reads an item of each organization, because the folder `.local` may be older than the code.
 * @throws {OtherLayout} if another version of this service wrote it
 */
export async function assertReadable(table: Table): Promise<void> {
  const maintenanceOf = openMaintenance(table);
  for (const each of await organizationStore(table).list()) await maintenanceOf(each).checkLayout();
}

/**
 * Invites the oldest owner, or a new one, to the desk.
 * @returns the secret of the invitation
 */
async function invite(table: Table): Promise<string> {
  const deps = { desks: deskStore(table), now: table.now, randomInt };
  const owners = (await deps.desks.listPeople(organization)).filter(({ role }) => role === 'owner');
  const [oldest] = owners.toSorted((a, b) => a.invitedAt.localeCompare(b.invitedAt));
  if (oldest) return inviteAgain(deps, oldest);
  return (await invitePerson(deps, { organization, name: 'Olivia', role: 'owner', mayErase: true })).secret;
}

/** Returns the paths of the oldest form and the oldest wall. Creates them if they do not exist. */
async function demoPages(table: Table, hasMedia: boolean): Promise<Record<PageKind, string>> {
  const [pages, organizations] = [pageStore(table), organizationStore(table)];
  const deps = { pages, organizations, now: table.now, randomInt };
  const existing = await pages.list(organization);
  const pathOf = async (kind: PageKind) => {
    const settings = kind === 'form' && hasMedia ? { ask: 'photo,video,audio' } : {};
    const fields = { organization, kind, title: samples.titles[kind], settings };
    return pathOfPage(existing.find((page) => page.kind === kind) ?? (await createPage(deps, fields)));
  };
  return { form: await pathOf('form'), wall: await pathOf('wall') };
}

/** Adds three testimonials to an empty organization. */
async function fillIfEmpty(table: Table, status: Status): Promise<void> {
  if (!(await openMaintenance(table)(organization).isUnused())) return;
  const [{ create }, { change }] = [openCreates(table)(organization), openChanges(table)(organization)];
  for (const sample of samples.testimonials) {
    const { testimonial } = await create({ ...sample, type: 'text' });
    await change(testimonial.id, { status });
  }
}
