/** The organization `demo`, which a start of the local service prepares. */
import { randomInt } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { deskStore } from '../../functions/accounts/dynamodb-desk-store.ts';
import { invitationIn, invitePerson, openInvitation } from '../../functions/serve-desk/people.ts';
import { makeDemo } from '../../lib/local-runner/demo.ts';
import { storedTestimonials } from '../stored-items.ts';
import { createTestTable } from '../test-table.ts';

const routes = new Map(['ANY /desk', 'POST /v1/testimonials'].map((route) => [route, '']));

test('each start invites the oldest owner, whoever else there is', async () => {
  const table = await createTestTable();
  const deps = { desks: deskStore(table), now: table.now, randomInt };
  const personOf = async ({ invitation = '' }: { invitation?: string }) =>
    (await openInvitation(deps, invitationIn(invitation) ?? ''))?.person;
  const olivia = await personOf(await makeDemo(table, routes));
  expect(olivia).toMatchObject({ name: 'Olivia', role: 'owner' });
  // Their ids are random, and so is the order in which they are listed.
  for (const role of ['moderator', 'owner'] as const) {
    for (let i = 0; i < 5; i += 1)
      await invitePerson(deps, { organization: 'demo', name: 'Ben', role, mayErase: false });
    expect(await personOf(await makeDemo(table, routes))).toMatchObject({ id: olivia?.id });
  }
});

test('a start invites an owner if only others are left', async () => {
  const table = await createTestTable();
  const deps = { desks: deskStore(table), now: table.now, randomInt };
  await invitePerson(deps, { organization: 'demo', name: 'Ben', role: 'moderator', mayErase: false });
  const { invitation = '' } = await makeDemo(table, routes);
  const visit = await openInvitation(deps, invitationIn(invitation) ?? '');
  expect(visit?.person).toMatchObject({ name: 'Olivia', role: 'owner' });
});

test.each([
  ['ANY /desk', 'pending'],
  ['ANY /f/{id}', 'approved'],
])('with %s the first start adds samples, which are %s', async (route, status) => {
  const table = await createTestTable();
  for (let starts = 0; starts < 2; starts += 1) await makeDemo(table, new Map([...routes, [route, '']]));
  const all = await storedTestimonials(table, 'demo');
  expect(all.map(({ testimonial }) => testimonial.status)).toEqual([status, status, status]);
});
