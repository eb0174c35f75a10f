/** DynamoDB throttled a call and all of its retries. Earlier writes of the request stay. */
export class Throttled extends Error {
  override name = 'Throttled';
}
