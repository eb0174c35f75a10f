/** Converts units and times to dollars on AWS, and to milliseconds by a model. */

import type { Cost } from '../../functions/dynamodb/cost-meter.ts';
import { apiMegabytes, dollarsOf, prices } from '../../functions/fair-use/prices.ts';
import type { ListResult } from './measure-lists.ts';
import type { CreateCost, IndexUpdateCost } from './writes.ts';

// Dollars for a million: units and millions cancel out, so many dollars a unit for a million lists.
const million = (nanodollars: number) => dollarsOf(nanodollars * 1e6);

/** The prices of DynamoDB's units. */
export const price = { readUnit: million(prices.readUnit), writeUnit: million(prices.writeUnit) };

/** The prices of invocations, and of milliseconds with a gigabyte. */
export const lambdaPrice = {
  invocation: million(prices.invocation),
  gigabyteMillisecond: million(prices.gigabyteMillisecond),
};

// Memory of the functions of the API and of the index function (lib/infrastructure/service-function.ts,
// lib/infrastructure/index-function.ts).
const gigabytes = { api: apiMegabytes / 1024, index: 1769 / 1024 };

// DynamoDB Developer Guide, "Best practices for designing and using partition keys".
export const unitsPerPartition = 3000;
const writeUnitsAPartition = 1000;

// An assumption: AWS says "single-digit millisecond" of DynamoDB.
export const modelRoundMs = 5;

// Lambda gives a function of 1,769 MB one processor (Lambda Developer Guide, "Configure memory"); ours has
// 1,024.
export const modelCpuFactor = 1769 / 1024;

/**
 * Returns the milliseconds of a list on AWS: its rounds, and the measured processor time on a slower
 * processor.
 */
export function modelMs({ cost, ours }: ListResult): number {
  return cost.rounds * modelRoundMs + (ours.cpu?.median ?? 0) * modelCpuFactor;
}

/** Returns the dollars for a million lists. */
export function listDollars(result: ListResult): number {
  return readDollars(result.cost.units, modelMs(result));
}

/** Returns the dollars for a million lists of the filter design, without its processor time. */
export function filterDollars({ units, rounds }: Cost): number {
  return readDollars(units, rounds * modelRoundMs);
}

function readDollars(units: number, milliseconds: number): number {
  const time = milliseconds * lambdaPrice.gigabyteMillisecond * gigabytes.api;
  return units * price.readUnit + lambdaPrice.invocation + time;
}

/** Returns the dollars for the units of a million creates. */
export function createDollars({ writeUnits, indexWriteUnits, readUnits }: CreateCost): number {
  return (writeUnits + indexWriteUnits) * price.writeUnit + readUnits * price.readUnit;
}

/** Returns the dollars for a million testimonials or changes, indexed so many together. */
export function indexUpdateDollars({
  together,
  invocations,
  billedMs,
  writeUnits,
  readUnits,
}: IndexUpdateCost): number {
  const units = writeUnits * price.writeUnit + readUnits * price.readUnit;
  const time =
    billedMs * lambdaPrice.gigabyteMillisecond * gigabytes.index + invocations * lambdaPrice.invocation;
  return (units + time) / together;
}

// The rest of a testimonial's item: keys, id, times, a usual author and a tag
// (test/integration/capacity.test.ts).
const restBytes = 400;

/**
 * Returns the creates a second that one organization can make without a throttled write. Its counter and its
 * testimonials share one partition of the table. Each secondary index has partitions of its own, which take
 * fewer units.
 * @param contentBytes of a testimonial's text in UTF-8
 */
export function createsPerSecond(contentBytes: number): number {
  const counter = 1;
  const testimonial = Math.ceil((contentBytes + restBytes) / 1024);
  return Math.floor(writeUnitsAPartition / (counter + testimonial));
}
