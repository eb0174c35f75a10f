/** The gradual rollout of new versions, and their check before they get requests. */
import { fileURLToPath } from 'node:url';
import { ArnFormat, type CfnElement, Duration, Stack, Validations } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { checkDelayMs, checkTimeoutMs } from '../../functions/timing.ts';
import type { Stage } from './context.ts';
import { ServiceFunction } from './service-function.ts';
import { checkStatements } from './table-rights.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

const check = fileURLToPath(new URL('../check/lambda.ts', import.meta.url));

interface RolloutProps {
  stage: Stage;
  functions: readonly ServiceFunction[];
  table: TestimonialsTable;
  /** The alarms of the stage, by name. */
  alarms: ReadonlyMap<string, Alarm>;
}

/**
 * Rolls out new versions of the API's functions in twenty minutes: every two minutes, they get another ten
 * percent of the requests. An alarm takes ten minutes. With little traffic, it is raised only when most
 * requests reach the new version. CodeDeploy then rolls back
 * (https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-groups-configure-advanced-options.html).
 */
export class Rollout extends Construct {
  constructor(scope: Construct, id: string, { stage, functions, table, alarms }: RolloutProps) {
    super(scope, id);
    const hook = this.#checkBeforeTraffic(stage, functions, table);
    const application = new LambdaApplication(this, 'Application');
    const groups = functions.map(
      (fn) => [fn.node.id, this.#group(fn, { application, hook, alarms })] as const,
    );
    const names = groups.map(([name, { deploymentGroupName }]) => [name, deploymentGroupName]);
    hook.addEnvironment('GROUPS', Stack.of(this).toJsonString(Object.fromEntries(names)));
  }

  #group(
    fn: ServiceFunction,
    {
      application,
      hook,
      alarms,
    }: { application: LambdaApplication; hook: ServiceFunction } & Pick<RolloutProps, 'alarms'>,
  ): LambdaDeploymentGroup {
    fn.live.node.addDependency(hook);
    const group = new LambdaDeploymentGroup(this, fn.node.id, {
      application,
      preHook: hook,
      alias: fn.live,
      deploymentConfig: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_2MINUTES,
      // Otherwise both versions would continue to respond.
      autoRollback: { stoppedDeployment: true },
      alarms: ['ApiErrors', 'ApiOutage', `${fn.node.id}Errors`].flatMap((name) => alarms.get(name) ?? []),
    });
    Validations.of(group.role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'The policy that AWS maintains for CodeDeploy: it only moves aliases and reads alarms.',
    });
    Validations.of(group.role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${idOf(hook)}.Arn>:*]`,
      reason: 'The CDK allows any version of the check.',
    });
    return group;
  }

  /**
   * Adds the function that runs a short contract against new versions, and the queue from which it receives
   * one after the other.
   */
  #checkBeforeTraffic(
    stage: Stage,
    functions: readonly ServiceFunction[],
    table: TestimonialsTable,
  ): ServiceFunction {
    const stack = Stack.of(this);
    const versions = functions.map(({ node, currentVersion }) => [node.id, currentVersion.functionArn]);
    const queue = this.#queue();
    const fn = new ServiceFunction(stack, 'CheckBeforeTraffic', {
      stage,
      description: 'Check new versions before they get requests',
      entry: check,
      timeoutMs: checkTimeoutMs,
      assets: ['pages'],
      environment: {
        TABLE_NAME: table.table.tableName,
        QUEUE_URL: queue.queueUrl,
        VERSIONS: stack.toJsonString(Object.fromEntries(versions)),
      },
    });
    // Like CodeDeploy, the queue invokes the newest code with the newest variables, rather than the alias.
    fn.addEventSource(new SqsEventSource(queue, { batchSize: 1 }));
    queue.grantSendMessages(fn);
    const groups = { service: 'codedeploy', resource: 'deploymentgroup', resourceName: '*' };
    const anyGroup = stack.formatArn({ ...groups, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    // All versions, because a policy that names the new ones would be rewritten seconds before its use, which
    // is too late for IAM.
    const invocation = {
      Action: 'lambda:InvokeFunction',
      Resource: functions.map(({ functionArn }) => `${functionArn}:*`),
    };
    const status = {
      Action: ['codedeploy:GetDeployment', 'codedeploy:PutLifecycleEventHookExecutionStatus'],
      Resource: anyGroup,
    };
    for (const each of [...checkStatements(table.arns), invocation, status]) {
      fn.addToRolePolicy(PolicyStatement.fromJson({ Effect: 'Allow', ...each }));
    }
    Validations.of(fn.role ?? fn).acknowledge(
      {
        id: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:codedeploy:<AWS::Region>:<AWS::AccountId>:deploymentgroup:*]',
        reason: 'The deployment groups depend on this function. It only knows the deployments that call it.',
      },
      ...functions.map((each) => ({
        id: `AwsSolutions-IAM5[Resource::<${idOf(each)}.Arn>:*]`,
        reason: 'The check invokes each new version, which the policy does not know before it exists.',
      })),
    );
    return fn;
  }

  /**
   * Adds a queue with a single group of messages, from which Lambda receives one message at a time
   * (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html).
   */
  #queue(): Queue {
    const queue = new Queue(this, 'Checks', {
      fifo: true,
      contentBasedDeduplication: true,
      deliveryDelay: Duration.millis(checkDelayMs),
      visibilityTimeout: Duration.millis(checkTimeoutMs),
      // CodeDeploy gives up on a hook after an hour.
      retentionPeriod: Duration.hours(1),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    Validations.of(queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'A check that has not run within an hour is useless, because CodeDeploy has rolled back.',
    });
    return queue;
  }
}

// The construct is one resource.
const idOf = (fn: ServiceFunction): string => Stack.of(fn).getLogicalId(fn.node.defaultChild as CfnElement);
