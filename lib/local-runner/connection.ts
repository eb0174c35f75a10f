/** How to reach a local DynamoDB, which takes any credentials, and the table there. */
export const localTableName = 'testimonials';

/** What an SDK client needs for a local DynamoDB. */
export function localClientConfig(endpoint: string) {
  return {
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
}
