/** Logged when a create is given a place that is another's, and takes the next; an alarm counts it. */
export const placeTakenMessage = 'The place of a new testimonial is taken';
