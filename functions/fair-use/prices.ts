/** What a request costs at AWS's list prices, in nanodollars: billionths of a US dollar, so that sums are whole numbers. */

/** List prices in us-east-1. What is bought by the million is free of fractions here. */
export const prices = {
  /**
   * A request of an HTTP API, of the first 300 million a month, and how many bytes of its body are metered as one
   * (https://aws.amazon.com/api-gateway/pricing/, “HTTP APIs are metered in 512 KB increments”).
   */
  request: 1000,
  requestBytes: 512 * 1024,
  /** A byte that leaves to the internet, $0.09 a gigabyte (https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer). */
  byteOut: 0.09,
  /** An invocation, and a millisecond with a gigabyte of memory, on arm64 (https://aws.amazon.com/lambda/pricing/). */
  invocation: 200,
  gigabyteMillisecond: 13.3334,
  /** Request units on demand, since November 2024 half of before (https://aws.amazon.com/dynamodb/pricing/on-demand/). */
  readUnit: 125,
  writeUnit: 625,
} as const;

/** Memory of the functions of the API, which their time is charged by. */
export const apiMegabytes = 1024;

/** What a request took. */
export interface Usage {
  /** The bytes of the request's body. */
  bytesIn: number;
  /** The bytes of the answer, as it leaves. */
  bytesOut: number;
  /** The time of the function. */
  milliseconds: number;
  /** Request units of DynamoDB. */
  readUnits: number;
  writeUnits: number;
  /** Postings that an update of the list index reads and writes because of it. */
  postings: number;
}

/** The cost of postings that an index update reads and writes. */
export function costOfPostings(postings: number): number {
  return postings * (prices.readUnit + prices.writeUnit);
}

/** The cost of a request that its function has answered. */
export function costOf(usage: Usage): number {
  const { bytesIn, bytesOut, milliseconds, readUnits, writeUnits, postings } = usage;
  const requests = Math.max(1, Math.ceil(bytesIn / prices.requestBytes)) * prices.request;
  const time = Math.ceil(milliseconds) * prices.gigabyteMillisecond * (apiMegabytes / 1024);
  const units = readUnits * prices.readUnit + writeUnits * prices.writeUnit + costOfPostings(postings);
  return Math.ceil(requests + prices.invocation + time + units + bytesOut * prices.byteOut);
}

const nanodollarsADollar = 1e9;

/** The nanodollars of an amount of dollars; 0 is no limit of a budget. */
export function nanodollarsOf(dollars: number): number {
  return Math.round(dollars * nanodollarsADollar);
}

export function dollarsOf(nanodollars: number): number {
  return nanodollars / nanodollarsADollar;
}
