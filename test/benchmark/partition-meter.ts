/** Counts the read units of each partition: a partition gives 3,000 a second, however many there are beside it. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { partitionKeys, type TableInput } from '../iam/table-request.ts';

/** Attaches a meter to a client. */
export function partitionMeter(client: DynamoDBDocumentClient) {
  let units = new Map<string, number>();
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const input = args.input as TableInput; // as the stores call
      // One for each item that is asked for. Items of a batch count alike.
      const partitions = partitionKeys(input).map((key) => `${input.IndexName ?? ''} ${key}`);
      const total = unitsOf(result.output);
      for (const each of partitions) units.set(each, (units.get(each) ?? 0) + total / partitions.length);
      return result;
    },
    // After the meter of costs, which asks for the units.
    { step: 'initialize', priority: 'low' },
  );
  return {
    reset: () => {
      units = new Map();
    },
    /** The units of the partition that was read most since. */
    mostUnits: () => Math.max(0, ...units.values()),
  };
}

function unitsOf(output: object): number {
  const consumed: { CapacityUnits?: number }[] =
    'ConsumedCapacity' in output ? [output.ConsumedCapacity as { CapacityUnits?: number }[]].flat() : [];
  return consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}
