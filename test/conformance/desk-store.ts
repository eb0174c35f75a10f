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

export const deskStoreCases = [
  rule<{ desks: DeskStore }>(
    'a person who was removed is told so, and does not come back',
    async ({ desks }, org) => {
      assert.equal(await desks.removePerson(org, 'abc'), false);
      await desks.addPerson(personOf(org));
      await desks.notePerson(personOf(org), { seenAt: at });
      assert.deepEqual(await desks.listPeople(org), [{ ...personOf(org), seenAt: at }]);
      assert.equal(await desks.removePerson(org, 'abc'), true);
      await desks.notePerson(personOf(org), { sessionsFrom: at });
      assert.equal(await desks.findPerson(org, 'abc'), undefined);
      assert.deepEqual(await desks.listPeople(org), []);
    },
  ),
  rule<{ desks: DeskStore }>(
    'a pass is taken once, and is not prolonged afterwards',
    async ({ desks }, org) => {
      await desks.addPass(passOf(org));
      const longer = { ...passOf(org), expiresAt: '2026-03-15T10:00:00.000Z' };
      await desks.prolongPass(longer);
      assert.deepEqual(await desks.findPass(org), longer);
      assert.deepEqual([await desks.takePass(org), await desks.takePass(org)], [true, false]);
      await desks.prolongPass(longer);
      assert.equal(await desks.findPass(org), undefined);
    },
  ),
];
