/** Counts the read units of each partition: a partition gives 3,000 a second, however many there are beside it. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Attaches a meter to a client. */
export function partitionMeter(client: DynamoDBDocumentClient) {
  let units = new Map<string, number>();
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const partitions = partitionsOf(args.input as ReadInput);
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

/** What the commands that read have. */
interface ReadInput {
  IndexName?: string;
  Key?: { PK: string };
  ExpressionAttributeValues?: Record<string, unknown>;
  RequestItems?: Record<string, { Keys?: { PK: string }[] }>;
}

/** The partitions of a call, one for each item that it asks for. Items of a batch count alike. */
function partitionsOf(input: ReadInput): string[] {
  const { IndexName = '', Key, ExpressionAttributeValues = {}, RequestItems = {} } = input;
  const keys = Key ? [Key] : Object.values(RequestItems).flatMap(({ Keys = [] }) => Keys);
  const partitions = keys.length > 0 ? keys.map(({ PK }) => PK) : [ExpressionAttributeValues[':partition']];
  return partitions.map((partition) => `${IndexName} ${partition}`);
}

function unitsOf(output: object): number {
  const consumed: { CapacityUnits?: number }[] =
    'ConsumedCapacity' in output ? [output.ConsumedCapacity as { CapacityUnits?: number }[]].flat() : [];
  return consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}
