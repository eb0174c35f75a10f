/** The parts of dynalite that the local runner uses; the package brings no types. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  export default function dynalite(options: {
    /** Folder of the LevelDB store; in memory when absent. */
    path?: string;
    /** How long a table stays in state CREATING, in milliseconds. */
    createTableMs?: number;
    /** Ours: see mended-dynalite.ts. */
    onWrite?: (write: import('./dynamodb.ts').ItemWrite) => void;
    /** Ours: told of each error of the store. */
    onFailure?: (error: Error) => void;
    /** Ours: set by the call; rejects when the store cannot be opened. */
    opened?: Promise<void>;
  }): Server;
}

declare module 'dynalite/db/index.js' {
  type Item = Record<string, unknown>;
  interface Table {
    TableName: string;
    GlobalSecondaryIndexes?: { IndexName: string }[];
  }
  interface Request {
    ConsistentRead?: boolean;
    _projection?: unknown;
  }
  export interface Consumed {
    CapacityUnits: number;
    TableName: string;
    Table?: { CapacityUnits: number } | undefined;
  }
  export type Done = (error?: Error | null, value?: unknown) => void;
  interface Store {
    /** The options that dynalite was called with. */
    options: Parameters<typeof import('dynalite').default>[0];
    db: {
      batch(
        operations: ({ type: 'put'; key: string; value: Item } | { type: 'del'; key: string })[],
        done: Done,
      ): void;
      open(): Promise<void>;
      get(key: string, done: Done): void;
      put(key: string, value: unknown, done: Done): void;
      del(key: string, done: Done): void;
      values(range: unknown): { close(): Promise<void>; next(): Promise<unknown> };
    };
  }

  const internals: {
    create(options: Store['options']): Store;
    /** Called by each write of an item, before it puts or deletes the item itself. */
    updateIndexes(
      store: Store,
      table: Table,
      existing: Item | undefined,
      item: Item | null,
      done: (error?: Error | null) => void,
    ): void;
    /** The changes that a write makes in secondary indexes. */
    getIndexActions(
      indexes: { IndexName: string }[],
      existing: Item | undefined,
      item: Item | null,
      table: Table,
    ): { puts: { index: string; key: string; item: Item }[]; deletes: { index: string; key: string }[] };
    createKey(item: Item, table: Table): string;
    /** The size of an item, in which each letter is one. */
    itemSize(item: Item): number;
    addConsumedCapacity(
      request: Request,
      isRead: boolean,
      ...items: (Item | null | undefined)[]
    ): Consumed | undefined;
    queryTable(
      ...args: [
        store: Store,
        table: Table,
        request: Request,
        options: unknown,
        isLocal: boolean,
        fetches: unknown,
        keyNames: string[],
        done: (error: unknown, found?: { Items?: Item[]; ConsumedCapacity?: Consumed }) => void,
      ]
    ): void;
  };
  export default internals;
}
