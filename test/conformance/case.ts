/** A rule that every implementation of a store keeps: in memory, and on each engine of DynamoDB. */
import type { Backend } from '../world/backend.ts';

/** The stores that the list engine and creates run on. */
export type ConformingStores = Pick<Backend, 'testimonials' | 'index' | 'idempotencyKeys'>;

export interface ConformanceCase<Stores = ConformingStores> {
  name: string;
  /** @param organization one that has nothing yet */
  holds: (stores: Stores, organization: string) => Promise<void>;
}

/** Gives a rule of a store its name. */
export function rule<Stores = ConformingStores>(
  name: string,
  holds: ConformanceCase<Stores>['holds'],
): ConformanceCase<Stores> {
  return { name, holds };
}

/** All pages together. */
export async function allOf<Item>(pages: AsyncIterable<Item[]>): Promise<Item[]> {
  return (await Array.fromAsync(pages)).flat();
}
