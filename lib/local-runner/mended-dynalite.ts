/** The embedded DynamoDB, dynalite, with two mends of how it uses its store, and an ear for its writes. */
import dynalite from 'dynalite';
import internals from 'dynalite/db/index.js';

/**
 * An item and its entries in secondary indexes are written at once. Dynalite writes them one after another, so that a
 * process that is killed in between leaves an entry of an item that is not so, for ever. `onWrite` is told before; what it
 * returns is called when all is stored.
 */
internals.updateIndexes = ({ db, options }, table, existing, item, done) => {
  const { TableName, GlobalSecondaryIndexes: indexes = [] } = table;
  const subject = item ?? existing;
  if (!subject) return done();
  const stored = options.onWrite?.({ tableName: TableName, before: existing, after: item ?? undefined });
  const { puts, deletes } = internals.getIndexActions(indexes, existing, item, table);
  if (puts.length + deletes.length === 0 && !stored) return done();
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
      if (!error) stored?.();
      done(error);
    },
  );
};

/**
 * The iterators of queries are closed. Dynalite ends them by `return`, which those of its store do not have: each query
 * kept some memory, and files that were long replaced.
 */
const { create } = internals;
internals.create = (options) => {
  const store = create(options);
  const { db } = store;
  const values = db.values.bind(db);
  db.values = (range) => {
    const iterator = values(range);
    return Object.assign(iterator, { return: () => iterator.close() });
  };
  return store;
};

export { dynalite };
