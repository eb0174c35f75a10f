/** A rule for every implementation of a store: in memory, and on each engine of DynamoDB. */
import type { Backend } from '../world/backend.ts';

/** The stores of lists and creates. */
export type ConformingStores = Pick<Backend, 'testimonials' | 'index' | 'idempotencyKeys'>;

export interface ConformanceCase<Stores = ConformingStores> {
  name: string;
  /** @param organization one without any items */
  holds: (stores: Stores, organization: string) => Promise<void>;
}

export function rule<Stores = ConformingStores>(
  name: string,
  holds: ConformanceCase<Stores>['holds'],
): ConformanceCase<Stores> {
  return { name, holds };
}

export async function allOf<Item>(pages: AsyncIterable<Item[]>): Promise<Item[]> {
  return (await Array.fromAsync(pages)).flat();
}
