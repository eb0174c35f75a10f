/** How a new version of the API's functions takes over: little by little, and back when an alarm says that requests fail. */
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Alarms } from './monitoring.ts';
import type { ServiceFunction } from './service-function.ts';

export interface GradualShiftProps {
  functions: ServiceFunction[];
  alarms: Alarms;
}

/**
 * A tenth of the requests more every two minutes, twenty minutes in all: an alarm needs ten of them to see what is wrong, and
 * where few ask, a version that fails has to have most of the requests before anybody can tell. While an alarm is raised, CodeDeploy
 * stops the shift and takes it back (https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-groups-configure-advanced-options.html).
 */
export class GradualShift extends Construct {
  constructor(scope: Construct, id: string, { functions, alarms }: GradualShiftProps) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    for (const fn of functions) {
      const group = new LambdaDeploymentGroup(this, fn.node.id, {
        application,
        alias: fn.live,
        deploymentConfig: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_2MINUTES,
        alarms: alarms.ofRequests(fn),
      });
      Validations.of(group.role).acknowledge({
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
        reason: 'The policy that AWS keeps for CodeDeploy: it moves aliases and reads alarms, no more.',
      });
    }
  }
}
