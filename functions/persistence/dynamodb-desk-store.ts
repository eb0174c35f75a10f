/** The people of all desks, and what lets their browsers in, in DynamoDB. */
import { type Pass, pass, person } from '../domain/person.ts';
import type { DeskStore } from '../domain/stores.ts';
import { succeeds } from './conditional-write.ts';
import { organizationPartition, passKey, personKey, prefixes, tableKey, ttlAttribute } from './keys.ts';
import { layout, parseItem } from './stored-items.ts';
import {
  beginningWith,
  deleteItem,
  getItem,
  putItem,
  queryPages,
  type StoredItem,
  setAttributes,
  type Table,
} from './table.ts';

const ifThere = { ConditionExpression: `attribute_exists(${tableKey.partition})` };

const toPerson = (item: StoredItem) => parseItem('a person', person, item);

function passItem(pass: Pass) {
  const ttl = Math.ceil(Date.parse(pass.expiresAt) / 1000);
  return { ...passKey(pass.hash), ...pass, [ttlAttribute]: ttl, layout };
}

/** Returns the store of a table. */
export function deskStore(table: Table): DeskStore {
  return {
    addPerson: (added) => putItem(table, { ...personKey(added.organization, added.id), ...added, layout }),

    async findPerson(organization, id) {
      const item = await getItem(table, personKey(organization, id));
      return item && toPerson(item);
    },

    async listPeople(organization) {
      const query = beginningWith(organizationPartition(organization), prefixes.person);
      return (await Array.fromAsync(queryPages(table, query))).flatMap(({ items }) => items.map(toPerson));
    },

    async notePerson({ organization, id }, known) {
      // Who was removed meanwhile does not come back.
      await succeeds(setAttributes(table, personKey(organization, id), known, ifThere));
    },

    removePerson: (organization, id) => succeeds(deleteItem(table, personKey(organization, id), ifThere)),

    addPass: (added) => putItem(table, passItem(added)),

    replacePass: (pass) =>
      succeeds(
        putItem(table, passItem(pass), {
          // The SDK may repeat a put that had arrived.
          ConditionExpression: `${ifThere.ConditionExpression} AND (attribute_not_exists(openedAs) OR openedAs = :openedAs)`,
          ExpressionAttributeValues: { ':openedAs': pass.openedAs ?? '' },
        }),
      ),

    async findPass(hash) {
      const item = await getItem(table, passKey(hash));
      return item && parseItem('a pass', pass, item);
    },

    removePass: (hash) => deleteItem(table, passKey(hash)),
  };
}
