/** Errors after which the client tries again later: the API answers them 503 with `Retry-After`. */

/** The organization's list index does not have the postings that a list needs: it was built by older or newer rules. */
export class NotReady extends Error {
  override name = 'NotReady';

  /** @param terms the version of the rules that the index was built by */
  constructor(organization: string, terms: string) {
    super(`The list index of ${organization} was built by the rules ${terms}, and the list needs others`);
  }
}

/** DynamoDB throttled every try of a call. Earlier writes of the request stay. */
export class Throttled extends Error {
  override name = 'Throttled';
}
