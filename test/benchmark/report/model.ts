/** What units and times come to on AWS: dollars, and milliseconds by a model. */
import { apiMegabytes, dollarsOf, prices } from '../../../functions/fair-use/prices.ts';
import type { Cost } from '../../../functions/persistence/cost-meter.ts';
import type { CreateCost } from '../creates.ts';
import type { IndexUpdateCost } from '../index-updates.ts';
import type { ListResult } from '../measure-lists.ts';

// Dollars for a million: units and millions cancel out, so many dollars a unit for a million lists.
const million = (nanodollars: number) => dollarsOf(nanodollars * 1e6);

/** The prices of DynamoDB's units. */
export const price = { readUnit: million(prices.readUnit), writeUnit: million(prices.writeUnit) };

/** The prices of invocations, and of milliseconds with a gigabyte. */
export const lambdaPrice = {
  invocation: million(prices.invocation),
  gigabyteMillisecond: million(prices.gigabyteMillisecond),
};

// Memory of the functions of the API and of the index function (lib/infrastructure/service-function.ts, lib/infrastructure/index-function.ts).
const gigabytes = { api: apiMegabytes / 1024, index: 1769 / 1024 };

// DynamoDB Developer Guide, "Best practices for designing and using partition keys".
export const unitsAPartition = 3000;
const writeUnitsAPartition = 1000;

// An assumption: AWS says "single-digit millisecond" of DynamoDB.
export const modelRoundMs = 5;

// Lambda gives a function of 1,769 MB one processor (Lambda Developer Guide, "Configure memory"); ours has 1,024.
export const modelCpuFactor = 1769 / 1024;

export function modelMs({ cost, cpuMs }: ListResult): number {
  return cost.rounds * modelRoundMs + cpuMs.median * modelCpuFactor;
}

/** What a million lists cost. */
export function listDollars(result: ListResult): number {
  const time = modelMs(result) * lambdaPrice.gigabyteMillisecond * gigabytes.api;
  return result.cost.units * price.readUnit + lambdaPrice.invocation + time;
}

/** What a million lists of the filter design cost, whose calls follow one another; without its CPU, which is not measured. */
export function filterDollars({ units, rounds }: Cost): number {
  const time = rounds * modelRoundMs * lambdaPrice.gigabyteMillisecond * gigabytes.api;
  return units * price.readUnit + lambdaPrice.invocation + time;
}

/** What the units of a million creates cost. */
export function createDollars({ writeUnits, indexWriteUnits, readUnits }: CreateCost): number {
  return (writeUnits + indexWriteUnits) * price.writeUnit + readUnits * price.readUnit;
}

/** Dollars for a million testimonials, each indexed with as many others. */
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

// A testimonial's item has these besides its content: keys, id, times, a usual author and a tag (test/integration/capacity.test.ts).
const restBytes = 400;

/**
 * Creates a second that one organization takes without a throttled write. Its counter and its testimonials lie in one partition
 * of the table; each secondary index has partitions of its own, which get the testimonial alone, as many units.
 * @param contentBytes of a testimonial's text in UTF-8
 */
export function createsASecond(contentBytes: number): number {
  const counter = 1;
  const testimonial = Math.ceil((contentBytes + restBytes) / 1024);
  return Math.floor(writeUnitsAPartition / (counter + testimonial));
}
