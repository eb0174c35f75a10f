/** People at the desk: owners invite, sign out and remove them. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Table } from '../../../functions/persistence/table.ts';
import { createApiClient } from '../../api-client.ts';
import { deskOf } from '../../desk-client.ts';
import { plain } from '../../open-desk.ts';
import { hostileTexts } from '../../unit/serve-pages/hostile.ts';

let table: Table;
let desk: Awaited<ReturnType<typeof deskOf>>;
let owner: Awaited<ReturnType<typeof desk.signedIn>>;
beforeEach(async () => {
  ({ table } = await createApiClient());
  desk = await deskOf(table);
  owner = await desk.signedIn({ role: 'owner', name: 'Olivia' });
});

const people = () => desk.people.desks.listPeople('acme');
const named = async (name: string) => (await people()).find((person) => person.name === name);
const linkIn = (text: string) => plain(/<code>(https:[^<]*)<\/code>/.exec(text)?.[1] ?? '');

test('an owner invites a colleague, who opens the link and decides', async () => {
  const { status, text, logged } = await owner.post('/desk/people', {
    action: 'invite',
    name: 'Ben',
    role: 'moderator',
  });
  expect(status).toBe(200);
  const ben = await named('Ben');
  expect(ben).toMatchObject({ role: 'moderator', mayErase: false });
  expect(logged).toContain(`"people":[{"invited":"${ben?.id}"}]`);
  expect(logged).not.toMatch(/tsi_|Ben/);
  const link = linkIn(text);
  expect(link).toMatch(/^https:\/\/api\.example\.com\/desk\/open#tsi_\w{36}$/);
  const browser = desk.browser();
  expect(await browser.post('/desk/open', { invitation: link })).toMatchObject({ status: 303 });
  expect((await browser.get('/desk/queue')).status).toBe(200);
  expect((await owner.get('/desk/people')).text).toMatch(
    /Ben<\/bdi>[\s\S]*Moderator · invited[\s\S]*last visit/,
  );

  const again = linkIn((await owner.post('/desk/people', { action: `invite again on ${ben?.id}` })).text);
  expect(again).not.toBe(link);
  expect((await desk.browser().post('/desk/open', { invitation: again })).status).toBe(303);
});

test('an owner signs somebody out everywhere, and removes them with their tokens', async () => {
  const ben = await desk.signedIn({ name: 'Ben' });
  await ben.post('/desk/wall', { name: 'home page' });
  expect(await owner.post('/desk/people', { action: `end on ${ben.person.id}` })).toMatchObject({
    status: 303,
  });
  expect((await ben.get('/desk/queue')).status).toBe(401);
  const asked = await owner.post('/desk/people', { action: `ask to remove on ${ben.person.id}` });
  expect(asked.text).toMatch(/Remove <bdi>Ben<\/bdi>[\s\S]*1 token that they made: home page/);
  expect(await named('Ben')).toBeDefined();
  const removed = await owner.post('/desk/people', {
    action: `remove on ${ben.person.id}`,
    tokens: 'revoke',
  });
  expect(removed.status).toBe(303);
  expect(await named('Ben')).toBeUndefined();
  expect((await owner.get('/desk/wall')).text).not.toContain('home page</bdi>');
  const twice = await owner.post('/desk/people', { action: `remove on ${ben.person.id}` });
  expect(twice).toMatchObject({ status: 422, text: expect.stringContaining('already removed') });
});

test('the last owner cannot be removed at the desk, one of two can', async () => {
  const remove = () => owner.post('/desk/people', { action: `remove on ${owner.person.id}` });
  expect(await remove()).toMatchObject({ status: 422, text: expect.stringContaining('The last owner') });
  await owner.post('/desk/people', { action: 'invite', name: 'Otto', role: 'owner' });
  expect(await named('Otto')).toMatchObject({ role: 'owner', mayErase: true });
  expect((await remove()).status).toBe(303);
  expect((await people()).map(({ name }) => name)).toEqual(['Otto']);
});

test('moderators invite nobody, and nobody reaches people of other organizations', async () => {
  const ben = await desk.signedIn({ name: 'Ben' });
  expect((await ben.get('/desk/queue')).text).not.toContain('href="/desk/people"');
  expect((await ben.get('/desk/people')).status).toBe(400);
  const before = await people();
  const other = await desk.signedIn({ organization: 'globex', name: 'Gus', role: 'owner' });
  for (const action of ['invite', `remove on ${owner.person.id}`, `invite again on ${owner.person.id}`]) {
    expect((await ben.post('/desk/people', { action, name: 'Eve', role: 'owner' })).status).toBe(422);
    if (action !== 'invite') expect((await other.post('/desk/people', { action })).status).toBe(422);
  }
  expect(await people()).toEqual(before);
});

test('whoever signs out learns who can let them in again', async () => {
  const ben = await desk.signedIn({ name: 'Ben' });
  const { status, text, headers } = await ben.post('/desk/me', { end: 'this' });
  expect(status).toBe(200);
  expect(text).toContain('You are signed out. To come back, ask Olivia for a link.');
  expect(headers.cookies).toContain('Max-Age=0');
  expect((await ben.get('/desk/queue')).status).toBe(401);
});

test('a wrong name is named, and hostile names are text', async () => {
  const blank = await owner.post('/desk/people', { action: 'invite', name: ' ' });
  expect(blank).toMatchObject({ status: 422, text: expect.stringContaining('The name must have') });
  for (const text of hostileTexts) {
    const name = Array.from(`P${text}`).slice(0, 100).join('');
    for (const shown of [
      await owner.post('/desk/people', { action: 'invite', name }),
      await owner.get('/desk/people'),
    ]) {
      const markup = shown.text.replaceAll(/="[^"]*"/g, '');
      expect(markup).not.toMatch(/<script>|<img|<svg|<h1>mine|<[^>]* (on\w+|style)\b/);
    }
  }
});
