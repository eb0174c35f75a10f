/** A table whose eventually consistent reads lag. A test can make one kind of consistent reads lag, too. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { deleteItem, putItem, type StoredItem } from '../functions/persistence/items.ts';
import type { Table } from '../functions/persistence/table.ts';
import { createTestTable } from './test-table.ts';

/** A command and the kind of its items: `Get COUNTER`, `Query TESTIMONIAL`. */
export type Read = `${'Get' | 'BatchGet' | 'Query'} ${string}`;

type TableKey = { PK: string; SK: string };

interface Request {
  TableName?: string;
  Key?: TableKey;
  Item?: TableKey;
  ConsistentRead?: boolean;
  ProjectionExpression?: string;
  ExpressionAttributeValues?: Record<string, string>;
  RequestItems?: Record<string, BatchRequest>;
}

/** Of one table: each key of a read, or each write. */
type BatchRequest =
  | { Keys: TableKey[]; ConsistentRead?: boolean; ProjectionExpression?: string }
  | { PutRequest?: { Item: TableKey }; DeleteRequest?: { Key: TableKey } }[];

/** A write that eventually consistent reads do not see yet. */
interface Late {
  at: number;
  key: TableKey;
  /** Undefined for a delete. */
  item: StoredItem | undefined;
}

/** The same read was repeated although nothing changed. */
export class InCircles extends Error {
  override name = 'InCircles';
}

// More than any scenario repeats a read without a change.
const mostTimes = 100;

export class LaggingTable {
  /** The table whose reads lag. */
  readonly table: Table;
  /** The same items, without lag. */
  readonly exact: Table;
  /** The consistent reads that were sent. */
  readonly seen = new Set<Read>();
  readonly #behind: Table;
  readonly #clock: () => number;
  readonly #lagMs: number;
  readonly #without: Read | undefined;
  #late: Late[] = [];
  #last = Promise.resolve();
  /** Repetitions of a read since the last arrived write. */
  readonly #again = new Map<string, number>();

  /** @param without the kind of consistent reads that lag, too */
  static async create(clock: () => number, lagMs: number, without?: Read): Promise<LaggingTable> {
    const [table, behind] = await Promise.all([createTestTable(), createTestTable()]);
    return new LaggingTable(table, behind, { clock, lagMs, without });
  }

  private constructor(
    table: Table,
    behind: Table,
    { clock, lagMs, without }: { clock: () => number; lagMs: number; without: Read | undefined },
  ) {
    this.table = table;
    this.exact = { ...behind, name: table.name };
    this.#behind = behind;
    this.#clock = clock;
    this.#lagMs = lagMs;
    this.#without = without;
    table.client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const input = args.input as Request; // every call of the stores is one
          if (!/^(Get|BatchGet|Query)/.test(commandName)) {
            const result = await next(args);
            await this.#note(input);
            return result;
          }
          if (!this.#lags(commandName, input)) return next(args);
          await this.#catchUp();
          this.#refuseCircles(input);
          const { output, ...rest } = await next({
            ...args,
            input: this.#renamed(input) as typeof args.input,
          });
          return { ...rest, output: this.#renamedBack(output) };
        },
      { step: 'initialize' },
    );
  }

  #lags(commandName: string, input: Request): boolean {
    const batch = input.RequestItems?.[this.table.name];
    const { ConsistentRead } = batch && 'Keys' in batch ? batch : input;
    if (!ConsistentRead) return true;
    const read = readOf(commandName, input, this.table.name);
    this.seen.add(read);
    return read === this.#without;
  }

  #refuseCircles(input: Request): void {
    const read = JSON.stringify(input);
    const times = (this.#again.get(read) ?? 0) + 1;
    this.#again.set(read, times);
    if (times > mostTimes) throw new InCircles(`This read is repeated endlessly: ${read}`);
  }

  /** Records the items of a write. */
  async #note({ Key, Item, RequestItems }: Request): Promise<void> {
    const batch = RequestItems?.[this.table.name];
    const inBatch = Array.isArray(batch)
      ? batch.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key)
      : [];
    const at = this.#clock();
    for (const each of [Key, Item, ...inBatch]) {
      if (!each) continue;
      const key = { PK: each.PK, SK: each.SK };
      const { client, name: TableName } = this.exact;
      const { Item: item } = await client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
      this.#late.push({ at, key, item });
    }
  }

  /** Applies, in order, the writes that are older than the lag. */
  #catchUp(): Promise<void> {
    this.#last = this.#last.then(async () => {
      while (this.#late[0] && this.#late[0].at <= this.#clock() - this.#lagMs) {
        const { key, item } = this.#late.shift() as Late; // there is one
        this.#again.clear();
        await (item ? putItem(this.#behind, { ...key, ...item }) : deleteItem(this.#behind, key));
      }
    });
    return this.#last;
  }

  #renamed(input: Request): Request {
    const { [this.table.name]: batch } = input.RequestItems ?? {};
    if (!batch) return { ...input, TableName: this.#behind.name, ConsistentRead: false };
    return { RequestItems: { [this.#behind.name]: { ...batch, ConsistentRead: false } as BatchRequest } };
  }

  /** Returns the response with the name of the table. */
  #renamedBack<Output>(output: Output): Output {
    const { Responses } = output as { Responses?: Record<string, unknown> };
    if (!Responses) return output;
    return { ...output, Responses: { [this.table.name]: Responses[this.#behind.name] }, UnprocessedKeys: {} };
  }
}

function readOf(commandName: string, input: Request, table: string): Read {
  const command = commandName.replace(/(Item)?Command$/, '') as 'Get'; // or another of the three
  const batch = input.RequestItems?.[table];
  const request = batch && 'Keys' in batch ? batch : input;
  const [key] = 'Keys' in request ? request.Keys : [input.Key];
  const attributes = request.ProjectionExpression;
  return `${command} ${key ? kindOf(key.PK, key.SK) : rangeOf(input)}${attributes === undefined ? '' : `: ${attributes}`}`;
}

function kindOf(PK: string, SK = ''): string {
  if (/^ORG#[^#]+#\d+#/.test(PK)) return SK === '' ? 'partition of postings' : 'posting';
  return /^[A-Z_]+/.exec(SK)?.[0] ?? /[A-Z]+$/.exec(PK)?.[0] ?? PK;
}

/** Returns the kinds of the first and the last item of a query's range. */
function rangeOf({ ExpressionAttributeValues: values = {} }: Request): string {
  const { ':partition': PK = '', ':from': from, ':to': to } = values;
  return [...new Set([kindOf(PK, from), kindOf(PK, to)])].join(' to ');
}
