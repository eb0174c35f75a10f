/** How to reach a local DynamoDB, which takes any credentials, and the table there. */
export const localTableName = 'testimonials';

/** Where a local DynamoDB believes to be. */
export const localRegion = 'us-east-1';

/** The configuration of an SDK client for a local DynamoDB. */
export function localClientConfig(endpoint: string) {
  return {
    endpoint,
    region: localRegion,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
}
