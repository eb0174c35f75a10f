import { deskStore } from '../../../functions/accounts/dynamodb-desk-store.ts';
import type { Challenge, Pass, Passkey, Person } from '../../../functions/domain/person.ts';
import { layout } from '../../../functions/dynamodb/stored-items.ts';
import { after, queryOf, testStore } from '../../mocked-table.ts';

const person: Person = {
  organization: 'acme',
  id: 'p1',
  name: 'Olivia',
  role: 'owner',
  mayErase: true,
  invitedAt: '2026-01-15T10:00:00.000Z',
};
const pass: Pass = {
  hash: 'h',
  kind: 'invitation',
  organization: 'acme',
  person: 'p1',
  createdAt: '2026-01-15T10:00:00.000Z',
  expiresAt: '2026-01-22T10:00:00.500Z',
  openedAs: 'session',
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

const passkey: Passkey = {
  hash: 'h',
  credential: 'c',
  organization: 'acme',
  person: 'p1',
  name: 'Phone',
  origin: 'https://api.example.com',
  publicKey: 'k',
  signCount: 3,
  createdAt: '2026-01-15T10:00:00.000Z',
};
const passkeyKey = { PK: 'DESK#h', SK: 'PASSKEY' };
const passkeyItem = { ...passkeyKey, ...passkey, layout };
const passkeyPointerKey = { PK: 'ORG#acme', SK: 'PASSKEY#p1#h' };
const pointersOfPasskeys = queryOf('ORG#acme', 'PASSKEY#p1#', `PASSKEY#p1#${after}`);
const use = { signCount: 4, usedAt: '2026-01-16T10:00:00.000Z', usedWith: 'challenge' };
const challenge: Challenge = {
  hash: 'h',
  createdAt: '2026-01-22T09:55:00.500Z',
  expiresAt: '2026-01-22T10:00:00.500Z',
};
const challengeKey = { PK: 'DESK#h', SK: 'CHALLENGE' };
const challengeItem = { ...challengeKey, ...challenge, ttl, layout };

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
  updatePerson: {
    call: (store) => store.updatePerson(person, { seenAt: '2026-01-16' }),
    sends: [
      {
        Update: {
          Key: personKey,
          ...ifPresent,
          UpdateExpression: 'SET #seenAt = :seenAt',
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
  'changePass extends a pass and its pointer, and leaves the rest': {
    call: (store) => store.changePass(pass, { expiresAt: pass.expiresAt }),
    sends: [
      {
        Update: {
          Key: passKey,
          UpdateExpression: 'SET #expiresAt = :expiresAt, #ttl = :ttl',
          ConditionExpression:
            'attribute_exists(PK) AND (attribute_not_exists(openedAs) OR openedAs = :openedAs)',
          ExpressionAttributeNames: { '#expiresAt': 'expiresAt', '#ttl': 'ttl' },
          ExpressionAttributeValues: { ':expiresAt': pass.expiresAt, ':openedAs': '', ':ttl': ttl },
        },
      },
      pointer,
    ],
    returns: true,
    refused: { returns: false },
  },
  'changePass marks a pass as opened': {
    call: (store) => store.changePass(pass, { openedAs: 'session' }),
    sends: [
      {
        Update: {
          Key: passKey,
          UpdateExpression: 'SET #openedAs = :openedAs',
          ConditionExpression:
            'attribute_exists(PK) AND (attribute_not_exists(openedAs) OR openedAs = :openedAs)',
          ExpressionAttributeNames: { '#openedAs': 'openedAs' },
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
  addPasskey: {
    call: (store) => store.addPasskey(passkey),
    sends: [
      { Put: { Item: { ...passkeyPointerKey, layout } } },
      {
        Put: {
          Item: passkeyItem,
          ConditionExpression:
            'attribute_not_exists(PK) OR (person = :person AND organization = :organization AND createdAt = :createdAt)',
          ExpressionAttributeValues: {
            ':person': 'p1',
            ':organization': 'acme',
            ':createdAt': passkey.createdAt,
          },
        },
      },
    ],
    returns: true,
  },
  findPasskey: {
    call: (store) => store.findPasskey('h'),
    sends: [{ Get: { Key: passkeyKey, ConsistentRead: true } }],
    responses: [{ Item: passkeyItem }],
    returns: passkey,
  },
  // A pointer may lead to the passkey of somebody else.
  listPasskeys: {
    call: (store) => store.listPasskeys('acme', 'p1'),
    sends: [pointersOfPasskeys, batchGetOf([passkeyKey, { PK: 'DESK#i', SK: 'PASSKEY' }])],
    responses: [
      { Items: [passkeyPointerKey, { PK: 'ORG#acme', SK: 'PASSKEY#p1#i' }] },
      { Responses: { testimonials: [passkeyItem, { ...passkeyItem, hash: 'i', organization: 'globex' }] } },
    ],
    returns: [passkey],
  },
  'listPasskeys of an organization': {
    call: (store) => store.listPasskeys('acme'),
    sends: [queryOf('ORG#acme', 'PASSKEY#', `PASSKEY#${after}`), batchGetOf([passkeyKey])],
    responses: [{ Items: [passkeyPointerKey] }, { Responses: { testimonials: [passkeyItem] } }],
    returns: [passkey],
  },
  usePasskey: {
    call: (store) => store.usePasskey(passkey, use),
    sends: [
      {
        Update: {
          Key: passkeyKey,
          UpdateExpression: 'SET #signCount = :signCount, #usedAt = :usedAt, #usedWith = :usedWith',
          ConditionExpression:
            'attribute_exists(PK) AND (signCount < :count OR (signCount = :none AND :count = :none) OR usedWith = :challenge)',
          ExpressionAttributeNames: {
            '#signCount': 'signCount',
            '#usedAt': 'usedAt',
            '#usedWith': 'usedWith',
          },
          ExpressionAttributeValues: {
            ':signCount': 4,
            ':usedAt': use.usedAt,
            ':usedWith': 'challenge',
            ':count': 4,
            ':none': 0,
            ':challenge': 'challenge',
          },
        },
      },
    ],
    returns: true,
    refused: { returns: false },
  },
  removePasskey: {
    call: (store) => store.removePasskey(passkey),
    sends: [{ Delete: { Key: passkeyKey } }, { Delete: { Key: passkeyPointerKey } }],
  },
  removePasskeys: {
    call: (store) => store.removePasskeys('acme', 'p1'),
    sends: [
      pointersOfPasskeys,
      batchGetOf([passkeyKey]),
      { Delete: { Key: passkeyKey } },
      { Delete: { Key: passkeyPointerKey } },
    ],
    responses: [{ Items: [passkeyPointerKey] }, { Responses: { testimonials: [passkeyItem] } }],
  },
  addChallenge: {
    call: (store) => store.addChallenge(challenge),
    sends: [{ Put: { Item: challengeItem } }],
  },
  findChallenge: {
    call: (store) => store.findChallenge('h'),
    sends: [{ Get: { Key: challengeKey, ConsistentRead: true } }],
    responses: [{ Item: challengeItem }],
    returns: challenge,
  },
  consumeChallenge: {
    call: (store) => store.consumeChallenge('h'),
    sends: [{ Delete: { Key: challengeKey, ...ifPresent } }],
    returns: true,
    refused: { returns: false },
  },
});
