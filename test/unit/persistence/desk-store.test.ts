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
const ttl = 1_769_076_001;
const passItem = { ...passKey, ...pass, ttl, layout };
const pointerKey = { PK: 'ORG#acme', SK: 'PASS#p1#h' };
const pointer = { Put: { Item: { ...pointerKey, ttl, layout } } };
const ifPresent = { ConditionExpression: 'attribute_exists(PK)' };
const batchGetOf = (Keys: object[]) => ({
  BatchGet: { RequestItems: { testimonials: { Keys, ConsistentRead: true } } },
});

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
  findPeople: {
    call: (store) => store.findPeople('acme', ['p1', 'p2']),
    sends: [batchGetOf([personKey, { PK: 'ORG#acme', SK: 'PERSON#p2' }])],
    responses: [{ Responses: { testimonials: [personItem] } }],
    returns: [person],
  },
  addPass: { call: (store) => store.addPass(pass), sends: [pointer, { Put: { Item: passItem } }] },
  changePass: {
    call: (store) => store.changePass({ ...pass, makers: ['p2'] }),
    sends: [
      {
        Update: {
          Key: passKey,
          UpdateExpression:
            'SET #expiresAt = :expiresAt, #openedAs = :openedAs, #makers = :makers, #ttl = :ttl',
          ConditionExpression:
            'attribute_exists(PK) AND (attribute_not_exists(openedAs) OR openedAs = :openedAs)',
          ExpressionAttributeNames: {
            '#expiresAt': 'expiresAt',
            '#openedAs': 'openedAs',
            '#makers': 'makers',
            '#ttl': 'ttl',
          },
          ExpressionAttributeValues: {
            ':expiresAt': pass.expiresAt,
            ':openedAs': 'session',
            ':makers': ['p2'],
            ':ttl': ttl,
          },
        },
      },
      pointer,
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
  listPasses: {
    call: (store) => store.listPasses('acme', 'p1'),
    sends: [queryOf('ORG#acme', 'PASS#p1#', `PASS#p1#${after}`), batchGetOf([passKey])],
    responses: [{ Items: [pointerKey] }, { Responses: { testimonials: [passItem] } }],
    returns: [pass],
  },
  removePass: {
    call: (store) => store.removePass(pass),
    sends: [{ Delete: { Key: passKey } }, { Delete: { Key: pointerKey } }],
  },
});
