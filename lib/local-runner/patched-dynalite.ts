/**
 * Dynalite, the embedded DynamoDB, with fixes to its store and its consumed capacity, and with a listener for
 * writes.
 */
import dynalite from 'dynalite';
import internals, { type Consumed, type Done } from 'dynalite/db/index.js';

/**
 * Writes an item and its entries in secondary indexes in one batch, and calls `onWrite`. Dynalite writes them
 * one after the other, so a process killed in between would leave a wrong entry forever.
 */
internals.updateIndexes = ({ db, options }, table, existing, item, done) => {
  const { TableName, GlobalSecondaryIndexes: indexes = [] } = table;
  const subject = item ?? existing;
  if (!subject) return done();
  const { onWrite } = options;
  const { puts, deletes } = internals.getIndexActions(indexes, existing, item, table);
  if (puts.length + deletes.length === 0 && !onWrite) return done();
  // Dynalite's names for the parts of its store.
  const entry = (index: string, key: string) => `index-global~${TableName}~${index}~${key}`;
  const key = `item-${TableName}~${internals.createKey(subject, table)}`;
  db.batch(
    [
      ...deletes.map((each) => ({ type: 'del' as const, key: entry(each.index, each.key) })),
      ...puts.map((each) => ({ type: 'put' as const, key: entry(each.index, each.key), value: each.item })),
      // Dynalite repeats this write.
      item ? { type: 'put', key, value: item } : { type: 'del', key },
    ],
    (error) => {
      if (!error) onWrite?.({ tableName: TableName, before: existing, after: item ?? undefined });
      done(error);
    },
  );
};

/**
 * Closes the iterators of queries. Dynalite ends them with `return`, which its store's iterators lack, so
 * each query would keep memory and replaced files.
 *
 * Reports errors of the store, such as a full disk, and responds with 500. Dynalite itself throws them
 * outside any request.
 */
const { create } = internals;
internals.create = (options) => {
  const store = create(options);
  const { db } = store;
  options.opened = db.open();
  const reported = (error: Error) => {
    options.onFailure?.(error);
    const body = { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message: error.message };
    return Object.assign(error, { statusCode: 500, body });
  };
  const reporting =
    (done: Done): Done =>
    (error, value) =>
      done(error && reported(error), value);
  const { get, put, del, batch } = db;
  db.get = (key, done) => get(key, reporting(done));
  db.put = (key, value, done) => put(key, value, reporting(done));
  db.del = (key, done) => del(key, reporting(done));
  db.batch = (operations, done) => batch(operations, reporting(done));
  const values = db.values.bind(db);
  db.values = (range) => {
    const iterator = values(range);
    const next = iterator.next.bind(iterator);
    return Object.assign(iterator, {
      return: () => iterator.close(),
      next: () =>
        next().catch((error: Error) => {
          throw reported(error);
        }),
    });
  };
  return store;
};

/**
 * Computes units from bytes, like DynamoDB, while dynalite counts letters. A query without a projection
 * returns everything that it reads.
 */
const { addConsumedCapacity, queryTable } = internals;
internals.addConsumedCapacity = (data, isRead, ...items) => {
  const consumed = addConsumedCapacity(data, isRead, ...items);
  if (!consumed) return consumed;
  const bytes = Math.max(0, ...items.map((item) => (item ? bytesOf(item) : 0)));
  return withUnits(consumed, isRead ? readUnits(bytes, data) : Math.ceil(bytes / writeUnitBytes));
};
internals.queryTable = (...[store, table, data, options, isLocal, fetches, keyNames, done]) =>
  queryTable(store, table, data, options, isLocal, fetches, keyNames, (error, result) => {
    if (result?.ConsumedCapacity && result.Items && !data._projection) {
      const bytes = result.Items.reduce((sum, item) => sum + bytesOf(item), 0);
      result.ConsumedCapacity = withUnits(result.ConsumedCapacity, readUnits(bytes, data));
    }
    done(error, result);
  });

const writeUnitBytes = 1024;
const readUnitBytes = 4096;

function readUnits(bytes: number, { ConsistentRead }: { ConsistentRead?: boolean }): number {
  return Math.ceil(bytes / readUnitBytes) * (ConsistentRead ? 1 : 0.5);
}

/** Never returns less than dynalite, which counts one unit even if the item does not exist. */
function withUnits(consumed: Consumed, units: number): Consumed {
  const CapacityUnits = Math.max(consumed.CapacityUnits, units);
  return { ...consumed, CapacityUnits, ...(consumed.Table && { Table: { CapacityUnits } }) };
}

/** Returns the size of an item, by turning each byte of its texts into a letter for dynalite to count. */
function bytesOf(item: Record<string, unknown>): number {
  const json = JSON.stringify(item);
  const isAscii = Buffer.byteLength(json) === json.length;
  return internals.itemSize(isAscii ? item : JSON.parse(Buffer.from(json).toString('latin1')));
}

export { dynalite };
