/** People at the desk: owners invite, sign out and remove them. */
import { beforeEach, expect, test } from '@jest/globals';
import type { DeskStore } from '../../../functions/accounts/desk-store.ts';
import { removePerson } from '../../../functions/serve-desk/people.ts';
import { type Browser, type Desk, openDesk, type SignedIn } from '../../desk-client.ts';
import { type Fields, linkIn } from '../../forms.ts';

let desk: Desk;
let owner: SignedIn;
beforeEach(async () => {
  ({ desk, owner } = await openDesk());
});

const people = () => desk.people.desks.listPeople('acme');
const named = async (name: string) => (await people()).find((person) => person.name === name);

/** Sends a form, which redirects, and returns the page behind it. */
async function send({ post, get }: Pick<Browser, 'post' | 'get'>, form: Fields, path = '/desk/people') {
  const { status, headers, logged } = await post(path, form);
  expect(status).toBe(303);
  const { text } = await get(String(headers.location));
  return { headers, text, logged };
}

test('an owner invites a colleague, who opens the link and decides', async () => {
  const invited = await send(owner, { action: 'invite', name: 'Ben', role: 'moderator' });
  const { text, logged, headers } = invited;
  expect(headers.location).toBe('/desk/people');
  expect(headers.cookies).toMatch(
    /^__Host-desk-link=[^;]*; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect(text).toContain('Send this link to <bdi>Ben</bdi>');
  expect((await owner.get('/desk/people')).text).not.toContain('Send this link');
  const ben = await named('Ben');
  expect(ben).toMatchObject({ role: 'moderator', mayErase: false });
  expect(logged).toContain(`"people":[{"invited":"${ben?.id}"}]`);
  expect(logged).not.toMatch(/tsi_|Ben/);
  const link = linkIn(text);
  expect(link).toMatch(/^https:\/\/api\.example\.com\/desk\/open#tsi_\w{36}$/);
  expect((await owner.get('/desk/people')).text).toMatch(
    /Ben<\/bdi> <span class="pill pending">Invited<\/span><\/h2>\s*<p class="muted">Moderator · link from <bdi>Olivia<\/bdi> expires <time/,
  );
  const browser = desk.browser();
  expect(await browser.post('/desk/open', { invitation: link })).toMatchObject({ status: 303 });
  expect((await browser.get('/desk/queue')).status).toBe(200);
  expect((await owner.get('/desk/people')).text).toMatch(/Ben<\/bdi>[\s\S]*Moderator · last visit/);

  const again = linkIn((await send(owner, { action: `invite again on ${ben?.id}` })).text);
  expect(again).not.toBe(link);
  expect((await desk.browser().post('/desk/open', { invitation: again })).status).toBe(303);
});

test('an owner signs someone out everywhere, and removes them, after a question', async () => {
  const ben = await desk.signedIn({ name: 'Ben', role: 'owner' });
  const { id } = ben.person;
  expect((await owner.get('/desk/people')).text).not.toContain('signed out');
  const { text: question } = await owner.get(`/desk/people/${id}/sign-out`);
  expect(question).toContain('Sign <bdi>Ben</bdi> out everywhere?');
  expect(question).toContain('Their passkeys are removed');
  expect((await ben.get('/desk/queue')).status).toBe(200);
  const [, action = ''] = /name="action" value="(end on \w+)"/.exec(question) ?? [];
  const ended = await send(owner, { action });
  expect(ended.text).toContain('<p>Ben will be signed out everywhere within a minute.</p>');
  expect(ended.text).toMatch(/Ben<\/bdi>[\s\S]*signed out, last visit/);
  expect((await ben.get('/desk/queue')).status).toBe(401);
  const asked = await owner.get(`/desk/people/${id}/remove`);
  expect(asked.text).toMatch(/Remove <bdi>Ben<\/bdi>/);
  expect(await named('Ben')).toBeDefined();
  const removed = await send(owner, { action: `remove on ${id}` });
  expect(removed.text).toContain('<p>Ben was removed.</p>');
  expect(await named('Ben')).toBeUndefined();
  const twice = await send(owner, { action: `remove on ${id}` });
  expect(twice.text).toContain('<p>This person was already removed.</p>');
  expect((await owner.get(`/desk/people/${id}/remove`)).headers.location).toBe('/desk/people');
});

test('the last owner who has signed in cannot be removed, one of two can', async () => {
  const remove = () => owner.post('/desk/people', { action: `remove on ${owner.person.id}` });
  const refused = { status: 422, text: expect.stringContaining('the last owner') };
  expect(await remove()).toMatchObject(refused);
  // An invitation is no owner yet.
  const { text } = await send(owner, { action: 'invite', name: 'Otto', role: 'owner' });
  expect(await named('Otto')).toMatchObject({ role: 'owner', mayErase: true });
  expect(await remove()).toMatchObject(refused);
  await desk.browser().post('/desk/open', { invitation: linkIn(text) });
  expect((await remove()).status).toBe(303);
  expect((await people()).map(({ name }) => name)).toEqual(['Otto']);
});

test('people are marked, and only others are offered for removal; below many, a link leads to the form', async () => {
  await desk.signedIn({ role: 'owner', name: 'Otto' });
  await desk.signedIn({ name: 'Ann' });
  const { text } = await owner.get('/desk/people');
  const [, own = '', other = ''] = text.split('<li class="card">');
  expect(own).toMatch(/Olivia<\/bdi> <span class="pill">You<\/span>/);
  expect(own).not.toContain('/remove"');
  expect(other).toContain('</bdi></h2>');
  expect(other).toContain('/remove"');
  expect(text).not.toContain('href="#invite"');
  await desk.signedIn({ name: 'Bo' });
  expect((await owner.get('/desk/people')).text).toContain('href="#invite"');
});

test('an invitation of someone who never came is cancelled, and nothing else', async () => {
  const { text: invited } = await send(owner, { action: 'invite', name: 'Otto', role: 'moderator' });
  const [, , other = ''] = invited.split('<li class="card">');
  const card = other.slice(0, other.indexOf('</li>'));
  expect(Array.from(card.matchAll(/>([A-Z][a-z …-]*)<span/g), ([, label]) => label)).toEqual([
    'New invitation link',
    'Cancel invitation',
  ]);
  const [, action = ''] = /value="(remove on \w+)"[^>]*>Cancel invitation/.exec(card) ?? [];
  const { text } = await send(owner, { action });
  expect(text).toContain('The invitation of Otto was cancelled.');
  expect(await named('Otto')).toBeUndefined();
  const [, secret = ''] = /#(tsi_\w{36})/.exec(invited) ?? [];
  expect((await desk.browser().post('/desk/open', { invitation: secret })).status).toBe(403);
});

/** Every order of the calls of two actors who make up to four each, such as “abbabaab”. */
const orders = Array.from({ length: 256 }, (_, n) => n.toString(2).padStart(8, '0'))
  .filter((order) => order.replaceAll('0', '').length === 4)
  .map((order) => order.replaceAll('0', 'a').replaceAll('1', 'b'));

/** Returns stores whose calls wait for their actor's turn, and a function that ends an actor's turns. */
function inOrder(store: DeskStore, order: string) {
  let turns = order;
  const waiting = new Map<string, () => void>();
  const wakeNext = () => waiting.get(turns[0] ?? '')?.();
  return {
    storeOf: (actor: string) =>
      new Proxy(store, {
        get:
          (target, name) =>
          async (...args: unknown[]) => {
            if (turns[0] !== actor) await new Promise<void>((wake) => waiting.set(actor, wake));
            waiting.delete(actor);
            // Every property of a store is a method.
            const result: unknown = await Reflect.get<object, PropertyKey>(target, name)(...args);
            turns = turns.slice(1);
            wakeNext();
            return result;
          },
      }),
    end: (actor: string) => {
      turns = turns.replaceAll(actor, '');
      wakeNext();
    },
  };
}

test('of two owners who remove each other at the same moment one stays, in every order of their calls', async () => {
  const { desks } = desk.people;
  const invitedAt = '2026-11-24';
  const shared = {
    organization: 'mutual',
    mayErase: true,
    role: 'owner',
    invitedAt,
    seenAt: invitedAt,
  } as const;
  const owners = ['a', 'b'].map((id) => ({ ...shared, id, name: `Owner ${id}` }));
  const outcomes = new Set<string>();
  for (const order of orders) {
    for (const each of owners) await desks.addPerson(each);
    const { storeOf, end } = inOrder(desks, order);
    const removeOther = async (id: string) => {
      const [other] = owners.filter((each) => each.id !== id);
      const isRemoved = other && (await removePerson({ ...desk.people, desks: storeOf(id) }, other));
      end(id);
      return isRemoved ? [other.id] : [];
    };
    const removed = (await Promise.all(['a', 'b'].map(removeOther))).flat();
    const left = (await desks.listPeople('mutual')).map(({ id }) => id);
    expect({ order, left }).toEqual({ order, left: ['a', 'b'].filter((id) => !removed.includes(id)) });
    outcomes.add(left.join(''));
  }
  expect([...outcomes].sort()).toEqual(['a', 'ab', 'b']);
});

test('people learn how to come back before they sign out, and that they are signed out', async () => {
  const ben = await desk.signedIn({ name: 'Ben' });
  expect((await ben.get('/desk/me')).text).toContain(
    'To come back after you sign out, ask Olivia for a link.',
  );
  const { text, headers } = await send(ben, { end: 'this' }, '/desk/me');
  expect(text).toContain(
    'You are signed out. To come back, sign in with a passkey, or ask an owner of your desk for a link.',
  );
  expect(headers.cookies).toMatch(/^__Host-desk=; Max-Age=0/);
  expect((await ben.get('/desk/open')).text).not.toContain('You are signed out');
  expect((await ben.get('/desk/queue')).status).toBe(401);
  expect((await owner.get('/desk/me')).text).toContain('ask your administrator for a link.');
  expect((await owner.get('/desk/open?signed-out')).text).not.toContain('You are signed out');
});

test('a wrong name is named, and what was chosen beside it stays', async () => {
  const wrong = { name: 'N'.repeat(101), role: 'owner', 'may-erase': 'yes' };
  const { status, text: shown } = await owner.post('/desk/people', { action: 'invite', ...wrong });
  expect(status).toBe(422);
  expect(shown).toMatch(/aria-describedby="person-name-problem"[^>]*value="N{101}"/);
  expect(shown).toMatch(/id="person-name-problem">The name must have/);
  expect(shown).toMatch(/value="owner" selected/);
  expect(shown).toMatch(/name="may-erase" value="yes" checked/);
});
