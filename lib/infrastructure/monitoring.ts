/** The alarms and the dashboard. measures.ts defines their metrics. */
import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  PeriodOverride,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Stage } from './context.ts';
import type { AlarmSection, Measure } from './measures.ts';
import problems from './problems.json' with { type: 'json' };
import { kebabCase } from './service-function.ts';

/** Alarms that unprotected stages also have. Apart from those of events they watch ten metrics, which CloudWatch does for free. */
const everywhere: readonly AlarmSection[] = [
  ...(['ApiOutage', 'FunctionErrors', 'IndexUpdateOverdue', 'IndexUpdateFailures', 'DeadLetters'] as const),
  ...(['PositionTaken', 'EventsStopped', 'EventsGivenUp', 'EventsUndelivered'] as const),
];

/**
 * Adds the alarms of a stage, and returns them by name.
 * @param email the recipient; without one the alarms only show in CloudWatch
 */
export function addAlarms(
  stack: Stack,
  { stage, measures, email }: { stage: Stage; measures: Measure[]; email: string | undefined },
): ReadonlyMap<string, Alarm> {
  const scope = new Construct(stack, 'Alarms');
  const action = new SnsAction(topicOf(scope, email));
  const alarms = new Map<string, Alarm>();
  for (const { metric, alarm: definition } of measures) {
    if (!definition) continue;
    const { section, functionName, threshold, periods = 1, raisedIn = periods } = definition;
    if (!stage.isProtected && !everywhere.includes(section)) continue;
    const name = functionName === undefined ? section : section.replace('Function', functionName);
    const problem = functionName === undefined ? problems[section] : `${functionName} ${problems[section]}`;
    const alarm = new Alarm(scope, name, {
      alarmDescription: `${problem}. docs/operations.md#${kebabCase(section)}`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: raisedIn,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(action);
    alarms.set(name, alarm);
  }
  return alarms;
}

function topicOf(scope: Construct, email: string | undefined): Topic {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  Validations.of(topic).acknowledge({
    id: 'AwsSolutions-SNS2',
    reason:
      'Its messages contain alarms and figures but no customer data, and alarms cannot use the AWS managed key.',
  });
  // The policy of enforceSSL only denies, and replaces the default policy of SNS. Without this statement no alarm arrives
  // (https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html).
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
  if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
  return topic;
}

/** Adds a dashboard with the alarms above the graphs. */
export function addDashboard(
  stack: Stack,
  stage: Stage,
  measures: Measure[],
  alarms: ReadonlyMap<string, Alarm>,
): void {
  const graphed = measures.flatMap(({ metric, graph }) => (graph ? [{ metric, graph }] : []));
  const graphs = [...Map.groupBy(graphed, ({ graph: [title] }) => title)].map(([title, group]) => {
    const left = group.map(({ metric, graph: [, label] }) => metric.with({ label }));
    return new GraphWidget({ title, left, leftYAxis: { min: 0, showUnits: false }, width: 12 });
  });
  new Dashboard(new Construct(stack, 'Dashboard'), 'Dashboard', {
    // The regions of an account share these names
    // (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutDashboard.html).
    dashboardName: `testimonials-${stage.name}-${stack.region}`,
    defaultInterval: Duration.days(1),
    // Keeps the five-minute period of graphs when a longer interval is shown.
    periodOverride: PeriodOverride.INHERIT,
    widgets: [
      [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms.values()], width: 24, height: 4 })],
      graphs,
    ],
  });
}
