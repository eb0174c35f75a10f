/** The alarms and the dashboard. measures.ts defines their metrics. */
import { CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Stage } from './context.ts';
import type { Measure } from './measure.ts';
import problems from './problems.json' with { type: 'json' };
import { kebabCase } from './service-function.ts';

/**
 * Adds the alarms of a stage, and returns them by name.
 * @param email the recipient; if absent, alarms only appear in CloudWatch and reach the subscribers of the
 * topics
 */
export function addAlarms(
  stack: Stack,
  { stage, measures, email }: { stage: Stage; measures: Measure[]; email: string | undefined },
): ReadonlyMap<string, cloudwatch.Alarm> {
  const scope = new Construct(stack, 'Alarms');
  const urgent = new SnsAction(topicOf(scope, 'Topic', 'UrgentAlarmTopic', email));
  const other = new SnsAction(topicOf(scope, 'OtherTopic', 'OtherAlarmTopic', email));
  const alarms = new Map<string, cloudwatch.Alarm>();
  for (const { metric, alarm: definition } of measures) {
    if (!definition) continue;
    const { section, functionName, threshold, periods = 1, raisedIn = periods } = definition;
    if (!stage.isProtected && !definition.isEverywhere) continue;
    const name = functionName === undefined ? section : section.replace('Function', functionName);
    const problem = functionName === undefined ? problems[section] : `${functionName} ${problems[section]}`;
    const alarm = new cloudwatch.Alarm(scope, name, {
      alarmDescription: `${problem}. docs/alarms.md#${kebabCase(section)}`,
      metric,
      threshold,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: raisedIn,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    const action = definition.isUrgent ? urgent : other;
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    alarms.set(name, alarm);
  }
  return alarms;
}

function topicOf(scope: Construct, id: string, output: string, email: string | undefined): Topic {
  const topic = new Topic(scope, id, { enforceSSL: true });
  Validations.of(topic).acknowledge({
    id: 'AwsSolutions-SNS2',
    reason:
      'Its messages contain alarms and figures but no customer data, and alarms cannot use the AWS managed key.',
  });
  // The policy of enforceSSL only denies, and replaces the default policy of SNS. Without this statement,
  // alarms do not arrive (https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html).
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
  if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
  new CfnOutput(Stack.of(scope), output, { value: topic.topicArn });
  return topic;
}

/** Adds a dashboard with the alarms above the graphs. */
export function addDashboard(
  stack: Stack,
  stage: Stage,
  measures: Measure[],
  alarms: ReadonlyMap<string, cloudwatch.Alarm>,
): void {
  const graphed = measures.flatMap(({ metric, graph }) => (graph ? [{ metric, graph }] : []));
  const graphs = [...Map.groupBy(graphed, ({ graph: [title] }) => title)].map(([title, group]) => {
    const left = group.map(({ metric, graph: [, label] }) => metric.with({ label }));
    return new cloudwatch.GraphWidget({ title, left, leftYAxis: { min: 0, showUnits: false }, width: 12 });
  });
  const shown = { alarms: [...alarms.values()], width: 24, height: 4 };
  const status = new cloudwatch.AlarmStatusWidget({ title: 'Alarms', ...shown });
  new cloudwatch.Dashboard(new Construct(stack, 'Dashboard'), 'Dashboard', {
    // The regions of an account share these names
    // (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutDashboard.html).
    dashboardName: `testimonials-${stage.name}-${stack.region}`,
    defaultInterval: Duration.days(1),
    // Keeps the five-minute period of graphs for longer time ranges.
    periodOverride: cloudwatch.PeriodOverride.INHERIT,
    widgets: [[status], graphs],
  });
}
