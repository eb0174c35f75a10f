/** Every fault of a call to DynamoDB or to the bucket, and the way it is played in front of them. */
import type { EngineAnswer } from '../dynamodb.ts';
import { type Fault as Played, refusal } from '../failing-dynamodb.ts';

/** The circumstances of a fault. */
interface Circumstances {
  /** True if the fault hits all calls from then on, not only one try. */
  isLasting: boolean;
  /** Calls that arrive long after their sender gave up. */
  late: (() => Promise<unknown>)[];
}

interface FaultDefinition {
  hits: (operation: string) => boolean;
  /** True if a call still succeeds when the fault hits every try. */
  isOvercome?: true;
  play: (
    circumstances: Circumstances,
    ...[call, forward]: Parameters<Played>
  ) => Promise<EngineAnswer | 'cut'>;
}

/** Stands for a response after the timeout. */
export const pastTimeout: EngineAnswer = { status: 599, body: '{}' };

const everyCall = () => true;
/** Returns true for an operation of the bucket. */
const isOfBucket = (operation: string) => operation.includes('Object');
/** Returns true if an operation writes. */
export const isWrite = (operation: string) => /^(Put|Update|Delete|BatchWrite)/.test(operation);

const definitions = {
  throttled: {
    // DynamoDB throttles the call.
    // The bucket throttles with a 503, which is an internal error for its client.
    hits: (operation) => !isOfBucket(operation),
    play: async () => refusal('ThrottlingException'),
  },
  'internal error': {
    // DynamoDB or the bucket responds with 500.
    hits: everyCall,
    play: async () => ({ ...refusal('InternalServerError'), status: 500 }),
  },
  'cut before': {
    // The connection breaks before the call has arrived.
    hits: everyCall,
    play: async () => 'cut',
  },
  'cut after': {
    // The call is made, and the connection breaks.
    hits: everyCall,
    play: async (_, { body }, forward) => {
      await forward(body);
      return 'cut';
    },
  },
  'answers late': {
    // The call is made, and the response comes after the timeout.
    hits: everyCall,
    play: async (_, { body }, forward) => {
      await forward(body);
      return pastTimeout;
    },
  },
  'arrives late': {
    // The write times out, and is made at the end, after everything else.
    hits: isWrite,
    play: async ({ late }, { body }, forward) => {
      late.push(() => forward(body));
      return pastTimeout;
    },
  },
  unprocessed: {
    // Only the first item of a batch is processed; none if it lasts.
    hits: (operation) => operation.startsWith('Batch'),
    play: ({ isLasting }, call, forward) => partOf(isLasting, call, forward),
  },
  truncated: {
    // A page of a query has one item, and says that there are more.
    hits: (operation) => operation === 'Query',
    isOvercome: true,
    play: (_, { body }, forward) => forward(JSON.stringify({ ...JSON.parse(body), Limit: 1 })),
  },
} satisfies Record<string, FaultDefinition>;

export type FaultName = keyof typeof definitions;
export const faultNames = Object.keys(definitions) as FaultName[]; // of the table above
export const faults: Record<FaultName, FaultDefinition> = definitions;

/** Processes only the first item of a batch, or none. */
async function partOf(
  isLasting: boolean,
  ...[{ operation, body }, forward]: Parameters<Played>
): Promise<EngineAnswer> {
  const { RequestItems, ...rest } = JSON.parse(body);
  const [table = ''] = Object.keys(RequestItems);
  const asked = RequestItems[table];
  const isRead = operation === 'BatchGetItem';
  const all: unknown[] = isRead ? asked.Keys : asked;
  const some = (parts: unknown[]) =>
    parts.length === 0 ? {} : { [table]: isRead ? { ...asked, Keys: parts } : parts };
  const taken = isLasting ? 0 : 1;
  const left = { [isRead ? 'UnprocessedKeys' : 'UnprocessedItems']: some(all.slice(taken)) };
  if (taken === 0) return { status: 200, body: JSON.stringify({ Responses: {}, ...left }) };
  const response = await forward(JSON.stringify({ ...rest, RequestItems: some(all.slice(0, taken)) }));
  return { status: response.status, body: JSON.stringify({ ...JSON.parse(response.body), ...left }) };
}
