/** The people of all desks and their passes in DynamoDB. */
import { type Pass, pass, person } from '../domain/person.ts';
import type { DeskStore } from '../domain/stores.ts';
import { type Condition, deleteItem, ifPresent, setAttributes, succeeds } from './items.ts';
import { organizationPartition, passKey, personKey, prefixes } from './keys.ts';
import { itemKind } from './stored-items.ts';
import type { Table } from './table.ts';

const people = itemKind('a person', person);
const passes = itemKind('a pass', pass);

export function deskStore(table: Table): DeskStore {
  const putPass = (value: Pass, condition: Condition = {}) =>
    passes.put(table, passKey(value.hash), value, {
      ...condition,
      ttl: Math.ceil(Date.parse(value.expiresAt) / 1000),
    });
  return {
    addPerson: (added) => people.put(table, personKey(added.organization, added.id), added),

    findPerson: (organization, id) => people.find(table, personKey(organization, id)),

    listPeople: (organization) => people.list(table, organizationPartition(organization), prefixes.person),

    async notePerson({ organization, id }, attributes) {
      // The condition keeps a person who was removed in the meantime from coming back.
      await succeeds(setAttributes(table, personKey(organization, id), attributes, ifPresent));
    },

    removePerson: (organization, id) => succeeds(deleteItem(table, personKey(organization, id), ifPresent)),

    addPass: (added) => putPass(added),

    replacePass: (replaced) =>
      succeeds(
        putPass(replaced, {
          // The SDK may repeat a put that succeeded.
          ConditionExpression: `${ifPresent.ConditionExpression} AND (attribute_not_exists(openedAs) OR openedAs = :openedAs)`,
          ExpressionAttributeValues: { ':openedAs': replaced.openedAs ?? '' },
        }),
      ),

    findPass: (hash) => passes.find(table, passKey(hash)),

    removePass: (hash) => deleteItem(table, passKey(hash)),
  };
}
