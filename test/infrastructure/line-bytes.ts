/** How long a line of a function of the API is in the log, at most: what the bill of a month rests on. */
export const lineBytes = 432;
