import type { Pass, Person } from '../../../functions/domain/person.ts';
import { deskStore } from '../../../functions/persistence/dynamodb-desk-store.ts';
import { layout } from '../../../functions/persistence/stored-items.ts';
import { after, queryOf, testStore } from '../../mocked-table.ts';

const person: Person = {
  ...{ organization: 'acme', id: 'p1', name: 'Olivia', role: 'owner', mayErase: true },
  invitedAt: '2026-01-15T10:00:00.000Z',
};
const pass: Pass = {
  ...{ hash: 'h', kind: 'invitation', organization: 'acme', person: 'p1' },
  ...{ createdAt: '2026-01-15T10:00:00.000Z', expiresAt: '2026-01-22T10:00:00.500Z', openedAs: 'session' },
};
const personKey = { PK: 'ORG#acme', SK: 'PERSON#p1' };
const passKey = { PK: 'DESK#h', SK: 'PASS' };
const personItem = { ...personKey, ...person, layout };
// TTL deletes in whole seconds, never before the pass expires.
const passItem = { ...passKey, ...pass, ttl: 1_769_076_001, layout };
const ifPresent = { ConditionExpression: 'attribute_exists(PK)' };

testStore(deskStore, {
  addPerson: { call: (store) => store.addPerson(person), sends: [{ Put: { Item: personItem } }] },
  findPerson: {
    call: (store) => store.findPerson('acme', 'p1'),
    sends: [{ Get: { Key: personKey, ConsistentRead: true } }],
    responses: [{ Item: personItem }],
    returns: person,
  },
  listPeople: {
    call: (store) => store.listPeople('acme'),
    sends: [queryOf('ORG#acme', 'PERSON#', `PERSON#${after}`)],
    responses: [{ Items: [personItem] }],
    returns: [person],
  },
  notePerson: {
    call: (store) => store.notePerson(person, { seenAt: '2026-01-16' }),
    sends: [
      {
        Update: {
          ...{ Key: personKey, ...ifPresent, UpdateExpression: 'SET #seenAt = :seenAt' },
          ExpressionAttributeNames: { '#seenAt': 'seenAt' },
          ExpressionAttributeValues: { ':seenAt': '2026-01-16' },
        },
      },
    ],
    refused: { returns: undefined },
  },
  removePerson: {
    call: (store) => store.removePerson('acme', 'p1'),
    sends: [{ Delete: { Key: personKey, ...ifPresent } }],
    returns: true,
    refused: { returns: false },
  },
  addPass: { call: (store) => store.addPass(pass), sends: [{ Put: { Item: passItem } }] },
  replacePass: {
    call: (store) => store.replacePass(pass),
    sends: [
      {
        Put: {
          Item: passItem,
          ConditionExpression:
            'attribute_exists(PK) AND (attribute_not_exists(openedAs) OR openedAs = :openedAs)',
          ExpressionAttributeValues: { ':openedAs': 'session' },
        },
      },
    ],
    returns: true,
    refused: { returns: false },
  },
  findPass: {
    call: (store) => store.findPass('h'),
    sends: [{ Get: { Key: passKey, ConsistentRead: true } }],
    responses: [{ Item: passItem }],
    returns: pass,
  },
  removePass: { call: (store) => store.removePass('h'), sends: [{ Delete: { Key: passKey } }] },
});
