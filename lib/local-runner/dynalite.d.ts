/** Types for the parts of dynalite that the local runner uses. Dynalite itself has no types. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  export default function dynalite(options: {
    /** Folder of the LevelDB store; in memory if absent. */
    path?: string;
    /** Milliseconds in which a table stays in the state CREATING. */
    createTableMs?: number;
    /** Added by patched-dynalite.ts, like the next two. */
    onWrite?: (write: import('./dynamodb.ts').ItemWrite) => void;
    /** Receives each error of the store. */
    onFailure?: (error: Error) => void;
    /** Set by the call; rejects if the store cannot be opened. */
    opened?: Promise<void>;
  }): Server;
}

declare module 'dynalite/db/index.js' {
  type Item = Record<string, unknown>;
  type Named = { IndexName: string }[];
  type Table = { TableName: string; GlobalSecondaryIndexes?: Named };
  type Request = { ConsistentRead?: boolean; _projection?: unknown };
  type Operation = { type: 'put'; key: string; value: Item } | { type: 'del'; key: string };
  type Entries = {
    puts: { index: string; key: string; item: Item }[];
    deletes: { index: string; key: string }[];
  };
  export interface Consumed {
    CapacityUnits: number;
    TableName: string;
    Table?: { CapacityUnits: number } | undefined;
  }
  export type Done = (error?: Error | null, value?: unknown) => void;
  type Queried = (error: unknown, result?: { Items?: Item[]; ConsumedCapacity?: Consumed }) => void;
  interface Store {
    /** The options of the call. */
    options: Parameters<typeof import('dynalite').default>[0];
    db: {
      batch(operations: Operation[], done: Done): void;
      open(): Promise<void>;
      get(key: string, done: Done): void;
      put(key: string, value: unknown, done: Done): void;
      del(key: string, done: Done): void;
      values(range: unknown): { close(): Promise<void>; next(): Promise<unknown> };
    };
  }

  const internals: {
    create(options: Store['options']): Store;
    /** Called before dynalite puts or deletes an item. */
    updateIndexes(
      store: Store,
      table: Table,
      existing: Item | undefined,
      item: Item | null,
      done: Done,
    ): void;
    /** Returns the changes of a write in secondary indexes. */
    getIndexActions(indexes: Named, existing: Item | undefined, item: Item | null, table: Table): Entries;
    createKey(item: Item, table: Table): string;
    /** Returns the size of an item, counting each letter as one byte. */
    itemSize(item: Item): number;
    addConsumedCapacity(
      request: Request,
      isRead: boolean,
      ...items: (Item | null | undefined)[]
    ): Consumed | undefined;
    queryTable(
      ...args: [
        Store,
        Table,
        Request,
        options: unknown,
        isLocal: boolean,
        fetches: unknown,
        string[],
        Queried,
      ]
    ): void;
  };
  export default internals;
}
