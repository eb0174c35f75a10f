/**
 * Rules of all stores in DynamoDB, shown by the calls of each method: reads are consistent, failures are
 * passed on, pointers lead nowhere rather than items be lost, and TTL deletes nothing too early. The rules
 * of single stores are in test/conformance.
 */
import { describe, expect, test } from '@jest/globals';
import { deskStore } from '../../../functions/accounts/dynamodb-desk-store.ts';
import { organizationStore } from '../../../functions/accounts/dynamodb-organization-store.ts';
import { pageStore } from '../../../functions/accounts/dynamodb-page-store.ts';
import { tokenReader, tokenStore } from '../../../functions/accounts/dynamodb-token-store.ts';
import type { Page } from '../../../functions/domain/page.ts';
import type { Challenge, Pass, Passkey, Person } from '../../../functions/domain/person.ts';
import type { TokenRecord } from '../../../functions/domain/token.ts';
import { layout } from '../../../functions/dynamodb/stored-items.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { budgetStore } from '../../../functions/fair-use/dynamodb-budget-store.ts';
import { noIndex } from '../../../functions/testimonials/list-index/index-store.ts';
import type { PostingName } from '../../../functions/testimonials/list-index/index-terms.ts';
import { eventItemStore } from '../../../functions/testimonials/table/event-item-store.ts';
import { idempotencyKeyStore } from '../../../functions/testimonials/table/idempotency-key-store.ts';
import { indexStore } from '../../../functions/testimonials/table/index-store.ts';
import { renewalStore } from '../../../functions/testimonials/table/renewal-store.ts';
import { testimonialStore } from '../../../functions/testimonials/table/testimonial-store.ts';
import { conditionFailed, mockedTable } from '../../mocked-table.ts';
import { position } from '../../position.ts';
import { markerOf, storedAt } from '../../testimonials.ts';

const org = 'acme';
const now = new Date('2026-01-15T10:00:00.250Z');
const createdAt = now.toISOString();
const expiresAt = '2026-01-22T10:00:00.500Z';

const person: Person = {
  organization: org,
  id: 'p1',
  name: 'Olivia',
  role: 'owner',
  mayErase: true,
  invitedAt: createdAt,
};
const pass: Pass = { hash: 'h', kind: 'invitation', organization: org, person: 'p1', createdAt, expiresAt };
const passkey: Passkey = {
  hash: 'h',
  credential: 'c',
  organization: org,
  person: 'p1',
  name: 'Phone',
  origin: 'https://api.example.com',
  publicKey: 'k',
  signCount: 3,
  createdAt,
};
const use = { signCount: 4, usedAt: createdAt, usedWith: 'challenge' };
const challenge: Challenge = { hash: 'h', createdAt, expiresAt };
const page: Page = { id: 'p1', organization: org, kind: 'form', title: 'Tell us', settings: {}, createdAt };
const token: TokenRecord = {
  hash: 'abcdefghijklmnop',
  organization: org,
  permissions: ['testimonials:read'],
  createdAt,
};
const tokenId = 'acme.abcdefghijkl';
const payer = { organization: org, budget: 'published', share: 0.5 } as const;
const minute = Date.parse('2026-01-15T10:00Z') / 60_000;
const spending = { spent: 5, requests: 1, budget: 100 };
const record = { fingerprint: 'f', testimonialId: 'test_1', createdAt, updateOrdinal: 1 };
const stored = storedAt(position(1));
const { id } = stored.testimonial;
const changed = storedAt(position(1), { status: 'approved' }, { version: 2 });
const erasure = { updateOrdinal: position(2), time: createdAt };
const texts = {
  ...erasure,
  ordinal: position(1),
  version: 1,
  texts: { content: 'Amazing product', author: { name: 'Jane Doe' } },
};
const word: PostingName = { kind: 'word', word: 'heron' };
const ref = { posting: word, chunk: 3 };
const posting = { bytes: new Uint8Array([1, 2]), fence: 7 };
const partition = { kind: 'facet', axis: 'createdAt', term: 'all' } as const;
const renewal = { id: 'r1', from: '' };

type Call = (table: Table) => Promise<unknown>;

/** Returns a call of each method of a store, with the method's name. */
function callsOf<Store extends object>(
  name: string,
  storeOf: (table: Table) => Store,
  calls: { [Method in keyof Store]: (store: Store) => Promise<unknown> },
): [name: string, call: Call][] {
  const all = Object.entries<(store: Store) => Promise<unknown>>(calls);
  return all.map(([method, call]) => [`${name}.${method}`, (table) => call(storeOf(table))]);
}

const methods = [
  ...callsOf('people', deskStore, {
    addPerson: (store) => store.addPerson(person),
    findPerson: (store) => store.findPerson(org, 'p1'),
    findPeople: (store) => store.findPeople(org, ['p1', 'p2']),
    listPeople: (store) => store.listPeople(org),
    updatePerson: (store) => store.updatePerson(person, { seenAt: createdAt }),
    removePerson: (store) => store.removePerson(org, 'p1'),
    addPass: (store) => store.addPass(pass),
    findPass: (store) => store.findPass('h'),
    listPasses: (store) => store.listPasses(org, 'p1'),
    changePass: (store) => store.changePass(pass, { expiresAt }),
    removePass: (store) => store.removePass(pass),
    addPasskey: (store) => store.addPasskey(passkey),
    findPasskey: (store) => store.findPasskey('h'),
    listPasskeys: (store) => store.listPasskeys(org, 'p1'),
    usePasskey: (store) => store.usePasskey(passkey, use),
    removePasskey: (store) => store.removePasskey(passkey),
    removePasskeys: (store) => store.removePasskeys(org, 'p1'),
    addChallenge: (store) => store.addChallenge(challenge),
    findChallenge: (store) => store.findChallenge('h'),
    consumeChallenge: (store) => store.consumeChallenge('h'),
  }),
  ...callsOf('pages', pageStore, {
    add: (store) => store.add(page),
    find: (store) => store.find('p1'),
    list: (store) => store.list(org),
    replace: (store) => store.replace(page, page),
    remove: (store) => store.remove(page),
    findBrand: (store) => store.findBrand(org),
    saveBrand: (store) => store.saveBrand(org, {}),
  }),
  ...callsOf('tokens', (table) => ({ ...tokenStore(table), find: tokenReader(table) }), {
    add: (store) => store.add(token),
    find: (store) => store.find('h'),
    list: (store) => store.list(org),
    revoke: (store) => store.revoke(tokenId),
  }),
  ...callsOf('organizations', organizationStore, {
    add: (store) => store.add(org),
    remove: (store) => store.remove(org),
    list: (store) => store.list(),
  }),
  ...callsOf('budgets', budgetStore, {
    addSpending: (store) => store.addSpending(payer, minute, spending),
    reserveSpending: (store) => store.reserveSpending(payer, minute, spending, 70),
    findSpending: (store) => store.findSpending(payer, minute),
    listSpending: (store) => store.listSpending(payer, minute - 1, minute),
    addUpDay: (store) => store.addUpDay(payer, minute),
    findBudgets: (store) => store.findBudgets(org),
    setBudgets: (store) => store.setBudgets(org, { budget: 7 }),
    removeBudgets: (store) => store.removeBudgets(org),
  }),
  ...callsOf('keys', idempotencyKeyStore, {
    find: (store) => store.find(org, 'k', now),
    claim: (store) => store.claim(org, 'k', record, now),
  }),
  ...callsOf('testimonials', testimonialStore, {
    reserveOrdinals: (store) => store.reserveOrdinals(org, now),
    reserveUpdateOrdinal: (store) => store.reserveUpdateOrdinal(org, now),
    raiseTime: (store) => store.raiseTime(org, createdAt),
    beginCounting: (store) => store.beginCounting(org, { load: 'l', last: position(3), time: createdAt }),
    reopenHistory: (store) => store.reopenHistory(org, { ...stored, time: createdAt }),
    readCounter: (store) => store.readCounter(org),
    insert: (store) => store.insert(org, stored),
    sealPosition: (store) => store.sealPosition(org, position(1)),
    find: (store) => store.find(org, position(1)),
    findReadableParts: (store) => store.findReadableParts(org, id),
    findMany: (store) => store.findMany(org, [position(1)]),
    from: (store) => Array.fromAsync(store.from(org, position(1))),
    walk: (store) => Array.fromAsync(store.walk(org, { sort: 'createdAt', order: 'desc' })),
    writeChange: (store) => store.writeChange(org, stored, changed),
    sealVersion: (store) => store.sealVersion(org, stored),
    erase: (store) => store.erase(org, stored, erasure),
    eraseUnreadable: (store) => store.eraseUnreadable(org, id, {}, erasure),
    wasErased: (store) => store.wasErased(org, id),
    findErased: (store) => store.findErased(org, [position(1)]),
    putChangeMarkers: (store) => store.putChangeMarkers(org, [markerOf(position(2), position(1))]),
    changeMarkers: (store) => Array.fromAsync(store.changeMarkers(org)),
    deleteChangeMarkers: (store) => store.deleteChangeMarkers(org, [position(2)]),
    putErasureTexts: (store) => store.putErasureTexts(org, [texts]),
    erasureTexts: (store) => Array.fromAsync(store.erasureTexts(org)),
    deleteErasureTexts: (store) => store.deleteErasureTexts(org, [position(2)]),
  }),
  ...callsOf('index', indexStore, {
    readHead: (store) => store.readHead(org),
    replaceHead: (store) => store.replaceHead(org, noIndex),
    readRecent: (store) => store.readRecent(org, position(1)),
    requestIndexUpdate: (store) => store.requestIndexUpdate(org, now),
    readTerm: (store) => store.readTerm(org, 2, word, { from: 1, to: 3 }),
    readWords: (store) => store.readWords(org, 2, 'her'),
    readPostings: (store) => store.readPostings(org, 2, [ref]),
    writePosting: (store) => store.writePosting(org, 2, ref, posting),
    deletePosting: (store) => store.deletePosting(org, 2, ref, 7),
    replaceSummary: (store) => store.replaceSummary(org, 2, ref, { ...posting, epoch: 7 }),
    hasPostings: (store) => store.hasPostings(org, 2, partition),
    readPartition: (store) => Array.fromAsync(store.readPartition(org, 2, partition)),
    deletePartition: (store) => store.deletePartition(org, 2, partition),
  }),
  ...callsOf('renewals', renewalStore, {
    organizations: (store) => Array.fromAsync(store.organizations('')),
    read: (store) => store.read(),
    begin: (store) => store.begin(now),
    continueFrom: (store) => store.continueFrom(renewal, org, now),
    end: (store) => store.end(renewal),
  }),
  ...callsOf('events', eventItemStore, {
    atPositions: (store) => store.atPositions(org, [position(1)]),
    endedImports: (store) => store.endedImports(org, ['a']),
  }),
];

interface Sent {
  command: string;
  // biome-ignore lint/suspicious/noExplicitAny: the input of any command
  input: any;
}

// Every query finds a pointer, so that the methods that follow pointers go on.
const pointer = { Items: [{ PK: 'ORG#acme', SK: 'PASSKEY#p1#h' }] };

/** Makes a call and returns what it sends, whether it succeeds or not. */
async function sentBy(call: Call, responses: object[] = Array(9).fill(pointer)): Promise<Sent[]> {
  const { table, calls } = mockedTable(responses);
  await call({ ...table, onUnreadable: () => {} }).catch(() => {});
  return calls().map((each) => {
    const [[command = '', input] = []] = Object.entries(each);
    return { command, input };
  });
}

describe.each(methods)('%s', (_, call) => {
  test('reads consistently, except in a secondary index', async () => {
    const reads = (await sentBy(call)).flatMap(({ command, input }) => {
      if (command === 'BatchGet') return Object.values<object>(input.RequestItems);
      return (command === 'Get' || command === 'Query') && input.IndexName === undefined ? [input] : [];
    });
    for (const read of reads) expect(read).toMatchObject({ ConsistentRead: true });
  });

  test('fails if one of its calls fails', async () => {
    const sent = await sentBy(call);
    expect(sent).not.toEqual([]);
    for (const nth of sent.keys()) {
      const failure = new Error('read ECONNRESET');
      const { table } = mockedTable([...Array(nth).fill(pointer), failure]);
      await expect(call({ ...table, onUnreadable: () => {} })).rejects.toBe(failure);
    }
  });
});

const [passItem, pointerToPass] = ['DESK#h PASS', 'ORG#acme PASS#p1#h'];
const [passkeyItem, pointerToPasskey] = ['DESK#h PASSKEY', 'ORG#acme PASSKEY#p1#h'];
const [pageItem, pointerToPage] = ['PAGE#p1 PAGE', 'ORG#acme PAGE#p1'];
const [tokenItem, pointerToToken] = ['TOKEN#abcdefghijklmnop TOKEN', 'ORG#acme TOKEN#abcdefghijkl'];
function callOf(name: string): Call {
  const [, call] = methods.find(([each]) => each === name) ?? [];
  if (!call) throw new Error(`There is no method ${name}`);
  return call;
}

const found: Record<string, object[]> = {
  'people.removePasskeys': [pointer, { Responses: { testimonials: [{ PK: 'DESK#h', ...passkey, layout }] } }],
  'tokens.revoke': [{ Item: token }],
};

test.each([
  ['people.addPass', [`Put ${pointerToPass}`, `Put ${passItem}`]],
  ['people.changePass', [`Update ${passItem}`, `Put ${pointerToPass}`]],
  ['people.removePass', [`Delete ${passItem}`, `Delete ${pointerToPass}`]],
  ['people.addPasskey', [`Put ${pointerToPasskey}`, `Put ${passkeyItem}`]],
  ['people.removePasskey', [`Delete ${passkeyItem}`, `Delete ${pointerToPasskey}`]],
  ['people.removePasskeys', [`Delete ${passkeyItem}`, `Delete ${pointerToPasskey}`]],
  ['pages.add', [`Put ${pointerToPage}`, `Put ${pageItem}`]],
  ['pages.remove', [`Delete ${pageItem}`, `Delete ${pointerToPage}`]],
  ['tokens.add', [`Put ${pointerToToken}`, `Put ${tokenItem}`]],
  ['tokens.revoke', [`Delete ${tokenItem}`, `Delete ${pointerToToken}`]],
])('%s writes a pointer before its item and deletes it after it', async (name, writes) => {
  const sent = await sentBy(callOf(name), found[name]);
  const keys = sent.map(({ command, input: { Key, Item = Key } }) => `${command} ${Item?.PK} ${Item?.SK}`);
  expect(keys.filter((each) => /^(Put|Update|Delete) /.test(each))).toEqual(writes);
});

test('a pass that is opened leaves its pointer as it is', async () => {
  const sent = await sentBy((table) => deskStore(table).changePass(pass, { openedAs: 'session' }));
  expect(sent.map(({ command }) => command)).toEqual(['Update']);
});

test('a pointer to the passkey of someone else lists no passkey', async () => {
  const items = [passkey, { ...passkey, organization: 'globex' }, { ...passkey, person: 'p2' }];
  const { table } = mockedTable([
    pointer,
    { Responses: { testimonials: items.map((each) => ({ ...each, layout })) } },
  ]);
  expect(await deskStore(table).listPasskeys(org, 'p1')).toEqual([passkey]);
});

test('a day is added up from its first minute to the one before', async () => {
  const Items = [1, 2].map((spent) => ({ ...spending, SK: 'PUBLISHED#2026-01-15T00:00', spent, layout }));
  const { table, calls } = mockedTable([{ Items }]);
  expect(await budgetStore(table).addUpDay(payer, minute)).toBe(3);
  const values = calls()
    .flatMap(Object.values)
    .map((input) => input.ExpressionAttributeValues);
  expect(values).toMatchObject([
    { ':from': 'PUBLISHED#2026-01-15T00:00', ':to': 'PUBLISHED#2026-01-15T09:59' },
    { ':earlier': 3 },
  ]);
});

const storedToken = { PK: 'TOKEN#h', SK: 'TOKEN', ...token };

test.each<[string, object, string]>([
  [
    'pages.find',
    { PK: 'PAGE#p1', SK: 'PAGE', ...page, kind: 'poll', layout },
    'Cannot read a page, PK PAGE#p1, SK PAGE: kind is missing or not valid',
  ],
  ['tokens.find', storedToken, 'Cannot read a token: layout is missing or not valid'],
  [
    'tokens.find',
    { ...storedToken, layout: layout - 1 },
    'Export each organization with the version that wrote it',
  ],
])('%s names an unreadable item, but no hash of a secret', async (name, Item, message) => {
  await expect(callOf(name)(mockedTable([{ Item }]).table)).rejects.toThrow(message);
});

// Races, and calls that the SDK repeats after they succeeded, which other tests do not play.
test.each<[string, refused: false | 'throws' | undefined, condition: string, values: object]>([
  ['people.updatePerson', undefined, 'attribute_exists(PK)', {}],
  ['people.removePerson', false, 'attribute_exists(PK)', {}],
  ['people.consumeChallenge', false, 'attribute_exists(PK)', {}],
  [
    'people.changePass',
    false,
    'attribute_exists(PK) AND (attribute_not_exists(openedAs) OR openedAs = :openedAs)',
    { ':openedAs': '' },
  ],
  [
    'people.addPasskey',
    false,
    'attribute_not_exists(PK) OR (person = :person AND organization = :organization AND createdAt = :createdAt)',
    { ':person': 'p1', ':organization': org, ':createdAt': createdAt },
  ],
  [
    'people.usePasskey',
    false,
    'attribute_exists(PK) AND (signCount < :count OR (signCount = :none AND :count = :none) OR usedWith = :challenge)',
    { ':count': 4, ':none': 0, ':challenge': 'challenge' },
  ],
  ['tokens.add', 'throws', 'attribute_not_exists(PK) OR #hash = :hash', { ':hash': token.hash }],
  ['budgets.reserveSpending', undefined, 'attribute_not_exists(spent) OR spent < :below', { ':below': 70 }],
  ['budgets.addUpDay', 'throws', 'attribute_exists(PK)', {}],
  [
    'testimonials.reopenHistory',
    undefined,
    'lastOrdinal = :ordinal AND lastUpdateOrdinal = :updateOrdinal',
    { ':ordinal': position(1), ':updateOrdinal': position(1) },
  ],
  [
    'testimonials.eraseUnreadable',
    false,
    '(attribute_exists(id) OR attribute_exists(layout)) AND NOT attribute_type(#version, :version)',
    { ':version': 'N' },
  ],
])('%s: %s if a write fails its condition %s', async (name, refused, ConditionExpression, values) => {
  const sent = await sentBy(callOf(name), []);
  const conditional = sent.filter(({ input }) => input.ConditionExpression);
  expect(conditional).not.toEqual([]);
  for (const { input } of conditional) {
    expect(input).toMatchObject({ ConditionExpression });
    expect(input.ExpressionAttributeValues ?? {}).toMatchObject(values);
  }
  const before = sent.findIndex(({ input }) => input.ConditionExpression);
  const { table } = mockedTable([...Array(before).fill({}), conditionFailed]);
  const result = callOf(name)(table).catch((error) => (error === conditionFailed ? 'throws' : error));
  expect(await result).toBe(refused);
});

// TTL counts in whole seconds.
const ttlOfPass = Date.parse(expiresAt) / 1000 + 0.5;
const daySeconds = 86_400;
const nowSeconds = now.getTime() / 1000 + 0.75;

test.each<[string, Call, ...ttls: number[]]>([
  ['a pass and its pointer', (table) => deskStore(table).addPass(pass), ttlOfPass, ttlOfPass],
  [
    'a pass that is used, and its pointer',
    (table) => deskStore(table).changePass(pass, { expiresAt }),
    ttlOfPass,
    ttlOfPass,
  ],
  ['a challenge', (table) => deskStore(table).addChallenge(challenge), ttlOfPass],
  [
    'an idempotency key',
    (table) => idempotencyKeyStore(table).claim(org, 'k', record, now),
    nowSeconds + daySeconds,
  ],
  [
    'a key of another lifetime',
    (table) => idempotencyKeyStore(table, 30 * daySeconds).claim(org, 'k', record, now),
    nowSeconds + 30 * daySeconds,
  ],
  [
    'the spending of a minute, which is added up until the end of its day',
    (table) => budgetStore(table).addSpending(payer, minute, spending),
    minute * 60 + 25 * 3600,
  ],
])('TTL deletes %s in the second after its end', async (_, write, ...ttls) => {
  const sent = await sentBy(write);
  expect(sent.map(({ input }) => input.Item?.ttl ?? input.ExpressionAttributeValues[':ttl'])).toEqual(ttls);
});
