/** The Lambda entry point of the check before a rollout. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { CodeDeployClient, PutLifecycleEventHookExecutionStatusCommand } from '@aws-sdk/client-codedeploy';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as v from 'valibot';
import { openTable } from '../../functions/persistence/table.ts';
import { tableStores } from '../operator/table-stores.ts';
import { createHook } from './before-traffic.ts';

const environment = v.object({
  TABLE_NAME: v.string(),
  VERSIONS: v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())),
});
const { TABLE_NAME, VERSIONS: versions } = v.parse(environment, process.env);
const [lambda, codeDeploy] = [new LambdaClient(), new CodeDeployClient()];
const logger = new Logger();

export const handler = createHook({
  versions,
  operator: tableStores(openTable(TABLE_NAME)),
  sleep,
  log: (line, details = {}) => logger.info(line, { ...details }),
  async invoke(FunctionName, event) {
    const { FunctionError, Payload } = await lambda.send(
      new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) }),
    );
    const result = Buffer.from(Payload ?? []).toString();
    if (FunctionError !== undefined) throw new Error(`${FunctionName}: ${result}`);
    return JSON.parse(result);
  },
  putStatus: ({ DeploymentId: deploymentId, LifecycleEventHookExecutionId }, status) =>
    codeDeploy.send(
      new PutLifecycleEventHookExecutionStatusCommand({
        ...{ deploymentId, lifecycleEventHookExecutionId: LifecycleEventHookExecutionId, status },
      }),
    ),
});
