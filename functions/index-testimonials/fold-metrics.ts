/** The names of the index function's metrics, as it counts them and as alarms watch them. */
export const foldMetrics = {
  testimonials: 'TestimonialsFolded',
  changes: 'ChangesFolded',
  postings: 'PostingsWritten',
  failures: 'FoldFailures',
  /** Age of the oldest testimonial or change that a fold left for later, in milliseconds. */
  lag: 'FoldLag',
  /** Folds into postings that were made by other rules than those of this version. */
  otherTerms: 'PostingsOfOtherTerms',
} as const;
