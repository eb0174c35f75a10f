/** What refusals say; the documented examples say the same. */
export const notFoundMessage = 'There is no testimonial with this id.';
export const changedMeanwhileMessage = 'The testimonial was changed since it was seen.';
