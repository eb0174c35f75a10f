/**
 * The additions to the terms of testimonials, a line for each version of the rules, oldest first: the number of the rules is that
 * of lines. Whoever adds a kind of facet adds a line with its name; whoever changes what words a text has, or what of it is masked
 * for everyone, adds one with `texts`. No line is ever changed: organizations have an index that was made by it.
 */
export const termRules = [
  ['status', 'type', 'rating', 'texts'],
  ['texts'],
  ['texts'],
  ['texts'],
  ['tag'],
  ['texts'], // what is masked has terms of its own
] as const;

/** The names that a line can have. */
type Named = (typeof termRules)[number][number];

/** The kinds of facets. */
export type FacetKind = Exclude<Named, 'texts'>;

/** The number of the newest rules. */
export const newestRules = termRules.length;

/** The number of the rules by which texts become terms. */
export const textRules = lastWith('texts');

/** The number of the rules that a kind of facet came with; what it means never changes. */
export function sinceOf(kind: FacetKind): number {
  return lastWith(kind);
}

function lastWith(name: Named): number {
  return termRules.findLastIndex((line: readonly Named[]) => line.includes(name)) + 1;
}
