/** The people of all desks and their passes in DynamoDB. */
import { type Pass, pass, person } from '../domain/person.ts';
import type { DeskStore } from '../domain/stores.ts';
import {
  batchGet,
  beginningWith,
  deleteItem,
  ifPresent,
  putItem,
  queryAll,
  setAttributes,
  succeeds,
} from './items.ts';
import {
  hashOfPassPointerKey,
  organizationPartition,
  passKey,
  passPointerKey,
  personKey,
  prefixes,
  ttlAttribute,
} from './keys.ts';
import { itemKind, layout } from './stored-items.ts';
import type { Table } from './table.ts';

const people = itemKind('a person', person);
const passes = itemKind('a pass', pass);

export function deskStore(table: Table): DeskStore {
  const ttlOf = ({ expiresAt }: Pass) => Math.ceil(Date.parse(expiresAt) / 1000);
  const putPointer = (value: Pass) => {
    const key = passPointerKey(value.organization, value.person, value.hash);
    return putItem(table, { ...key, [ttlAttribute]: ttlOf(value), layout });
  };
  return {
    addPerson: (added) => people.put(table, personKey(added.organization, added.id), added),

    findPerson: (organization, id) => people.find(table, personKey(organization, id)),

    async findPeople(organization, ids) {
      const keys = ids.map((id) => personKey(organization, id));
      return (await batchGet(table, keys, { consistent: true })).map(people.parse);
    },

    listPeople: (organization) => people.list(table, organizationPartition(organization), prefixes.person),

    async notePerson({ organization, id }, attributes) {
      // The condition keeps a person who was removed in the meantime from coming back.
      await succeeds(setAttributes(table, personKey(organization, id), attributes, ifPresent));
    },

    removePerson: (organization, id) => succeeds(deleteItem(table, personKey(organization, id), ifPresent)),

    async addPass(added) {
      // The pointer first. If the second put fails, the pointer leads nowhere, instead of a pass that no list shows.
      await putPointer(added);
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

    async changePass(changed) {
      const { hash, expiresAt, openedAs, makers } = changed;
      const attributes = { expiresAt, openedAs, makers, [ttlAttribute]: ttlOf(changed) };
      const isChanged = await succeeds(
        setAttributes(table, passKey(hash), attributes, {
          // The SDK may repeat an update that succeeded.
          ConditionExpression: `${ifPresent.ConditionExpression} AND (attribute_not_exists(openedAs) OR openedAs = :openedAs)`,
          ExpressionAttributeValues: { ':openedAs': openedAs ?? '' },
        }),
      );
      // Its pointer ends when the pass does.
      if (isChanged) await putPointer(changed);
      return isChanged;
    },

    async removePass({ organization, person: personId, hash }) {
      await deleteItem(table, passKey(hash));
      // After the pass, so that a removal that fails can be repeated.
      await deleteItem(table, passPointerKey(organization, personId, hash));
    },
  };
}
