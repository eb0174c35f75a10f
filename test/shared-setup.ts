/** What the global setup leaves for the global teardown. */
import type { RunningDynamoDb } from '../lib/local-runner/dynamodb.ts';

export const shared: { dynamoDb?: RunningDynamoDb } = {};
