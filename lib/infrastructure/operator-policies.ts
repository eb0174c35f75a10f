/**
 * The managed policies of operators: for the read-only commands, for all commands, and for diagnosing alarms.
 */
import { ArnFormat, CfnOutput, type Stack, Validations } from 'aws-cdk-lib';
import { LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { statementsOf, tableRights } from './table-rights.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

interface PolicyProps {
  table: TestimonialsTable;
  hasDesk: boolean;
  bus: EventBus | undefined;
  /** The functions that read the table's stream. */
  readers: readonly LambdaFunction[];
}

/** Adds the policies to a stack, after the resources that they name. */
export function addOperatorPolicies(stack: Stack, props: PolicyProps): void {
  const { table, hasDesk } = props;
  const scope = new Construct(stack, 'Operator');
  const add = (name: string, description: string, statements: PolicyStatement[]) => {
    const policy = new ManagedPolicy(scope, name, { description, statements });
    new CfnOutput(stack, `Operator${name}Policy`, { value: policy.managedPolicyArn, description });
    return policy;
  };
  const of = (rights: Parameters<typeof statementsOf>[0]) =>
    statementsOf(rights, table.arns).map(PolicyStatement.fromJson);
  add('Read', 'Testimonials: the commands of npm run admin that only read', of(tableRights.operatorRead));
  const all = { ...tableRights.operatorWrite, ...(hasDesk && tableRights.invite) };
  add('Write', 'Testimonials: all commands of npm run admin, and npm run check', of(all));
  const diagnose = add(
    'Diagnose',
    'Testimonials: the AWS commands that find and repair the causes of alarms',
    diagnosis(stack, props),
  );
  for (const resource of [
    '*',
    'arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:event-source-mapping:*',
  ])
    Validations.of(diagnose).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${resource}]`,
      reason:
        'List and quota actions have no resource-level permissions. The ARN of a mapping is not known in advance, so a condition limits it to these functions.',
    });
}

const rolloutActions = [
  'codedeploy:GetDeploymentGroup',
  'codedeploy:UpdateDeploymentGroup',
  'codedeploy:ListDeployments',
  'codedeploy:StopDeployment',
];

const resourcesOf = <Kind>(stack: Stack, kind: abstract new (...args: never[]) => Kind): Kind[] =>
  stack.node.findAll().filter((each): each is typeof each & Kind => each instanceof kind);

/**
 * Returns the statements for the AWS commands in docs/alarms.md about alarms and the dashboard. A test
 * compares them.
 */
function diagnosis(stack: Stack, { table, bus, readers }: PolicyProps): PolicyStatement[] {
  const allow = (Sid: string, actions: string[], resources: string[], conditions?: object) =>
    new PolicyStatement({
      sid: Sid,
      actions,
      resources,
      ...(conditions && { conditions: { ...conditions } }),
    });
  const groups = resourcesOf(stack, LambdaDeploymentGroup).map(
    ({ deploymentGroupArn }) => deploymentGroupArn,
  );
  const mappings = stack.formatArn({
    service: 'lambda',
    resource: 'event-source-mapping',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return [
    allow('Stack', ['cloudformation:DescribeStacks', 'cloudformation:ListStackResources'], [stack.stackId]),
    allow(
      'Logs',
      ['logs:FilterLogEvents', 'logs:StartQuery'],
      resourcesOf(stack, LogGroup).map(({ logGroupArn }) => logGroupArn),
    ),
    allow(
      'Functions',
      ['lambda:ListVersionsByFunction', 'lambda:UpdateAlias'],
      resourcesOf(stack, LambdaFunction).map(({ functionArn }) => functionArn),
    ),
    allow('Mappings', ['lambda:UpdateEventSourceMapping'], [mappings], {
      ArnLike: { 'lambda:FunctionArn': readers.map(({ functionArn }) => `${functionArn}:*`) },
    }),
    allow(
      'Queues',
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:PurgeQueue'],
      resourcesOf(stack, Queue).map(({ queueArn }) => queueArn),
    ),
    allow('Table', ['dynamodb:DescribeTable', 'dynamodb:UpdateContributorInsights'], [table.arns.table]),
    ...(bus ? [allow('Events', ['events:PutEvents'], [bus.eventBusArn])] : []),
    ...(groups.length > 0 ? [allow('Rollouts', rolloutActions, groups)] : []),
    // These actions have no resource-level permissions, or only for resources of the whole account.
    allow(
      'Account',
      [
        'acm:ListCertificates',
        'backup:ListBackupJobs',
        'backup:ListBackupPlans',
        'backup:ListCopyJobs',
        'lambda:GetAccountSettings',
        'lambda:ListEventSourceMappings',
        'logs:GetQueryResults',
        'servicequotas:ListServiceQuotas',
        'servicequotas:RequestServiceQuotaIncrease',
      ],
      ['*'],
    ),
  ];
}
