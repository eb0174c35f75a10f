/** The Lambda entry point of the check before a rollout. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import {
  CodeDeployClient,
  GetDeploymentCommand,
  PutLifecycleEventHookExecutionStatusCommand,
} from '@aws-sdk/client-codedeploy';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { openTable } from '../../functions/dynamodb/table.ts';
import { tableStores } from '../operator/table-stores.ts';
import { createHook } from './before-traffic.ts';
import { whileDenied } from './while-denied.ts';

const byFunction = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));
const environment = v.object({
  TABLE_NAME: v.string(),
  QUEUE_URL: v.string(),
  /** ARNs of the new versions. */
  VERSIONS: byFunction,
  /** Names of the deployment groups. */
  GROUPS: byFunction,
});
const { TABLE_NAME, QUEUE_URL: QueueUrl, VERSIONS: versions, GROUPS } = v.parse(environment, process.env);
const [lambda, codeDeploy, sqs] = [new LambdaClient(), new CodeDeployClient(), new SQSClient()];
const logger = new Logger();
const patiently = whileDenied(sleep);
const table = openTable(TABLE_NAME);
table.client.middlewareStack.add((next) => (args) => patiently(() => next(args)), { step: 'initialize' });

export const handler = createHook({
  versions,
  operator: tableStores(table),
  sleep,
  log: (line, details = {}) => logger.info(line, { ...details }),
  // A single group of messages, so that the queue delivers one at a time.
  queue: (event) =>
    patiently(() =>
      sqs.send(
        new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(event), MessageGroupId: 'check' }),
      ),
    ),
  async functionOf({ DeploymentId: deploymentId }) {
    const command = new GetDeploymentCommand({ deploymentId });
    const { deploymentInfo } = await patiently(() => codeDeploy.send(command));
    const isGroup = ([, group]: [string, string]) => group === deploymentInfo?.deploymentGroupName;
    return Object.entries(GROUPS).find(isGroup)?.[0];
  },
  async invoke(FunctionName, event) {
    const command = new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) });
    const { FunctionError, Payload } = await patiently(() => lambda.send(command));
    const result = Buffer.from(Payload ?? []).toString();
    if (FunctionError !== undefined) throw new Error(`${FunctionName}: ${result}`);
    return JSON.parse(result);
  },
  putStatus({ DeploymentId: deploymentId, LifecycleEventHookExecutionId }, status) {
    const command = new PutLifecycleEventHookExecutionStatusCommand({
      deploymentId,
      lifecycleEventHookExecutionId: LifecycleEventHookExecutionId,
      status,
    });
    return patiently(() => codeDeploy.send(command));
  },
});
