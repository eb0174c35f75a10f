/** Records the conditions of a client's writes, and can send writes without a condition or a part of it. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** A command, the kind of its item, and its condition: `Put COUNTER: attribute_not_exists(PK)`. */
export type Condition = `${'Put' | 'Update' | 'Delete'} ${string}: ${string}`;

/** A condition without one of its parts, which are joined by OR, or without all of them. */
export interface Without {
  condition: Condition;
  part: string;
  left: string | undefined;
}

interface Write {
  ConditionExpression?: string | undefined;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, unknown> | undefined;
  Item?: { PK: string; SK: string };
  Key?: { PK: string; SK: string };
}

// More than the work of any case sends.
const mostEdits = 100;

export class ConditionEditor {
  #seen = new Set<Condition>();
  #without: Without | undefined;
  #edits = 0;

  constructor(client: DynamoDBDocumentClient) {
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) => {
          const input = args.input as Write; // only writes have conditions
          if (input.ConditionExpression === undefined) return next(args);
          const condition = conditionOf(commandName, input);
          this.#seen.add(condition);
          if (this.#without?.condition !== condition) return next(args);
          this.#edits += 1;
          if (this.#edits > mostEdits)
            throw new Error(
              `Without a part of its condition, this write is repeated endlessly: ${condition}`,
            );
          return next({ ...args, input: edited(input, this.#without.left) as typeof args.input });
        },
      { step: 'initialize' },
    );
  }

  /** Returns the conditions that some work sends. */
  async conditionsOf(work: () => Promise<unknown>): Promise<Set<Condition>> {
    this.#seen = new Set();
    await work();
    return this.#seen;
  }

  /** Returns the removable parts of a condition: the whole of it, and each part. */
  partsOf(condition: Condition): Without[] {
    const whole = condition.slice(condition.indexOf(': ') + 2);
    const parts = whole.split(' OR ');
    const others = (part: string) => parts.filter((each) => each !== part).join(' OR ');
    return [
      { condition, part: whole, left: undefined },
      ...(parts.length > 1 ? parts.map((part) => ({ condition, part, left: others(part) })) : []),
    ];
  }

  /** Does some work whose writes are sent without a part of a condition. */
  async taking(without: Without, work: () => Promise<unknown>): Promise<void> {
    this.#without = without;
    this.#edits = 0;
    try {
      await work();
    } finally {
      this.#without = undefined;
    }
  }
}

function conditionOf(commandName: string, { Item, Key, ConditionExpression }: Write): Condition {
  const { PK, SK }: Record<string, string> = { ...Item, ...Key };
  const isPosting = /^ORG#[^#]+#\d+#/.test(PK ?? '');
  const kind = isPosting ? 'posting' : SK?.split('#', 1)[0];
  return `${commandName.replace(/(Item)?Command$/, '') as 'Put'} ${kind}: ${ConditionExpression}`;
}

/** Replaces the condition of a write, and drops unused names and values, which DynamoDB refuses. */
function edited(input: Write, ConditionExpression: string | undefined): Write {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values, ...rest } = input;
  const expressions = `${ConditionExpression ?? ''} ${input.UpdateExpression ?? ''}`;
  const named = <Value>(all: Record<string, Value> = {}) => {
    const left = Object.entries(all).filter(([name]) => new RegExp(`${name}\\b`).test(expressions));
    return left.length > 0 ? Object.fromEntries(left) : undefined;
  };
  return {
    ...rest,
    ConditionExpression,
    ExpressionAttributeNames: named(names),
    ExpressionAttributeValues: named(values),
  };
}
