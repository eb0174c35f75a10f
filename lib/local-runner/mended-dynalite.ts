/** The embedded DynamoDB, dynalite, with three mends of how it uses its store, one of what it counts, and an ear for its writes. */
import dynalite from 'dynalite';
import internals, { type Consumed, type Done } from 'dynalite/db/index.js';

/**
 * An item and its entries in secondary indexes are written at once. Dynalite writes them one after another, so that a
 * process that is killed in between leaves an entry of an item that is not so, for ever. `onWrite` is told of what is stored.
 */
internals.updateIndexes = ({ db, options }, table, existing, item, done) => {
  const { TableName, GlobalSecondaryIndexes: indexes = [] } = table;
  const subject = item ?? existing;
  if (!subject) return done();
  const { onWrite } = options;
  const { puts, deletes } = internals.getIndexActions(indexes, existing, item, table);
  if (puts.length + deletes.length === 0 && !onWrite) return done();
  // Named as dynalite names its parts of the store.
  const entry = (index: string, key: string) => `index-global~${TableName}~${index}~${key}`;
  const key = `item-${TableName}~${internals.createKey(subject, table)}`;
  db.batch(
    [
      ...deletes.map((each) => ({ type: 'del' as const, key: entry(each.index, each.key) })),
      ...puts.map((each) => ({ type: 'put' as const, key: entry(each.index, each.key), value: each.item })),
      // Dynalite does this again, by itself.
      item ? { type: 'put', key, value: item } : { type: 'del', key },
    ],
    (error) => {
      if (!error) onWrite?.({ tableName: TableName, before: existing, after: item ?? undefined });
      done(error);
    },
  );
};

/**
 * The iterators of queries are closed. Dynalite ends them by `return`, which those of its store do not have: each query
 * kept some memory, and files that were long replaced.
 *
 * What the store cannot read or write, as on a full disk, is told, and answered with 500. Dynalite throws it, outside of any request.
 */
const { create } = internals;
internals.create = (options) => {
  const store = create(options);
  const { db } = store;
  options.opened = db.open();
  const told = (error: Error) => {
    options.onFailure?.(error);
    const body = { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message: error.message };
    return Object.assign(error, { statusCode: 500, body });
  };
  const telling =
    (done: Done): Done =>
    (error, value) =>
      done(error && told(error), value);
  const { get, put, del, batch } = db;
  db.get = (key, done) => get(key, telling(done));
  db.put = (key, value, done) => put(key, value, telling(done));
  db.del = (key, done) => del(key, telling(done));
  db.batch = (operations, done) => batch(operations, telling(done));
  const values = db.values.bind(db);
  db.values = (range) => {
    const iterator = values(range);
    const next = iterator.next.bind(iterator);
    return Object.assign(iterator, {
      return: () => iterator.close(),
      next: () =>
        next().catch((error: Error) => {
          throw told(error);
        }),
    });
  };
  return store;
};

/**
 * Units are counted by bytes, as in DynamoDB: dynalite counts letters. What a query reads it returns, where it is not told to leave
 * attributes out.
 */
const { addConsumedCapacity, queryTable } = internals;
internals.addConsumedCapacity = (data, isRead, ...items) => {
  const consumed = addConsumedCapacity(data, isRead, ...items);
  if (!consumed) return consumed;
  const bytes = Math.max(0, ...items.map((item) => (item ? bytesOf(item) : 0)));
  return withUnits(consumed, isRead ? readUnits(bytes, data) : Math.ceil(bytes / writeUnitBytes));
};
internals.queryTable = (...[store, table, data, options, isLocal, fetches, keyNames, done]) =>
  queryTable(store, table, data, options, isLocal, fetches, keyNames, (error, found) => {
    if (found?.ConsumedCapacity && found.Items && !data._projection) {
      const bytes = found.Items.reduce((sum, item) => sum + bytesOf(item), 0);
      found.ConsumedCapacity = withUnits(found.ConsumedCapacity, readUnits(bytes, data));
    }
    done(error, found);
  });

const writeUnitBytes = 1024;
const readUnitBytes = 4096;

function readUnits(bytes: number, { ConsistentRead }: { ConsistentRead?: boolean }): number {
  return Math.ceil(bytes / readUnitBytes) * (ConsistentRead ? 1 : 0.5);
}

/** Never fewer than dynalite counts: of nothing it counts one. */
function withUnits(consumed: Consumed, units: number): Consumed {
  const CapacityUnits = Math.max(consumed.CapacityUnits, units);
  return { ...consumed, CapacityUnits, ...(consumed.Table && { Table: { CapacityUnits } }) };
}

/** The size of an item: what dynalite counts where each byte of its texts is a letter. */
function bytesOf(item: Record<string, unknown>): number {
  return internals.itemSize(JSON.parse(Buffer.from(JSON.stringify(item)).toString('latin1')));
}

export { dynalite };
