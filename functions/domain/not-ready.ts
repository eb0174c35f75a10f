/** A list needs what its organization's index does not have yet, or no longer has by the rules of this version. */
export class NotReady extends Error {
  override name = 'NotReady';

  /** @param terms by which the index was made */
  constructor(organization: string, terms: string) {
    super(`The list index of ${organization} was made by the rules ${terms}, and the list needs others`);
  }
}
