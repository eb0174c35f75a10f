/**
 * The cost of a request at AWS's list prices. Costs are whole nanodollars (billionths of a US dollar), so
 * that sums are exact.
 */

/** List prices in us-east-1. */
export const prices = {
  /**
   * A request to an HTTP API, within the first 300 million a month, and the bytes of a body that count as one
   * request (https://aws.amazon.com/api-gateway/pricing/, “HTTP APIs are metered in 512 KB increments”).
   */
  request: 1000,
  requestBytes: 512 * 1024,
  /**
   * A byte sent to the internet, at $0.09 per gigabyte
   * (https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer).
   */
  byteOut: 0.09,
  /**
   * An invocation, and a millisecond with one gigabyte of memory, on arm64
   * (https://aws.amazon.com/lambda/pricing/).
   */
  invocation: 200,
  gigabyteMillisecond: 13.3334,
  /** A byte of S3 Standard for a month, at $0.023 per gigabyte (https://aws.amazon.com/s3/pricing/). */
  byteMonth: 0.023,
  /** On-demand request units (https://aws.amazon.com/dynamodb/pricing/on-demand/). */
  readUnit: 125,
  writeUnit: 625,
} as const;

/** The memory of the functions of the API, which sets the price of their time. */
export const apiMegabytes = 1024;

/** The resources that a request used. */
export interface ResourceUsage {
  /** The bytes of the request's body. */
  bytesIn: number;
  /** The bytes of the response, as sent. */
  bytesOut: number;
  /** The running time of the function. */
  milliseconds: number;
  /** Request units of DynamoDB. */
  readUnits: number;
  writeUnits: number;
  /** Postings that an index update reads and writes because of the request. */
  postings: number;
}

/** Returns the cost of postings that an index update reads and writes. */
export function costOfPostings(postings: number): number {
  return postings * (prices.readUnit + prices.writeUnit);
}

/** Returns the cost of bytes that a client may upload: a month in the bucket, and one delivery. */
export function costOfUpload(bytes: number): number {
  return Math.ceil(bytes * (prices.byteMonth + prices.byteOut));
}

/** Returns the cost of bytes that the bucket sends to a client. */
export function costOfDelivery(bytes: number): number {
  return Math.ceil(bytes * prices.byteOut);
}

/** Returns the cost of a request with a response. */
export function costOf(usage: ResourceUsage): number {
  const { bytesIn, bytesOut, milliseconds, readUnits, writeUnits, postings } = usage;
  const requests = Math.max(1, Math.ceil(bytesIn / prices.requestBytes)) * prices.request;
  const time = Math.ceil(milliseconds) * prices.gigabyteMillisecond * (apiMegabytes / 1024);
  const units = readUnits * prices.readUnit + writeUnits * prices.writeUnit + costOfPostings(postings);
  return Math.ceil(requests + prices.invocation + time + units + bytesOut * prices.byteOut);
}

const nanodollarsPerDollar = 1e9;

export function nanodollarsOf(dollars: number): number {
  return Math.round(dollars * nanodollarsPerDollar);
}

export function dollarsOf(nanodollars: number): number {
  return nanodollars / nanodollarsPerDollar;
}
