import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export interface Cost {
  /** The length of the longest chain of calls in which each waited for the one before. */
  rounds: number;
  requests: number;
  /** Read and write capacity units, from DynamoDB's responses. */
  units: number;
  /** The part of `units` that is writes. */
  writeUnits: number;
}

export type CostMeter = ReturnType<typeof costMeter>;

/** Returns a meter of all calls of a client. */
export function costMeter(client: DynamoDBDocumentClient) {
  let cost: Cost = noCost();
  // The length of the longest chain of completed calls.
  let ended = 0;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const round = ended + 1;
        cost.requests += 1;
        cost.rounds = Math.max(cost.rounds, round);
        const result = await next({
          ...args,
          // All commands of the stores have this parameter.
          input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as typeof args.input,
        });
        ended = Math.max(ended, round);
        const units = Math.max(unitsOf(result.output), leastUnitsOf(commandName, args.input));
        cost.units += units;
        if (!isRead(commandName)) cost.writeUnits += units;
        return result;
      },
    { step: 'initialize' },
  );
  return {
    reset: () => {
      cost = noCost();
      ended = 0;
    },
    cost: (): Cost => ({ ...cost }),
  };
}

function noCost(): Cost {
  return { rounds: 0, requests: 0, units: 0, writeUnits: 0 };
}

function isRead(commandName: string): boolean {
  return /^(BatchGet|Get|Query)/.test(commandName);
}

/** Returns the units that AWS charges for an empty query, because the embedded DynamoDB reports none. */
function leastUnitsOf(commandName: string, input: object): number {
  if (commandName !== 'QueryCommand') return 0;
  return 'ConsistentRead' in input && input.ConsistentRead ? 1 : 0.5;
}

function unitsOf(output: object): number {
  const consumed = 'ConsumedCapacity' in output ? [output.ConsumedCapacity].flat() : [];
  return consumed.reduce<number>((sum, each) => sum + Number(Object(each).CapacityUnits ?? 0), 0);
}
