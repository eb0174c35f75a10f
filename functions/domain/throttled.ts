/** The storage takes no more at present: each try of a call was refused for that. What was written before it holds. */
export class Throttled extends Error {
  override name = 'Throttled';
}
