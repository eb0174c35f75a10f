/** The filters of the functions that receive the table's stream. */
import { indexRequestSortKey, prefixes } from './keys.ts';

const sortKeyFilter = (eventName: ('INSERT' | 'MODIFY')[], ...S: (string | { prefix: string })[]) => ({
  eventName,
  dynamodb: { Keys: { SK: { S } } },
});

const startingWith = (...kinds: (keyof typeof prefixes)[]) =>
  kinds.map((kind) => ({ prefix: prefixes[kind] }));

/**
 * The filters of the event source mapping of `index-testimonials`. The function receives new testimonials,
 * change markers, texts of erasures, requests for an index update, and replaced testimonials, which may have
 * been erased.
 */
export const indexFilters = [
  sortKeyFilter(['INSERT'], ...startingWith('testimonial', 'changeMarker', 'erasure')),
  sortKeyFilter(['INSERT', 'MODIFY'], indexRequestSortKey),
  sortKeyFilter(['MODIFY'], ...startingWith('testimonial')),
];

/**
 * The filters of the event source mapping of `publish-events`. The function receives testimonials, imports,
 * and all other records that the index function receives. An alarm can therefore tell if only one of the two
 * functions is invoked.
 */
export const eventFilters = [...indexFilters, sortKeyFilter(['INSERT', 'MODIFY'], ...startingWith('import'))];
