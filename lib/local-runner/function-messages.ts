/** What the local runner and a function's worker tell each other. */

export interface Invocation {
  id: string;
  event: unknown;
  context: {
    awsRequestId: string;
    functionName: string;
    memoryLimitInMB: string;
    /** Milliseconds since the epoch; null while a debugger is attached. */
    deadline: number | null;
  };
}

export type Outcome = { id: string; result: unknown } | { id: string; error: string };
