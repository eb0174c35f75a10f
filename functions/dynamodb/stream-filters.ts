/** The filters of the functions that receive the table's stream. */
import { indexRequestSortKey, prefixes } from './keys.ts';

const sortKeyFilter = (eventName: ('INSERT' | 'MODIFY')[], ...S: (string | { prefix: string })[]) => ({
  eventName,
  dynamodb: { Keys: { SK: { S } } },
});

const startingWith = (...kinds: (keyof typeof prefixes)[]) =>
  kinds.map((kind) => ({ prefix: prefixes[kind] }));

/**
 * Filters of the event source mapping of `index-testimonials`. It receives new testimonials, change markers
 * and texts of erasures, requests to update the index, and replaced testimonials, which may have been erased.
 */
export const indexFilters = [
  sortKeyFilter(['INSERT'], ...startingWith('testimonial', 'changeMarker', 'erasure')),
  sortKeyFilter(['INSERT', 'MODIFY'], indexRequestSortKey),
  sortKeyFilter(['MODIFY'], ...startingWith('testimonial')),
];

/**
 * Filters of the event source mapping of `publish-events`. It receives testimonials and imports, and all
 * other records of the index function, so that an alarm can tell if only one of the two functions is invoked.
 */
export const eventFilters = [...indexFilters, sortKeyFilter(['INSERT', 'MODIFY'], ...startingWith('import'))];
