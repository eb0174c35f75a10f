/** Runs the embedded DynamoDB in a thread of its own, so that its work is not counted as the function's. */
import { parentPort } from 'node:worker_threads';
import { startEmbeddedDynamoDb } from '../../lib/local-runner/dynamodb.ts';

const { endpoint } = await startEmbeddedDynamoDb(':memory:', 0);
parentPort?.postMessage(endpoint);
