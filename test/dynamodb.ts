/** The DynamoDB that the suites share. Clients in this process call it without a connection. */

export interface EngineCall {
  headers: Record<string, string>;
  body: string;
}

export interface EngineAnswer {
  status: number;
  body: string;
}

type CallEngine = (call: EngineCall) => Promise<EngineAnswer>;

/** An engine at a URL of its own, as a test changes it. */
export interface OwnDynamoDb {
  /** Milliseconds that its clock is ahead. */
  aheadMs: number;
  answer: CallEngine;
}

/** The engine that the Jest environment provides. */
export interface TestDynamoDb {
  endpoint: string;
  call: CallEngine;
  /** Engines that are called without a connection, by their URLs. */
  direct: Map<string, OwnDynamoDb>;
}

const { endpoint, call, direct } = (globalThis as unknown as { testDynamoDb: TestDynamoDb }).testDynamoDb;

/** Returns the URL of the engine of the suites. */
export const testEndpoint = () => endpoint;

/** Passes a call to the engine. */
export const callEngine = call;

/** Returns the engine at another URL, where a test sets the clock and the responses. */
export function ownDynamoDb(): { state: OwnDynamoDb; endpoint: string } {
  const state = { aheadMs: 0, answer: callEngine };
  const ownEndpoint = `http://own-${direct.size}.localhost:80`;
  direct.set(ownEndpoint, state);
  return { state, endpoint: ownEndpoint };
}
