/** What a store of people and passes has to keep. */
import assert from 'node:assert/strict';
import type { Pass, Person } from '../../functions/domain/person.ts';
import type { DeskStore } from '../../functions/domain/stores.ts';
import { rule } from './case.ts';

const at = '2026-01-15T10:00:00.000Z';
const personOf = (organization: string): Person => ({
  organization,
  id: 'abc',
  name: 'Ann',
  mayErase: false,
  invitedAt: at,
});
const passOf = (organization: string): Pass => ({
  hash: organization,
  kind: 'session',
  organization,
  person: 'abc',
  createdAt: at,
  expiresAt: '2026-02-15T10:00:00.000Z',
});

const deskRule = rule<{ desks: DeskStore }>;

export const deskStoreCases = [
  deskRule('a person who was removed is told so, and does not come back', async ({ desks }, org) => {
    assert.equal(await desks.removePerson(org, 'abc'), false);
    await desks.addPerson(personOf(org));
    await desks.notePerson(personOf(org), { seenAt: at });
    assert.deepEqual(await desks.listPeople(org), [{ ...personOf(org), seenAt: at }]);
    assert.equal(await desks.removePerson(org, 'abc'), true);
    await desks.notePerson(personOf(org), { series: 'second' });
    assert.equal(await desks.findPerson(org, 'abc'), undefined);
    assert.deepEqual(await desks.listPeople(org), []);
  }),
  deskRule('a pass that was removed does not come back', async ({ desks }, org) => {
    await desks.addPass(passOf(org));
    const longer = { ...passOf(org), expiresAt: '2026-03-15T10:00:00.000Z' };
    assert.equal(await desks.replacePass(longer), true);
    assert.deepEqual(await desks.findPass(org), longer);
    await desks.removePass(org);
    await desks.removePass(org);
    assert.equal(await desks.replacePass(longer), false);
    assert.equal(await desks.findPass(org), undefined);
  }),
  deskRule('a pass is opened as one session, also by an answer that was lost', async ({ desks }, org) => {
    await desks.addPass(passOf(org));
    const openedAs = (session: string) => desks.replacePass({ ...passOf(org), openedAs: session });
    assert.deepEqual([await openedAs('a'), await openedAs('b'), await openedAs('a')], [true, false, true]);
  }),
];
