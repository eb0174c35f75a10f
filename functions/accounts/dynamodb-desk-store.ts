/** The people of all desks, their passes and their passkeys in DynamoDB. */
import { challenge, type Pass, pass, passkey, person } from '../domain/person.ts';
import {
  batchGet,
  beginningWith,
  deleteItem,
  ifPresent,
  meetsCondition,
  putItem,
  queryAll,
  setAttributes,
} from '../dynamodb/items.ts';
import {
  challengeKey,
  hashOfPassPointerKey,
  organizationPartition,
  passKey,
  passkeyKey,
  passkeyPointerKey,
  passPointerKey,
  personKey,
  prefixes,
  ttlAttribute,
} from '../dynamodb/keys.ts';
import { itemKind, layout } from '../dynamodb/stored-items.ts';
import type { Table } from '../dynamodb/table.ts';
import type { DeskStore } from './desk-store.ts';

const people = itemKind('a person', person);
const passes = itemKind('a pass', pass);
const passkeys = itemKind('a passkey', passkey);
const challenges = itemKind('a challenge', challenge);

export function deskStore(table: Table): DeskStore {
  const putPointer = (
    { organization, person: personId, hash }: Pick<Pass, 'organization' | 'person' | 'hash'>,
    ttl: number,
  ) => putItem(table, { ...passPointerKey(organization, personId, hash), [ttlAttribute]: ttl, layout });
  return {
    addPerson: (added) => people.put(table, personKey(added.organization, added.id), added),

    findPerson: (organization, id) => people.find(table, personKey(organization, id)),

    async findPeople(organization, ids) {
      const keys = ids.map((id) => personKey(organization, id));
      return (await batchGet(table, keys, { consistent: true })).map(people.parse);
    },

    listPeople: (organization) => people.list(table, organizationPartition(organization), prefixes.person),

    async updatePerson({ organization, id }, attributes) {
      // The condition prevents a person who was removed in the meantime from coming back.
      await meetsCondition(setAttributes(table, personKey(organization, id), attributes, ifPresent));
    },

    removePerson: (organization, id) =>
      meetsCondition(deleteItem(table, personKey(organization, id), ifPresent)),

    async addPass(added) {
      // The pointer first. If the second put fails, the pointer leads nowhere, instead of a pass that no list
      // shows.
      await putPointer(added, ttlOf(added));
      await passes.put(table, passKey(added.hash), added, { ttl: ttlOf(added) });
    },

    findPass: (hash) => passes.find(table, passKey(hash)),

    async listPasses(organization, personId) {
      const { SK } = passPointerKey(organization, personId ?? '');
      const prefix = personId === undefined ? prefixes.pass : SK;
      const pointers = await queryAll(table, beginningWith(organizationPartition(organization), prefix));
      const keys = pointers.map((pointer) => passKey(hashOfPassPointerKey(pointer.SK)));
      return (await batchGet(table, keys, { consistent: true })).map(passes.parse);
    },

    async changePass(changed, { expiresAt, makers, openedAs }) {
      const ttl = expiresAt === undefined ? undefined : ttlOf({ expiresAt });
      const attributes = { expiresAt, makers, openedAs, [ttlAttribute]: ttl };
      const isChanged = await meetsCondition(
        setAttributes(table, passKey(changed.hash), attributes, {
          // The SDK may repeat an update that succeeded.
          ConditionExpression: `${ifPresent.ConditionExpression} AND (attribute_not_exists(openedAs) OR openedAs = :openedAs)`,
          ExpressionAttributeValues: { ':openedAs': openedAs ?? '' },
        }),
      );
      // The pointer expires with the pass.
      if (isChanged && ttl !== undefined) await putPointer(changed, ttl);
      return isChanged;
    },

    async removePass({ organization, person: personId, hash }) {
      await deleteItem(table, passKey(hash));
      // After the pass, so that a removal that fails can be repeated.
      await deleteItem(table, passPointerKey(organization, personId, hash));
    },

    ...passkeyStore(table),
    ...challengeStore(table),
  };
}

// Rounded up, because TTL counts in seconds.
const ttlOf = ({ expiresAt }: Pick<Pass, 'expiresAt'>) => Math.ceil(Date.parse(expiresAt) / 1000);

type ChallengeMethods = 'addChallenge' | 'findChallenge' | 'consumeChallenge';

function challengeStore(table: Table): Pick<DeskStore, ChallengeMethods> {
  return {
    addChallenge: (added) => challenges.put(table, challengeKey(added.hash), added, { ttl: ttlOf(added) }),

    findChallenge: (hash) => challenges.find(table, challengeKey(hash)),

    // If the SDK repeats a deletion that succeeded, the person tries again.
    consumeChallenge: (hash) => meetsCondition(deleteItem(table, challengeKey(hash), ifPresent)),
  };
}

type PasskeyMethods =
  | 'addPasskey'
  | 'findPasskey'
  | 'listPasskeys'
  | 'usePasskey'
  | 'removePasskey'
  | 'removePasskeys';

function passkeyStore(table: Table): Pick<DeskStore, PasskeyMethods> {
  const pointersOf = (organization: string, personId?: string) => {
    const { SK } = passkeyPointerKey(organization, personId ?? '');
    const prefix = personId === undefined ? prefixes.passkey : SK;
    return queryAll(table, beginningWith(organizationPartition(organization), prefix));
  };
  const listPasskeys = async (organization: string, personId?: string) => {
    const keys = (await pointersOf(organization, personId)).map(({ SK }) =>
      passkeyKey(hashOfPassPointerKey(SK)),
    );
    const found = (await batchGet(table, keys, { consistent: true })).map(passkeys.parse);
    // A pointer can be left over if the credential already was the passkey of another person.
    const isTheirs = (id: string) => personId === undefined || id === personId;
    return found.filter((each) => each.organization === organization && isTheirs(each.person));
  };
  const removePasskey: DeskStore['removePasskey'] = async ({ organization, person: personId, hash }) => {
    await deleteItem(table, passkeyKey(hash));
    await deleteItem(table, passkeyPointerKey(organization, personId, hash));
  };
  return {
    listPasskeys,
    removePasskey,

    async addPasskey(added) {
      const { hash, organization, person: personId, createdAt } = added;
      // The pointer first, as for a pass.
      await putItem(table, { ...passkeyPointerKey(organization, personId, hash), layout });
      return meetsCondition(
        passkeys.put(table, passkeyKey(hash), added, {
          // The SDK may repeat a put that succeeded.
          ConditionExpression:
            'attribute_not_exists(PK) OR (person = :person AND organization = :organization AND createdAt = :createdAt)',
          ExpressionAttributeValues: {
            ':person': personId,
            ':organization': organization,
            ':createdAt': createdAt,
          },
        }),
      );
    },

    findPasskey: (hash) => passkeys.find(table, passkeyKey(hash)),

    usePasskey: ({ hash }, use) =>
      meetsCondition(
        setAttributes(table, passkeyKey(hash), use, {
          // The SDK may repeat an update that succeeded.
          ConditionExpression: `${ifPresent.ConditionExpression} AND (signCount < :count OR (signCount = :none AND :count = :none) OR usedWith = :challenge)`,
          ExpressionAttributeValues: { ':count': use.signCount, ':none': 0, ':challenge': use.usedWith },
        }),
      ),

    async removePasskeys(organization, personId) {
      for (const each of await listPasskeys(organization, personId)) await removePasskey(each);
    },
  };
}
